/* Sine, cosine and tangent. Angles below 2^24 are reduced by parts of pi / 2 (Cody and Waite), larger ones by those
   digits of 2 / pi that matter (Payne and Hanek). Functions of Floats are computed in doubles and rounded. Rare: large
   angles. */
#pragma once
#include "maths/exponential.h"

#define LARGE_ANGLE 0x1p24

/* pi / 2 and its low part; the low part in three, of which the products of the first with quadrants are exact. */
#define PI_2 0x1.921fb54442d18p+0
#define PI_2_LO 0x1.1a62633145c07p-54
#define PI_2_PART_2 0x1.1a62633000000p-54
#define PI_2_PART_3 0x1.45c06e0e68948p-86
#define PI_2_PART_4 0x1.27044533e63a0p-142

/* 64 zeros, and the digits of 2 / pi behind the point. */
static const uint64_t two_over_pi[20] = {
    0x0000000000000000, 0xA2F9836E4E441529, 0xFC2757D1F534DDC0, 0xDB6295993C439041, 0xFE5163ABDEBBC561,
    0xB7246E3A424DD2E0, 0x06492EEA09D1921C, 0xFE1DEB1CB129A73E, 0xE88235F52EBB4484, 0xE99C7026B45F7E41,
    0x3991D639835339F4, 0x9C845F8BBDF9283B, 0x1FF897FFDE05980F, 0xEF2F118B5A0A6D1F, 0x6D367ECF27CB09B7,
    0x4F463F669E5FEA2D, 0x7527BAC7EBE5F17B, 0x3D0739F78A5292EA, 0x6BFB5FB11F8D5D08, 0x56033046FC7B6BAB};

/* A reduced angle: `rest` from -pi/4 to pi/4 and its low part; the quadrant is in the lowest bits of `count`. */
typedef struct {
    double rest, lo;
    uint64_t count;
} t7_angle;

/* Reduces x >= 2^24, which is m 2^e with 53 bits: only 192 bits of 2 / pi matter, from the one on whose product with m
   is below four quadrants. */
static t7_angle payne_hanek_d(double x) {
    int64_t first = (int64_t)(bits_d(x) >> 52) - 1075 - 1 + 63, word = first >> 6, shift = first & 63;
    uint64_t m = (bits_d(x) & 0xFFFFFFFFFFFFFull) | 0x10000000000000ull, w[3], part[3];
    for (int64_t i = 0; i < 3; i++) {
        w[i] = two_over_pi[word + i] << shift;
        if (shift) w[i] |= two_over_pi[word + i + 1] >> (64 - shift);
    }
    unsigned __int128 low = (unsigned __int128)m * w[2], middle = (unsigned __int128)m * w[1] + (uint64_t)(low >> 64);
    uint64_t top = m * w[0] + (uint64_t)(middle >> 64);
    t7_angle a;
    a.count = (top + 0x2000000000000000ull) >> 62;
    /* The fraction of a quadrant, from -1/2 to 1/2. */
    part[0] = top << 2 | (uint64_t)middle >> 62;
    part[1] = (uint64_t)middle << 2 | (uint64_t)low >> 62;
    part[2] = (uint64_t)low << 2;
    int64_t negative = part[0] >> 63;
    if (negative) {
        for (int i = 0; i < 3; i++) part[i] = ~part[i];
    }
    int places = part[0] ? __builtin_clzll(part[0]) : 63;
    if (places) {
        part[0] = part[0] << places | part[1] >> (64 - places);
        part[1] = part[1] << places | part[2] >> (64 - places);
    }
    double scale = from_bits_d((uint64_t)(1023 - places) << 52);
    double head = (double)(part[0] >> 11) * 0x1p-53 * scale;
    double tail = (double)(part[0] << 53 >> 1 | part[1] >> 12) * 0x1p-116 * scale;
    double product_lo, p = two_product_d(head, PI_2, &product_lo);
    product_lo = fma_d(tail, PI_2, fma_d(head, PI_2_LO, product_lo));
    a.rest = fast_two_sum_d(p, product_lo, &a.lo);
    if (negative) a.rest = -a.rest, a.lo = -a.lo;
    return a;
}

/* Reduces x >= 0; with `exact` the parts of pi / 2 have more digits. */
INLINE t7_angle cody_waite_d(double x, int exact) {
    double t = fma_d(x, 0.63661977236758134308, SHIFTER_D), k = t - SHIFTER_D, b = exact_fma_d(-k, PI_2, x);
    t7_angle a;
    a.rest = exact_fma_d(-k, exact ? PI_2_PART_2 : PI_2_LO, b);
    a.lo = 0.0;
    if (exact) {
        a.lo = exact_fma_d(-k, PI_2_PART_2, b - a.rest);
        a.lo = fma_d(-k, PI_2_PART_3, a.lo);
        a.lo = fma_d(-k, PI_2_PART_4, a.lo);
    }
    a.count = bits_d(t);
    return a;
}

INLINE t7_angle reduce_angle_d(double x, int exact, int careful, uint64_t *rare) {
    t7_angle a = cody_waite_d(x, exact);
    if (careful) {
        if (x >= LARGE_ANGLE && x < INF_D) a = payne_hanek_d(x);
        if (x == INF_D) a.rest = NAN_D;
        return a;
    }
    *rare |= !(x < LARGE_ANGLE);
    return a;
}

/* Sine and cosine of an angle, each as two numbers to add. */
typedef struct {
    double sine, sine_rest, cosine, cosine_rest;
} t7_sincos;

