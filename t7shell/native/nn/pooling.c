/* Pooling of planes, see docs/decisions/0017-pooling.md. */
#include "nn/pooling.h"
#include "parallel_for.h"
#include "vectors.h"
#include <float.h>

enum {
    MIN_AVERAGES = 4, /* of a row; those of shorter rows are computed one by one, */
    MAX_PLANES = 8,   /* of so many planes at once */
    BLOCK = 256,      /* gradients of rows that are divided at a time, */
    MIN_ROW = 8,      /* and of a row that are added at once */
    CACHED = 4096,    /* elements of planes whose rows are computed one after the other */
};

/* The sizes of a call, and its operands. */
typedef struct {
    const t7_pooling *shape;
    int64_t size[3], kernel[3], stride[3], pad[3], dilation[3], out[3], area, outputs;
    int64_t inside[2]; /* the first result of a row whose window lies within the row, and the one after the last */
    const void *from;
    void *to;
    int64_t *index;
    const int64_t *indices;
    int is_max, is_wrong;
} t7_pool_call;

/* Tells whether one window has all of a dimension. */
static int is_whole(const t7_pool_call *c, int d) {
    return c->out[d] == 1 && c->kernel[d] == c->size[d] && c->pad[d] == 0 && c->dilation[d] == 1;
}

static void set_call(t7_pool_call *c, const t7_pooling *s) {
    c->shape = s, c->area = 1, c->outputs = 1;
    for (int d = 0; d < 3; d++) {
        c->size[d] = (int64_t)s->size[d], c->kernel[d] = (int64_t)s->kernel[d], c->stride[d] = (int64_t)s->stride[d];
        c->pad[d] = (int64_t)s->pad[d], c->dilation[d] = (int64_t)s->dilation[d], c->out[d] = (int64_t)s->out[d];
        c->area *= c->size[d], c->outputs *= c->out[d];
    }
    /* Windows of whole planes are windows of a row. */
    for (int d = 1; d >= 0 && !s->relative && is_whole(c, d) && is_whole(c, 2); d--) {
        c->size[2] *= c->size[d], c->kernel[2] *= c->kernel[d];
        c->size[d] = c->kernel[d] = 1;
    }
    c->inside[0] = 0, c->inside[1] = c->out[2];
    clip(-c->pad[2], c->stride[2], c->size[2], &c->inside[0], &c->inside[1]);
    clip((c->kernel[2] - 1) * c->dilation[2] - c->pad[2], c->stride[2], c->size[2], &c->inside[0], &c->inside[1]);
    /* Every second element is half of a vector that reaches one element further. */
    if (c->kernel[2] == 1 && c->stride[2] == 2) c->inside[1] = c->inside[0];
}

/* The elements of window i of dimension d that lie inside of the plane: begin to end - 1. Returns where element 0 is.
 */
INLINE int64_t clip_window(const t7_pool_call *c, int d, int64_t i, int64_t *begin, int64_t *end) {
    int64_t from = i * c->stride[d] - c->pad[d];
    *begin = 0, *end = c->kernel[d];
    clip(from, c->dilation[d], c->size[d], begin, end);
    return from;
}

/* What the sum of window i of a dimension is divided by. */
INLINE int64_t extent(const t7_pool_call *c, int d, int64_t i) {
    int64_t from = i * c->stride[d] - c->pad[d], to = from + c->kernel[d], padded = c->size[d] + c->pad[d];
    if (to > padded) to = padded;
    if (c->shape->divide == 2) return to - from;
    return (to < c->size[d] ? to : c->size[d]) - (from > 0 ? from : 0);
}

/* The elements of window q of a plane: begin[d] to end[d] - 1 in dimension d. Returns their number. */
INLINE int64_t set_window(const t7_windows *w, int64_t plane, int64_t q, int64_t *begin, int64_t *end) {
    int64_t count = 1;
    for (int d = 2; d >= 0; d--) {
        int64_t out = (int64_t)w->out[d], at = (w->own ? plane * out : 0) + q % out;
        begin[d] = w->begin[d][at], end[d] = w->end[d][at];
        count *= end[d] - begin[d];
        q /= out;
    }
    return count;
}

/* Before there is a maximum. */
#define LOWEST_Float (-FLT_MAX)
#define LOWEST_Double (-DBL_MAX)

#define BODY "nn/pooling_body.h"
#include "for_floating_types.h"
#define BODY "nn/window_lists_body.h"
#include "for_floating_types.h"

void t7_window_indices(const t7_windows *w, const int64_t *index, int64_t *rows, int64_t *columns) {
    int64_t width = (int64_t)w->size[2], h = (int64_t)w->out[1], n = (int64_t)w->out[2];
    for (int64_t y = 0; y < (int64_t)w->planes * h; y++)
        for (int64_t x = 0; x < n; x++) {
            int64_t i = *index++ - 1, row = (int64_t)((double)i / (double)width), column = i - row * width;
            *rows++ = row - w->begin[1][y % h] + 1;
            *columns++ = (column < 0 ? column + width : column) - w->begin[2][x] + 1;
        }
}

void t7_plane_indices(const t7_windows *w, const int64_t *rows, const int64_t *columns, int64_t *index) {
    int64_t width = (int64_t)w->size[2], h = (int64_t)w->out[1], n = (int64_t)w->out[2];
    for (int64_t y = 0; y < (int64_t)w->planes * h; y++)
        for (int64_t x = 0; x < n; x++)
            *index++ = (*rows++ + w->begin[1][y % h] - 1) * width + *columns++ + w->begin[2][x];
}
