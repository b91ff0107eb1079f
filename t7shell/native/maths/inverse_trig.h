/* Arc functions by polynomials whose greatest error is least. Those of doubles add what leading terms lo: 0.62 units.
   Those of Floats are computed in doubles and rounded. */
#pragma once
#include "maths/trig.h"

#define HALF_TURN 3.14159265358979323846

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
    return m + fma_d(base, QUARTER_LO / QUARTER, s);
}

/* Above 1/2 an arc is that of 2 sqrt((1 - |x|) / 2), from a quarter turn; `sign` is that of the root. */
INLINE double half_root_d(double m, double sign, double *lo) {
    double half = (1.0 - m) * 0.5, y = __builtin_sqrt(half), rest = exact_fma_d(-y, y, half);
    *lo = flip_d(rest / (y > 1e-300 ? y : 1e-300), sign);
    return flip_d(y + y, sign);
}

INLINE double asin_d(double x) {
    double m = abs_d(x), lo, y = half_root_d(m, -1.0, &lo);
    int64_t large = m > 0.5;
    double z = large ? (1.0 - m) * 0.5 : m * m;
    y = large ? y : m;
    lo = large ? lo : 0.0;
    return sign_as_d(add_arc_d(large ? QUARTER : 0.0, y, lo, asin_tail(z)), x);
}

INLINE double acos_d(double x) {
    double m = abs_d(x), lo, y = half_root_d(m, x, &lo), turn = x < 0.0 ? 2.0 * QUARTER : 0.0;
    int64_t large = m > 0.5;
    double z = large ? (1.0 - m) * 0.5 : m * m;
    y = large ? y : -x;
    lo = large ? lo : 0.0;
    return add_arc_d(large ? turn : QUARTER, y, lo, asin_tail(z));
}

/* pi / 8 with so few digits that its multiples are exact, and the fraction of them that is missing; tan(pi / 8), and by
   how much its arc is more than pi / 8. */
#define EIGHTH 0x1.921fb54442d00p-2
#define EIGHTH_LO 3.4315733785529566e-15
#define MIDDLE 0x1.a827999fcef32p-2
#define BESIDE -1.2247952842778023e-17

/* The angle of the point at y above and x to the right: that of the lesser by the greater, near 0, pi / 8 or pi / 4, in
   the quadrant and half of it where the point is. */
INLINE double direction_d(double y, double x, double lesser, double greater, int64_t steep) {
    int64_t above = greater * 0.2072 < lesser, far = greater * 0.66818 < lesser;
    double sign = steep ? -x : x;
    double beside = above ? BESIDE : 0.0, base = above ? EIGHTH : 0.0, c = above ? MIDDLE : 0.0;
    beside = far ? 0.0 : beside;
    base = far ? 2.0 * EIGHTH : base;
    c = far ? 1.0 : c;
    double turn = sign_as_d(1.0, x) < 0.0 ? 8.0 * EIGHTH : 0.0;
    base = flip_d(base, sign) + (steep ? 4.0 * EIGHTH : turn);
    /* The lesser less c times the greater by the greater and c times the lesser, and what these lo. */
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
    t = flip_d(t, sign);
    double rest, r = fast_two_sum_d(base, t, &rest);
    rest += fma_d(q * z, t, flip_d(lo, sign) + flip_d(beside, sign));
    return sign_as_d(r + fma_d(base, EIGHTH_LO, rest), y);
}

INLINE double atan_d(double x) {
    double a = abs_d(x);
    a = 0x1p60 < a ? 0x1p60 : a;
    int64_t steep = a > 1.0;
    return direction_d(x, 1.0, steep ? 1.0 : a, steep ? a : 1.0, steep);
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
    return direction_d(y, x, lesser, greater, steep);
}

/* The angle, up to a quarter turn, of the point at a >= 0 above and b >= 0 to the right: by the lesser over the greater
   or, beyond tan(pi / 8), their difference over their sum, an eighth of a turn away. */
INLINE double short_direction(double a, double b) {
    int64_t steep = a > b;
    double lesser = a < b ? a : b, greater = b > a ? b : a;
    greater = 1e-300 > greater ? 1e-300 : greater;
    int64_t near = lesser <= greater * 0.41421356237309515;
    double n = near ? lesser : lesser - greater, d = near ? greater : lesser + greater, t = n / d, z = t * t;
    double p = -0.027230204129571138;
    p = fma_d(p, z, 0.051686620804238905);
    p = fma_d(p, z, -0.065508621995021005);
    p = fma_d(p, z, 0.076810391019218465);
    p = fma_d(p, z, -0.090902554980437895);
    p = fma_d(p, z, 0.11111089630927445);
    p = fma_d(p, z, -0.14285713930020149);
    p = fma_d(p, z, 0.19999999997722234);
    p = fma_d(p, z, -0.33333333333330923);
    double r = fma_d(p * z, t, t) + (near ? 0.0 : HALF_TURN / 4.0);
    return steep ? HALF_TURN / 2.0 - r : r;
}

INLINE float atan_f(float x) { return sign_as_f((float)short_direction((double)abs_f(x), 1.0), x); }

INLINE float atan2_f(float y, float x) {
    double a = (double)abs_f(y), b = (double)abs_f(x);
    /* Infinities are numbers beside which all Floats are small. */
    a = 1e300 < a ? 1e300 : a;
    b = 1e300 < b ? 1e300 : b;
    double r = short_direction(a, b);
    r = sign_as_f(1.0f, x) < 0.0f ? HALF_TURN - r : r;
    return sign_as_f((float)r, y);
}

/* The arc sine of y by z = y^2, for y up to 1/2. */
INLINE double short_asin(double y, double z) {
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
    double z = large ? (1.0 - m) * 0.5 : m * m, r = short_asin(large ? __builtin_sqrt(z) : m, z);
    return sign_as_f((float)(large ? HALF_TURN / 2.0 - 2.0 * r : r), x);
}
INLINE float acos_f(float x) {
    double a = (double)x, m = abs_d(a);
    int64_t large = m > 0.5;
    double z = large ? (1.0 - m) * 0.5 : m * m, r = short_asin(large ? __builtin_sqrt(z) : m, z);
    double far = a < 0.0 ? HALF_TURN - 2.0 * r : 2.0 * r, near = HALF_TURN / 2.0 - sign_as_d(r, a);
    return (float)(large ? far : near);
}
