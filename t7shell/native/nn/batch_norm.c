/* Batch normalization, forward and backward. */
#include "nn/batch_norm.h"
#include "parallel_for.h"
#include "vectors.h"

enum {
    COLUMNS = 128,    /* columns of images that a unit of small planes has at most */
    SMALL = 32,       /* planes of fewer elements are small */
    ROW = 128,        /* bytes of a row of partial sums */
    BLOCK_SIZE = 256, /* elements that are added up in the type, before the sum goes on in doubles */
    GROUP = 8,        /* the same for elements of a column */
    LINE = 64,        /* bytes of a line of the cache, which is read at once */
};

/* What is added up: elements; squares of their differences from the mean; gradients, and their products with the
   differences. */
enum sums { ELEMENTS, SQUARES, PRODUCTS };

/* The sum of n doubles in four parts. */
INLINE double sum_of(const double *x, int64_t n) {
    double a[4] = {0};
    int64_t i = 0;
    for (; i + 4 <= n; i += 4) UNROLL for (int k = 0; k < 4; k++) a[k] += x[i + k];
    for (int k = 0; i < n; i++, k++) a[k] += x[i];
    return (a[0] + a[2]) + (a[1] + a[3]);
}

#define BODY "nn/batch_norm_body.h"
#include "for_floating_types.h"
