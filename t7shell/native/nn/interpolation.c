/* Larger planes, by linear interpolation and by repetition. In interpolation a row of the output comes from a line, the
 * weighted sum of up to four rows of the input. */
#include "nn/interpolation.h"
#include "parallel_for.h"
#include "vectors.h"

enum {
    MAX_COLUMNS = 256, /* elements of a line, and of a row of the output, that are computed together */
    CACHED = 4096,     /* elements of planes whose lines are computed one after the other */
};

typedef struct {
    const void *from;
    void *to;
    int64_t size[3], out[3], area, outputs;
} interpolation;

/* The elements around position o of a dimension, and the weight of the second one. Torch7 computes positions as floats
   for doubles, too. */
typedef struct {
    int64_t first, second;
    double part;
} interval;

INLINE interval interval_of(const interpolation *f, int d, int64_t o) {
    int64_t size = f->size[d], out = f->out[d];
    float step = out > 1 ? (float)(size - 1) / (float)(out - 1) : 0, position = step * (float)o;
    interval b = {.first = min_i((int64_t)position, size - 1)};
    b.second = min_i(b.first + 1, size - 1);
    b.part = (double)(position - (float)b.first);
    return b;
}

#define BODY "nn/interpolation_body.h"
#include "for_floating_types.h"
