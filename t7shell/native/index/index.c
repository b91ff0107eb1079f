/* Elements and slices that are picked by indices and masks. */
#include "index/index.h"
#include "base.h"
#include "parallel_for.h"
#include "types.h"

static const double NS_PER_ELEMENT = 1.5, NS_PER_BYTE = 0.05, NS_PER_SLICE = 10;

/* See t7_gather in index.h. */
struct gather {
    void *values;
    int64_t values_row, values_step;
    void *indexed;
    int64_t indexed_row, step;
    const int64_t *indices;
    int64_t index_row, stride, count;
};
/* See t7_gather_slices; the width of a slice is in bytes, of those that are added in elements. */
struct slices {
    void *to;
    const void *from;
    int64_t width, size;
    const int64_t *indices;
    int64_t count;
};

typedef void masked(void *to, const void *from, const uint8_t *mask, int64_t n);

/* Elements that are moved are unsigned integers of their size. */
typedef uint8_t element_1;
typedef uint16_t element_2;
typedef uint32_t element_4;
typedef uint64_t element_8;
#define TYPE 1
#include "index/gather_scatter_body.h"
#undef TYPE
#define TYPE 2
#include "index/gather_scatter_body.h"
#undef TYPE
#define TYPE 4
#include "index/gather_scatter_body.h"
#undef TYPE
#define TYPE 8
#include "index/gather_scatter_body.h"
#undef TYPE

#define BODY "index/scatter_add_body.h"
#include "for_all_types.h"

int64_t t7_find_outside(const int64_t *indices, int64_t n, int64_t low, int64_t high) {
    enum { BLOCK = 1024 };
    const uint64_t first = (uint64_t)low, count = (uint64_t)(high - low) + 1;
    for (int64_t from = 0; from < n; from += BLOCK) {
        int64_t end = min_i(n, from + BLOCK);
        int is_outside = 0;
        for (int64_t k = from; k < end; k++) is_outside |= (uint64_t)indices[k] - first >= count;
        for (int64_t k = from; is_outside; k++)
            if ((uint64_t)indices[k] - first >= count) return k;
    }
    return n;
}

void t7_gather(int32_t size, void *values, int64_t values_row, int64_t values_step, const void *indexed,
               int64_t indexed_row, int64_t step, const int64_t *indices, int64_t index_row, int64_t stride,
               int64_t count, int64_t rows) {
    struct gather p = {values, values_row, values_step, (void *)indexed, indexed_row,
                       step,   indices,    index_row,   stride,          count};
    static t7_chunk *const by_size[] = {FOR_SIZES(gather)};
    t7_parallel_for(by_size[size], &p, rows, 1, rows * count * NS_PER_ELEMENT);
}

void t7_scatter(int32_t size, const void *values, int64_t values_row, int64_t values_step, void *indexed,
                int64_t indexed_row, int64_t step, const int64_t *indices, int64_t index_row, int64_t stride,
                int64_t count, int64_t rows) {
    struct gather p = {(void *)values, values_row, values_step, indexed, indexed_row,
                       step,           indices,    index_row,   stride,  count};
    static t7_chunk *const by_size[] = {FOR_SIZES(scatter)};
    t7_chunk *f = by_size[size];
    /* Several rows may write to one place. */
    if (indexed_row == 0)
        f(&p, 0, rows);
    else
        t7_parallel_for(f, &p, rows, 1, rows * count * NS_PER_ELEMENT);
}

void t7_scatter_add(int32_t type, const void *values, int64_t values_row, int64_t values_step, void *indexed,
                    int64_t indexed_row, int64_t step, const int64_t *indices, int64_t index_row, int64_t stride,
                    int64_t count, int64_t rows) {
    struct gather p = {(void *)values, values_row, values_step, indexed, indexed_row,
                       step,           indices,    index_row,   stride,  count};
    static void (*const by_type[])(const struct gather *, int64_t) = {FOR_TYPES(scatter_add)};
    by_type[type](&p, rows);
}

