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

#define BODY "nn/lookup_body.h"
#include "for_floating_types.h"
