/* SoftMax and its logarithm, forward and backward. */
#include "nn/softmax.h"
#include "parallel_for.h"
#include "vectors.h"
#include "maths/logarithm.h"
#include <stdlib.h>

enum {
    WIDTH = 16,        /* exponentials that are computed together, and partial sums of a row */
    BLOCK_SIZE = 1024, /* elements of a row whose exponentials are added up in the type */
    COLUMNS = 128,     /* columns of planes that are computed together */
    MAX_ROWS = 16,     /* rows that are computed side by side, of up to MAX_GROUP_ELEMENTS elements together */
    MAX_GROUP_ELEMENTS = 2048,
    MIN_ROWS = 16, /* fewer long rows are shared block by block */
};

/* The rows of n elements that are computed side by side. */
INLINE int64_t group_rows(int64_t n) { return max_i(1, min_i(MAX_ROWS, MAX_GROUP_ELEMENTS / max_i(n, 1))); }

/* Within limits from which on exponentials do not change; the number comes second, since NaN stays then. */
INLINE vec_Float clamp_Float(vec_Float x) {
    vec_Float low = max_v_Float(splat_Float(-104), x);
    return -max_v_Float(splat_Float(-89), -low);
}
INLINE vec_Double clamp_Double(vec_Double x) { return x; }

/* Exponentials of a block, within the limits. */
INLINE void exp_block_Float(const float *x, float *z) {
    for (int i = 0; i < WIDTH; i++) {
        int32_t k;
        float y = exp_parts_f(x[i], &k);
        z[i] = ldexp_f(y, k);
    }
}
static __attribute__((noinline)) void exp_rare(const double *x, double *z) {
    uint64_t rare;
    for (int i = 0; i < WIDTH; i++) z[i] = exp_d(x[i], 1, &rare);
}
INLINE void exp_block_Double(const double *x, double *z) {
    uint64_t rare = 0;
    for (int i = 0; i < WIDTH; i++) z[i] = exp_d(x[i], 0, &rare);
    if (rare) exp_rare(x, z);
}

/* z = g - exp(y) s. Of Floats near 0, where g and s may be nearly equal, as if by doubles: by exp(y) - 1. */
INLINE void subtract_exp_block_Float(const float *y, const float *g, const float *s, float *z) {
    float block[WIDTH];
    UNROLL for (int i = 0; i < WIDTH; i += VECTOR / 4) store_Float(block + i, clamp_Float(load_Float(y + i)));
    for (int i = 0; i < WIDTH; i++) {
        int32_t k;
        float tail = exp_tail_f(reduce_ln2_f(block[i], &k));
        float near = (g[i] - s[i]) - tail * s[i], far = g[i] - ldexp_f(1.0f + tail, k) * s[i];
        z[i] = k == 0 ? near : far;
    }
}
INLINE void subtract_exp_block_Double(const double *y, const double *g, const double *s, double *z) {
    double e[WIDTH];
    exp_block_Double(y, e);
    for (int i = 0; i < WIDTH; i++) z[i] = g[i] - e[i] * s[i];
}

/* A call; of rows in blocks their largest elements and their sums as well. */
typedef struct {
    const void *x, *y, *g;
    void *z;
    int64_t n, step, blocks;
    double *largest, *total;
    int32_t logarithm;
} softmax;

#define BODY "nn/softmax_body.h"
#include "for_floating_types.h"
