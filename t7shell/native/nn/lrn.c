/* Normalization across maps. */
#include "nn/lrn.h"
#include "maths/logarithm.h"
#include "parallel_for.h"
#include "vectors.h"

enum { BLOCK_PIXELS = 128 }; /* pixels of all maps that are computed together */

INLINE float power_Float(float x, float exponent) { return exp_f(log_f(x) * exponent); }
INLINE double power_Double(double x, double exponent) {
    uint64_t rare;
    return exp_d(log_d(x) * exponent, 1, &rare);
}

typedef struct {
    const t7_lrn *call;
    const void *x, *y, *g, *saved_scale;
    void *scale, *terms, *result;
} lrn;

#define BODY "nn/lrn_body.h"
#include "for_floating_types.h"
