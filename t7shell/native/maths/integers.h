/* Functions of integers. Quotients by zero are the caller's error; those by -1, which may overflow, are not trapped. */
#pragma once
#include "maths/power.h"

INLINE int64_t divide_integer(int64_t x, int64_t y) { return y == -1 ? -x : x / y; }
INLINE int64_t fmod_integer(int64_t x, int64_t y) { return y == -1 ? 0 : x % y; }

/* The same of integers of 32 bits, whose quotients doubles have exactly when they are cut. */
INLINE int32_t divide_short(int32_t x, int32_t y) {
    int32_t divisor = y == -1 ? 1 : y, quotient = (int32_t)((double)x / (double)divisor);
    return y == -1 ? -quotient : quotient;
}
INLINE int32_t fmod_short(int32_t x, int32_t y) { return x - divide_short(x, y) * y; }
INLINE int32_t remainder_short(int32_t x, int32_t y) {
    int32_t r = fmod_short(x, y);
    return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}

/* With the sign of the divisor. */
INLINE int64_t remainder_integer(int64_t x, int64_t y) {
    int64_t r = fmod_integer(x, y);
    return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}

/* A fraction without its rest. What does not fit is undefined in C, and the least number here as on x86. */
INLINE int64_t whole_d(double x) { return x >= -0x1p63 && x < 0x1p63 ? (int64_t)x : INT64_MIN; }

/* By the power of doubles. */
INLINE int64_t power_integer(int64_t x, int64_t y) {
    uint64_t rare;
    return whole_d(pow_d((double)x, (double)y, 1, &rare));
}
