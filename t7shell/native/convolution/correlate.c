/* Convolutions and cross-correlations in two and three dimensions.

   Vectors hold contiguous elements of a row of results. Where rows are short, those of a plane are one run, as they are
   in the image: what lies between the rows of results is dropped. */
#include "convolution/correlate.h"
#include "parallel_for.h"
#include "vectors.h"

enum {
    MAX_RUN_COLUMNS = 64, /* rows of fewer columns are run together */
    RUN_LENGTH = 1024,
};
static const double NS_PER_MULTIPLY = 0.1;

/* A correlation with the sizes of a result, and how many of its rows are one run. */
typedef struct {
    const t7_correlation *c;
    int64_t size[3], rows_per_run;
} job;

#define BODY "convolution/correlate_floating_body.h"
#include "for_floating_types.h"
#define BODY "convolution/correlate_integers_body.h"
#include "for_integer_types.h"
#define BODY "convolution/correlate_rows_body.h"
#include "for_all_types.h"

void t7_correlate(int32_t type, const t7_correlation *c) {
    static t7_chunk *const chunks[] = {FOR_TYPES(rows)};
    job j = {.c = c, .rows_per_run = 1};
    double elements = 1, taps = 1;
    for (int d = 0; d < 3; d++) {
        j.size[d] = c->image[d] - c->kernel[d] + 1;
        elements *= j.size[d], taps *= c->kernel[d];
    }
    if (j.size[2] < MAX_RUN_COLUMNS && c->image[2] < RUN_LENGTH) j.rows_per_run = RUN_LENGTH / c->image[2];
    t7_parallel_for(chunks[type], &j, c->outputs * j.size[0] * j.size[1], 1,
                    NS_PER_MULTIPLY * c->outputs * c->inputs * taps * elements);
}
