/* Exact remainders with the sign of the dividend. Rare: quotients from 2^53 on, and 2^28 of Floats, which are computed
   in doubles. */
#pragma once
#include "maths/basic.h"

INLINE double fmod_d(double x, double y, int careful, uint64_t *rare) {
    if (careful) return __builtin_fmod(x, y);
    double a = abs_d(x), b = abs_d(y), q = a / b;
    *rare |= !(q < 0x1p53 && a < 0x1p990 && b < 0x1p990 && b > 0x1p-900);
    /* Where the quotient was rounded up, one divisor too many was subtracted. */
    double r = exact_fma_d(-__builtin_trunc(q), b, a);
    r += r < 0.0 ? b : 0.0;
    return copysign_d(r, x);
}

INLINE float fmod_f(float x, float y, int careful, uint64_t *rare) {
    if (careful) return __builtin_fmodf(x, y);
    double a = (double)abs_f(x), b = (double)abs_f(y);
    b = 1e300 < b ? 1e300 : b;
    double q = a / b;
    *rare |= !(q < 0x1p28);
    return copysign_f((float)(a - __builtin_trunc(q) * b), x);
}

/* x - y w: of Floats in doubles, where the product is exact. */
INLINE float residual_f(float x, float y, float w) { return (float)((double)x - (double)y * (double)w); }
INLINE double residual_d(double x, double y, double w) { return x - y * w; }
