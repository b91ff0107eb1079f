#include <stdint.h>
#pragma GCC visibility push(default)
/* Convolutions of sequences of frames with a kernel for each feature; the features of a frame lie side by side. Weights
   are features x kernel. */
typedef struct {
    double sequences, frames, features, kernel, stride, outputs;
} t7_row_shape;

/* y = the sums of each output's windows; bias may be null. */
void t7_rows_forward_Float(const t7_row_shape *shape, const float *x, const float *weight, const float *bias, float *y);
void t7_rows_forward_Double(const t7_row_shape *shape, const double *x, const double *weight, const double *bias,
                            double *y);

/* The gradient of x from that of y. */
void t7_rows_back_Float(const t7_row_shape *shape, const float *gradient, const float *weight, float *x);
void t7_rows_back_Double(const t7_row_shape *shape, const double *gradient, const double *weight, double *x);

/* sums += scale * the gradient of the weights. */
void t7_rows_weights_Float(const t7_row_shape *shape, const float *x, const float *gradient, double scale, float *sums);
void t7_rows_weights_Double(const t7_row_shape *shape, const double *x, const double *gradient, double scale,
                            double *sums);
#pragma GCC visibility pop