INLINE t7_sincos sincos_d(t7_angle a) {
    double r = a.rest, z = r * r, h = r * 0.5, w = exact_fma_d(-r, h, 1.0);
    /* The error of 1 - z / 2, less r times the low part of r. */
    double c_lo = exact_fma_d(-r, h, 1.0 - w);
    c_lo = fma_d(-r, a.lo, c_lo);
    double c = -1.1359647299908761e-11;
    c = fma_d(c, z, 2.0875723264407054e-09);
    c = fma_d(c, z, -2.7557314352277083e-07);
    c = fma_d(c, z, 2.4801587289482035e-05);
    c = fma_d(c, z, -0.0013888888888874125);
    c = fma_d(c, z, 0.0416666666666666);
    t7_sincos y;
    y.cosine = w;
    y.cosine_rest = fma_d(c * z, z, c_lo);
    double s = -7.581779856039808e-13;
    s = fma_d(s, z, 1.6058435366088298e-10);
    s = fma_d(s, z, -2.505210551760944e-08);
    s = fma_d(s, z, 2.755731921685949e-06);
    s = fma_d(s, z, -0.0001984126984126115);
    s = fma_d(s, z, 0.00833333333333333);
    s = fma_d(s, z, -9.25185853854297e-18);
    /* r^3 and its rounding error; the product with 1/6 is exact. */
    double cube = z * r, more = exact_fma_d(exact_fma_d(-r, r, z), r, exact_fma_d(-z, r, cube));
    s = fma_d(s, cube, a.lo * w);
    s = fma_d(more, 0.16666666666666666, s);
    double sixth_lo, sixth = two_product_d(cube, 0.16666666666666666, &sixth_lo), rest;
    y.sine = fast_two_sum_d(r, -sixth, &rest);
    y.sine_rest = (s - sixth_lo) + rest;
    return y;
}

/* In odd quadrants the other function; in the lower half plane with its sign changed. */
INLINE double by_quadrant_d(uint64_t count, double even, double odd) {
    double y = (count & 1) == 0 ? even : odd;
    return from_bits_d(bits_d(y) ^ ((count & 2) << 62));
}

/* 0.58 ulp. */
INLINE double sin_d(double x, int careful, uint64_t *rare) {
    t7_angle a = reduce_angle_d(abs_d(x), 1, careful, rare);
    t7_sincos y = sincos_d(a);
    return flip_sign_d(by_quadrant_d(a.count, y.sine + y.sine_rest, y.cosine + y.cosine_rest), x);
}
INLINE double cos_d(double x, int careful, uint64_t *rare) {
    t7_angle a = reduce_angle_d(abs_d(x), 1, careful, rare);
    t7_sincos y = sincos_d(a);
    return by_quadrant_d(a.count + 1, y.sine + y.sine_rest, y.cosine + y.cosine_rest);
}

/* Sine by cosine or, in odd quadrants, the reverse with its sign changed; corrected by the residual of the quotient. */
INLINE double tan_d(double x, int careful, uint64_t *rare) {
    t7_angle a = reduce_angle_d(abs_d(x), 1, careful, rare);
    t7_sincos y = sincos_d(a);
    double s_rest, c_rest, s = fast_two_sum_d(y.sine, y.sine_rest, &s_rest),
                           c = fast_two_sum_d(y.cosine, y.cosine_rest, &c_rest);
    int64_t odd = (a.count & 1) != 0;
    double n = odd ? c : s, n_rest = odd ? c_rest : s_rest, d = odd ? s : c, d_rest = odd ? s_rest : c_rest;
    double inverse = 1.0 / d, q = n * inverse;
    double residual = fma_d(-q, d_rest, exact_fma_d(-q, d, n) + n_rest);
    double r = fma_d(residual, inverse, q);
    return flip_sign_d(from_bits_d(bits_d(r) ^ (a.count << 63)), x);
}

INLINE double sin_for_float(double r) {
    double z = r * r;
    double p = -2.4761642349883918e-08;
    p = fma_d(p, z, 2.7555357645307816e-06);
    p = fma_d(p, z, -0.0001984126382261423);
    p = fma_d(p, z, 0.008333333325271503);
    p = fma_d(p, z, -0.16666666666631594);
    return fma_d(p * z, r, r);
}
INLINE double cos_for_float(double r) {
    double z = r * r;
    double p = 2.064769569772987e-09;
    p = fma_d(p, z, -2.7555566503109697e-07);
    p = fma_d(p, z, 2.4801580968407953e-05);
    p = fma_d(p, z, -0.0013888888878267503);
    p = fma_d(p, z, 0.04166666666660221);
    return fma_d(fma_d(p, z, -0.5), z, 1.0);
}

INLINE float sin_f(float x, int careful, uint64_t *rare) {
    t7_angle a = reduce_angle_d(abs_d((double)x), 0, careful, rare);
    return (float)flip_sign_d(by_quadrant_d(a.count, sin_for_float(a.rest), cos_for_float(a.rest)), (double)x);
}
INLINE float cos_f(float x, int careful, uint64_t *rare) {
    t7_angle a = reduce_angle_d(abs_d((double)x), 0, careful, rare);
    return (float)by_quadrant_d(a.count + 1, sin_for_float(a.rest), cos_for_float(a.rest));
}
INLINE float tan_f(float x, int careful, uint64_t *rare) {
    t7_angle a = reduce_angle_d(abs_d((double)x), 0, careful, rare);
    double s = sin_for_float(a.rest), c = cos_for_float(a.rest);
    /* Exchanged where the count is odd. */
    exchange_d(-(a.count & 1), &s, &c);
    return (float)flip_sign_d(from_bits_d(bits_d(s / c) ^ (a.count << 63)), (double)x);
}
