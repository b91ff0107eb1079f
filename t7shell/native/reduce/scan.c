/* Running sums and products. */
#include "scan.h"
#include "../parallel_for.h"
#include "../types.h"
#include "vectors.h"

enum { SIDE = 4, BLOCK = 256 }; /* rows side by side, since each sum waits for the one before; columns at a time */
/* Of an element that is added. */
static const double NANOSECONDS = 0.4;

struct lines {
    int product;
    void *to;
    int64_t to_outer, to_n, to_inner;
    const void *x;
    int64_t outer_step, n_step, inner_step, n, inner;
};

#define T double
#define A double
#define OF(name) name##_Double
#include "scan_body.h"
#undef T
#undef A
#undef OF
#define T float
#define A double
#define OF(name) name##_Float
#include "scan_body.h"
#undef T
#undef A
#undef OF
#define T int64_t
#define A uint64_t
#define OF(name) name##_Long
#include "scan_body.h"
#undef T
#undef A
#undef OF
#define T uint8_t
#define A uint32_t
#define OF(name) name##_Byte
#include "scan_body.h"
#undef T
#undef A
#undef OF
#define T int32_t
#define A uint32_t
#define OF(name) name##_Int
#include "scan_body.h"
#undef T
#undef A
#undef OF
#define T int8_t
#define A uint32_t
#define OF(name) name##_Char
#include "scan_body.h"
#undef T
#undef A
#undef OF
#define T int16_t
#define A uint32_t
#define OF(name) name##_Short
#include "scan_body.h"
#undef T
#undef A
#undef OF

void t7_scan(int32_t type, int32_t product, void *to, int64_t to_outer, int64_t to_n, int64_t to_inner, const void *x,
             int64_t outer_step, int64_t n_step, int64_t inner_step, int64_t outer, int64_t n, int64_t inner) {
    static t7_chunk *const lines[] = {FOR_TYPES(lines)};
    struct lines l = {product, to, to_outer, to_n, to_inner, x, outer_step, n_step, inner_step, n, inner};
    t7_parallel_for(lines[type], &l, outer * inner, n_step == 1 ? SIDE : BLOCK, outer * inner * n * NANOSECONDS);
}
