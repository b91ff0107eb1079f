/* Functions of integers. Quotients by zero are the caller's error; those by -1, which may overflow, are not trapped. */
#pragma once
#include "maths/power.h"

INLINE int64_t divide_integer(int64_t x, int64_t y) { return y == -1 ? -x : x / y; }
INLINE int64_t fmod_integer(int64_t x, int64_t y) { return y == -1 ? 0 : x % y; }

/* With the sign of the divisor. */
INLINE int64_t remainder_integer(int64_t x, int64_t y) {
    int64_t r = fmod_integer(x, y);
    return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}

/* By the power of doubles. A cast of what does not fit is the least number on x86 and undefined in C. */
INLINE int64_t power_integer(int64_t x, int64_t y) {
    uint64_t rare;
    double r = pow_d((double)x, (double)y, 1, &rare);
    return r > -9.2e18 && r < 9.2e18 ? (int64_t)r : INT64_MIN;
}