static void gather_slices(void *data, int64_t from, int64_t to) {
    const struct slices *s = data;
    for (int64_t i = from; i < to; i++) {
        int64_t o = i / s->count, k = i % s->count;
        memcpy((char *)s->to + i * s->width, (const char *)s->from + (o * s->size + s->indices[k] - 1) * s->width,
               s->width);
    }
}

void t7_gather_slices(void *to, const void *from, int64_t bytes, int64_t outer, int64_t size, const int64_t *indices,
                      int64_t count) {
    struct slices s = {to, from, bytes, size, indices, count};
    t7_parallel_for(gather_slices, &s, outer * count, 1, outer * count * (NS_PER_SLICE + bytes * NS_PER_BYTE));
}

static void scatter_slices(void *data, int64_t from, int64_t to) {
    const struct slices *s = data;
    for (int64_t o = from; o < to; o++)
        for (int64_t k = 0; k < s->count; k++)
            memcpy((char *)s->to + (o * s->size + s->indices[k] - 1) * s->width,
                   (const char *)s->from + (o * s->count + k) * s->width, s->width);
}

void t7_scatter_slices(void *to, const void *from, int64_t bytes, int64_t outer, int64_t size, const int64_t *indices,
                       int64_t count) {
    struct slices s = {to, from, bytes, size, indices, count};
    t7_parallel_for(scatter_slices, &s, outer, 1, outer * count * (NS_PER_SLICE + bytes * NS_PER_BYTE));
}

void t7_add_slices(int32_t type, void *to, const void *from, int64_t inner, int64_t outer, int64_t size,
                   const int64_t *indices, int64_t count) {
    static t7_chunk *const by_type[] = {FOR_TYPES(add_slices)};
    struct slices s = {to, from, inner, size, indices, count};
    t7_parallel_for(by_type[type], &s, outer, 1,
                    outer * count * (NS_PER_SLICE + inner * type_size(type) * NS_PER_BYTE));
}

int64_t t7_count_ones(const uint8_t *mask, int64_t n) {
    enum { BLOCK = 4096 };
    int64_t ones = 0;
    for (int64_t from = 0; from < n; from += BLOCK) {
        int count = (int)min_i(n - from, BLOCK);
        uint32_t some = 0;
        uint8_t all = 0;
        for (int k = 0; k < count; k++) some += mask[from + k], all |= mask[from + k];
        if (all > 1) return -1;
        ones += some;
    }
    return ones;
}

void t7_masked_select(int32_t size, void *to, const void *from, const uint8_t *mask, int64_t n) {
    static masked *const by_size[] = {FOR_SIZES(masked_select)};
    by_size[size](to, from, mask, n);
}

void t7_masked_copy(int32_t size, void *to, const void *from, const uint8_t *mask, int64_t n) {
    static masked *const by_size[] = {FOR_SIZES(masked_copy)};
    by_size[size](to, from, mask, n);
}

void t7_masked_fill(int32_t size, void *to, const void *value, const uint8_t *mask, int64_t n) {
    static masked *const by_size[] = {FOR_SIZES(masked_fill)};
    by_size[size](to, value, mask, n);
}

void t7_where(int32_t size, void *to, const uint8_t *mask, const void *x, int64_t x_step, const void *y, int64_t y_step,
              int64_t n) {
    static void (*const by_size[])(void *, const uint8_t *, const void *, int64_t, const void *, int64_t,
                                   int64_t) = {FOR_SIZES(where)};
    by_size[size](to, mask, x, x_step, y, y_step, n);
}

int64_t t7_nonzero(int32_t type, int64_t *positions, const void *x, int64_t n) {
    static int64_t (*const by_type[])(int64_t *, const void *, int64_t) = {FOR_TYPES(nonzero)};
    return by_type[type](positions, x, n);
}

void t7_split_positions(int64_t *to, int64_t step, int64_t *positions, int64_t n, int64_t size) {
    int64_t row = 0, first = 0;
    for (int64_t i = 0; i < n; i++, to += step) {
        int64_t k = positions[i];
        if (k >= first + size) row = k / size, first = row * size;
        *to = k - first + 1, positions[i] = row;
    }
}
