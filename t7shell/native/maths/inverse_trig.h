/* Inverse trigonometric functions by minimax polynomials. Those of doubles add the rounding errors of the leading
   terms: 0.62 ulp. Those of Floats are computed in doubles and rounded. */
#pragma once
#include "maths/trig.h"

#define PI 3.14159265358979323846

/* The arc sine of y is y + y times this, by z = y^2, for |y| up to 1/2. */
INLINE double asin_tail(double z) {
    double p = 0.032702415407953246;
    p = fma_d(p, z, -0.021117155713830695);
    p = fma_d(p, z, 0.021790982041282374);
    p = fma_d(p, z, 0.0036720343086412946);
    p = fma_d(p, z, 0.010789365271062902);
    p = fma_d(p, z, 0.011397284270190025);
    p = fma_d(p, z, 0.013981019741881534);
    p = fma_d(p, z, 0.017351595386141516);
    p = fma_d(p, z, 0.02237221591313743);
    p = fma_d(p, z, 0.030381942674984185);
    p = fma_d(p, z, 0.04464285717529326);
    p = fma_d(p, z, 0.07499999999970089);
    p = fma_d(p, z, 0.16666666666666763);
    return p * z;
}

/* A base angle plus an arc: y and its low part, times 1 + tail. */
INLINE double add_arc_d(double base, double y, double lo, double tail) {
    double s, m = fast_two_sum_d(base, y, &s);
    s = fma_d(y, tail, s + lo);
    return m + fma_d(base, PI_2_LO / PI_2, s);
}

/* Above 1/2, asin(x) = pi / 2 - 2 asin(sqrt((1 - |x|) / 2)): twice that root, and its low part, with a sign. */
INLINE double half_root_d(double m, double sign, double *lo) {
    double half = (1.0 - m) * 0.5, y = __builtin_sqrt(half), rest = exact_fma_d(-y, y, half);
    *lo = flip_sign_d(rest / (y > 1e-300 ? y : 1e-300), sign);
    return flip_sign_d(y + y, sign);
}

INLINE double asin_d(double x) {
    double m = abs_d(x), lo, y = half_root_d(m, -1.0, &lo);
    int64_t large = m > 0.5;
    double z = large ? (1.0 - m) * 0.5 : m * m;
    y = large ? y : m;
    lo = large ? lo : 0.0;
    return copysign_d(add_arc_d(large ? PI_2 : 0.0, y, lo, asin_tail(z)), x);
}

INLINE double acos_d(double x) {
    double m = abs_d(x), lo, y = half_root_d(m, x, &lo), turn = x < 0.0 ? 2.0 * PI_2 : 0.0;
    int64_t large = m > 0.5;
    double z = large ? (1.0 - m) * 0.5 : m * m;
    y = large ? y : -x;
    lo = large ? lo : 0.0;
    return add_arc_d(large ? turn : PI_2, y, lo, asin_tail(z));
}

/* pi / 8 with so few digits that its multiples are exact, and the rest relative to it; tan(pi / 8) rounded, and the
   arctangent of that less pi / 8. */
#define PI_8 0x1.921fb54442d00p-2
#define PI_8_LO 3.4315733785529566e-15
#define TAN_PI_8 0x1.a827999fcef32p-2
#define TAN_PI_8_LO -1.2247952842778023e-17

/* The angle of the point (x, y), by the ratio of the lesser to the greater coordinate, reduced by the nearest of 0,
   pi / 8 and pi / 4. */
INLINE double atan2_core_d(double y, double x, double lesser, double greater, int64_t steep) {
    int64_t above = greater * 0.2072 < lesser, far = greater * 0.66818 < lesser;
    double sign = steep ? -x : x;
    double beside = above ? TAN_PI_8_LO : 0.0, base = above ? PI_8 : 0.0, c = above ? TAN_PI_8 : 0.0;
    beside = far ? 0.0 : beside;
    base = far ? 2.0 * PI_8 : base;
    c = far ? 1.0 : c;
    double turn = copysign_d(1.0, x) < 0.0 ? 8.0 * PI_8 : 0.0;
    base = flip_sign_d(base, sign) + (steep ? 4.0 * PI_8 : turn);
    /* t = (lesser - c greater) / (greater + c lesser), and its low part. */
    double p_lo, p = two_product_d(c, greater, &p_lo), d = exact_fma_d(c, lesser, greater);
    double d_lo = exact_fma_d(c, lesser, greater - d), n = lesser - p, inverse = 1.0 / d, t = n * inverse;
    double lo = fma_d(-t, d_lo, exact_fma_d(-t, d, n) - p_lo) * inverse, z = t * t;
    double q = 0.04968160461371519;
    q = fma_d(q, z, -0.06596200142003826);
    q = fma_d(q, z, 0.07689337897759607);
    q = fma_d(q, z, -0.09090836002010391);
    q = fma_d(q, z, 0.11111110059500237);
    q = fma_d(q, z, -0.14285714277328918);
    q = fma_d(q, z, 0.19999999999967633);
    q = fma_d(q, z, -0.3333333333333329);
    t = flip_sign_d(t, sign);
    double rest, r = fast_two_sum_d(base, t, &rest);
    rest += fma_d(q * z, t, flip_sign_d(lo, sign) + flip_sign_d(beside, sign));
    return copysign_d(r + fma_d(base, PI_8_LO, rest), y);
}

