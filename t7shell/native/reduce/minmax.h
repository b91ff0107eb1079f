#include <stdint.h>
#pragma GCC visibility push(default)
/* The largest, or the smallest, of the n elements x[o * outer_step + k * n_step + i * inner_step], and its index from
   1, at o * inner + i: of equals the first, and the first NaN before all numbers. */
void t7_minmax_along(int32_t type, int32_t largest, void *values, int64_t *indices, const void *x, int64_t outer,
                     int64_t outer_step, int64_t n, int64_t n_step, int64_t inner, int64_t inner_step);

/* The minimum or maximum of n contiguous elements; of a loop in loops, the first one the innermost. */
double t7_minmax_all(int32_t type, int32_t largest, const void *x, int64_t n);
double t7_minmax_loops(int32_t type, int32_t largest, const void *x, int32_t loops, const double *size,
                       const double *step);
#pragma GCC visibility pop
