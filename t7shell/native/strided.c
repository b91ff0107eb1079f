/* Element-wise kernels over operands of any layout: as loops that all operands share, of which the inner two are cut
   into tiles. A tile's rows are computed as they are, or after operands have been gathered into contiguous memory.

   Where the result has no element twice, loops may be exchanged: the result is then walked in the order of memory. */
#include "strided.h"
#include "base.h"
#include "blocks.h"
#include "copy.h"
#include "parallel_for.h"

enum {
    MAX_LOOPS = 56,               /* of at least two iterations each, for less than 2^53 elements */
    LINE = 64,                    /* bytes of a cache line */
    TILE_BYTES = 1 << 14,         /* of an operand */
    TILE_LINES = 4,               /* of its memory in a column, which prefetchers follow */
    TILE_ELEMENTS = 2048,         /* of a tile whose rows are computed as they are */
    MAX_COLUMNS = 4096,           /* of such a tile */
    NARROW_COLUMNS = 1024,        /* the same where rows share cache lines of the result */
    MIN_ROW = 8,                  /* shorter rows are walked by columns */
    MIN_BLOCK_ROW = 64,           /* shorter rows are gathered where kernels take whole blocks, or copies */
    LONG_COLUMN = 6,              /* times as many rows as columns, of a small matrix that is walked by columns */
    SMALL = 1024,                 /* elements of a matrix that is walked without a plan, */
    SMALL_STRIDED = 200,          /* or where rows have steps */
    MAX_REPEATED = 512,           /* elements of a row that is repeated */
    MIN_GATHERED_BYTES = 1 << 16, /* of an operand; fewer stay in the cache as they are */
    NS_PER_TILE = 20,
};
/* Nanoseconds for a byte of an element by a kernel that takes whole blocks, at least; for an element that is gathered;
   for a byte that is filled. */
static const double NS_HEAVY = 0.06, NS_GATHER = 0.5, NS_FILL = 0.03;

/* Steps are in bytes. */
typedef struct {
    int64_t count, step[T7_OPERANDS];
} t7_loop;

typedef struct {
    const t7_call *call;
    int loops, gathered; /* the set of operands that are gathered */
    t7_loop loop[MAX_LOOPS];
    int64_t columns, rows; /* of a tile */
} t7_walk;

/* The loops of one operand, the innermost first. */
typedef struct {
    const t7_layout *layout;
    int dim;
    int64_t count, step;
} t7_cursor;

/* Goes on to the next loop: dimensions whose elements follow each other are one. */
static void advance(t7_cursor *c, int64_t size) {
    const t7_layout *l = c->layout;
    c->count = 1;
    for (; c->dim >= 0; c->dim--) {
        int64_t count = (int64_t)l->size[c->dim], step = (int64_t)l->stride[c->dim] * size;
        if (count == 1) continue;
        if (c->count == 1) {
            c->step = step;
        } else if (step != c->step * c->count) {
            break;
        }
        c->count *= count;
    }
}

static int find_loops(t7_walk *w, const t7_layout *layouts) {
    const t7_call *call = w->call;
    t7_cursor cursors[T7_OPERANDS] = {{0}};
    for (int k = 0; k < call->operands; k++) {
        cursors[k] = (t7_cursor){layouts + k, layouts[k].dims - 1, 1, 0};
        advance(cursors + k, call->sizes[k]);
    }
    w->loops = 0;
    while (cursors[0].count > 1) {
        t7_loop *loop = w->loop + w->loops++;
        loop->count = cursors[0].count;
        for (int k = 1; k < call->operands; k++) loop->count = min_i(loop->count, cursors[k].count);
        for (int k = 0; k < call->operands; k++) {
            t7_cursor *c = cursors + k;
            loop->step[k] = c->step;
            if (c->count == loop->count) {
                advance(c, call->sizes[k]);
            } else if (c->count % loop->count == 0) {
                c->count /= loop->count;
                c->step *= loop->count;
            } else {
                return 0;
            }
        }
    }
    if (w->loops == 0) {
        w->loop[w->loops++] = (t7_loop){.count = 1};
        for (int k = 0; k < call->operands; k++) w->loop[0].step[k] = call->sizes[k];
    }
    return 1;
}

