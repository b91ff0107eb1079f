/* Positions in an image and the taps around them. Positions are rounded to Floats where the original's were: that
   decides which elements are read. */
#include "image/positions.h"
#include "maths/exponential.h"
#include "maths/logarithm.h"
#include "maths/trig.h"

int t7_taps_of(int32_t mode) { return (const int[]){1, 4, T7_CUBIC_TAPS, T7_MAX_TAPS}[mode]; }

INLINE double max(double a, double b) { return a > b ? a : b; }
INLINE double min(double a, double b) { return a < b ? a : b; }

static double sine(double x) {
    uint64_t rare = 0;
    return sin_d(x, 1, &rare);
}
static double cosine(double x) {
    uint64_t rare = 0;
    return cos_d(x, 1, &rare);
}
static float exponential(double x) {
    uint64_t rare = 0;
    return (float)exp_d(x, 1, &rare);
}

/* The four taps around (x, y): the left and upper ones are at `left` and `top`, the others `right` and `below` elements
   further. */
static void bilinear_taps(int32_t *at, double *weight, double x, double y, int64_t left, int64_t top, int64_t right,
                          int64_t below, int64_t width) {
    int64_t first = top * width + left;
    double part_x = x - left, part_y = y - top;
    below *= width;
    at[0] = (int32_t)first, at[1] = (int32_t)(first + right);
    at[2] = (int32_t)(first + below), at[3] = (int32_t)(first + below + right);
    weight[0] = (1 - part_y) * (1 - part_x), weight[1] = (1 - part_y) * part_x;
    weight[2] = part_y * (1 - part_x), weight[3] = part_y * part_x;
}

/* Positions beyond the image by less than half an element are those of its edge. */
static void rotated_taps(int32_t *at, double *weight, double x, double y, int64_t width, int64_t height) {
    double left = __builtin_floor(x), top = __builtin_floor(y), right = left + 1, below = top + 1;
    double part_x = x - left, part_y = y - top;
    if (right == width && part_x < 0.5) right = left;
    if (below == height && part_y < 0.5) below = top;
    if (left == -1 && part_x > 0.5) left = right, x += 1;
    if (top == -1 && part_y > 0.5) top = below, y += 1;
    if (left >= 0 && top >= 0 && right < width && below < height) {
        bilinear_taps(at, weight, x, y, (int64_t)left, (int64_t)top, (int64_t)(right - left), (int64_t)(below - top),
                      width);
    } else {
        at[0] = -1;
    }
}

/* Positions as the original rounds them: nearest elements, and those of Floats and bytes, in floats throughout. */
static void rotate(const t7_sampling *s, int64_t row, int64_t first, int n, int32_t *at, double *weight) {
    const double theta = (float)s->angle, c = cosine(theta), d = sine(theta);
    const float xc = (float)((s->width - 1) / 2.0), yc = (float)((s->height - 1) / 2.0), down = (float)row - yc;
    if (s->mode == T7_BILINEAR) {
        for (int i = 0; i < n; i++) {
            float right = (float)(first + i) - xc;
            double x = c * right - d * down, y = c * down + d * right;
            x = s->is_double ? x + xc : (float)x + xc, y = s->is_double ? y + yc : (float)y + yc;
            rotated_taps(at + 4 * i, weight + 4 * i, x, y, s->width, s->height);
            if (!s->is_double) weight[4 * i + 3] = (float)weight[4 * i + 3];
        }
        return;
    }
    const float c_f = (float)c, d_f = (float)d, across = d_f * down, along = c_f * down;
    /* Columns and lines count from 1, so that truncation rounds; halves are rounded away from zero, those before the
       first element to the outside. */
    const int32_t width = (int32_t)s->width;
    const double right_end = s->width + 1.0, lower_end = s->height + 1.0;
    for (int i = 0; i < n; i++) {
        float right = (float)(first + i) - xc;
        double column = (c_f * right - across + xc) + 1.5, line = (along + d_f * right + yc) + 1.5;
        int inside = (column > 1) & (line > 1) & (column < right_end) & (line < lower_end);
        int32_t index = ((int32_t)(inside ? line : 1) - 1) * width + (int32_t)(inside ? column : 1) - 1;
        at[i] = inside ? index : -1;
    }
}

static void polar(const t7_sampling *s, int64_t row, int64_t first, int n, int32_t *at, double *weight) {
    const double width = s->width, height = s->height;
    const double angle = (float)(2 * 3.141592653589793 * row / s->to_height);
    const double down = cosine(angle), right = -sine(angle), xc = (float)(width / 2), yc = (float)(height / 2);
    const double reach = s->is_full ? (float)(__builtin_sqrt(width * width + height * height) / 2) : min(xc, yc);
    const float reach_in_floats = (float)reach, log_step = (float)(log_d(reach) / s->to_width);
    const int in_floats = s->mode == T7_BILINEAR && (s->is_logarithmic || !s->is_double);
    for (int i = 0; i < n; i++) {
        float column = (float)(first + i);
        double radius =
            s->is_logarithmic ? exponential(column * log_step) : reach_in_floats * column / (float)s->to_width;
        double y = radius * down + yc, x = radius * right + xc;
        if (in_floats) y = (float)y, x = (float)x;
        double top = __builtin_floor(y), left = __builtin_floor(x);
        if (!(left >= 0 && top >= 0 && left < width && top < height)) {
            at[i * (s->mode == T7_BILINEAR ? 4 : 1)] = -1;
        } else if (s->mode == T7_SIMPLE) {
            at[i] = (int32_t)(top * width + left);
        } else if (left + 1 >= width || top + 1 >= height) {
            /* At the last row and column the element there alone. */
            bilinear_taps(at + 4 * i, weight + 4 * i, left, top, (int64_t)left, (int64_t)top, 0, 0, s->width);
        } else {
            bilinear_taps(at + 4 * i, weight + 4 * i, x, y, (int64_t)left, (int64_t)top, 1, 1, s->width);
            if (in_floats) weight[4 * i + 3] = (float)weight[4 * i + 3];
        }
    }
}

