/* Batch normalization, forward and backward. */
#include "nn/batch_norm.h"
#include "parallel_for.h"
#include "vectors.h"

enum {
    MAX_COLUMNS = 128,       /* of images, in a unit of small planes */
    MIN_AREA = 32,           /* of a plane; smaller ones are computed together */
    PARTIAL_SUM_BYTES = 128, /* of the partial sums of a plane */
    BLOCK_SIZE = 256,        /* elements that are added up in the type, before the sum goes on in doubles */
    BLOCK_ROWS = 8,          /* the same for rows of a column */
    CACHE_LINE = 64,         /* bytes */
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
