/* Extremes with their indices. */
#include "minmax.h"
#include "../parallel_for.h"
#include "../types.h"
#include "vectors.h"

enum { BLOCK_SIZE = 32768, MAX_BLOCKS = 64 }; /* elements that one core takes together, at least */
/* Of a byte, and of a result. */
static const double NANOSECONDS = 0.04, RESULT = 5;

INLINE int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

struct lines {
    int largest;
    void *values;
    int64_t *indices;
    const void *x;
    int64_t outer_step, n, n_step, inner, inner_step;
};
struct blocks {
    const void *x;
    int64_t size, n;
    int largest;
    void *result;
};

#define IS_FLOATING 1
#define IS_NAN(v) ((v) != (v))
#define T double
#define Q double
#define QP int64_t
#define P int64_t
#define OF(name) name##_Double
#include "minmax_body.h"
#undef T
#undef P
#undef Q
#undef QP
#undef OF
#define T float
#define Q float
#define QP int32_t
#define P int32_t
#define OF(name) name##_Float
#include "minmax_body.h"
#undef T
#undef P
#undef Q
#undef QP
#undef OF

#undef IS_FLOATING
#undef IS_NAN
#define IS_NAN(v) ((v) & 0)
#define IS_FLOATING 0
#define T int64_t
#define Q int64_t
#define QP int64_t
#define P int64_t
#define OF(name) name##_Long
#include "minmax_body.h"
#undef T
#undef P
#undef Q
#undef QP
#undef OF
#define T int32_t
#define Q int32_t
#define QP int32_t
#define P int32_t
#define OF(name) name##_Int
#include "minmax_body.h"
#undef T
#undef P
#undef OF
#define T int16_t
#define P int16_t
#define OF(name) name##_Short
#include "minmax_body.h"
#undef T
#undef P
#undef OF
#define T uint8_t
#define P int8_t
#define OF(name) name##_Byte
#include "minmax_body.h"
#undef T
#undef OF
#define T int8_t
#define OF(name) name##_Char
#include "minmax_body.h"

void t7_minmax_along(int32_t type, int32_t largest, void *values, int64_t *indices, const void *x, int64_t outer,
                     int64_t outer_step, int64_t n, int64_t n_step, int64_t inner, int64_t inner_step) {
    static t7_chunk *const lines[] = {FOR_TYPES(lines)};
    /* Results one after the other need no loop of planes. */
    if (inner == 1) inner = outer, inner_step = outer_step, outer = 1;
    struct lines l = {largest, values, indices, x, outer_step, n, n_step, inner, inner_step};
    double time = outer * inner * (RESULT + n * type_size(type) * NANOSECONDS);
    t7_parallel_for(lines[type], &l, outer * inner, n_step == 1 ? 16 : 128, time);
}

double t7_minmax_all(int32_t type, int32_t largest, const void *x, int64_t n) {
    switch (type) {
    case DOUBLE:
        return returned(of_all_Double(largest, x, n));
    case FLOAT:
        return returned(of_all_Float(largest, x, n));
    case LONG:
        return (double)of_all_Long(largest, x, n);
    case BYTE:
        return of_all_Byte(largest, x, n);
    case INT:
        return of_all_Int(largest, x, n);
    case CHAR:
        return of_all_Char(largest, x, n);
    default:
        return of_all_Short(largest, x, n);
    }
}

double t7_minmax_loops(int32_t type, int32_t largest, const void *x, int32_t loops, const double *size,
                       const double *step) {
    switch (type) {
    case DOUBLE:
        return returned(of_loops_Double(largest, x, loops, size, step));
    case FLOAT:
        return returned(of_loops_Float(largest, x, loops, size, step));
    case LONG:
        return (double)of_loops_Long(largest, x, loops, size, step);
    case BYTE:
        return of_loops_Byte(largest, x, loops, size, step);
    case INT:
        return of_loops_Int(largest, x, loops, size, step);
    case CHAR:
        return of_loops_Char(largest, x, loops, size, step);
    default:
        return of_loops_Short(largest, x, loops, size, step);
    }
}
