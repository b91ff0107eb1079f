/* Elements and slices that are picked by indices and masks. */
#include "index.h"
#include "../base.h"
#include "../parallel_for.h"
#include "../types.h"

/* Of an element that is moved, of a byte, and of a slice. */
static const double NANOSECONDS = 1.5, OF_BYTE = 0.05, SLICE = 10;

struct indexed {
    void *ordered;
    int64_t ordered_row, ordered_step;
    void *places;
    int64_t places_row, step;
    const int64_t *indices;
    int64_t index_row, stride, count;
};
struct slices {
    void *to;
    const void *from;
    int64_t width, size;
    const int64_t *indices;
    int64_t count;
};

#define T uint8_t
#define OF(name) name##_1
#include "gather_scatter_body.h"
#undef T
#undef OF
#define T uint16_t
#define OF(name) name##_2
#include "gather_scatter_body.h"
#undef T
#undef OF
#define T uint32_t
#define OF(name) name##_4
#include "gather_scatter_body.h"
#undef T
#undef OF
#define T uint64_t
#define OF(name) name##_8
#include "gather_scatter_body.h"
#undef T
#undef OF
#define T double
#define OF(name) name##_Double
#include "scatter_add_body.h"
#undef T
#undef OF
#define T float
#define OF(name) name##_Float
#include "scatter_add_body.h"
#undef T
#undef OF
#define T int64_t
#define OF(name) name##_Long
#include "scatter_add_body.h"
#undef T
#undef OF
#define T uint8_t
#define OF(name) name##_Byte
#include "scatter_add_body.h"
#undef T
#undef OF
#define T int32_t
#define OF(name) name##_Int
#include "scatter_add_body.h"
#undef T
#undef OF
#define T int8_t
#define OF(name) name##_Char
#include "scatter_add_body.h"
#undef T
#undef OF
#define T int16_t
#define OF(name) name##_Short
#include "scatter_add_body.h"
#undef T
#undef OF

int64_t t7_wrong_index(const int64_t *indices, int64_t n, int64_t size) {
    enum { BLOCK = 1024 };
    for (int64_t from = 0; from < n; from += BLOCK) {
        int count = n - from < BLOCK ? (int)(n - from) : BLOCK, wrong = 0;
        for (int k = 0; k < count; k++) wrong |= (uint64_t)indices[from + k] - 1 >= (uint64_t)size;
        for (int k = 0; wrong; k++)
            if ((uint64_t)indices[from + k] - 1 >= (uint64_t)size) return from + k;
    }
    return n;
}

void t7_gather(int32_t size, void *ordered, int64_t ordered_row, int64_t ordered_step, const void *places,
               int64_t places_row, int64_t step, const int64_t *indices, int64_t index_row, int64_t stride,
               int64_t count, int64_t rows) {
    struct indexed p = {ordered, ordered_row, ordered_step, (void *)places, places_row,
                        step,    indices,     index_row,    stride,         count};
    t7_chunk *f = size == 8 ? gather_8 : size == 4 ? gather_4 : size == 2 ? gather_2 : gather_1;
    t7_parallel_for(f, &p, rows, 1, rows * count * NANOSECONDS);
}

void t7_scatter(int32_t size, const void *ordered, int64_t ordered_row, int64_t ordered_step, void *places,
                int64_t places_row, int64_t step, const int64_t *indices, int64_t index_row, int64_t stride,
                int64_t count, int64_t rows) {
    struct indexed p = {(void *)ordered, ordered_row, ordered_step, places, places_row, step,
                        indices,         index_row,   stride,       count};
    t7_chunk *f = size == 8 ? scatter_8 : size == 4 ? scatter_4 : size == 2 ? scatter_2 : scatter_1;
    /* Several rows may write to one place. */
    if (places_row == 0)
        f(&p, 0, rows);
    else
        t7_parallel_for(f, &p, rows, 1, rows * count * NANOSECONDS);
}

