/* Histograms, and distances of rows. */
#include "bins.h"
#include "../base.h"
#include "../types.h"

/* As C converts on x86-64: towards zero, and the least number where there is none. */
INLINE int64_t whole(double x) { return x >= -0x1p63 && x < 0x1p63 ? (int64_t)x : INT64_MIN; }

#define T double
#define OF(name) name##_Double
#define CONVERT(v) ((double)(v))
#include "bins_body.h"
#undef T
#undef OF
#undef CONVERT
#define T float
#define OF(name) name##_Float
#define CONVERT(v) ((float)(v))
#include "bins_body.h"
#undef T
#undef OF
#undef CONVERT
#define T int64_t
#define OF(name) name##_Long
#define CONVERT(v) ((int64_t)whole(v))
#include "bins_body.h"
#undef T
#undef OF
#undef CONVERT
#define T uint8_t
#define OF(name) name##_Byte
#define CONVERT(v) ((uint8_t)whole(v))
#include "bins_body.h"
#undef T
#undef OF
#undef CONVERT
#define T int32_t
#define OF(name) name##_Int
#define CONVERT(v) ((int32_t)whole(v))
#include "bins_body.h"
#undef T
#undef OF
#undef CONVERT
#define T int8_t
#define OF(name) name##_Char
#define CONVERT(v) ((int8_t)whole(v))
#include "bins_body.h"
#undef T
#undef OF
#undef CONVERT
#define T int16_t
#define OF(name) name##_Short
#define CONVERT(v) ((int16_t)whole(v))
#include "bins_body.h"
#undef T
#undef OF
#undef CONVERT

static void bins_Double(double *to, const double *x, int64_t n, double bins, double low, double high) {
    double span = high - low;
    for (int64_t i = 0; i < n; i++) {
        if (!(x[i] >= low && x[i] <= high)) continue;
        double part = (x[i] - low) / span, bin = part * bins;
        /* Also where an infinite span made it NaN. */
        to[bin < bins ? (int64_t)bin : (int64_t)bins - 1] += 1;
    }
}

static void bins_Float(float *to, const float *x, int64_t n, float bins, float low, float high) {
    float span = high - low;
    for (int64_t i = 0; i < n; i++) {
        if (!(x[i] >= low && x[i] <= high)) continue;
        float part = (x[i] - low) / span, bin = part * bins;
        /* Also where an infinite span made it NaN. */
        to[bin < bins ? (int64_t)bin : (int64_t)bins - 1] += 1;
    }
}

void t7_count_bins(int32_t type, void *to, const void *x, int64_t n, int64_t bins, double low, double high) {
    if (type == DOUBLE)
        bins_Double(to, x, n, bins, low, high);
    else
        bins_Float(to, x, n, bins, low, high);
}

void t7_match_rows(int32_t type, void *to, const void *x, const void *y, int64_t rows, int64_t others, int64_t n,
                   double gain) {
    switch (type) {
    case DOUBLE:
        match_Double(to, x, y, rows, others, n, gain);
        break;
    case FLOAT:
        match_Float(to, x, y, rows, others, n, gain);
        break;
    case LONG:
        match_Long(to, x, y, rows, others, n, gain);
        break;
    case BYTE:
        match_Byte(to, x, y, rows, others, n, gain);
        break;
    case INT:
        match_Int(to, x, y, rows, others, n, gain);
        break;
    case CHAR:
        match_Char(to, x, y, rows, others, n, gain);
        break;
    default:
        match_Short(to, x, y, rows, others, n, gain);
    }
}
