/* Comparison of two tensors as a whole, which ends at the first block with a difference. */
#include "reduce/equal.h"
#include "base.h"
#include "types.h"

enum { BLOCK = 1024 };

#define BODY "reduce/equal_body.h"
#include "for_all_types.h"

int32_t t7_are_equal(int32_t type, const void *x, const void *y, int64_t n) {
    static int32_t (*const equal[])(const void *, const void *, int64_t) = {FOR_TYPES(are_equal)};
    return equal[type](x, y, n);
}
