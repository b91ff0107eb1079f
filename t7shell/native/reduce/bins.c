/* Histograms, and distances of rows. */
#include "reduce/bins.h"
#include "maths/integers.h"
#include "types.h"

#define BODY "reduce/match_rows_body.h"
#include "for_all_types.h"
#define BODY "reduce/count_bins_body.h"
#include "for_floating_types.h"

void t7_count_bins(int32_t type, void *to, const void *x, int64_t n, int64_t bins, double low, double high) {
    if (type == DOUBLE)
        count_bins_Double(to, x, n, bins, low, high);
    else
        count_bins_Float(to, x, n, bins, low, high);
}

void t7_match_rows(int32_t type, void *to, const void *x, const void *y, int64_t rows, int64_t others, int64_t n,
                   double gain) {
    typedef void match_rows(void *, const void *, const void *, int64_t, int64_t, int64_t, double);
    static match_rows *const by_type[] = {FOR_TYPES(match_rows)};
    by_type[type](to, x, y, rows, others, n, gain);
}
