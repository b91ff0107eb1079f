/* Powers: exp(y log(x)) with a logarithm of twice the digits, from a table (Tang). Powers of Floats are computed in
   doubles, and rounded. Rare: bases that are not positive normal numbers, and powers of doubles that are not normal
   numbers. */
#pragma once
#include "maths/logarithm.h"
#include "generated/logarithm_table.h"

/* log(x), and its low part, for x > 0. 1 + r is x / 2^k times a reciprocal of few digits, whose logarithm is in the
   table. */
INLINE double log_parts_d(double x, double *rest) {
    int64_t tiny = x < 0x1p-1022;
    double normal = tiny ? x * 0x1p54 : x;
    uint64_t u = bits_d(normal) - LOGARITHM_FIRST;
    double k = exponent_d(u + bits_d(1.0)) - (tiny ? 54.0 : 0.0);
    double m = from_bits_d(bits_d(normal) - (u & 0xFFF0000000000000ull));
    uint64_t row = (u >> LOGARITHM_SHIFT) & LOGARITHM_MASK;
    double r = exact_fma_d(m, logarithm_table[3 * row], -1.0);
    double lo, product_lo;
    double head = fast_two_sum_d(fma_d(k, LOGARITHM_LN2, logarithm_table[3 * row + 1]), r, &lo);
    lo += fma_d(k, LOGARITHM_LN2_LO, logarithm_table[3 * row + 2]);
    double square = two_product_d(r, r * -0.5, &product_lo), sum_lo;
    head = fast_two_sum_d(head, square, &sum_lo);
    lo += product_lo + sum_lo;
    double p = 0.11112577826217672;
    p = fma_d(p, r, -0.12501278880855254);
    p = fma_d(p, r, 0.14285714204256242);
    p = fma_d(p, r, -0.1666666661584248);
    p = fma_d(p, r, 0.2000000000000176);
    p = fma_d(p, r, -0.25000000000000605);
    p = fma_d(p, r, 0.3333333333333333);
    lo = fma_d(r * r * r, p, lo);
    return fast_two_sum_d(head, lo, rest);
}

/* exp(x + lo) / 2^k, and k. */
INLINE double exp_of_parts_d(double x, double lo, uint64_t *k) {
    double first_lo, first = reduce_ln2_d(x, k, &first_lo), rest, r = first + lo;
    double r_lo = first_lo + ((first - r) + lo);
    r_lo = fma_d(r_lo, r, r_lo);
    double p = fma_d(exp_cubic_d(r), r * r * r, r_lo);
    double square = two_product_d(r, r * 0.5, &rest), s_lo, t_lo, s = fast_two_sum_d(1.0, r, &s_lo),
           t = fast_two_sum_d(s, square, &t_lo);
    return t + (((p + rest) + s_lo) + t_lo);
}

/* The power of x from r, that of |x|: special cases as in C. */
INLINE double power_special_cases_d(double r, double x, double y) {
    double a = abs_d(x);
    int64_t is_zero = a == 0.0, is_positive = y > 0.0;
    double limit = is_positive != is_zero ? INF_D : 0.0;
    r = is_zero ? limit : r;
    r = a == INF_D ? limit : r;
    r = x != x ? x : r;
    r = y != y ? y : r;
    /* Odd powers of negative numbers are negative, and powers that are no integers NaN. */
    double half = y * 0.5, sign = __builtin_trunc(half) != half ? x : 1.0;
    int64_t is_fraction = __builtin_trunc(y) != y;
    r = flip_sign_d(r, is_fraction ? 1.0 : sign);
    double of_negative = is_fraction ? NAN_D : r;
    of_negative = a < INF_D ? of_negative : r;
    r = x < 0.0 ? of_negative : r;
    r = y == 0.0 ? 1.0 : r;
    return x == 1.0 ? 1.0 : r;
}

/* 0.54 ulp, denormal results 0.8. Exponents of 2^80 give 0, 1 or infinity, whatever the base. */
INLINE double pow_d(double x, double y, int careful, uint64_t *rare) {
    double rest, lo, l = log_parts_d(abs_d(x), &rest), b = 0x1p80 < y ? 0x1p80 : y;
    b = -0x1p80 > b ? -0x1p80 : b;
    double t = two_product_d(b, l, &lo);
    lo = fma_d(b, rest, lo);
    uint64_t k;
    if (careful) {
        double bounded = 710.0 < t ? 710.0 : t;
        bounded = -746.0 > bounded ? -746.0 : bounded;
        lo = bounded == t ? lo : 0.0;
        double e = exp_of_parts_d(bounded, lo, &k);
        return power_special_cases_d(ldexp_d(e, k), x, y);
    }
    *rare |= !(x >= 0x1p-1022 && x < INF_D && abs_d(t) < 708.0);
    double e = exp_of_parts_d(t, lo, &k);
    return from_bits_d(bits_d(e) + (k << 52));
}

INLINE float pow_f(float base, float exponent, int careful, uint64_t *rare) {
    double x = (double)base, y = (double)exponent, k, f = log_split_normal_d(abs_d(x), &k);
    double s = f / (f + 2.0), z = s * s;
    double p = 0.19583926011911063;
    p = fma_d(p, z, 0.22176206971969128);
    p = fma_d(p, z, 0.28572108655451717);
    p = fma_d(p, z, 0.39999995627222146);
    p = fma_d(p, z, 0.6666666667578328);
    double l = fma_d(k, 0.693147180559945309417, fma_d(p * z, s, s + s));
    double b = 0x1p80 < y ? 0x1p80 : y, t = (-0x1p80 > b ? -0x1p80 : b) * l;
    t = 200.0 < t ? 200.0 : t;
    t = -200.0 > t ? -200.0 : t;
    double whole = fma_d(t, LOG2_E, SHIFTER_D), n = whole - SHIFTER_D, r = fma_d(n, -LN2_LO_D, fma_d(n, -LN2_HI_D, t));
    double q = 2.4708340453476647e-05;
    q = fma_d(q, r, 0.00019908990890125895);
    q = fma_d(q, r, 0.0013889197365231317);
    q = fma_d(q, r, 0.008333281728989235);
    q = fma_d(q, r, 0.041666664401183835);
    q = fma_d(q, r, 0.16666666784713116);
    q = fma_d(q, r, 0.5000000000427935);
    double e = from_bits_d(bits_d(1.0 + fma_d(q, r * r, r)) + (bits_d(whole) << 52));
    if (careful) return (float)power_special_cases_d(e, x, y);
    *rare |= !(x > 0.0 && x < INF_D && y == y);
    return (float)e;
}