INLINE double atan_d(double x) {
    double a = abs_d(x);
    a = 0x1p60 < a ? 0x1p60 : a;
    int64_t steep = a > 1.0;
    return atan2_core_d(x, 1.0, steep ? 1.0 : a, steep ? a : 1.0, steep);
}

INLINE double atan2_d(double y, double x) {
    double a = abs_d(y), b = abs_d(x);
    int64_t steep = a > b;
    double lesser = a < b ? a : b, greater = b > a ? b : a;
    /* Very large and small numbers are scaled; two infinities are like equal numbers. */
    double scale = lesser < 0x1p-900 ? 0x1p110 : 1.0;
    scale = greater < 0x1p800 ? scale : 1.0;
    scale = greater < 0x1p990 ? scale : 0x1p-100;
    lesser *= scale;
    greater *= scale;
    greater = 0x1p-1000 > greater ? 0x1p-1000 : greater;
    double of_infinity = lesser == greater ? 1.0 : 0.0;
    of_infinity = lesser != lesser ? lesser : of_infinity;
    lesser = greater == INF_D ? of_infinity : lesser;
    greater = greater == INF_D ? 1.0 : greater;
    return atan2_core_d(y, x, lesser, greater, steep);
}

/* The angle, from 0 to pi / 2, of the point (b, a): by the lesser over the greater coordinate or, beyond tan(pi / 8),
   pi / 4 and their difference over their sum. */
INLINE double atan2_for_float(double a, double b) {
    const double slope = b - a;
    double lesser = a, greater = b;
    exchange_d(negative_mask_d(slope), &lesser, &greater);
    greater = 1e-300 > greater ? 1e-300 : greater;
    double near = greater * 0.41421356237309515 - lesser;
    double t = (lesser - where_negative_d(near, greater)) / (greater + where_negative_d(near, lesser)), z = t * t;
    double p = -0.027230204129571138;
    p = fma_d(p, z, 0.051686620804238905);
    p = fma_d(p, z, -0.065508621995021005);
    p = fma_d(p, z, 0.076810391019218465);
    p = fma_d(p, z, -0.090902554980437895);
    p = fma_d(p, z, 0.11111089630927445);
    p = fma_d(p, z, -0.14285713930020149);
    p = fma_d(p, z, 0.19999999997722234);
    p = fma_d(p, z, -0.33333333333330923);
    double r = fma_d(p * z, t, t) + where_negative_d(near, PI / 4.0);
    return where_negative_d(slope, PI / 2.0) + flip_sign_d(r, slope);
}

INLINE float atan_f(float x) { return copysign_f((float)atan2_for_float((double)abs_f(x), 1.0), x); }

INLINE float atan2_f(float y, float x) {
    double a = (double)abs_f(y), b = (double)abs_f(x);
    /* Infinities become numbers beside which all Floats are small. */
    a = 1e300 < a ? 1e300 : a;
    b = 1e300 < b ? 1e300 : b;
    double r = atan2_for_float(a, b);
    r = copysign_f(1.0f, x) < 0.0f ? PI - r : r;
    return copysign_f((float)r, y);
}

/* The arc sine of y by z = y^2, for y up to 1/2. */
INLINE double asin_for_float(double y, double z) {
    double p = 0.027887844469954972;
    p = fma_d(p, z, -0.0068416412831704345);
    p = fma_d(p, z, 0.015454961727659501);
    p = fma_d(p, z, 0.010286921772543867);
    p = fma_d(p, z, 0.014141394681575821);
    p = fma_d(p, z, 0.017337146075635456);
    p = fma_d(p, z, 0.022373012954292383);
    p = fma_d(p, z, 0.030381917382950569);
    p = fma_d(p, z, 0.044642857580550685);
    p = fma_d(p, z, 0.074999999997250403);
    p = fma_d(p, z, 0.16666666666666951);
    return fma_d(p * z, y, y);
}
INLINE float asin_f(float x) {
    double m = (double)abs_f(x);
    int64_t large = m > 0.5;
    double z = large ? (1.0 - m) * 0.5 : m * m, r = asin_for_float(large ? __builtin_sqrt(z) : m, z);
    return copysign_f((float)(large ? PI / 2.0 - 2.0 * r : r), x);
}
INLINE float acos_f(float x) {
    double a = (double)x, m = abs_d(a);
    int64_t large = m > 0.5;
    double z = large ? (1.0 - m) * 0.5 : m * m, r = asin_for_float(large ? __builtin_sqrt(z) : m, z);
    double far = a < 0.0 ? PI - 2.0 * r : 2.0 * r, near = PI / 2.0 - copysign_d(r, a);
    return (float)(large ? far : near);
}
