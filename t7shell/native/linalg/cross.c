/* Vector products of three elements. */
#include "linalg/cross.h"
#include "base.h"
#include "parallel_for.h"
#include "types.h"

static const double NS_PER_VECTOR = 2;

typedef struct {
    int64_t outer, n, inner;
} steps;

struct cross {
    void *to;
    const void *a, *b;
    steps to_steps, a_steps, b_steps;
    int64_t inner;
};

/* What products of elements are computed in: integers wrap. */
#define TERM NAME(term)
typedef double term_Double;
typedef float term_Float;
typedef sum_Long term_Long;
typedef sum_Int term_Int;
typedef sum_Short term_Short;
typedef sum_Char term_Char;
typedef sum_Byte term_Byte;

#define BODY "linalg/cross_body.h"
#include "for_all_types.h"

void t7_cross(int32_t type, void *to, int64_t to_outer, int64_t to_n, int64_t to_inner, const void *a, int64_t a_outer,
              int64_t a_n, int64_t a_inner, const void *b, int64_t b_outer, int64_t b_n, int64_t b_inner, int64_t outer,
              int64_t inner) {
    static t7_chunk *const run[] = {FOR_TYPES(cross)};
    struct cross c = {to, a, b, {to_outer, to_n, to_inner}, {a_outer, a_n, a_inner}, {b_outer, b_n, b_inner}, inner};
    t7_parallel_for(run[type], &c, outer * inner, 1, outer * inner * NS_PER_VECTOR);
}
