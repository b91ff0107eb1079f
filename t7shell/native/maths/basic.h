/* What functions of single elements share: signs, minima and maxima, and error-free sums and products. They have no
   branches, so that compilers vectorize loops over them. The letter at the end of a name is the type: f for float, d
   for double. "Ulp" are units in the last place, of the largest error.

   Functions with the parameters `careful` and `rare` have two paths, of which a constant selects one. Without `careful`
   they set *rare if the argument is rare, and their result is then undefined: the caller computes the block again with
   `careful`. */
#pragma once
#include "base.h"

#define INF_F __builtin_inff()
#define INF_D __builtin_inf()
#define NAN_F __builtin_nanf("")
#define NAN_D __builtin_nan("")

INLINE float abs_f(float x) { return from_bits_f(bits_f(x) & 0x7FFFFFFF); }
INLINE double abs_d(double x) { return from_bits_d(bits_d(x) & 0x7FFFFFFFFFFFFFFF); }

/* The magnitude of x with the sign of s. */
INLINE float copysign_f(float x, float s) { return from_bits_f((bits_f(x) & 0x7FFFFFFF) | (bits_f(s) & 0x80000000)); }
INLINE double copysign_d(double x, double s) {
    return from_bits_d((bits_d(x) & 0x7FFFFFFFFFFFFFFF) | (bits_d(s) & 0x8000000000000000));
}

/* Choices by masks, since GCC computes both quotients where operands of a division are chosen by conditions: all bits
   where s is negative; x where s is negative, else 0; and x and y exchanged where the mask is set. */
INLINE uint64_t negative_mask_d(double s) { return (uint64_t)((int64_t)bits_d(s) >> 63); }
INLINE double where_negative_d(double s, double x) { return from_bits_d(bits_d(x) & negative_mask_d(s)); }
INLINE void exchange_d(uint64_t mask, double *x, double *y) {
    uint64_t both = (bits_d(*x) ^ bits_d(*y)) & mask;
    *x = from_bits_d(bits_d(*x) ^ both);
    *y = from_bits_d(bits_d(*y) ^ both);
}

/* x, with its sign changed where s is negative. */
INLINE double flip_sign_d(double x, double s) { return from_bits_d(bits_d(x) ^ (bits_d(s) & 0x8000000000000000)); }

/* maximum and minimum propagate NaN; fmax and fmin prefer the number. Of equal operands the result is the second. */
INLINE float maximum_f(float a, float b) {
    float r = a > b ? a : b;
    return a != a ? a : r;
}
INLINE double maximum_d(double a, double b) {
    double r = a > b ? a : b;
    return a != a ? a : r;
}
INLINE float minimum_f(float a, float b) {
    float r = a < b ? a : b;
    return a != a ? a : r;
}
INLINE double minimum_d(double a, double b) {
    double r = a < b ? a : b;
    return a != a ? a : r;
}
INLINE float fmax_f(float a, float b) {
    float r = a > b ? a : b;
    return b != b ? a : r;
}
INLINE double fmax_d(double a, double b) {
    double r = a > b ? a : b;
    return b != b ? a : r;
}
INLINE float fmin_f(float a, float b) {
    float r = a < b ? a : b;
    return b != b ? a : r;
}
INLINE double fmin_d(double a, double b) {
    double r = a < b ? a : b;
    return b != b ? a : r;
}

/* 1.5 * 2^23 and 1.5 * 2^52: added to a number they round it to an integer, which is then in the low bits. */
#define SHIFTER_F 12582912.0f
#define SHIFTER_D 6755399441055744.0

/* -1, 0, 1, or NaN. */
INLINE float sign_f(float x) {
    float r = x > 0.0f ? 1.0f : x;
    return x < 0.0f ? -1.0f : r;
}
INLINE double sign_d(double x) {
    double r = x > 0.0 ? 1.0 : x;
    return x < 0.0 ? -1.0 : r;
}

/* Rounds halves away from zero. */
INLINE float round_f(float x) {
    float whole = __builtin_truncf(x), rest = abs_f(x - whole), further = rest >= 0.5f ? 1.0f : 0.0f;
    return copysign_f(abs_f(whole) + further, x);
}
INLINE double round_d(double x) {
    double whole = __builtin_trunc(x), rest = abs_d(x - whole), further = rest >= 0.5 ? 1.0 : 0.0;
    return copysign_d(abs_d(whole) + further, x);
}

/* a * b rounded, and the error: exact unless it overflows or is denormal. Without fused multiply-add by Dekker, who
   splits factors into halves of 26 bits. */
INLINE double two_product_d(double a, double b, double *lo) {
    double p = a * b;
#if HAS_FMA
    *lo = fma_d(a, b, -p);
#else
    double t = a * 134217729.0, ah = t - (t - a), al = a - ah;
    double u = b * 134217729.0, bh = u - (u - b), bl = b - bh;
    *lo = ((ah * bh - p) + ah * bl + al * bh) + al * bl;
#endif
    return p;
}

/* a * b + c, where results need the product's last bits on every processor. */
INLINE double exact_fma_d(double a, double b, double c) {
#if HAS_FMA
    return fma_d(a, b, c);
#else
    double lo, p = two_product_d(a, b, &lo);
    return (c + p) + lo;
#endif
}

/* a + b rounded, and the error; |a| >= |b|, or a is 0. */
INLINE double fast_two_sum_d(double a, double b, double *lo) {
    double s = a + b;
    *lo = b - (s - a);
    return s;
}

/* The same for any two numbers. */
INLINE double two_sum_d(double a, double b, double *lo) {
    double s = a + b, t = s - a;
    *lo = (a - (s - t)) + (b - t);
    return s;
}
