/* NaNs among elements, whose bits are read as integers. */
#include "reduce/nans.h"
#include "base.h"
#include "types.h"

static const uint64_t INFINITE_D = 0x7ff0000000000000, NAN_D = 0x7ff8000000000000;
static const uint32_t INFINITE_F = 0x7f800000, NAN_F = 0x7fc00000;
static const uint16_t INFINITE_H = 0x7c00, NAN_H = 0x7e00;
enum { BLOCK = 1024 };

#define BODY "reduce/nans_body.h"
#include "for_floating_types.h"

int32_t t7_has_nan(int32_t type, const void *x, int64_t n) {
    return type == DOUBLE ? has_nan_Double(x, n) : type == FLOAT ? has_nan_Float(x, n) : 0;
}

void t7_clean_nans(int32_t type, void *x, int64_t n) {
    if (type == DOUBLE) {
        for (int64_t i = 0; i < n; i++) {
            uint64_t *u = (uint64_t *)x + i, magnitude = *u & INT64_MAX;
            if (magnitude > INFINITE_D && magnitude != NAN_D) *u = NAN_D;
        }
    } else if (type == FLOAT) {
        for (int64_t i = 0; i < n; i++) {
            uint32_t *u = (uint32_t *)x + i, magnitude = *u & INT32_MAX;
            if (magnitude > INFINITE_F && magnitude != NAN_F) *u = NAN_F;
        }
    } else if (type == HALF) {
        for (int64_t i = 0; i < n; i++) {
            uint16_t *u = (uint16_t *)x + i, magnitude = *u & INT16_MAX;
            if (magnitude > INFINITE_H && magnitude != NAN_H) *u = NAN_H;
        }
    }
}
