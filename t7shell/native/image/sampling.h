#pragma once
#include <stdint.h>
#pragma GCC visibility push(default)
/* Outputs that are weighted sums of a few inputs, their taps: those of output i are at[i * taps + k], with the weights
   weight[i * taps + k]. Sums are divided by total[i] unless it is null; bytes are rounded and stay within their range.
   Elements are Floats, doubles or bytes. Where is_cubic is 1, outputs lie between taps 1 and 2, at weight[i * 4] from
   the first of them, on a cubic through all four; a tap 0 or 3 that is -1 goes on along the line through these two, and
   with a tap 2 of -1 the output is tap 1. */
typedef struct {
    char *to;
    const char *from;
    const int32_t *at;
    const double *weight, *total;
    int64_t taps, width, step;
    int32_t is_cubic;
} t7_taps;

/* Rows of `width` outputs, each the sums of taps in a row of inputs, which are `step` elements apart; rows that are
   sums of rows. */
void t7_sample_along(int32_t type, const t7_taps *t, int64_t rows);
void t7_sample_across(int32_t type, const t7_taps *t, int64_t rows);

/* Planes of rows x columns elements, those at row_at and column_at in planes of any layout; steps are in elements. */
void t7_sample_nearest(int32_t type, char *to, const char *from, int64_t planes, int64_t plane_step, int64_t row_step,
                       int64_t step, int64_t rows, int64_t columns, const int32_t *row_at, const int32_t *column_at);

/* Images sampled at computed positions: turned by an angle; rows of angles whose columns are distances from the middle;
   a field of positions, or of distances from the outputs, lines before columns. */
enum { T7_ROTATE, T7_POLAR, T7_WARP };
enum { T7_SIMPLE, T7_BILINEAR, T7_BICUBIC, T7_LANCZOS };
typedef struct {
    char *to;
    const char *from, *outside; /* an element, for positions outside of the image */
    const double *field;
    int64_t planes, height, width, to_height, to_width;
    double angle;
    int32_t geometry, mode, is_double, is_logarithmic, is_full, is_relative, is_padded;
} t7_sampling;

void t7_sample(int32_t type, const t7_sampling *s);
#pragma GCC visibility pop
