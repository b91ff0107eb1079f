/* Planes with other elements around them, or with some cut off. Small planes with short rows are one row, whose
   elements are found by a list. */
#include "nn/padding.h"
#include "parallel_for.h"
#include "vectors.h"

enum {
    MIN_COPIED = 8,  /* columns that are copied at once; fewer are found one by one, as those at edges are */
    MIN_ADDED = 16,  /* the same where they are added */
    MAX_LIST = 2048, /* elements of a plane that is one row, */
    MAX_PLANES = 4,  /* of so many planes at once */
};

typedef struct {
    const void *from;
    void *to;
    int64_t size[3], out[3], area, outputs, begin, end, shift;
    const int32_t *source[3];
} padding;

/* The row of x that row h of slice t of y comes from, -1 for zeros. */
INLINE int64_t source_row(const padding *f, int64_t t, int64_t h) {
    int64_t slice = f->source[0][t], row = f->source[1][h];
    return slice < 0 || row < 0 ? -1 : slice * f->size[1] + row;
}

/* Makes each plane one row, whose columns come from a list. */
static void set_list(padding *f, int32_t *list) {
    int64_t n = 0;
    for (int64_t t = 0; t < f->out[0]; t++)
        for (int64_t h = 0; h < f->out[1]; h++) {
            int64_t row = source_row(f, t, h);
            for (int64_t w = 0; w < f->out[2]; w++) {
                int32_t column = f->source[2][w];
                list[n++] = row < 0 || column < 0 ? -1 : (int32_t)(row * f->size[2] + column);
            }
        }
    f->source[2] = list;
}

#define BODY "nn/padding_body.h"
#include "for_floating_types.h"
