#include <stdint.h>
#pragma GCC visibility push(default)
/* The result of n elements. Floats and doubles are combined in double precision, unless rounded: doubles in order, as
   Torch7 does; rows of 16 and more Floats in 16 partial results, other Floats in order. Integers wrap. */
typedef enum {
    T7_SUM,
    T7_PRODUCT,
    T7_NONZEROS,        /* how many are not 0 */
    T7_ABSOLUTE_SUM,    /* the sum of absolute values */
    T7_NORM,            /* the root of the sum of squares, which are rounded to the type */
    T7_WIDE_NORM,       /* the same of squares in double precision */
    T7_POWER_SUM_ROOT,  /* the sum to the power of 1 / p */
    T7_VARIANCE,        /* the sum of squared deviations from the mean, divided by p */
    T7_STD,             /* its root */
    T7_ROUNDED_SUM,     /* along a dimension, rounded to the floating-point type after each element, in order */
    T7_ROUNDED_PRODUCT, /* the same */
} t7_reduction;

/* to[o * inner + i], of the type, is the reduction of the n elements x[o * outer_step + k * n_step + i * inner_step].
   Types are numbered as in torch.base.types; only floating-point types have more than sums and products. */
void t7_reduce_along(int32_t type, t7_reduction reduction, double p, void *to, const void *x, int64_t outer,
                     int64_t outer_step, int64_t n, int64_t n_step, int64_t inner, int64_t inner_step);

/* The reduction of n contiguous elements to a number: of 65536 and more in blocks. */
double t7_reduce_all(int32_t type, t7_reduction reduction, double p, const void *x, int64_t n);
/* The same of a loop in loops, the first one the innermost. */
double t7_reduce_loops(int32_t type, t7_reduction reduction, double p, const void *x, int32_t loops, const double *size,
                       const double *step);
/* The norm (T7_ABSOLUTE_SUM or T7_NORM) of the differences of n contiguous elements. */
double t7_distance(int32_t type, t7_reduction reduction, const void *x, const void *y, int64_t n);
#pragma GCC visibility pop
