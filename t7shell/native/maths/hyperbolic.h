/* Hyperbolic functions by exponentials in two parts, and by series where x is small. */
#pragma once
#include "maths/exponential.h"

/* exp(a) / 4, so that twice its sum with another number overflows where the function does. */
INLINE float quarter_exp_f(float a) {
    a = 89.7f < a ? 89.7f : a;
    int32_t k;
    float y = exp_parts_f(a, &k);
    return y * power_of_two_f(k - 2);
}

/* Hyperbolic cosine and sine of Floats: 1.6 ulp. */
INLINE float cosh_f(float x) {
    float e = quarter_exp_f(abs_f(x));
    return 2.0f * (e + 0.0625f / e);
}
INLINE float sinh_f(float x) {
    float a = abs_f(x), e = quarter_exp_f(a), z = a * a;
    float p = 2.50521084e-08f;
    p = fma_f(p, z, 2.75573192e-06f);
    p = fma_f(p, z, 0.000198412698f);
    p = fma_f(p, z, 0.00833333333f);
    p = fma_f(p, z, 0.166666667f);
    float near = fma_f(a * z, p, a), far = 2.0f * (e - 0.0625f / e);
    return copysign_f(a < 1.0f ? near : far, x);
}

/* exp(a) / 4 in two parts. */
INLINE double quarter_exp_d(double a, double *rest) {
    a = 710.8 < a ? 710.8 : a;
    uint64_t k;
    double lo, s = exp_parts_d(a, &k, &lo), e = fast_two_sum_d(s, lo, rest), scale = power_of_two_d(k - 2);
    *rest *= scale;
    return e * scale;
}

/* Hyperbolic cosine and sine of doubles: 0.8 ulp. */
INLINE double cosh_d(double x) {
    double rest, lo, e = quarter_exp_d(abs_d(x), &rest), q = 0.0625 / e, s = fast_two_sum_d(e, q, &lo);
    return 2.0 * (s + (lo + (rest - rest * q / e)));
}
INLINE double sinh_d(double x) {
    double a = abs_d(x), rest, lo, e = quarter_exp_d(a, &rest), s = fast_two_sum_d(e, -0.0625 / e, &lo), z = a * a;
    double p = 8.22063524662433e-18;
    p = fma_d(p, z, 2.8114572543455206e-15);
    p = fma_d(p, z, 7.647163731819816e-13);
    p = fma_d(p, z, 1.6059043836821613e-10);
    p = fma_d(p, z, 2.505210838544172e-08);
    p = fma_d(p, z, 2.7557319223985893e-06);
    p = fma_d(p, z, 0.0001984126984126984);
    p = fma_d(p, z, 0.008333333333333333);
    p = fma_d(p, z, 0.16666666666666666);
    double near = fma_d(a * z, p, a), far = 2.0 * (s + (lo + rest));
    return copysign_d(a < 1.0 ? near : far, x);
}

/* Hyperbolic tangent by e = exp(y) - 1, as in the C library of GNU: 1 - 2 / (e + 2) with y = 2 |x| from 1 on, and
   -e / (e + 2) with y = -2 |x| below. The numerator is a maximum, as e is at least 6 or more than -1. 2 ulp. */
INLINE float tanh_f(float x) {
    float a = abs_f(x), y = copysign_f(a + a, a - 1.0f);
    y = 44.0f < y ? 44.0f : y;
    float e = expm1_f(y), n = -2.0f > -e ? -2.0f : -e;
    return copysign_f((a < 1.0f ? 0.0f : 1.0f) + n / (e + 2.0f), x);
}
INLINE double tanh_d(double x) {
    double a = abs_d(x), y = copysign_d(a + a, a - 1.0);
    y = 44.0 < y ? 44.0 : y;
    double e = expm1_d(y), n = -2.0 > -e ? -2.0 : -e;
    return copysign_d((a < 1.0 ? 0.0 : 1.0) + n / (e + 2.0), x);
}
