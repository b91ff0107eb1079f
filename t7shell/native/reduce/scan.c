/* Running sums and products. */
#include "reduce/scan.h"
#include "parallel_for.h"
#include "types.h"
#include "vectors.h"

enum {
    MAX_ROWS = 4,      /* rows that are computed side by side, since each sum waits for the one before */
    MIN_COLUMNS = 256, /* that are worth sums in memory */
    COLUMNS = 1024,    /* at a time */
};
static const double NS_PER_ELEMENT = 0.4;

struct scan {
    int product;
    void *to;
    int64_t to_outer, to_n, to_inner;
    const void *x;
    int64_t outer_step, n_step, inner_step, n, inner;
};

#define BODY "reduce/scan_body.h"
#include "for_all_types.h"

void t7_scan(int32_t type, int32_t product, void *to, int64_t to_outer, int64_t to_n, int64_t to_inner, const void *x,
             int64_t outer_step, int64_t n_step, int64_t inner_step, int64_t outer, int64_t n, int64_t inner) {
    static t7_chunk *const lines[] = {FOR_TYPES(scan_lines)};
    struct scan l = {product, to, to_outer, to_n, to_inner, x, outer_step, n_step, inner_step, n, inner};
    t7_parallel_for(lines[type], &l, outer * inner, n_step == 1 ? MAX_ROWS : column_unit(inner),
                    outer * inner * n * NS_PER_ELEMENT);
}
