/* Functions of integers. Quotients by zero are the caller's error; those by -1, which may overflow, are not trapped. */
#pragma once
#include "maths/power.h"

INLINE int64_t divide_64(int64_t x, int64_t y) { return y == -1 ? -x : x / y; }
INLINE int64_t fmod_64(int64_t x, int64_t y) { return y == -1 ? 0 : x % y; }

/* The same for integers of 32 bits: the truncated quotient of doubles is exact. */
INLINE int32_t divide_32(int32_t x, int32_t y) {
    int32_t divisor = y == -1 ? 1 : y, quotient = (int32_t)((double)x / (double)divisor);
    return y == -1 ? -quotient : quotient;
}
INLINE int32_t fmod_32(int32_t x, int32_t y) { return x - divide_32(x, y) * y; }
INLINE int32_t remainder_32(int32_t x, int32_t y) {
    int32_t r = fmod_32(x, y);
    return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}

/* With the sign of the divisor. */
INLINE int64_t remainder_64(int64_t x, int64_t y) {
    int64_t r = fmod_64(x, y);
    return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}

/* Truncates. What does not fit is undefined in C; here it is the least integer, as on x86-64. Narrower integers are the
   low bits of one of 32 bits. */
INLINE int64_t double_to_long(double x) { return x >= -0x1p63 && x < 0x1p63 ? (int64_t)x : INT64_MIN; }
INLINE int32_t double_to_int(double x) { return x >= -0x1p31 && x < 0x1p31 ? (int32_t)x : INT32_MIN; }

/* By powers of doubles. */
INLINE int64_t power_64(int64_t x, int64_t y) {
    uint64_t rare;
    return double_to_long(pow_d((double)x, (double)y, 1, &rare));
}
INLINE int32_t power_32(int32_t x, int32_t y) {
    uint64_t rare;
    return double_to_int(pow_d((double)x, (double)y, 1, &rare));
}
