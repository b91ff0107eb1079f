/* Larger planes, by linear interpolation and by repetition. In interpolation a row of the output comes from a line, the
 * weighted sum of up to four rows of the input. */
#include "interpolation.h"
#include "../parallel_for.h"
#include "../vectors.h"

enum { COLUMNS = 256 }; /* elements of a line, and of a row of the output, that are computed together */

typedef struct {
    const void *from;
    void *to;
    int64_t size[3], out[3], area, outputs;
} interpolation;

/* The elements around position o of a dimension, and the weight of the second one. Torch7 computes positions as floats
 * for doubles, too. */
typedef struct {
    int64_t first, second;
    double part;
} between;

INLINE between place(const interpolation *f, int d, int64_t o) {
    int64_t size = f->size[d], out = f->out[d];
    float step = out > 1 ? (float)(size - 1) / (float)(out - 1) : 0, position = step * (float)o;
    between b = {.first = (int64_t)position};
    if (b.first > size - 1) b.first = size - 1;
    b.second = b.first < size - 1 ? b.first + 1 : b.first;
    b.part = (double)(position - (float)b.first);
    return b;
}

#include "../float_names.h"
#include "interpolation_body.h"
#include "../double_names.h"
#include "interpolation_body.h"
