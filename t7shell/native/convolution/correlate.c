/* Convolutions and cross-correlations in two and three dimensions.

   Vectors hold contiguous elements of a row of results. Where rows are short, those of a plane are one run, as they are
   in the image: what lies between the rows of results is dropped. */
#include "convolution/correlate.h"
#include "parallel_for.h"
#include "types.h"
#include "vectors.h"

enum {
    FEW_COLUMNS = 64, /* columns of rows that are run together */
    RUN = 1024,       /* elements of such a run */
};
static const double MULTIPLY = 0.1; /* nanoseconds */

/* A correlation, and the rows of results that are run together. */
typedef struct {
    const t7_correlation *c;
    int64_t size[3], together;
} job;

#define REAL 1
#include "float_names.h"
#include "convolution/correlate_body.h"

#include "double_names.h"
#include "convolution/correlate_body.h"

/* The low bits of a sum follow from the low bits of its terms. */
#undef REAL
#define REAL 0
#define T uint8_t
#define SUM uint32_t
#define NAME(f) f##_Byte
#include "convolution/correlate_body.h"

#define T uint16_t
#define SUM uint32_t
#define NAME(f) f##_Short
#include "convolution/correlate_body.h"

#define T uint32_t
#define SUM uint32_t
#define NAME(f) f##_Int
#include "convolution/correlate_body.h"

#define T uint64_t
#define SUM uint64_t
#define NAME(f) f##_Long
#include "convolution/correlate_body.h"

#define rows_Char rows_Byte

void t7_correlate(int32_t type, const t7_correlation *c) {
    static t7_chunk *const chunks[] = {FOR_TYPES(rows)};
    job j = {.c = c, .together = 1};
    double elements = 1, taps = 1;
    for (int d = 0; d < 3; d++) {
        j.size[d] = c->image[d] - c->kernel[d] + 1;
        elements *= j.size[d], taps *= c->kernel[d];
    }
    if (j.size[2] < FEW_COLUMNS && c->image[2] < RUN) j.together = RUN / c->image[2];
    t7_parallel_for(chunks[type], &j, c->outputs * j.size[0] * j.size[1], 1,
                    MULTIPLY * c->outputs * c->inputs * taps * elements);
}
