/* Copies between layouts, and fills. */
#include "copy.h"
#include "base.h"
#include "parallel_for.h"

enum {
    PAGE = 4096,
    UNIT = 64,  /* chunks of elements begin at multiples of it */
    STRIP = 8,  /* columns */
    ROWS = 128, /* of a share where rows become columns: prefetchers lose track of fewer */
};
/* Bytes that are copied as they are, and elements between layouts. */
static const double NS_PER_BYTE = 1.0 / 64, NS_PER_ELEMENT = 0.5;

typedef struct {
    char *to;
    const char *from;
    int64_t size;
    const int64_t *indices;
} t7_bytes;

static void move(void *data, int64_t from, int64_t to) {
    const t7_bytes *b = data;
    memcpy(b->to + from, b->from + from, to - from);
}
void t7_move(char *to, const char *from, int64_t bytes) {
    t7_bytes b = {to, from, 0, 0};
    t7_parallel_for(move, &b, bytes, PAGE, NS_PER_BYTE * bytes);
}

typedef uint64_t t7_pattern __attribute__((vector_size(32)));

static void fill(void *data, int64_t from, int64_t to) {
    const t7_bytes *b = data;
    char *at = b->to + from, *end = b->to + to;
    t7_pattern pattern;
    memcpy(&pattern, b->from, sizeof pattern);
    for (; end - at >= (int64_t)sizeof pattern; at += sizeof pattern) memcpy(at, &pattern, sizeof pattern);
    memcpy(at, &pattern, end - at);
}
void t7_fill(char *first, int64_t total) {
    t7_pattern pattern;
    memcpy(&pattern, first, sizeof pattern);
    t7_bytes b = {first, (const char *)&pattern, 0, 0};
    t7_parallel_for(fill, &b, total, PAGE, NS_PER_BYTE * total);
}

static void slices(void *data, int64_t from, int64_t to) {
    const t7_bytes *b = data;
    for (int64_t i = from; i < to; i++) memcpy(b->to + i * b->size, b->from + (b->indices[i] - 1) * b->size, b->size);
}
void t7_copy_slices(char *to, const char *from, const int64_t *indices, int64_t bytes, int64_t count) {
    t7_bytes b = {to, from, bytes, indices};
    t7_parallel_for(slices, &b, count, 1, NS_PER_BYTE * bytes * count);
}

/* Two loops over elements of a size that is constant where this is inlined. Where rows become columns, strips of eight
   columns use the cache lines of the source for several elements. */
INLINE void plane_of(const t7_nest *n, char *to, const char *from, int64_t size) {
    int64_t columns = n->count[0], rows = n->count[1], z = n->to_step[0], x = n->from_step[0];
    int64_t z_row = n->to_step[1], x_row = n->from_step[1], j = 0;
    if (z == size && x_row == size) {
        for (; j + STRIP <= columns; j += STRIP) {
            char *at = to + j * size;
            const char *source = from + j * x;
            for (int64_t i = 0; i < rows; i++, at += z_row, source += size) {
                copy_elements(at, size, source, x, size, STRIP);
            }
        }
    }
    for (int64_t i = 0; i < rows; i++) {
        char *at = to + i * z_row + j * z;
        const char *source = from + i * x_row + j * x;
        if (z == size)
            gather_elements(at, source, x, size, columns - j);
        else
            copy_elements(at, z, source, x, size, columns - j);
    }
}

/* Rows whose elements are in the other order: compilers know these vectors. */
static void reversed(const t7_nest *n, char *to, const char *from) {
    const int64_t columns = n->count[0];
    for (int64_t i = 0; i < n->count[1]; i++) {
        char *restrict z = to + i * n->to_step[1];
        const char *restrict x = from + i * n->from_step[1];
        if (n->size == 4) {
            copy_elements(z, 4, x, -4, 4, columns);
        } else if (n->size == 8) {
            copy_elements(z, 8, x, -8, 8, columns);
        } else if (n->size == 2) {
            copy_elements(z, 2, x, -2, 2, columns);
        } else {
            copy_elements(z, 1, x, -1, 1, columns);
        }
    }
}

static void plane(const t7_nest *n, char *to, const char *from) {
    if (n->to_step[0] == n->size && n->from_step[0] == n->size) {
        for (int64_t i = 0; i < n->count[1]; i++) {
            memcpy(to + i * n->to_step[1], from + i * n->from_step[1], n->count[0] * n->size);
        }
    } else if (n->to_step[0] == n->size && n->from_step[0] == -n->size) {
        reversed(n, to, from);
    } else if (n->size == 4) {
        plane_of(n, to, from, 4);
    } else if (n->size == 8) {
        plane_of(n, to, from, 8);
    } else if (n->size == 2) {
        plane_of(n, to, from, 2);
    } else {
        plane_of(n, to, from, 1);
    }
}

static void nest_part(void *data, int64_t from, int64_t to) {
    t7_nest n = *(const t7_nest *)data;
    int64_t outer = n.loops - 1;
    n.to += from * n.to_step[outer];
    n.from += from * n.from_step[outer];
    n.count[outer] = to - from;
    for (int64_t k = n.loops; k < 4; k++) n.count[k] = 1, n.to_step[k] = n.from_step[k] = 0;
    for (int64_t i = 0; i < n.count[3]; i++) {
        for (int64_t j = 0; j < n.count[2]; j++) {
            plane(&n, n.to + i * n.to_step[3] + j * n.to_step[2], n.from + i * n.from_step[3] + j * n.from_step[2]);
        }
    }
}

void t7_copy_nest(const t7_nest *nest, int shared) {
    int64_t outer = nest->loops - 1;
    double elements = 1;
    for (int64_t k = 0; k <= outer; k++) elements *= nest->count[k];
    if (shared) {
        int64_t unit = nest->loops > 2 ? 1 : nest->loops > 1 ? ROWS : UNIT;
        t7_parallel_for(nest_part, (void *)nest, nest->count[outer], unit, NS_PER_ELEMENT * elements);
    } else {
        nest_part((void *)nest, 0, nest->count[outer]);
    }
}
