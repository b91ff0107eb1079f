/* NaNs among elements, whose bits are read as integers. */
#include "reduce/nans.h"
#include "base.h"
#include "types.h"

static const uint64_t INFINITE_D = 0x7ff0000000000000, NAN_D = 0x7ff8000000000000;
static const uint32_t INFINITE_F = 0x7f800000, NAN_F = 0x7fc00000;
static const uint16_t INFINITE_H = 0x7c00, NAN_H = 0x7e00;
enum { BLOCK = 1024 };

/* Masks as wide as the elements, so that vectors of comparisons need no conversion. */
#define HAS_NAN(type, mask)                                                                                            \
    for (int64_t from = 0; from < n; from += BLOCK) {                                                                  \
        const type *p = (const type *)x + from;                                                                        \
        const int count = n - from < BLOCK ? (int)(n - from) : BLOCK;                                                  \
        mask found = 0;                                                                                                \
        for (int i = 0; i < count; i++) found |= p[i] != p[i] ? -1 : 0;                                                \
        if (found) return 1;                                                                                           \
    }

int32_t t7_has_nan(int32_t type, const void *x, int64_t n) {
    if (type == DOUBLE) {
        HAS_NAN(double, int64_t)
    } else if (type == FLOAT) {
        HAS_NAN(float, int32_t)
    }
    return 0;
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
