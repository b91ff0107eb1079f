/* Between doubles and integers of 64 bits with magnitudes below 2^51, for which there are vectors: by the lowest bits
   of a sum. */
#pragma once
#include "maths/basic.h"

#define LOWEST_BITS 6755399441055744.0

INLINE int64_t small_whole_d(double x) {
    return (int64_t)(bits_d(__builtin_trunc(x) + LOWEST_BITS) - bits_d(LOWEST_BITS));
}
INLINE double small_long_d(int64_t x) { return from_bits_d((uint64_t)x + bits_d(LOWEST_BITS)) - LOWEST_BITS; }