/* The kernel of cubic convolution (Keys 1981, a = -1/2): a cubic through the two nearest neighbors, with slopes from
   the other two. */
static void cubic(double *to, double x) {
    to[0] = x * (-0.5 + x * (1 - 0.5 * x)), to[1] = 1 + x * x * (-2.5 + 1.5 * x);
    to[2] = x * (0.5 + x * (2 - 1.5 * x)), to[3] = x * x * (-0.5 + 0.5 * x);
}

/* A sinc windowed by a wider one, in floats as the original computes it. */
static void lanczos(float *to, float part) {
    const float PI = 3.14159265358979323846f, PI_SQUARED = 9.86960440108935861884f;
    for (int k = 0; k < 6; k++) {
        float d = __builtin_fabsf(part - (float)(k - 2));
        to[k] = d < 0.000001f ? 1 : d > 3 ? 0 : (float)(3 * sine(PI * d) * sine(PI * d / 3) / (PI_SQUARED * d * d));
    }
}

/* The nearest element of an image of `size`. */
INLINE int32_t inside(double at, int64_t size) { return (int32_t)max(0, min(at, size - 1)); }

/* 16 elements by the products of weights by row and by column; what lies beyond the edge is the padding, whose weight
   is the last one. */
static void cubic_taps(const t7_sampling *s, int32_t *at, double *weight, double x, double y) {
    double left = __builtin_floor(x), top = __builtin_floor(y), by_column[4], by_row[4], beyond = 0;
    cubic(by_column, x - left), cubic(by_row, y - top);
    for (int v = 0; v < 4; v++) {
        double row = top + v - 1;
        for (int u = 0; u < 4; u++, at++, weight++) {
            double column = left + u - 1;
            *at = inside(row, s->height) * (int32_t)s->width + inside(column, s->width);
            *weight = by_row[v] * by_column[u];
            if (row != inside(row, s->height) || column != inside(column, s->width)) beyond += *weight, *weight = 0;
        }
    }
    *weight = beyond;
}

/* 36 elements, those beyond the edge being the edge, and the sum of their weights, all in floats and by columns. */
static void lanczos_taps(const t7_sampling *s, int32_t *at, double *weight, double x, double y) {
    double left = __builtin_floor(x), top = __builtin_floor(y);
    float by_column[6], by_row[6], sum = 0;
    lanczos(by_column, (float)(x - left)), lanczos(by_row, (float)(y - top));
    for (int u = 0; u < 6; u++)
        for (int v = 0; v < 6; v++, at++, weight++) {
            *at = inside(top + v - 2, s->height) * (int32_t)s->width + inside(left + u - 2, s->width);
            float product = by_column[u] * by_row[v];
            *weight = product, sum += product;
        }
    *weight = sum;
}

/* Positions outside of the image are moved to its edge, or get the padding. */
static void warp(const t7_sampling *s, int64_t row, int64_t first, int n, int32_t *at, double *weight) {
    const double *down = s->field + row * s->to_width + first, *right = down + s->to_height * s->to_width;
    const double width = s->width, height = s->height;
    const int taps = t7_taps_of(s->mode);
    for (int i = 0; i < n; i++, at += taps, weight += taps) {
        double x = (float)(s->is_relative ? first + i : 0) + (float)right[i];
        double y = (float)(s->is_relative ? row : 0) + (float)down[i];
        if (!(x >= 0 && y >= 0 && x <= width - 1 && y <= height - 1)) {
            if (s->is_padded) {
                at[0] = -1;
                continue;
            }
            /* NaN goes to 0. */
            x = x > 0 ? min(x, width - 1) : 0, y = y > 0 ? min(y, height - 1) : 0;
        }
        if (s->mode == T7_SIMPLE) {
            at[0] =
                (int32_t)(min(__builtin_floor(y + 0.5), height - 1) * width + min(__builtin_floor(x + 0.5), width - 1));
        } else if (s->mode == T7_BILINEAR) {
            int64_t left = (int64_t)x, top = (int64_t)y;
            bilinear_taps(at, weight, x, y, left, top, left + 1 < s->width, top + 1 < s->height, s->width);
            double parts_x[] = {(float)(left + 1 - x), x - left}, parts_y[] = {(float)(top + 1 - y), y - top};
            for (int k = 0; k < 4; k++) weight[k] = (float)(parts_y[k / 2] * parts_x[k % 2]);
        } else if (s->mode == T7_BICUBIC) {
            cubic_taps(s, at, weight, x, y);
        } else {
            lanczos_taps(s, at, weight, x, y);
        }
    }
}

void t7_row_taps(const t7_sampling *s, int64_t row, int64_t first, int n, int32_t *at, double *weight) {
    (s->geometry == T7_ROTATE ? rotate : s->geometry == T7_POLAR ? polar : warp)(s, row, first, n, at, weight);
}
