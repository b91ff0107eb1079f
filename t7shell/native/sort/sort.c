/* Sorting and selection of rows. */
#include "sort.h"
#include "../base.h"
#include "../parallel_for.h"
#include "../types.h"
#include "../vectors.h"
#include <stdlib.h>

enum {
    SMALL = 10,     /* elements that are sorted by insertion */
    DISTINCT = 32,  /* different elements that are placed by counting */
    EXCHANGED = 64, /* elements of a block, and of a part that is exchanged at once */
    LISTED = 512,
    FEW = 16, /* elements of rows whose best are selected */
    /* Up to ANY best are inserted in rows of any length, up to MOST if a row is SQUARE times as long as their square.
     */
    ANY = 8,
    MOST = 17,
    SQUARE = 8,
};
/* Of an element that is sorted, and of one that is selected. */
static const double SORT_TIME = 20, SELECT_TIME = 5;

struct rows {
    enum { SORTED, RANKED, MODE, BEST } what;
    int descending, largest, sorted, failed;
    void *values;
    int64_t *indices;
    const void *x;
    int64_t n, k;
};

/* Elements of 32 bits: the key above, the index below. */
#define E int64_t
#define K int32_t
#define KEYS vec_i32
#define KEY(e) ((int32_t)((e) >> 32))
#define AT_LEAST(e, pivot) ((e) >= (int64_t)((uint64_t)(pivot) << 32))
#define AT_MOST(e, pivot) ((e) <= (int64_t)((uint64_t)(pivot) << 32 | UINT32_MAX))
#define SORT(name) name##_narrow
#define OF SORT
#include "quicksort.h"
#undef OF
#define INDEX(e) ((int64_t)(uint32_t)(e))
#define PACK(key, index) ((int64_t)((uint64_t)(uint32_t)(key) << 32 | (uint64_t)(index)))

/* The bits of a float count like a number with a sign, from the least up. NaN is the greatest, zeros are equal. */
INLINE int32_t key_Float(float x) {
    int32_t u = (int32_t)bits_f(x + 0.0f);
    return x == x ? u ^ ((u >> 31) & INT32_MAX) : INT32_MAX;
}
INLINE int32_t key_Int(int32_t x) { return x; }
INLINE int32_t key_Short(int16_t x) { return x; }
INLINE int32_t key_Char(int8_t x) { return x; }
INLINE int32_t key_Byte(uint8_t x) { return x; }

#define T float
#define OF(name) name##_Float
#include "rows_of.h"
#undef T
#undef OF
#define T int32_t
#define OF(name) name##_Int
#include "rows_of.h"
#undef T
#undef OF
#define T int16_t
#define OF(name) name##_Short
#include "rows_of.h"
#undef T
#undef OF
#define T int8_t
#define OF(name) name##_Char
#include "rows_of.h"
#undef T
#undef OF
#define T uint8_t
#define OF(name) name##_Byte
#include "rows_of.h"
#undef T
#undef OF

/* Elements of 64 bits have no place for the index beside the key. */
struct wide {
    int64_t key, index;
};
#undef E
#undef K
#undef KEYS
#undef KEY
#undef AT_LEAST
#undef AT_MOST
#undef SORT
#undef INDEX
#undef PACK
#define E struct wide
#define K int64_t
#define KEYS vec_i64
#define KEY(e) ((e).key)
#define AT_LEAST(e, pivot) ((e).key >= (pivot))
#define AT_MOST(e, pivot) ((e).key <= (pivot))
#define SORT(name) name##_wide
#define OF SORT
#include "quicksort.h"
#undef OF
#define INDEX(e) ((e).index)
#define PACK(key, index) ((struct wide){key, index})

INLINE int64_t key_Double(double x) {
    int64_t u = (int64_t)bits_d(x + 0.0);
    return x == x ? u ^ ((u >> 63) & INT64_MAX) : INT64_MAX;
}
INLINE int64_t key_Long(int64_t x) { return x; }

#define T double
#define OF(name) name##_Double
#include "rows_of.h"
#undef T
#undef OF
#define T int64_t
#define OF(name) name##_Long
#include "rows_of.h"
#undef T
#undef OF

static int32_t run(int32_t type, struct rows r, int64_t rows, double time) {
    static t7_chunk *const some[] = {FOR_TYPES(some_rows)};
    if (type_size(type) < 8 && r.n > UINT32_MAX) return 0;
    t7_parallel_for(some[type], &r, rows, 1, rows * r.n * time);
    return !r.failed;
}

int32_t t7_sort_rows(int32_t type, int32_t descending, void *values, int64_t *indices, const void *x, int64_t rows,
                     int64_t n) {
    struct rows r = {.what = SORTED, .descending = descending, .values = values, .indices = indices, .x = x, .n = n};
    return run(type, r, rows, SORT_TIME);
}

int32_t t7_rank_rows(int32_t type, void *values, int64_t *indices, const void *x, int64_t rows, int64_t n, int64_t k) {
    struct rows r = {.what = RANKED, .values = values, .indices = indices, .x = x, .n = n, .k = k};
    return run(type, r, rows, SELECT_TIME);
}

int32_t t7_mode_rows(int32_t type, void *values, int64_t *indices, const void *x, int64_t rows, int64_t n) {
    struct rows r = {.what = MODE, .values = values, .indices = indices, .x = x, .n = n};
    return run(type, r, rows, SORT_TIME);
}

int32_t t7_best_rows(int32_t type, int32_t largest, int32_t sorted, void *values, int64_t *indices, const void *x,
                     int64_t rows, int64_t n, int64_t k) {
    struct rows r = {.what = BEST,
                     .largest = largest,
                     .sorted = sorted,
                     .values = values,
                     .indices = indices,
                     .x = x,
                     .n = n,
                     .k = k};
    return run(type, r, rows, SELECT_TIME);
}
