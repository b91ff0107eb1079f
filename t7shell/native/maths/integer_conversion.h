/* Conversions between doubles and integers of 64 bits with magnitudes below 2^51, which AVX2 lacks: integers are the
   low bits of a sum with 1.5 * 2^52. */
#pragma once
#include "maths/basic.h"

INLINE int64_t truncate_small_d(double x) {
    return (int64_t)(bits_d(__builtin_trunc(x) + SHIFTER_D) - bits_d(SHIFTER_D));
}
INLINE double small_long_d(int64_t x) { return from_bits_d((uint64_t)x + bits_d(SHIFTER_D)) - SHIFTER_D; }
