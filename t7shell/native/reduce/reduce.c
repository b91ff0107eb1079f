/* Reductions to a number and along a dimension. */
#include "reduce.h"
#include "../parallel_for.h"
#include "../types.h"
#include "maths/power.h"
#include "vectors.h"

enum {
    BLOCK = 256,       /* results along a dimension that are computed together */
    BLOCK_SIZE = 4096, /* elements of a total that one core takes together, at least */
    WHOLE = 65536,     /* fewer are one block */
    MAX_BLOCKS = 256,  /* of a total */
    MAX_GROUPS = 4,    /* vectors of rows, and of columns, that are computed side by side */
    MAX_VECTORS = 8,
    DIFFERENCE_BLOCK = 1024,
};
/* Of a byte that is read once, and of a result. */
static const double NANOSECONDS = 0.03, RESULT = 3;

/* What is added, or multiplied. */
enum term { ELEMENTS, PRODUCTS, ONES, ABSOLUTE, SQUARES, OWN_SQUARES, DIFFERENCES };

static enum term term_of(t7_reduction reduction) {
    switch (reduction) {
    case T7_PRODUCT:
        return PRODUCTS;
    case T7_NONZEROS:
        return ONES;
    case T7_MAGNITUDES:
        return ABSOLUTE;
    case T7_NORM:
        return OWN_SQUARES;
    case T7_WIDE_NORM:
        return SQUARES;
    case T7_VARIANCE:
    case T7_DEVIATION:
        return DIFFERENCES;
    default:
        return ELEMENTS;
    }
}

INLINE double finished(t7_reduction reduction, double a, double p) {
    switch (reduction) {
    case T7_NORM:
    case T7_WIDE_NORM:
        return sqrt(a);
    case T7_ROOT: {
        uint64_t rare;
        return pow_d(a, 1 / p, 1, &rare);
    }
    case T7_VARIANCE:
        return a / p;
    case T7_DEVIATION:
        return sqrt(a / p);
    default:
        return a;
    }
}

INLINE double start(enum term term) { return term == PRODUCTS; }
INLINE doubles broadcast(double x) { return (doubles){} + x; }
INLINE int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* Elements of a block of n: an odd multiple of 8, since rows that lie apart by powers of 2 expel each other from the
   cache. */
INLINE int64_t block_size(int64_t n) { return n / least(n / BLOCK_SIZE, MAX_BLOCKS) / 16 * 16 - 8; }

/* a with the term of elements x. */
INLINE doubles combine(enum term term, doubles a, doubles x, doubles shift) {
    switch (term) {
    case PRODUCTS:
        return a * x;
    case ONES:
        return a + (doubles)((longs)broadcast(1) & (longs)(x != 0));
    case ABSOLUTE:
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
    case ONES:
        return a + (x != 0);
    case ABSOLUTE:
        return a + fabs(x);
    case SQUARES:
        return a + x * x;
    case DIFFERENCES:
        return a + (x - shift) * (x - shift);
    default:
        return a + x;
    }
}

struct lines {
    t7_reduction reduction;
    double p;
    void *to;
    const void *x;
    int64_t outer_step, n, n_step, inner, inner_step;
};
struct blocks {
    const void *x;
    int64_t size;
    enum term term;
    const double *shift;
    double *result;
    uint64_t *whole;
};

#define T double
#define V doubles
#define OF_KIND(name) name##_double
#define OF(name) name##_Double
#include "floating_body.h"
#undef T
#undef V
#undef OF_KIND
#undef OF
#define T float
#define V floats
#define OF_KIND(name) name##_float
#define OF(name) name##_Float
#include "floating_body.h"
#undef T
#undef OF

#define T int64_t
#define U uint64_t
#define OF(name) name##_Long
#include "integers_body.h"
#undef T
#undef U
#undef OF
#define U uint32_t
#define T uint8_t
#define OF(name) name##_Byte
#include "integers_body.h"
#undef T
#undef OF
#define T int32_t
#define OF(name) name##_Int
#include "integers_body.h"
#undef T
#undef OF
#define T int8_t
#define OF(name) name##_Char
#include "integers_body.h"
#undef T
#undef OF
#define T int16_t
#define OF(name) name##_Short
#include "integers_body.h"

void t7_reduce_along(int32_t type, t7_reduction reduction, double p, void *to, const void *x, int64_t outer,
                     int64_t outer_step, int64_t n, int64_t n_step, int64_t inner, int64_t inner_step) {
    static t7_chunk *const lines[] = {FOR_TYPES(lines)};
    /* Results one after the other need no loop of planes. */
    if (inner == 1) inner = outer, inner_step = outer_step, outer = 1;
    struct lines l = {reduction, p, to, x, outer_step, n, n_step, inner, inner_step};
    double time = outer * inner * (RESULT + n * type_size(type) * NANOSECONDS);
    t7_parallel_for(lines[type], &l, outer * inner, n_step == 1 ? 16 : 128, time);
}

double t7_reduce_all(int32_t type, t7_reduction reduction, double p, const void *x, int64_t n) {
    switch (type) {
    case DOUBLE:
        return of_all_Double(reduction, p, x, n);
    case FLOAT:
        return of_all_Float(reduction, p, x, n);
    case LONG:
        return of_all_Long(reduction, p, x, n);
    case BYTE:
        return of_all_Byte(reduction, p, x, n);
    case INT:
        return of_all_Int(reduction, p, x, n);
    case CHAR:
        return of_all_Char(reduction, p, x, n);
    default:
        return of_all_Short(reduction, p, x, n);
    }
}

static double elements(int loops, const double *size) {
    double count = 1;
    for (int d = 0; d < loops; d++) count *= size[d];
    return count;
}

double t7_reduce_loops(int32_t type, t7_reduction reduction, const void *x, int32_t loops, const double *size,
                       const double *step) {
    int a = reduction == T7_PRODUCT, many = WHOLE <= elements(loops, size);
    switch (type) {
    case DOUBLE:
        return returned(of_loops_Double(reduction, x, loops, size, step, many, a));
    case FLOAT:
        return returned(of_loops_Float(reduction, x, loops, size, step, many, a));
    case LONG:
        return (double)(int64_t)of_loops_Long(reduction, x, loops, size, step, a);
    case BYTE:
        return (double)(int64_t)of_loops_Byte(reduction, x, loops, size, step, a);
    case INT:
        return (double)(int64_t)of_loops_Int(reduction, x, loops, size, step, a);
    case CHAR:
        return (double)(int64_t)of_loops_Char(reduction, x, loops, size, step, a);
    default:
        return (double)(int64_t)of_loops_Short(reduction, x, loops, size, step, a);
    }
}

double t7_distance(int32_t type, t7_reduction reduction, const void *x, const void *y, int64_t n) {
    enum term term = term_of(reduction);
    double a = type == DOUBLE ? of_differences_Double(term, x, y, n) : of_differences_Float(term, x, y, n);
    return returned(finished(reduction, a, 0));
}
