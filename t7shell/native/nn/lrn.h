#include <stdint.h>
#pragma GCC visibility push(default)
/* Normalization across maps: y = x scale^-beta, where scale is k and alpha times the sum of the squares of up to `half`
   maps on each side; `area` elements a map. backward: r, the gradient of the input, from g, that of the output; `parts`
   has space for as many elements. */
typedef struct {
    double images, maps, area, half, alpha, beta, k;
} t7_lrn;

void t7_lrn_forward_Float(const t7_lrn *call, const float *x, float *scale, float *y);
void t7_lrn_forward_Double(const t7_lrn *call, const double *x, double *scale, double *y);
void t7_lrn_backward_Float(const t7_lrn *call, const float *x, const float *scale, const float *y, const float *g,
                           float *parts, float *r);
void t7_lrn_backward_Double(const t7_lrn *call, const double *x, const double *scale, const double *y, const double *g,
                            double *parts, double *r);
#pragma GCC visibility pop
