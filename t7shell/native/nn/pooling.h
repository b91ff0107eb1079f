#include <stdint.h>
#pragma GCC visibility push(default)
/* Windows of one size that move over planes of time, height and width. Indices count the elements of a plane from 1, 0
   if there is none; `relative` ones count those of a window of one column from 0, -1 if there is none. Averages are
   divided by the elements of a window if `divide` is not 0: by those inside of the plane if 1, also by those of padding
   if 2. */
typedef struct {
    double planes, size[3], kernel[3], stride[3], pad[3], dilation[3], out[3];
    int32_t relative, divide;
} t7_pooling;

/* Maxima and their indices; a NaN is never a maximum. */
void t7_max_pool_Float(const t7_pooling *shape, const float *x, float *y, int64_t *index);
void t7_max_pool_Double(const t7_pooling *shape, const double *x, double *y, int64_t *index);

void t7_average_pool_Float(const t7_pooling *shape, const float *x, float *y);
void t7_average_pool_Double(const t7_pooling *shape, const double *x, double *y);

/* x = the gradient of averages, or of sums, from that of y. */
void t7_average_pool_back_Float(const t7_pooling *shape, const float *y, float *x);
void t7_average_pool_back_Double(const t7_pooling *shape, const double *y, double *x);

/* x = the elements of y, added to the elements that indices name. Returns whether all indices were valid. */
int t7_max_pool_back_Float(const t7_pooling *shape, const float *y, const int64_t *index, float *x);
int t7_max_pool_back_Double(const t7_pooling *shape, const double *y, const int64_t *index, double *x);

/* Puts elements of x, planes of `from` elements, at their indices in y, planes of `to`; and takes them from there. */
int t7_unpool_Float(double planes, double from, double to, const float *x, const int64_t *index, float *y);
int t7_unpool_Double(double planes, double from, double to, const double *x, const int64_t *index, double *y);
int t7_unpool_back_Float(double planes, double from, double to, const float *y, const int64_t *index, float *x);
int t7_unpool_back_Double(double planes, double from, double to, const double *y, const int64_t *index, double *x);

/* Windows of different sizes: window i of dimension d goes from begin[d][i] to end[d][i] - 1. With `own`, for maxima
   alone, each plane has lists of its own, one after the other, and windows have one size. */
typedef struct {
    double planes, size[3], out[3];
    const int32_t *begin[3], *end[3];
    int32_t own;
} t7_windows;

void t7_max_windows_Float(const t7_windows *windows, const float *x, float *y, int64_t *index);
void t7_max_windows_Double(const t7_windows *windows, const double *x, double *y, int64_t *index);
void t7_average_windows_Float(const t7_windows *windows, const float *x, float *y);
void t7_average_windows_Double(const t7_windows *windows, const double *x, double *y);
void t7_average_windows_back_Float(const t7_windows *windows, const float *y, float *x);
void t7_average_windows_back_Double(const t7_windows *windows, const double *y, double *x);

/* Indices of maxima in windows of two dimensions as rows and columns of their windows, both from 1, and back. */
void t7_window_indices(const t7_windows *windows, const int64_t *index, int64_t *rows, int64_t *columns);
void t7_plane_indices(const t7_windows *windows, const int64_t *rows, const int64_t *columns, int64_t *index);

/* y = x times the weight of each plane's feature, plus its bias unless that is null; y may be x. Features of planes
   follow each other. */
void t7_scale_planes_Float(double planes, double features, double area, const float *x, const float *weight,
                           const float *bias, float *y);
void t7_scale_planes_Double(double planes, double features, double area, const double *x, const double *weight,
                            const double *bias, double *y);
#pragma GCC visibility pop
