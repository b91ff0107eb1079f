/* Copies between layouts, and fills. */
#include "copy.h"
#include "base.h"
#include "parallel_for.h"

enum { PAGE = 4096, TILE = 16 };

/* Nanoseconds for a byte that is copied, and for an element between layouts. */
static const double BYTE = 1.0 / 64, ELEMENT = 0.5;

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
    t7_parallel_for(move, &b, bytes, PAGE, BYTE * bytes);
}

static void spread(void *data, int64_t from, int64_t to) {
    const t7_bytes *b = data;
    for (int64_t at = from; at < to; at += b->size) {
        if (at > 0) memcpy(b->to + at, b->from, to - at < b->size ? to - at : b->size);
    }
}
void t7_spread(char *first, int64_t size, int64_t total) {
    t7_bytes b = {first, first, size, 0};
    t7_parallel_for(spread, &b, total, size, BYTE * total);
}

static void slices(void *data, int64_t from, int64_t to) {
    const t7_bytes *b = data;
    for (int64_t i = from; i < to; i++) memcpy(b->to + i * b->size, b->from + (b->indices[i] - 1) * b->size, b->size);
}
void t7_copy_slices(char *to, const char *from, const int64_t *indices, int64_t bytes, int64_t count) {
    t7_bytes b = {to, from, bytes, indices};
    t7_parallel_for(slices, &b, count, 1, BYTE * bytes * count);
}

static inline __attribute__((always_inline)) void element(char *to, const char *from, int64_t size) {
    /* A constant size becomes a load and a store. */
    if (size == 4) {
        memcpy(to, from, 4);
    } else if (size == 8) {
        memcpy(to, from, 8);
    } else if (size == 1) {
        *to = *from;
    } else {
        memcpy(to, from, 2);
    }
}

/* Two loops over elements of a size that is constant where this is inlined. Rows and columns that change places are
   copied by tiles, so that cache lines are used while they are there. */
static inline __attribute__((always_inline)) void plane_of(const t7_nest *n, char *to, const char *from, int64_t size) {
    int64_t columns = n->count[0], rows = n->count[1], z = n->to_step[0], x = n->from_step[0];
    int64_t z_row = n->to_step[1], x_row = n->from_step[1];
    int64_t width = columns, height = rows;
    if (rows > 1 && x_row < x) width = height = TILE;
    for (int64_t i = 0; i < rows; i += height) {
        int64_t bottom = i + height < rows ? i + height : rows;
        for (int64_t j = 0; j < columns; j += width) {
            int64_t right = j + width < columns ? j + width : columns;
            for (int64_t k = i; k < bottom; k++) {
                char *at = to + k * z_row;
                const char *source = from + k * x_row;
                for (int64_t l = j; l < right; l++) element(at + l * z, source + l * x, size);
            }
        }
    }
}

static void plane(const t7_nest *n, char *to, const char *from) {
    if (n->to_step[0] == n->size && n->from_step[0] == n->size) {
        for (int64_t i = 0; i < n->count[1]; i++) {
            memcpy(to + i * n->to_step[1], from + i * n->from_step[1], n->count[0] * n->size);
        }
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
        t7_parallel_for(nest_part, (void *)nest, nest->count[outer], nest->loops > 1 ? 1 : TILE, ELEMENT * elements);
    } else {
        nest_part((void *)nest, 0, nest->count[outer]);
    }
}
