/* Logarithms: x = 2^k (1 + f) with 1 + f from sqrt(1/2) to sqrt(2), and a series of f, or of f / (2 + f). */
#pragma once
#include "maths/exponential.h"

/* log(1 + f) + k log 2, plus a small number. */
INLINE float log_sum_f(float f, float k, float added) {
    float g = f * f;
    float p = -0.0763442963f;
    p = fma_f(p, f, 0.127615497f);
    p = fma_f(p, f, -0.131601945f);
    p = fma_f(p, f, 0.142017618f);
    p = fma_f(p, f, -0.166233569f);
    p = fma_f(p, f, 0.200012267f);
    p = fma_f(p, f, -0.250008225f);
    p = fma_f(p, f, 0.333333313f);
    float r = fma_f(k, LN2_LO_F, fma_f(p, g * f, added));
    r = fma_f(g, -0.5f, r);
    return fma_f(k, LN2_HI_F, r + f);
}

/* Splits x >= 0: f, and the exponent. */
INLINE float log_split_f(float x, float *k) {
    int32_t tiny = x < 0x1p-126f;
    float y = tiny ? x * 0x1p23f : x;
    uint32_t u = bits_f(y) - 0x3F3504F3u;
    *k = (float)((int32_t)u >> 23) - (tiny ? 23.0f : 0.0f);
    return from_bits_f((u & 0x7FFFFF) + 0x3F3504F3u) - 1.0f;
}

/* Logarithms of Floats: 0.8 ulp. */
INLINE float log_f(float x) {
    float k, f = log_split_f(x, &k), r = log_sum_f(f, k, 0.0f);
    r = x < INF_F ? r : x;
    r = x == 0.0f ? -INF_F : r;
    return x < 0.0f ? NAN_F : r;
}

/* log(1 + x) of Floats, 0.9 ulp: where x is small it is f itself; else u = 1 + x is split, and the rounding error of
   u, divided by u, is added. */
INLINE float log1p_f(float x) {
    float u = 1.0f + x, k, f = log_split_f(u, &k), lo = (x - (u - 1.0f)) / u;
    int32_t small = (x > -0.29289f) & (x < 0.41421f);
    f = small ? x : f;
    k = small ? 0.0f : k;
    lo = small ? 0.0f : lo;
    float r = log_sum_f(f, k, lo);
    r = abs_f(x) < 0x1p-30f ? x : r;
    r = x < INF_F ? r : x;
    r = x == -1.0f ? -INF_F : r;
    return x < -1.0f ? NAN_F : r;
}

/* The same for doubles. Leading terms have two parts: f / (2 + f) with its rounding error, and log 2. */
INLINE double log_sum_d(double f, double k, double added) {
    double q = f + 2.0, w = f - (q - 2.0), s = f / q;
    double lo = fma_d(-s, w, exact_fma_d(-s, q, f)) * fma_d(s, -0.5, 0.5);
    double z = s * s;
    double p = 0.13088034850927554;
    p = fma_d(p, z, 0.13268638369266824);
    p = fma_d(p, z, 0.15386244737621667);
    p = fma_d(p, z, 0.18181795547521136);
    p = fma_d(p, z, 0.22222222392581045);
    p = fma_d(p, z, 0.28571428570799785);
    p = fma_d(p, z, 0.40000000000000883);
    p = fma_d(p, z, 0.66666666666666667);
    p = fma_d(p * z, s, lo + lo) + added;
    p = fma_d(k, 0x1.ef35793c76730p-45, p);
    double rest, r = fast_two_sum_d(k * 0x1.62e42fefa3800p-1, s + s, &rest);
    return r + (p + rest);
}

/* The exponent of a number with these bits: as the low bits of a number from 2^52 on it becomes a double. */
INLINE double exponent_d(uint64_t bits) {
    return from_bits_d((bits >> 52) | 0x4330000000000000ull) - 4503599627371519.0;
}

/* Splits a normal number x > 0: f, and the exponent. */
INLINE double log_split_normal_d(double x, double *k) {
    uint64_t u = bits_d(x) - 0x3FE6A09E667F3BCDull;
    *k = exponent_d(u + bits_d(1.0));
    return from_bits_d((u & 0xFFFFFFFFFFFFFull) + 0x3FE6A09E667F3BCDull) - 1.0;
}

INLINE double log_split_d(double x, double *k) {
    int64_t tiny = x < 0x1p-1022;
    double f = log_split_normal_d(tiny ? x * 0x1p54 : x, k);
    *k -= tiny ? 54.0 : 0.0;
    return f;
}

/* Logarithms of doubles: 0.54 ulp. */
INLINE double log_d(double x) {
    double k, f = log_split_d(x, &k), r = log_sum_d(f, k, 0.0);
    r = x < INF_D ? r : x;
    r = x == 0.0 ? -INF_D : r;
    return x < 0.0 ? NAN_D : r;
}

INLINE double log1p_d(double x) {
    double u = 1.0 + x, k, f = log_split_d(u, &k), lo = (x - (u - 1.0)) / u;
    int64_t small = (x > -0.2928932188134524) & (x < 0.41421356237309515);
    f = small ? x : f;
    k = small ? 0.0 : k;
    lo = small ? 0.0 : lo;
    double r = log_sum_d(f, k, lo);
    /* Zeros keep their sign; x / 2 may not be exact. */
    r = abs_d(x) < 0x1p-54 ? x : r;
    r = x < INF_D ? r : x;
    r = x == -1.0 ? -INF_D : r;
    return x < -1.0 ? NAN_D : r;
}