static void exchange(t7_walk *w, int i, int j) {
    t7_loop loop = w->loop[i];
    w->loop[i] = w->loop[j];
    w->loop[j] = loop;
}

static void sort_loops(t7_walk *w, int operand) {
    for (int i = 1; i < w->loops; i++) {
        for (int j = i; j > 0 && w->loop[j].step[operand] < w->loop[j - 1].step[operand]; j--) exchange(w, j, j - 1);
    }
}

/* Whether the steps of an operand, whose loops are sorted, lead to no element twice. */
static int is_distinct(const t7_walk *w, int operand) {
    int64_t extent = w->call->sizes[operand];
    for (int i = 0; i < w->loops; i++) {
        const t7_loop *loop = w->loop + i;
        if (loop->step[operand] < extent) return 0;
        extent += (loop->count - 1) * loop->step[operand];
    }
    return 1;
}

static void merge_loops(t7_walk *w) {
    int to = 0;
    for (int i = 1; i < w->loops; i++) {
        t7_loop *inner = w->loop + to;
        const t7_loop *outer = w->loop + i;
        int merges = 1;
        for (int k = 0; k < w->call->operands; k++) merges &= outer->step[k] == inner->step[k] * inner->count;
        if (merges) {
            inner->count *= outer->count;
        } else {
            w->loop[++to] = *outer;
        }
    }
    w->loops = to + 1;
}

/* The loop whose steps of an operand are the shortest, if that is not the innermost: its elements share cache lines
   with those of other rows. */
static int nearer_loop(const t7_walk *w, int operand) {
    int nearest = 0;
    for (int i = 1; i < w->loops; i++) {
        int64_t step = w->loop[i].step[operand];
        if (step != 0 && step < w->loop[nearest].step[operand]) nearest = i;
    }
    return w->loop[nearest].step[operand] < LINE ? nearest : 0;
}

/* Decides which operands are gathered, makes the loop of a tile's rows the second one, and chooses the tile's size. */
static void plan_tiles(t7_walk *w, int64_t elements) {
    const t7_call *call = w->call;
    const int last = call->operands - 1, all = (2 << last) - 1;
    int64_t size = 1, columns = w->loop[0].count;
    int longest = 1, rows = 1, scattered = 0, repeated = 0, flat = 1;
    for (int k = 0; k <= last; k++) size = max_i(size, call->sizes[k]);
    for (int i = 2; i < w->loops; i++) {
        if (w->loop[i].count > w->loop[longest].count) longest = i;
    }
    const int heavy = call->work > NS_HEAVY * size;
    const int narrow = !heavy && columns < MIN_ROW && w->loop[longest].count > columns;
    if (narrow) {
        exchange(w, 0, longest);
        columns = w->loop[0].count;
    }
    for (int k = 0; k < last && elements * size >= MIN_GATHERED_BYTES; k++) {
        int nearer = nearer_loop(w, k);
        if (nearer == 0 || (narrow && nearer == longest)) continue;
        if (!scattered || nearer == rows) scattered |= 1 << k, rows = nearer;
    }
    exchange(w, 1, rows);
    const t7_loop *inner = w->loop, *outer = w->loop + 1;
    int is_strided = 0;
    for (int k = 0; k <= last; k++) {
        const int repeats = outer->step[k] == 0;
        repeated |= repeats;
        is_strided |= inner->step[k] != call->sizes[k];
        flat &= inner->step[k] == call->sizes[k] && (repeats || outer->step[k] == columns * call->sizes[k]);
    }
    const int is_gathered =
        ((heavy || is_strided) && columns < MIN_BLOCK_ROW) || (repeated && flat && columns < MAX_REPEATED);
    w->gathered = is_gathered ? all : scattered;
    if (w->gathered) {
        w->rows = min_i(outer->count, max_i(TILE_BYTES / size / columns, scattered ? TILE_LINES * LINE / size : 1));
        w->columns = min_i(columns, TILE_BYTES / size / w->rows);
    } else {
        w->columns = min_i(columns, narrow ? NARROW_COLUMNS : MAX_COLUMNS);
        w->rows = min_i(outer->count, max_i(TILE_ELEMENTS / w->columns, 1));
    }
}

static void copy_tile(char *to, const int64_t *to_step, const char *from, const int64_t *from_step, int64_t size,
                      int64_t columns, int64_t rows) {
    t7_nest nest = {to, (char *)from, size, 2, {columns, rows}, {to_step[0], to_step[1]}, {from_step[0], from_step[1]}};
    t7_copy_nest(&nest, 0);
}

