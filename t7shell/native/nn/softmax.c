/* SoftMax and its logarithm, forward and backward. */
#include "softmax.h"
#include "../parallel_for.h"
#include "../vectors.h"
#include "../maths/logarithm.h"
#include <stdlib.h>

enum {
    WIDTH = 16,        /* exponentials that are computed together, and partial sums of a row */
    BLOCK_SIZE = 1024, /* elements of a row whose sums are added up in the type */
    COLUMNS = 128,     /* columns of planes that are computed together */
    GROUP = 16,        /* rows that are computed side by side, of up to MAX_GROUPED elements together */
    MAX_GROUPED = 2048,
    FEW = 16, /* fewer long rows are shared block by block */
};

INLINE int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* Within limits from which on exponentials do not change; the number comes second, since NaN stays then. */
INLINE vec_f limited_Float(vec_f x) {
    vec_f low = max_vf(splat_vf(-104), x);
    return -max_vf(splat_vf(-89), -low);
}
INLINE vec_d limited_Double(vec_d x) { return x; }

/* Exponentials of a block, within the limits. */
INLINE void exp_block_Float(const float *x, float *z) {
    for (int i = 0; i < WIDTH; i++) {
        int32_t k;
        float y = exp_parts_f(x[i], &k);
        int32_t half = k >> 1;
        z[i] = y * power_of_two_f(half) * power_of_two_f(k - half);
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

/* A call; of rows in blocks their largest elements and their sums as well. */
typedef struct {
    const void *x, *y, *g;
    void *z;
    int64_t n, step, blocks;
    double *top, *total;
    int32_t logarithm;
} softmax;

#include "../float_names.h"
#include "softmax_body.h"
#include "../double_names.h"
#include "softmax_body.h"
