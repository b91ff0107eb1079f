/* Colour spaces. A conversion computes the values x, y, z of a pixel from its values a, b, c; white is 1. */
#include "image/colour.h"
#include "maths/power.h"
#include "parallel_for.h"
#include "types.h"

enum { UNIT = 1024 }; /* pixels */
static const double NS_PER_PIXEL = 15;

typedef struct {
    double x, y, z;
} pixel;

typedef pixel conversion(double, double, double);

typedef struct {
    char *to;
    const char *from;
    int64_t count;
} job;

INLINE double max(double a, double b) { return a > b ? a : b; }
INLINE double min(double a, double b) { return a < b ? a : b; }

/* Powers of a block; rare arguments have all cases computed again. */
enum { BLOCK = 16 };
static void powers(double *x, double exponent) {
    double r[BLOCK], y[BLOCK];
    uint64_t rare = 0;
    /* Compilers would take conditions on a number out of the loop, and then make no vectors. */
    for (int i = 0; i < BLOCK; i++) y[i] = exponent;
    for (int i = 0; i < BLOCK; i++) r[i] = pow_d(x[i], y[i], 0, &rare);
    if (rare) {
        for (int i = 0; i < BLOCK; i++) r[i] = pow_d(x[i], y[i], 1, &rare);
    }
    memcpy(x, r, sizeof r);
}

/* CIE 1976: where the cube root goes on as a line, and the slope of that. */
#define CIE_EPSILON (216.0 / 24389)
#define CIE_KAPPA (24389.0 / 27)
static double lab_decode(double t) {
    double r = t * t * t;
    return r > CIE_EPSILON ? r : (116 * t - 16) / CIE_KAPPA;
}

/* The transfer function of sRGB and its inverse; the cube root of CIELAB. */
static void srgb_decode(double *v) {
    double p[BLOCK];
    for (int i = 0; i < BLOCK; i++) p[i] = v[i] > 0.04045 ? (v[i] + 0.055) / 1.055 : 1;
    powers(p, 2.4);
    for (int i = 0; i < BLOCK; i++) v[i] = v[i] > 0.04045 ? p[i] : v[i] / 12.92;
}
static void srgb_encode(double *v) {
    double p[BLOCK];
    for (int i = 0; i < BLOCK; i++) p[i] = v[i] > 0.0031308 ? v[i] : 1;
    powers(p, 1 / 2.4);
    for (int i = 0; i < BLOCK; i++) v[i] = v[i] > 0.0031308 ? 1.055 * p[i] - 0.055 : 12.92 * v[i];
}
static void lab_encode(double *v) {
    double p[BLOCK];
    for (int i = 0; i < BLOCK; i++) p[i] = v[i] > CIE_EPSILON ? v[i] : 1;
    powers(p, 1.0 / 3);
    for (int i = 0; i < BLOCK; i++) v[i] = v[i] > CIE_EPSILON ? p[i] : (CIE_KAPPA * v[i] + 16) / 116;
}

/* By type: a value in the precision of the original's computation, the value of an element, the element of a value, and
   one step of an element. Bytes are fractions of 255, and stay within their range. */
INLINE double round_Double(double v) { return v; }
INLINE double round_Float(double v) { return (double)(float)v; }
INLINE double round_Byte(double v) { return (double)(float)v; }
INLINE double value_Double(double x) { return x; }
INLINE double value_Float(float x) { return (double)x; }
INLINE double value_Byte(uint8_t x) { return round_Byte(x / 255.0); }
INLINE double element_of_Double(double v) { return v; }
INLINE float element_of_Float(double v) { return (float)v; }
INLINE uint8_t element_of_Byte(double v) { return (uint8_t)max(0, min(255, round_Byte(round_Byte(v * 255) + 0.5))); }
static const double WHITE_Double = 1, WHITE_Float = 1, WHITE_Byte = 1.0 / 255;

#define F NAME(round)
#define BODY "image/colour_body.h"
#include "image/for_image_types.h"

void t7_convert_colours(int32_t type, int32_t conversion, char *to, const char *from, int64_t count) {
    job j = {to, from, count};
    static t7_chunk *const *const by_type[] = {FOR_IMAGE_TYPES(chunks)};
    t7_parallel_for(by_type[type][conversion], &j, count, UNIT, NS_PER_PIXEL * count);
}
