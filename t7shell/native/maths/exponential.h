/* Exponentials by Cody and Waite: x = k log 2 + r, a minimax polynomial of r, and 2^k. */
#pragma once
#include "maths/basic.h"

#define LOG2_E 1.44269504088896340736

/* log 2 in two parts: products of the first with exponents k are exact. */
#define LN2_HI_F 0.693359375f
#define LN2_LO_F -2.12194440e-4f
#define LN2_HI_D 0x1.62e42feep-1
#define LN2_LO_D 1.90821492927058770e-10

INLINE float power_of_two_f(int32_t k) { return from_bits_f((uint32_t)(k + 127) << 23); }

/* 2^k for an integer k, given as the low bits of SHIFTER_D + k. */
INLINE double power_of_two_d(uint64_t k) { return from_bits_d((k + 1023) << 52); }

/* y 2^k in two factors, as 2^k may not be a normal number. */
INLINE float ldexp_f(float y, int32_t k) {
    int32_t half = k >> 1;
    return y * power_of_two_f(half) * power_of_two_f(k - half);
}

/* exp(r) - 1 for r from -log(2) / 2 to log(2) / 2. */
INLINE float exp_tail_f(float r) {
    float p = 0.00138145383f;
    p = fma_f(p, r, 0.00836874545f);
    p = fma_f(p, r, 0.041668389f);
    p = fma_f(p, r, 0.166665211f);
    p = fma_f(p, r, 0.49999994f);
    return fma_f(r * r, p, r);
}

/* x reduced by a multiple of log 2. */
INLINE float reduce_ln2_f(float x, int32_t *k) {
    float t = fma_f(x, (float)LOG2_E, SHIFTER_F), n = t - SHIFTER_F;
    *k = (int32_t)(bits_f(t) - bits_f(SHIFTER_F));
    return fma_f(n, -LN2_LO_F, fma_f(n, -LN2_HI_F, x));
}

/* exp(x) / 2^k, from sqrt(1/2) to sqrt(2), and k. */
INLINE float exp_parts_f(float x, int32_t *k) { return 1.0f + exp_tail_f(reduce_ln2_f(x, k)); }

/* Exponentials of Floats: 0.98 ulp. */
INLINE float exp_f(float x) {
    x = 89.0f < x ? 89.0f : x;
    x = -104.0f > x ? -104.0f : x;
    int32_t k;
    float y = exp_parts_f(x, &k);
    return ldexp_f(y, k);
}

/* (exp(r) - 1 - r - r^2 / 2) / r^3 for r from -log(2) / 2 to log(2) / 2. */
INLINE double exp_cubic_d(double r) {
    double p = 2.0927002275851136e-09;
    p = fma_d(p, r, 2.5112347899304146e-08);
    p = fma_d(p, r, 2.755723315116335e-07);
    p = fma_d(p, r, 2.7557233931299367e-06);
    p = fma_d(p, r, 2.4801587374011163e-05);
    p = fma_d(p, r, 0.00019841269897359845);
    p = fma_d(p, r, 0.0013888888888858287);
    p = fma_d(p, r, 0.00833333333331662);
    p = fma_d(p, r, 0.04166666666666673);
    return fma_d(p, r, 0.16666666666666685);
}

/* exp(r + lo) - 1 - r for r + lo from -log(2) / 2 to log(2) / 2. */
INLINE double exp_tail_d(double r, double lo) {
    double p = fma_d(exp_cubic_d(r), r, 0.5);
    return fma_d(p, r * r, fma_d(lo, r, lo));
}

/* x reduced by a multiple of log 2, and the low part of the result. */
INLINE double reduce_ln2_d(double x, uint64_t *k, double *lo) {
    double t = fma_d(x, LOG2_E, SHIFTER_D), n = t - SHIFTER_D;
    double h = fma_d(n, -LN2_HI_D, x), r = fma_d(n, -LN2_LO_D, h);
    *lo = fma_d(n, -LN2_LO_D, h - r);
    *k = bits_d(t) - bits_d(SHIFTER_D);
    return r;
}

/* exp(x) / 2^k in two parts, and k. */
INLINE double exp_parts_d(double x, uint64_t *k, double *lo) {
    double r_lo, r = reduce_ln2_d(x, k, &r_lo);
    double p = exp_tail_d(r, r_lo), rest, s = fast_two_sum_d(1.0, r, &rest);
    *lo = p + rest;
    return s;
}

/* The same for doubles. k becomes positive for the shift: AVX2 has no arithmetic shift of 64 bits. */
INLINE double ldexp_d(double y, uint64_t k) {
    uint64_t half = (k + 4096) >> 1;
    return y * power_of_two_d(half - 2048) * power_of_two_d(k - half + 2048);
}

/* Exponentials of doubles: 0.6 ulp, denormal results 0.8. Rare: results that are not normal numbers. */
INLINE double exp_d(double x, int careful, uint64_t *rare) {
    uint64_t k;
    double lo, s;
    if (careful) {
        x = 710.0 < x ? 710.0 : x;
        x = -746.0 > x ? -746.0 : x;
        s = exp_parts_d(x, &k, &lo);
        return ldexp_d(s + lo, k);
    }
    *rare |= !(abs_d(x) < 708.0);
    s = exp_parts_d(x, &k, &lo);
    return from_bits_d(bits_d(s + lo) + (k << 52));
}

/* 2^x, exact for integers. */
INLINE double exp2_d(double x) {
    x = 1025.0 < x ? 1025.0 : x;
    x = -1080.0 > x ? -1080.0 : x;
    double t = x + SHIFTER_D, part = x - (t - SHIFTER_D), lo;
    double r = two_product_d(part, 0.693147180559945309417, &lo);
    lo = fma_d(part, 2.3190468138462996e-17, lo);
    double p = exp_tail_d(r, lo), rest, s = fast_two_sum_d(1.0, r, &rest);
    return ldexp_d(s + (p + rest), bits_d(t) - bits_d(SHIFTER_D));
}
INLINE float exp2_f(float x) {
    x = 129.0f < x ? 129.0f : x;
    x = -151.0f > x ? -151.0f : x;
    float t = x + SHIFTER_F, r = (x - (t - SHIFTER_F)) * 0.693147181f;
    return ldexp_f(1.0f + exp_tail_f(r), (int32_t)(bits_f(t) - bits_f(SHIFTER_F)));
}

/* 1 / (1 + exp(-x)), rounded step by step as Torch7 does, which has the same bits wherever exp(-x) has: 2 ulp. */
INLINE float sigmoid_f(float x) { return 1.0f / (1.0f + exp_f(-x)); }
INLINE double sigmoid_d(double x, int careful, uint64_t *rare) { return 1.0 / (1.0 + exp_d(-x, careful, rare)); }

/* exp(x) - 1 from -60 to 60. */
INLINE float expm1_f(float x) {
    int32_t k;
    float r = reduce_ln2_f(x, &k), c = power_of_two_f(k);
    return fma_f(c, exp_tail_f(r), c - 1.0f);
}
INLINE double expm1_d(double x) {
    uint64_t k;
    double lo, r = reduce_ln2_d(x, &k, &lo), c = power_of_two_d(k);
    return fma_d(c, r + exp_tail_d(r, lo), c - 1.0);
}