/* A thread's copies of operands. That of rows which repeat one stays until another one is repeated. */
typedef struct {
    _Alignas(LINE) char data[T7_OPERANDS][TILE_BYTES];
    const char *repeated[T7_OPERANDS];
    int64_t columns, rows;
} t7_copies;

static void run_tile(const t7_walk *w, t7_copies *copies, char *const *begin, int64_t columns, int64_t rows) {
    const t7_call *call = w->call;
    const int last = call->operands - 1, same = copies->columns == columns && copies->rows == rows;
    char *at[T7_OPERANDS];
    int64_t step[T7_OPERANDS][2], steps[T7_OPERANDS];
    int flat = 1;
    for (int k = 0; k <= last; k++) {
        const int64_t size = call->sizes[k], own[2] = {w->loop[0].step[k], w->loop[1].step[k]};
        const int is_flat = own[0] == size && (own[1] == columns * size || rows == 1);
        const int copied = (w->gathered >> k & 1) && !is_flat;
        at[k] = copied ? copies->data[k] : begin[k];
        step[k][0] = steps[k] = copied ? size : own[0];
        step[k][1] = copied ? columns * size : own[1];
        flat &= copied | is_flat;
        if (!copied || k == last || (same && copies->repeated[k] == begin[k])) continue;
        copy_tile(at[k], step[k], begin[k], own, size, columns, rows);
        copies->repeated[k] = own[1] == 0 ? begin[k] : 0;
    }
    copies->columns = columns, copies->rows = rows;
    const int64_t count = flat ? columns * rows : columns, calls = flat ? 1 : rows;
    char *row[T7_OPERANDS];
    memcpy(row, at, sizeof row);
    for (int64_t i = 0; i < calls; i++) {
        call->kernel(row, &count, steps, (void *)call->numbers);
        for (int k = 0; k <= last; k++) row[k] += step[k][1];
    }
    if (at[last] != begin[last]) {
        const int64_t own[2] = {w->loop[0].step[last], w->loop[1].step[last]};
        copy_tile(begin[last], own, at[last], step[last], call->sizes[last], columns, rows);
    }
}

/* Iterations of a loop over tiles, and those of the walk's loop in each. */
static int64_t tile_length(const t7_walk *w, int loop) { return loop == 0 ? w->columns : loop == 1 ? w->rows : 1; }
static int64_t tile_count(const t7_walk *w, int loop) {
    int64_t count = w->loop[loop].count, length = tile_length(w, loop);
    return length == 1 ? count : length == count ? 1 : ceil_div(count, length);
}

static void run_tiles(void *data, int64_t from, int64_t to) {
    const t7_walk *w = data;
    t7_copies copies;
    char *begin[T7_OPERANDS];
    int64_t index[MAX_LOOPS];
    copies.columns = copies.rows = 0;
    for (int k = 0; k < w->call->operands; k++) begin[k] = w->call->begin[k], copies.repeated[k] = 0;
    for (int64_t i = 0, rest = from; i < w->loops; i++) {
        index[i] = 0;
        if (rest == 0) continue;
        index[i] = rest % tile_count(w, i) * tile_length(w, i);
        rest /= tile_count(w, i);
        for (int k = 0; k < w->call->operands; k++) begin[k] += index[i] * w->loop[i].step[k];
    }
    for (int64_t tile = from; tile < to; tile++) {
        run_tile(w, &copies, begin, min_i(w->columns, w->loop[0].count - index[0]),
                 min_i(w->rows, w->loop[1].count - index[1]));
        for (int i = 0; i < w->loops; i++) {
            int64_t by = tile_length(w, i);
            if (index[i] + by >= w->loop[i].count) by = -index[i];
            index[i] += by;
            for (int k = 0; k < w->call->operands; k++) begin[k] += by * w->loop[i].step[k];
            if (by > 0) break;
        }
    }
}

