#include <stdint.h>
#pragma GCC visibility push(default)
/* Rows of n elements of weights by their indices, counted from 1: gathered, and gradients g added to them times
   `scale`, or `scale` by the number of times that a row occurs, where there is space for `counts`, zeros for each row
   of weights. Rows with the index `padding` take no gradients. */
void t7_lookup_Float(double rows, double n, const int64_t *index, const float *weight, float *y);
void t7_lookup_Double(double rows, double n, const int64_t *index, const double *weight, double *y);
void t7_lookup_backward_Float(double rows, double n, const int64_t *index, const float *g, double scale, double padding,
                              int32_t *counts, float *weight);
void t7_lookup_backward_Double(double rows, double n, const int64_t *index, const double *g, double scale,
                               double padding, int32_t *counts, double *weight);
#pragma GCC visibility pop
