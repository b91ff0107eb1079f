/* Histograms, and distances of rows. */
#include "reduce/bins.h"
#include "maths/integers.h"
#include "parallel_for.h"
#include "types.h"
#include "vectors.h"

#define BODY "reduce/match_rows_body.h"
#include "for_all_types.h"

enum {
    MAX_BINS = 1024, /* that are counted in tables: four, since an increment waits for the one before */
    TABLES = 4,
    BLOCK = 256,
    CHUNK = 16384,
};
static const double NS_PER_ELEMENT = 2;

struct histogram {
    const void *x;
    int64_t n, bins;
    double low, high;
    int64_t *counts;
};

#define BODY "reduce/count_bins_body.h"
#include "for_floating_types.h"

void t7_count_bins(int32_t type, void *to, const void *x, int64_t n, int64_t bins, double low, double high) {
    int64_t counts[MAX_BINS];
    struct histogram h = {x, n, bins, low, high, counts};
    memset(counts, 0, min_i(bins, MAX_BINS) * sizeof *counts);
    if (type == DOUBLE)
        count_bins_Double(to, &h);
    else
        count_bins_Float(to, &h);
}

void t7_match_rows(int32_t type, void *to, const void *x, const void *y, int64_t rows, int64_t others, int64_t n,
                   double gain) {
    typedef void match_rows(void *, const void *, const void *, int64_t, int64_t, int64_t, double);
    static match_rows *const by_type[] = {FOR_TYPES(match_rows)};
    by_type[type](to, x, y, rows, others, n, gain);
}