void t7_scatter_add(int32_t type, const void *ordered, int64_t ordered_row, int64_t ordered_step, void *places,
                    int64_t places_row, int64_t step, const int64_t *indices, int64_t index_row, int64_t stride,
                    int64_t count, int64_t rows) {
    struct indexed p = {(void *)ordered, ordered_row, ordered_step, places, places_row, step,
                        indices,         index_row,   stride,       count};
    static void (*const adds[])(const struct indexed *, int64_t) = {FOR_TYPES(scatter_add)};
    adds[type](&p, rows);
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
    t7_parallel_for(gather_slices, &s, outer * count, 1, outer * count * (SLICE + bytes * OF_BYTE));
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
    t7_parallel_for(scatter_slices, &s, outer, 1, outer * count * (SLICE + bytes * OF_BYTE));
}

void t7_add_slices(int32_t type, void *to, const void *from, int64_t inner, int64_t outer, int64_t size,
                   const int64_t *indices, int64_t count) {
    static t7_chunk *const adds[] = {FOR_TYPES(add_slices)};
    struct slices s = {to, from, inner, size, indices, count};
    t7_parallel_for(adds[type], &s, outer, 1, outer * count * (SLICE + inner * type_size(type) * OF_BYTE));
}

int64_t t7_count_ones(const uint8_t *mask, int64_t n) {
    enum { BLOCK = 4096 };
    int64_t ones = 0;
    for (int64_t from = 0; from < n; from += BLOCK) {
        int count = n - from < BLOCK ? (int)(n - from) : BLOCK;
        uint32_t some = 0;
        uint8_t all = 0;
        for (int k = 0; k < count; k++) some += mask[from + k], all |= mask[from + k];
        if (all > 1) return -1;
        ones += some;
    }
    return ones;
}

void t7_masked_select(int32_t size, void *to, const void *from, const uint8_t *mask, int64_t n) {
    switch (size) {
    case 1:
        masked_select_1(to, from, mask, n);
        break;
    case 2:
        masked_select_2(to, from, mask, n);
        break;
    case 4:
        masked_select_4(to, from, mask, n);
        break;
    default:
        masked_select_8(to, from, mask, n);
    }
}

void t7_masked_copy(int32_t size, void *to, const void *from, const uint8_t *mask, int64_t n) {
    switch (size) {
    case 1:
        masked_copy_1(to, from, mask, n);
        break;
    case 2:
        masked_copy_2(to, from, mask, n);
        break;
    case 4:
        masked_copy_4(to, from, mask, n);
        break;
    default:
        masked_copy_8(to, from, mask, n);
    }
}

void t7_masked_fill(int32_t size, void *to, const void *value, const uint8_t *mask, int64_t n) {
    switch (size) {
    case 1:
        masked_fill_1(to, *(const uint8_t *)value, mask, n);
        break;
    case 2:
        masked_fill_2(to, *(const uint16_t *)value, mask, n);
        break;
    case 4:
        masked_fill_4(to, *(const uint32_t *)value, mask, n);
        break;
    default:
        masked_fill_8(to, *(const uint64_t *)value, mask, n);
    }
}

void t7_where(int32_t size, void *to, const uint8_t *mask, const void *x, int64_t x_step, const void *y, int64_t y_step,
              int64_t n) {
    switch (size) {
    case 1:
        where_1(to, mask, x, x_step, y, y_step, n);
        break;
    case 2:
        where_2(to, mask, x, x_step, y, y_step, n);
        break;
    case 4:
        where_4(to, mask, x, x_step, y, y_step, n);
        break;
    default:
        where_8(to, mask, x, x_step, y, y_step, n);
    }
}

int64_t t7_nonzero(int32_t type, int64_t *positions, const void *x, int64_t n) {
    switch (type) {
    case DOUBLE:
        return nonzero_Double(positions, x, n);
    case FLOAT:
        return nonzero_Float(positions, x, n);
    case LONG:
        return nonzero_Long(positions, x, n);
    case BYTE:
        return nonzero_Byte(positions, x, n);
    case INT:
        return nonzero_Int(positions, x, n);
    case CHAR:
        return nonzero_Char(positions, x, n);
    default:
        return nonzero_Short(positions, x, n);
    }
}

void t7_split_positions(int64_t *to, int64_t step, int64_t *positions, int64_t n, int64_t size) {
    int64_t row = 0, first = 0;
    for (int64_t i = 0; i < n; i++, to += step) {
        int64_t k = positions[i];
        if (k >= first + size) row = k / size, first = row * size;
        *to = k - first + 1, positions[i] = row;
    }
}
