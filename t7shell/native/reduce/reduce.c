/* Reductions to a number and along a dimension. */
#include "reduce/reduce.h"
#include "parallel_for.h"
#include "types.h"
#include "maths/power.h"
#include "vectors.h"

enum {
    BLOCK = 256,         /* results along a dimension that are computed together */
    BLOCK_SIZE = 4096,   /* elements of a total that one core takes together, at least */
    MIN_BLOCKED = 65536, /* fewer elements are one block */
    MAX_BLOCKS = 256,    /* of a total */
    MAX_GROUPS = 4,      /* vectors of rows, and of columns, that are computed side by side */
    MAX_VECTORS = 8,
    COLUMNS = 32, /* of rounded sums, side by side */
    DIFFERENCE_BLOCK = 1024,
};
static const double NS_PER_BYTE = 0.03, NS_PER_RESULT = 3;

/* What is added, or multiplied. */
enum term { ELEMENTS, PRODUCTS, NONZEROS, ABSOLUTES, SQUARES, ROUNDED_SQUARES, DIFFERENCES };

/* A switch over terms, whose cases have theirs as a constant. */
#define SWITCH_TERM(term, CASE)                                                                                        \
    switch (term) {                                                                                                    \
        CASE(ELEMENTS)                                                                                                 \
        CASE(PRODUCTS) CASE(NONZEROS) CASE(ABSOLUTES) CASE(SQUARES) CASE(ROUNDED_SQUARES) CASE(DIFFERENCES)            \
    }

static enum term term_of(t7_reduction reduction) {
    switch (reduction) {
    case T7_PRODUCT:
        return PRODUCTS;
    case T7_NONZEROS:
        return NONZEROS;
    case T7_ABSOLUTE_SUM:
        return ABSOLUTES;
    case T7_NORM:
        return ROUNDED_SQUARES;
    case T7_WIDE_NORM:
        return SQUARES;
    case T7_VARIANCE:
    case T7_STD:
        return DIFFERENCES;
    default:
        return ELEMENTS;
    }
}

INLINE double finish(t7_reduction reduction, double a, double p) {
    switch (reduction) {
    case T7_NORM:
    case T7_WIDE_NORM:
        return sqrt(a);
    case T7_POWER_SUM_ROOT: {
        uint64_t rare;
        return pow_d(a, 1 / p, 1, &rare);
    }
    case T7_VARIANCE:
        return a / p;
    case T7_STD:
        return sqrt(a / p);
    default:
        return a;
    }
}

/* Keeps compilers from computing terms in vectors and taking them out one by one, which holds up a sum in order. */
#if defined(__x86_64__)
#define AS_SCALAR(a) __asm__("" : "+x"(a))
#else
#define AS_SCALAR(a) __asm__("" : "+w"(a))
#endif

INLINE double identity(enum term term) { return term == PRODUCTS; }

static int is_variance(t7_reduction reduction) { return reduction == T7_VARIANCE || reduction == T7_STD; }

static double elements(int loops, const double *size) {
    double count = 1;
    for (int d = 0; d < loops; d++) count *= size[d];
    return count;
}

/* Elements of a block of n: an odd multiple of 8, since rows that lie apart by powers of 2 evict each other from the
   cache. */
INLINE int64_t block_size(int64_t n) { return n / min_i(n / BLOCK_SIZE, MAX_BLOCKS) / 16 * 16 - 8; }

/* a with the term of elements x. */
INLINE doubles combine(enum term term, doubles a, doubles x, doubles shift) {
    switch (term) {
    case PRODUCTS:
        return a * x;
    case NONZEROS:
        return a + (doubles)((longs)broadcast(1) & (longs)(x != 0));
    case ABSOLUTES:
        return a + (doubles)((longs)x & INT64_MAX);
    case SQUARES:
        return a + x * x;
    case DIFFERENCES:
        return a + (x - shift) * (x - shift);
    default:
        return a + x;
    }
}
INLINE double combine_one(enum term term, double a, double x, double shift) {
    switch (term) {
    case PRODUCTS:
        return a * x;
    case NONZEROS:
        return a + (x != 0);
    case ABSOLUTES:
        return a + fabs(x);
    case SQUARES:
        return a + x * x;
    case DIFFERENCES:
        return a + (x - shift) * (x - shift);
    default:
        return a + x;
    }
}

/* A reduction along a dimension. */
struct lines {
    t7_reduction reduction;
    double p;
    void *to;
    const void *x;
    int64_t outer_step, n, n_step, inner, inner_step;
};
/* Blocks of a row and their results: doubles, or integers of integers. */
struct blocks {
    const void *x;
    int64_t size;
    enum term term;
    const double *shift;
    double *result;
    uint64_t *integers;
};

#define BODY "reduce/reduce_floating_body.h"
#include "for_floating_types.h"
#define BODY "reduce/reduce_integers_body.h"
#include "for_integer_types.h"

void t7_reduce_along(int32_t type, t7_reduction reduction, double p, void *to, const void *x, int64_t outer,
                     int64_t outer_step, int64_t n, int64_t n_step, int64_t inner, int64_t inner_step) {
    static t7_chunk *const lines[] = {FOR_TYPES(reduce_lines)};
    /* Results one after the other need no loop of planes. */
    if (inner == 1) inner = outer, inner_step = outer_step, outer = 1;
    struct lines l = {reduction, p, to, x, outer_step, n, n_step, inner, inner_step};
    double time = outer * inner * (NS_PER_RESULT + n * type_size(type) * NS_PER_BYTE);
    t7_parallel_for(lines[type], &l, outer * inner, n_step == 1 ? 16 : column_unit(inner), time);
}

double t7_reduce_all(int32_t type, t7_reduction reduction, double p, const void *x, int64_t n) {
    static double (*const by_type[])(t7_reduction, double, const void *, int64_t) = {FOR_TYPES(reduce_all)};
    return by_type[type](reduction, p, x, n);
}

double t7_reduce_loops(int32_t type, t7_reduction reduction, double p, const void *x, int32_t loops, const double *size,
                       const double *step) {
    static double (*const by_type[])(t7_reduction, double, const void *, int, const double *,
                                     const double *) = {FOR_TYPES(reduce_loops)};
    return by_type[type](reduction, p, x, loops, size, step);
}

double t7_distance(int32_t type, t7_reduction reduction, const void *x, const void *y, int64_t n) {
    enum term term = term_of(reduction);
    double a = type == DOUBLE ? reduce_differences_Double(term, x, y, n) : reduce_differences_Float(term, x, y, n);
    return canonical_nan(finish(reduction, a, 0));
}