/* Runs a kernel over vectors or matrices of few elements and the same sizes; returns 0 for others. */
static int run_small(const t7_call *call, const t7_layout *layouts) {
    const t7_layout *z = layouts + call->operands - 1;
    const int matrix = z->dims == 2;
    const double rows = matrix ? z->size[0] : 1, columns = z->dims == 1 || matrix ? z->size[matrix] : INFINITY;
    if (!(rows * columns <= SMALL)) return 0;
    /* Columns that are apart may be rows: those that are contiguous, or much longer than rows. */
    const int are_apart = matrix && ((z->stride[0] >= 1 && z->stride[1] >= rows * z->stride[0]) ||
                                     (z->stride[1] >= 1 && z->stride[0] >= columns * z->stride[1]));
    const int by_columns = are_apart && ((z->stride[0] == 1 && z->stride[1] > 1) || rows > LONG_COLUMN * columns);
    const int64_t calls = (int64_t)(by_columns ? columns : rows), count = (int64_t)(by_columns ? rows : columns);
    const int is_gathered = calls >= MIN_ROW && count < MIN_BLOCK_ROW && calls * count > SMALL_STRIDED;
    char *at[T7_OPERANDS];
    int64_t step[T7_OPERANDS], row[T7_OPERANDS];
    for (int k = 0; k < call->operands; k++) {
        const t7_layout *l = layouts + k;
        if (l->dims != z->dims || l->size[0] != z->size[0] || l->size[matrix] != columns) return 0;
        at[k] = call->begin[k];
        step[k] = (int64_t)l->stride[matrix && !by_columns] * call->sizes[k];
        row[k] = (int64_t)l->stride[by_columns] * call->sizes[k];
        if (is_gathered && step[k] != 0 && step[k] != call->sizes[k]) return 0;
    }
    for (int64_t i = 0; i < calls; i++) {
        call->kernel(at, &count, step, (void *)call->numbers);
        for (int k = 0; k < call->operands; k++) at[k] += row[k];
    }
    return 1;
}

int t7_run_strided(const t7_call *call, const t7_layout *layouts) {
    if (run_small(call, layouts)) return 1;
    t7_walk w;
    w.call = call, w.gathered = 0;
    if (!find_loops(&w, layouts)) return 0;
    int64_t tile_total = 1, elements = 1;
    for (int i = 0; i < w.loops; i++) elements *= w.loop[i].count;
    sort_loops(&w, call->operands - 1);
    const int distinct = is_distinct(&w, call->operands - 1);
    if (distinct) {
        merge_loops(&w);
    } else {
        find_loops(&w, layouts);
    }
    if (w.loops == 1) w.loop[w.loops++] = (t7_loop){.count = 1};
    if (distinct) {
        plan_tiles(&w, elements);
    } else {
        w.columns = w.loop[0].count, w.rows = w.loop[1].count;
    }
    for (int i = 0; i < w.loops; i++) tile_total *= tile_count(&w, i);
    if (distinct) {
        const double work = call->work + (w.gathered ? NS_GATHER : 0);
        t7_parallel_for(run_tiles, &w, tile_total, 1, elements * work + tile_total * NS_PER_TILE);
    } else {
        run_tiles(&w, 0, tile_total);
    }
    return 1;
}

#define FILL(TYPE)                                                                                                     \
    static void fill_##TYPE(char **operands, const int64_t *count, const int64_t *steps, void *numbers) {              \
        const int64_t n = *count, step = *steps;                                                                       \
        char *z = *operands;                                                                                           \
        TYPE value;                                                                                                    \
        memcpy(&value, *(void **)numbers, sizeof value);                                                               \
        if (step == sizeof value)                                                                                      \
            for (int64_t i = 0; i < n; i++) memcpy(z + i * sizeof value, &value, sizeof value);                        \
        else                                                                                                           \
            for (int64_t i = 0; i < n; i++) memcpy(z + i * step, &value, sizeof value);                                \
    }
FILL(uint8_t)
FILL(uint16_t)
FILL(uint32_t)
FILL(uint64_t)

void t7_fill_strided(char *begin, int32_t size, const t7_layout *layout, void *value) {
    t7_kernel *kernel = size == 1   ? fill_uint8_t
                        : size == 2 ? fill_uint16_t
                        : size == 4 ? fill_uint32_t
                                    : fill_uint64_t;
    t7_call call = {.kernel = kernel, .numbers = {value}, .work = NS_FILL * size, .operands = 1, .sizes = {size}};
    call.begin[0] = begin;
    t7_run_strided(&call, layout);
}
