/* Rows of weights by their indices. */
#include "nn/lookup.h"
#include "parallel_for.h"
#include "vectors.h"

typedef struct {
    const int64_t *index;
    const void *from;
    void *to;
    const int32_t *counts;
    int64_t rows, n;
    double scale, padding;
} lookup;

double t7_find_outside(const int64_t *index, double n, double low, double high) {
    for (int64_t i = 0; i < (int64_t)n; i++)
        if (!(index[i] >= low && index[i] <= high)) return (double)i;
    return -1;
}

#define BODY "nn/lookup_body.h"
#include "for_floating_types.h"
