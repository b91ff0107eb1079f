/* Sorting and selection of rows. */
#include "sort/sort.h"
#include "parallel_for.h"
#include "vectors.h"
#include <stdlib.h>

enum {
    INSERTION_SORT_MAX = 10, /* elements that Torch7 leaves to an insertion sort */
    EXCHANGE_SORT_MAX = 4,   /* elements that are sorted by exchanges */
    RANK_SORT_MAX = 32,      /* different elements that are sorted by their ranks */
    /* Lengths of rows whose elements are distributed to buckets, which have about one: in longer rows random numbers
       are often equal. */
    MIN_BUCKET_SORT = 256,
    MAX_BUCKET_SORT = 32768,
    MAX_BUCKET_SORT_FLOAT = 1024,
    MAX_BUCKET = 32,
    PARTITION_BLOCK = 64, /* elements of a block of a partition */
    PARTITION_REST_MAX = 512,
    MAX_PARTS = 16, /* of a long row, which cores share, of at least MIN_PART elements before they are partitioned */
    MIN_PART = 16384,
    MIN_LONG_ROW = 65536,
    /* Rows of at least TOPK_MIN_ROW elements whose first TOPK_MAX are found by insertion: up to TOPK_LONG_MAX in rows
       of TOPK_LONG_ROW times their square. */
    TOPK_MIN_ROW = 17,
    TOPK_MAX = 8,
    TOPK_LONG_MAX = 17,
    TOPK_LONG_ROW = 8,
};
static const double NS_PER_SORTED = 20, NS_PER_SELECTED = 5; /* elements */

/* Rows that are sorted, or of which an element or the first ones are selected. */
struct rows {
    enum { SORT, KTH, MODE, TOPK } task;
    int descending, largest, sorted, failed, is_alone;
    void *values;
    int64_t *indices;
    const void *x;
    int64_t n, k;
};

/* Entries are sorted: keys with the indices of their elements. Keys of 32 bits are packed with their index into 64. */
typedef int64_t element_entry32;
typedef int32_t key_entry32;
typedef vec_Int keys_entry32;
INLINE int32_t key_of_entry32(int64_t e) { return (int32_t)(e >> 32); }
INLINE int64_t index_of_entry32(int64_t e) { return (int64_t)(uint32_t)e; }
INLINE int64_t pack_entry32(int32_t key, int64_t index) {
    return (int64_t)((uint64_t)(uint32_t)key << 32 | (uint64_t)index);
}
INLINE int at_least_entry32(int64_t e, int32_t pivot) { return e >= pack_entry32(pivot, 0); }
INLINE int at_most_entry32(int64_t e, int32_t pivot) { return e <= pack_entry32(pivot, UINT32_MAX); }

typedef struct {
    int64_t key, index;
} element_entry64;
typedef int64_t key_entry64;
typedef vec_Long keys_entry64;
INLINE int64_t key_of_entry64(element_entry64 e) { return e.key; }
INLINE int64_t index_of_entry64(element_entry64 e) { return e.index; }
INLINE element_entry64 pack_entry64(int64_t key, int64_t index) { return (element_entry64){key, index}; }
INLINE int at_least_entry64(element_entry64 e, int64_t pivot) { return e.key >= pivot; }
INLINE int at_most_entry64(element_entry64 e, int64_t pivot) { return e.key <= pivot; }

/* The bits of a floating-point number count like a number with a sign, from the least up. NaN is the greatest, zeros
   are equal. */
INLINE int32_t key_of_Float(float x) {
    int32_t u = (int32_t)bits_f(x + 0.0f);
    return x == x ? u ^ ((u >> 31) & INT32_MAX) : INT32_MAX;
}
INLINE int64_t key_of_Double(double x) {
    int64_t u = (int64_t)bits_d(x + 0.0);
    return x == x ? u ^ ((u >> 63) & INT64_MAX) : INT64_MAX;
}
INLINE int64_t key_of_Long(int64_t x) { return x; }
INLINE int32_t key_of_Int(int32_t x) { return x; }
INLINE int32_t key_of_Short(int16_t x) { return x; }
INLINE int32_t key_of_Char(int8_t x) { return x; }
INLINE int32_t key_of_Byte(uint8_t x) { return x; }

#define KEY NAME(key)
#define TYPE entry32
#include "sort/quicksort_body.h"
#undef TYPE
#define TYPE entry64
#include "sort/quicksort_body.h"
#undef TYPE
#undef KEY

/* In rows: the names of their entries. */
#define ENTRY_Double(f) f##_entry64
#define ENTRY_Long(f) f##_entry64
#define ENTRY_Float(f) f##_entry32
#define ENTRY_Int(f) f##_entry32
#define ENTRY_Short(f) f##_entry32
#define ENTRY_Char(f) f##_entry32
#define ENTRY_Byte(f) f##_entry32
#define ENTRY NAME(ENTRY)

#define BODY "sort/rows_body.h"
#include "for_all_types.h"

static int32_t run(int32_t type, struct rows r, int64_t rows, double nanoseconds) {
    static t7_chunk *const by_type[] = {FOR_TYPES(run_rows)};
    if (type_size(type) < 8 && r.n > UINT32_MAX) return 0;
    r.is_alone = rows == 1;
    if (r.is_alone)
        by_type[type](&r, 0, 1);
    else
        t7_parallel_for(by_type[type], &r, rows, 1, rows * r.n * nanoseconds);
    return !r.failed;
}

int32_t t7_sort_rows(int32_t type, int32_t descending, void *values, int64_t *indices, const void *x, int64_t rows,
                     int64_t n) {
    struct rows r = {.task = SORT, .descending = descending, .values = values, .indices = indices, .x = x, .n = n};
    return run(type, r, rows, NS_PER_SORTED);
}

int32_t t7_kth_rows(int32_t type, void *values, int64_t *indices, const void *x, int64_t rows, int64_t n, int64_t k) {
    struct rows r = {.task = KTH, .values = values, .indices = indices, .x = x, .n = n, .k = k};
    return run(type, r, rows, NS_PER_SELECTED);
}

int32_t t7_mode_rows(int32_t type, void *values, int64_t *indices, const void *x, int64_t rows, int64_t n) {
    struct rows r = {.task = MODE, .values = values, .indices = indices, .x = x, .n = n};
    return run(type, r, rows, NS_PER_SORTED);
}

int32_t t7_topk_rows(int32_t type, int32_t largest, int32_t sorted, void *values, int64_t *indices, const void *x,
                     int64_t rows, int64_t n, int64_t k) {
    struct rows r = {.task = TOPK,
                     .largest = largest,
                     .sorted = sorted,
                     .values = values,
                     .indices = indices,
                     .x = x,
                     .n = n,
                     .k = k};
    return run(type, r, rows, NS_PER_SELECTED);
}
