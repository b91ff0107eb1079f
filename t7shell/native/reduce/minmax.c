/* Minima and maxima with their indices. */
#include "reduce/minmax.h"
#include "parallel_for.h"
#include "types.h"
#include "vectors.h"

enum {
    BLOCK_SIZE = 32768, /* elements that one core takes together, at least */
    MAX_BLOCKS = 64,
    GATHERED = 64, /* elements with a step that are copied at a time */
};
static const double NS_PER_BYTE = 0.04, NS_PER_RESULT = 5;

/* Minima or maxima along a dimension. */
struct lines {
    int largest;
    void *values;
    int64_t *indices;
    const void *x;
    int64_t outer_step, n, n_step, inner, inner_step;
};
/* Blocks of a row and their results. */
struct blocks {
    const void *x;
    int64_t size, n;
    int largest;
    void *result;
};

/* Four short rows side by side; small integers become such of 32 bits. */
#define ROWS_OF(TYPE, element, index)                                                                                  \
    typedef element four_##TYPE __attribute__((vector_size(4 * sizeof(element))));                                     \
    typedef index index_##TYPE, four_indices_##TYPE __attribute__((vector_size(4 * sizeof(index))));
ROWS_OF(Double, double, int64_t)
ROWS_OF(Float, float, int32_t)
ROWS_OF(Long, int64_t, int64_t)
ROWS_OF(Int, int32_t, int32_t)
ROWS_OF(Short, int32_t, int32_t)
ROWS_OF(Char, int32_t, int32_t)
ROWS_OF(Byte, int32_t, int32_t)

/* Of numbers and vectors; no integer is one. */
#define IS_NAN(v) ((v) != (v))

#define BODY "reduce/minmax_body.h"
#include "for_all_types.h"

void t7_minmax_along(int32_t type, int32_t largest, void *values, int64_t *indices, const void *x, int64_t outer,
                     int64_t outer_step, int64_t n, int64_t n_step, int64_t inner, int64_t inner_step) {
    static t7_chunk *const lines[] = {FOR_TYPES(minmax_lines)};
    /* Results one after the other need no loop of planes. */
    if (inner == 1) inner = outer, inner_step = outer_step, outer = 1;
    struct lines l = {largest, values, indices, x, outer_step, n, n_step, inner, inner_step};
    double time = outer * inner * (NS_PER_RESULT + n * type_size(type) * NS_PER_BYTE);
    t7_parallel_for(lines[type], &l, outer * inner, n_step == 1 ? 16 : column_unit(inner), time);
}

double t7_minmax_all(int32_t type, int32_t largest, const void *x, int64_t n) {
    static double (*const by_type[])(int, const void *, int64_t) = {FOR_TYPES(minmax_all)};
    return canonical_nan(by_type[type](largest, x, n));
}

double t7_minmax_loops(int32_t type, int32_t largest, const void *x, int32_t loops, const double *size,
                       const double *step) {
    static double (*const by_type[])(int, const void *, int, const double *,
                                     const double *) = {FOR_TYPES(minmax_loops)};
    return canonical_nan(by_type[type](largest, x, loops, size, step));
}
