#include <stdint.h>
#pragma GCC visibility push(default)
/* SoftMax of `count` groups of n elements, or its logarithm: of rows where `step` is 1, else of n planes of `step`
   elements each, whose columns are normalized. backward: r, the gradient of the input, from the output y and its
   gradient g. A group's result does not depend on the others. */
void t7_softmax_Float(int32_t logarithm, int64_t count, int64_t n, int64_t step, const float *x, float *y);
void t7_softmax_Double(int32_t logarithm, int64_t count, int64_t n, int64_t step, const double *x, double *y);
void t7_softmax_backward_Float(int32_t logarithm, int64_t count, int64_t n, int64_t step, const float *y,
                               const float *g, float *r);
void t7_softmax_backward_Double(int32_t logarithm, int64_t count, int64_t n, int64_t step, const double *y,
                                const double *g, double *r);
#pragma GCC visibility pop
