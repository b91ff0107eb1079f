/* Products of matrices of one floating-point type. */
#include "linalg/scale_body.h"

#define NS_PER_MULTIPLY (0.005 * sizeof(T))
#define NS_PER_COPY (0.1 * sizeof(T))
#define TILE_COLUMNS (TILE_VECTORS * LANES)
#define GROUP_COLUMNS (GROUP_PANELS * TILE_COLUMNS)
#define SLAB_ROWS (SLAB_BYTES / PANEL_INNER / (int)sizeof(T))

/* What a product is made of: see gemm.h. Columns of c are c_column elements apart. */
typedef struct {
    int64_t m, n, k;
    double alpha;
    const T *a;
    int64_t a_row, a_inner;
    const T *b;
    int64_t b_inner, b_column;
    double beta;
    T *c;
    int64_t c_row, c_column, a_next, b_next, c_next;
} NAME(product);

/* The part of a product that has m rows from row i on, n columns from column j on, and k inner elements from l on. */
static NAME(product)
    NAME(part)(const NAME(product) *p, int64_t i, int64_t m, int64_t j, int64_t n, int64_t l, int64_t k) {
    NAME(product) q = *p;
    q.m = m, q.n = n, q.k = k;
    q.a += i * p->a_row + l * p->a_inner;
    q.b += l * p->b_inner + j * p->b_column;
    q.c += i * p->c_row + j * p->c_column;
    if (l > 0) q.beta = 1;
    return q;
}

/* What all tiles of a panel share. Columns `first` to `last - 1` of a tile are stored: it may overlap the one before.
 */
typedef struct {
    const T *b;
    int64_t a_row, a_inner, b_inner, k, c_row, c_column;
    T alpha, beta;
    int first, last;
    const char *ahead; /* lines of the next panels' rows, one of each row for a tile */
    int64_t ahead_step;
    int lines_ahead;
} NAME(panel);

INLINE void NAME(store_result)(const NAME(panel) *p, V sum, T *to) {
    V alpha = splat(p->alpha);
    if (p->beta == 0)
        store(to, sum * alpha);
    else
        store(to, fma_v(sum, alpha, load(to) * splat(p->beta)));
}

/* A tile whose numbers of rows and vectors are constants where this is inlined. */
INLINE void NAME(tile_of)(const int rows, const int vectors, const NAME(panel) *p, const T *restrict a, T *restrict c) {
    V sums[TILE_ROWS][TILE_VECTORS];
    UNROLL for (int i = 0; i < rows; i++) UNROLL for (int j = 0; j < vectors; j++) sums[i][j] = (V){0};
    const T *b = p->b;
    const char *ahead = p->ahead;
    int64_t a_row = p->a_row, a_inner = p->a_inner, b_inner = p->b_inner, ahead_step = p->ahead_step;
    if (p->c_column == 1) UNROLL for (int i = 0; i < rows; i++) {
            UNROLL for (int j = 0; j < vectors * LANES; j += CACHE_LINE / (int)sizeof(T))
                __builtin_prefetch(c + i * p->c_row + j, 1);
            __builtin_prefetch(c + i * p->c_row + vectors * LANES - 1, 1);
        }
    /* Three rows have one pointer: one for each row would take more registers than there are. */
    const T *triples[TILE_ROWS / 3];
    UNROLL for (int i = 0; i < TILE_ROWS / 3; i++) triples[i] = a + 3 * i * a_row;
    for (int64_t l = 0; l < p->k; l++, b += b_inner) {
        V row[TILE_VECTORS];
        UNROLL for (int j = 0; j < vectors; j++) row[j] = load(b + j * LANES);
        if (INNER_AHEAD) __builtin_prefetch(triples[0] + INNER_AHEAD * a_inner);
        UNROLL for (int i = 0; i < rows; i++) {
            V element = splat(triples[i / 3][i % 3 * a_row]);
            UNROLL for (int j = 0; j < vectors; j++) sums[i][j] = fma_v(element, row[j], sums[i][j]);
        }
        UNROLL for (int i = 0; i < TILE_ROWS / 3; i++) triples[i] += a_inner;
        __builtin_prefetch(ahead, 0, 2);
        ahead += ahead_step;
    }
    if (p->first == 0 && p->last == vectors * LANES && p->c_column == 1) {
        UNROLL for (int i = 0; i < rows; i++) UNROLL for (int j = 0; j < vectors; j++)
            NAME(store_result)(p, sums[i][j], c + i * p->c_row + j * LANES);
        return;
    }
    T rest[TILE_ROWS][TILE_COLUMNS];
    UNROLL for (int i = 0; i < rows; i++) UNROLL for (int j = 0; j < vectors; j++)
        store(&rest[i][j * LANES], sums[i][j]);
    for (int j = p->first; j < p->last; j++)
        for (int i = 0; i < rows; i++) {
            T *to = c + i * p->c_row + j * p->c_column;
            *to = p->beta == 0 ? rest[i][j] * p->alpha : NAME(fma)(rest[i][j], p->alpha, *to * p->beta);
        }
}

static void NAME(tile)(int rows, int vectors, const NAME(panel) *p, const T *a, T *c) {
#define CASE(r, v)                                                                                                     \
    case (v - 1) * TILE_ROWS + r - 1:                                                                                  \
        NAME(tile_of)(r, v, p, a, c);                                                                                  \
        break;
#define CASES(v) CASE(1, v) CASE(2, v) CASE(3, v) CASE(4, v) CASE(5, v) CASE(6, v)
#define MORE_CASES(v) CASE(7, v) CASE(8, v) CASE(9, v) CASE(10, v) CASE(11, v) CASE(12, v)
    switch ((vectors - 1) * TILE_ROWS + rows - 1) {
        CASES(1)
        CASES(2)
#if defined(__AVX512F__)
        MORE_CASES(1)
        MORE_CASES(2)
#elif defined(__aarch64__)
        CASES(3) CASES(4)
#endif
    }
#undef MORE_CASES
#undef CASES
#undef CASE
}

/* A division into blocks of nearly the same size, the first `more` with a row more: blocks of few rows would leave
   multipliers idle. */
typedef struct {
    int64_t blocks, more;
    int rows;
} NAME(division);

static NAME(division) NAME(divide)(int64_t m) {
    int64_t blocks = ceil_div(m, TILE_ROWS);
    return (NAME(division)){blocks, m % blocks, (int)(m / blocks)};
}

/* Copies k adjacent elements of `rows` rows, at least SQUARE, to columns, by blocks that are transposed in registers.
   The last block overlaps the one before. */
INLINE void NAME(pack_transpose)(T *restrict to, int64_t to_step, const T *restrict from, int64_t from_step, int64_t k,
                                 int rows) {
    int64_t l = 0;
    for (; l + SQUARE <= k; l += SQUARE)
        for (int i = 0; i < rows; i += SQUARE) {
            int at = i + SQUARE <= rows ? i : rows - SQUARE;
            NAME(square_row) block[SQUARE];
            UNROLL for (int r = 0; r < SQUARE; r++) memcpy(block + r, from + (at + r) * from_step + l, sizeof *block);
            NAME(transpose)(block);
            UNROLL for (int r = 0; r < SQUARE; r++) memcpy(to + (l + r) * to_step + at, block + r, sizeof *block);
        }
    for (; l < k; l++)
        for (int i = 0; i < rows; i++) to[l * to_step + i] = from[i * from_step + l];
}

/* Copies k rows of `columns` columns of b to a panel of `width` columns, the others zero. */
static void NAME(pack_panel)(T *restrict to, const T *restrict b, int64_t b_inner, int64_t b_column, int64_t k,
                             int columns, int width) {
    if (b_column == 1 && columns == width) {
        for (int64_t l = 0; l < k; l++) memcpy(to + l * width, b + l * b_inner, width * sizeof(T));
        return;
    }
    if (columns < width) memset(to, 0, k * width * sizeof(T));
    if (b_inner != 1) {
        for (int64_t l = 0; l < k; l++)
            for (int j = 0; j < columns; j++) to[l * width + j] = b[l * b_inner + j * b_column];
        return;
    }
    enum { SIDE = 8 };
    int j = 0;
    for (; j + SIDE <= columns; j += SIDE) NAME(pack_transpose)(to + j, width, b + j * b_column, b_column, k, SIDE);
    for (; j < columns; j++)
        for (int64_t l = 0; l < k; l++) to[l * width + j] = b[j * b_column + l];
}

/* Copies `columns` columns of b to panels of TILE_COLUMNS, groups of panels row by row. */
static void NAME(pack_columns)(T *restrict to, const T *restrict b, int64_t b_inner, int64_t b_column, int64_t k,
                               int64_t columns) {
    int64_t j = 0;
    if (b_column == 1)
        for (; j + GROUP_COLUMNS <= columns; j += GROUP_COLUMNS)
            for (int64_t l = 0; l < k; l++)
                for (int q = 0; q < GROUP_COLUMNS; q += TILE_COLUMNS)
                    memcpy(to + (j + q) * k + l * TILE_COLUMNS, b + l * b_inner + j + q, TILE_COLUMNS * sizeof(T));
    for (; j < columns; j += TILE_COLUMNS) {
        int rest = (int)min_i(columns - j, TILE_COLUMNS), width = (int)ceil_div(rest, LANES) * LANES;
        NAME(pack_panel)(to + j * k, b + j * b_column, b_inner, b_column, k, rest, width);
    }
}

/* Whether tiles read a in place: its rows are contiguous, or its columns are and stay in the cache. */
static int NAME(is_near)(int64_t k, int64_t a_row, int64_t a_inner) {
    return a_inner == 1 || (a_row == 1 && k * a_inner * (int64_t)sizeof(T) <= MAX_IN_PLACE_BYTES);
}

/* Copies `rows` adjacent elements of k rows of a transposed a, a constant where this is inlined. */
INLINE void NAME(pack_transposed)(T *restrict to, const T *restrict a, int64_t a_inner, int64_t k, const int rows) {
    for (int64_t l = 0; l < k; l++) memcpy(to + l * rows, a + l * a_inner, rows * sizeof(T));
}

/* Copies m rows of a, block after block: the elements of a column of a block are contiguous. */
static void NAME(pack_rows)(T *restrict to, const T *restrict a, int64_t a_row, int64_t a_inner, int64_t m, int64_t k) {
    NAME(division) d = NAME(divide)(m);
    for (int64_t q = 0; q < d.blocks; q++) {
        int rows = d.rows + (q < d.more);
        if (a_row == 1 && rows == TILE_ROWS) {
            NAME(pack_transposed)(to, a, a_inner, k, TILE_ROWS);
        } else if (a_row == 1 && rows == TILE_ROWS - 1) {
            NAME(pack_transposed)(to, a, a_inner, k, TILE_ROWS - 1);
        } else if (a_inner == 1 && rows >= SQUARE) {
            NAME(pack_transpose)(to, rows, a, a_row, k, rows);
        } else {
            for (int64_t l = 0; l < k; l++)
                for (int i = 0; i < rows; i++) to[l * rows + i] = a[i * a_row + l * a_inner];
        }
        to += rows * k, a += rows * a_row;
    }
}

/* One panel times m rows of a, which are packed or in place. */
static void NAME(run_panel)(NAME(panel) *p, int vectors, int64_t m, const T *a, int packed, T *c) {
    NAME(division) d = NAME(divide)(m);
    int64_t row_of_a = p->a_row, inner_of_a = p->a_inner;
    for (int64_t q = 0; q < d.blocks; q++) {
        int rows = d.rows + (q < d.more);
        if (packed) p->a_row = 1, p->a_inner = rows;
        NAME(tile)(rows, vectors, p, a, c);
        a += packed ? rows * p->k : rows * row_of_a;
        c += rows * p->c_row;
        p->ahead += CACHE_LINE;
        if (--p->lines_ahead <= 0) p->ahead = (const char *)c, p->ahead_step = 0;
    }
    p->a_row = row_of_a, p->a_inner = inner_of_a;
}

/* A part whose rows of a stay in the second cache. `panels` keeps the packed panels of b, which are complete if b is
   NULL; without it each group is packed when it is used. */
static void NAME(run_slab)(const NAME(product) *s, T *rows_of_a, T *panels) {
    int64_t m = s->m, n = s->n, k = s->k, b_inner = s->b_inner, b_column = s->b_column;
    const T *b = s->b;
    _Alignas(64) T group[GROUP_COLUMNS * PANEL_INNER];
    /* For few rows, copies of b do not pay, unless its rows share a few sets of the caches. */
    int is_aliased = b_inner * (int64_t)sizeof(T) % PAGE == 0;
    int direct = !panels && b_column == 1 && n >= LANES &&
                 (m <= (is_aliased ? 2 : DIRECT_TILES) * TILE_ROWS || k * n * (int64_t)sizeof(T) <= 16384);
    int64_t group_columns = direct ? TILE_COLUMNS : GROUP_COLUMNS;
    if (rows_of_a) NAME(pack_rows)(rows_of_a, s->a, s->a_row, s->a_inner, m, k);
    NAME(panel) p = {.a_row = s->a_row,
                     .a_inner = s->a_inner,
                     .k = k,
                     .c_row = s->c_row,
                     .c_column = s->c_column,
                     .alpha = (T)s->alpha,
                     .beta = (T)s->beta};
    p.ahead = (const char *)s->c;
    for (int64_t j = 0; j < n; j += TILE_COLUMNS) {
        int columns = (int)min_i(n - j, TILE_COLUMNS), vectors = (int)ceil_div(columns, LANES), width = vectors * LANES;
        int64_t at = j;
        p.first = 0, p.last = columns;
        if (direct && columns < width && n >= width) {
            /* The last tile overlaps the one before. */
            at = n - width, p.first = width - columns, p.last = width;
        }
        if (direct && n >= width) {
            p.b = b + at, p.b_inner = b_inner;
        } else {
            T *to = panels ? panels + j * k : group + j % GROUP_COLUMNS * k;
            if (b && j % GROUP_COLUMNS == 0)
                NAME(pack_columns)(to, b + j * b_column, b_inner, b_column, k, min_i(n - j, GROUP_COLUMNS));
            p.b = to, p.b_inner = width;
        }
        if (!b && j + TILE_COLUMNS < n) {
            p.ahead = (const char *)(panels + (j + TILE_COLUMNS) * k);
            p.ahead_step = TILE_COLUMNS * sizeof(T);
            p.lines_ahead = TILE_COLUMNS * sizeof(T) / CACHE_LINE;
        } else if (b && b_column == 1 && j % group_columns == 0 && j + group_columns < n) {
            p.ahead = (const char *)(b + j + group_columns) + CACHE_LINE - sizeof(T);
            p.ahead_step = b_inner * (int64_t)sizeof(T);
            p.lines_ahead = (int)(group_columns * sizeof(T) / CACHE_LINE);
        }
        NAME(run_panel)(&p, vectors, m, rows_of_a ? rows_of_a : s->a, rows_of_a != NULL, s->c + at * s->c_column);
    }
}

/* The inner elements of a block, which decide the bits, and the columns whose panels are kept. */
static int64_t NAME(block_inner)(int64_t k) {
    return k <= PANEL_INNER ? k : ceil_div(ceil_div(k, ceil_div(k, PANEL_INNER)), 8) * 8;
}
static int64_t NAME(block_columns)(int64_t n) {
    return ceil_div(ceil_div(n, ceil_div(n, BLOCK_COLUMNS)), TILE_COLUMNS) * TILE_COLUMNS;
}

static void NAME(multiply)(const NAME(product) *p) {
    if (p->m <= 0 || p->n <= 0) return;
    if (p->k <= 0) {
        NAME(scale)(p->m, p->n, (T)p->beta, p->c, p->c_row);
        return;
    }
    int64_t inner = NAME(block_inner)(p->k);
    int64_t slabs = ceil_div(p->m, SLAB_ROWS), kept = slabs > 1 ? NAME(block_columns)(p->n) : p->n;
    T *rows_of_a = NULL, *panels = NULL;
    /* Without memory for copies the same sums are computed more slowly. */
    if (!NAME(is_near)(p->k, p->a_row, p->a_inner) || p->n >= MIN_PACKED_COLUMNS)
        rows_of_a = malloc(min_i(p->m, SLAB_ROWS) * inner * sizeof(T));
    if (slabs > 1) panels = malloc(kept * inner * sizeof(T));
    for (int64_t j = 0; j < p->n; j += kept) {
        for (int64_t l = 0; l < p->k; l += inner) {
            for (int64_t q = 0; q < slabs; q++) {
                int64_t i = q * p->m / slabs, next = (q + 1) * p->m / slabs;
                NAME(product) slab = NAME(part)(p, i, next - i, j, min_i(p->n - j, kept), l, min_i(p->k - l, inner));
                if (q > 0 && panels) slab.b = NULL;
                NAME(run_slab)(&slab, rows_of_a, panels);
            }
        }
    }
    free(rows_of_a);
    free(panels);
}

/* The product or, for few rows of a and a transposed b, that of the transposed operands: panels of the rows of a cost
   less than panels of the rows of b, which are read in place. Short sums do not pay for storing by columns. */
static NAME(product) NAME(arranged)(NAME(product) p) {
    int is_transposed = p.a_inner == 1 && p.b_inner == 1 && p.b_column != 1;
    int64_t width = ceil_div(p.m, LANES) * LANES;
    int is_batch = p.m >= MIN_BATCH && width <= MAX_BATCH && width - p.m <= MAX_EMPTY && p.m <= p.n && 2 * p.m <= p.k;
    if (!is_transposed || !is_batch) return p;
    NAME(product) q = p;
    q.m = p.n, q.a = p.b, q.a_row = p.b_column, q.a_next = p.b_next, q.c_row = p.c_column;
    q.n = p.m, q.b = p.a, q.b_column = p.a_row, q.b_next = p.a_next, q.c_column = p.c_row;
    return q;
}

void NAME(t7_gemm)(int64_t m, int64_t n, int64_t k, double alpha, const T *a, int64_t a_row, int64_t a_inner,
                   const T *b, int64_t b_inner, int64_t b_column, double beta, T *c, int64_t c_row) {
    NAME(product) p = NAME(arranged)(
        (NAME(product)){m, n, k, alpha, a, a_row, a_inner, b, b_inner, b_column, beta, c, c_row, 1, 0, 0, 0});
    NAME(multiply)(&p);
}

/* A part of all rows, whose panels threads pack and use together. */
typedef struct {
    NAME(product) p;
    T *panels;
} NAME(block);

static void NAME(pack_groups)(void *data, int64_t from, int64_t to) {
    const NAME(block) *block = data;
    const NAME(product) *p = &block->p;
    NAME(pack_columns)(block->panels + from * p->k, p->b + from * p->b_column, p->b_inner, p->b_column, p->k,
                       to - from);
}

static void NAME(run_slabs)(void *data, int64_t from, int64_t to) {
    const NAME(block) *block = data;
    const NAME(product) *p = &block->p;
    T *rows_of_a = malloc(min_i(to - from, SLAB_ROWS) * p->k * sizeof(T));
    for (int64_t i = from; i < to; i += SLAB_ROWS) {
        NAME(product) slab = NAME(part)(p, i, min_i(to - i, SLAB_ROWS), 0, p->n, 0, p->k);
        slab.b = NULL;
        NAME(run_slab)(&slab, rows_of_a, block->panels);
    }
    free(rows_of_a);
}

/* A product whose threads share the panels of b and have rows of a each. Returns 0 without memory for the panels. */
static int NAME(run_shared)(const NAME(product) *p) {
    int64_t inner = NAME(block_inner)(p->k), columns = NAME(block_columns)(p->n), threads = t7_threads();
    int64_t slabs = ceil_div(p->m, threads * SLAB_ROWS) * threads;
    T *panels = malloc(columns * inner * sizeof(T));
    if (!panels) return 0;
    for (int64_t j = 0; j < p->n; j += columns) {
        for (int64_t l = 0; l < p->k; l += inner) {
            NAME(block) block = {NAME(part)(p, 0, p->m, j, min_i(p->n - j, columns), l, min_i(p->k - l, inner)),
                                 panels};
            double elements = (double)block.p.n * block.p.k;
            t7_parallel_for(NAME(pack_groups), &block, block.p.n, GROUP_COLUMNS, NS_PER_COPY * elements);
            t7_parallel_for(NAME(run_slabs), &block, p->m, ceil_div(p->m, slabs), NS_PER_MULTIPLY * p->m * elements);
        }
    }
    free(panels);
    return 1;
}

static void NAME(run_rows)(void *data, int64_t from, int64_t to) {
    const NAME(product) *p = data;
    NAME(product) rows = NAME(part)(p, from, to - from, 0, p->n, 0, p->k);
    NAME(multiply)(&rows);
}

static void NAME(run_columns)(void *data, int64_t from, int64_t to) {
    const NAME(product) *p = data;
    NAME(product) columns = NAME(part)(p, 0, p->m, from, to - from, 0, p->k);
    NAME(multiply)(&columns);
}

static void NAME(run_products)(void *data, int64_t from, int64_t to) {
    NAME(product) p = *(const NAME(product) *)data;
    p.a += from * p.a_next, p.b += from * p.b_next, p.c += from * p.c_next;
    for (int64_t i = from; i < to; i++) {
        NAME(multiply)(&p);
        p.a += p.a_next, p.b += p.b_next, p.c += p.c_next;
    }
}

static void NAME(multiply_parallel)(NAME(product) *p) {
    double nanoseconds = NS_PER_MULTIPLY * p->m * p->n * p->k;
    if (nanoseconds < MIN_PARALLEL_NS) {
        NAME(multiply)(p);
        return;
    }
    if (p->m >= MIN_SHARED_ROWS && p->n >= MIN_PACKED_COLUMNS && t7_threads() > 1 && NAME(run_shared)(p)) return;
    /* Columns share no copies, unless a is copied: each part would do so. */
    int is_copied = !NAME(is_near)(p->k, p->a_row, p->a_inner);
    int by_rows = p->m >= p->n && (is_copied || p->n < MIN_SHARED_PANELS * TILE_COLUMNS);
    int64_t count = by_rows ? p->m : p->n, unit = by_rows ? TILE_ROWS : TILE_COLUMNS;
    /* Each part of the rows copies the panels of b. */
    int64_t max_parts = (by_rows ? 1 : 4) * t7_threads();
    int64_t parts = count / MIN_PART / 2 * 4 > 2 ? min_i(count / MIN_PART / 2 * 4, max_parts) : 2;
    t7_parallel_for(by_rows ? NAME(run_rows) : NAME(run_columns), p, count,
                    ceil_div(ceil_div(count, parts), unit) * unit, nanoseconds);
}

/* Computes one row, or one column, as the product of a matrix and a vector; returns 0 for other products. */
static int NAME(multiply_vector)(const NAME(product) *p) {
    if (p->n == 1 && p->b_inner == 1 && (p->a_inner == 1 || p->a_row == 1)) {
        NAME(t7_gemv)(p->m, p->k, p->alpha, p->a, p->a_row, p->a_inner, p->b, p->beta, p->c, p->c_row);
    } else if (p->m == 1 && p->a_inner == 1 && (p->b_inner == 1 || p->b_column == 1)) {
        NAME(t7_gemv)(p->n, p->k, p->alpha, p->b, p->b_column, p->b_inner, p->a, p->beta, p->c, 1);
    } else {
        return 0;
    }
    return 1;
}

void NAME(t7_gemm_parallel)(int64_t m, int64_t n, int64_t k, double alpha, const T *a, int64_t a_row, int64_t a_inner,
                            const T *b, int64_t b_inner, int64_t b_column, double beta, T *c, int64_t c_row) {
    NAME(product) p = {m, n, k, alpha, a, a_row, a_inner, b, b_inner, b_column, beta, c, c_row, 1, 0, 0, 0};
    if (NAME(multiply_vector)(&p)) return;
    p = NAME(arranged)(p);
    NAME(multiply_parallel)(&p);
}

void NAME(t7_gemm_batch)(int64_t count, int64_t m, int64_t n, int64_t k, double alpha, const T *a, int64_t a_next,
                         int64_t a_row, int64_t a_inner, const T *b, int64_t b_next, int64_t b_inner, int64_t b_column,
                         double beta, T *c, int64_t c_next, int64_t c_row) {
    NAME(product) p = {m,        n,    k, alpha, a, a_row,  a_inner, b,     b_inner,
                       b_column, beta, c, c_row, 1, a_next, b_next,  c_next};
    int64_t done = 0;
    for (; done < count && NAME(multiply_vector)(&p); done++) p.a += a_next, p.b += b_next, p.c += c_next;
    if (done == count) return;
    p = NAME(arranged)(p);
    double nanoseconds = NS_PER_MULTIPLY * m * n * k;
    if (nanoseconds > MIN_PARALLEL_PRODUCT_NS)
        for (int64_t i = 0; i < count; i++, p.a += p.a_next, p.b += p.b_next, p.c += c_next)
            NAME(multiply_parallel)(&p);
    else if (c_next > (m - 1) * c_row + n - 1)
        t7_parallel_for(NAME(run_products), &p, count, 1, nanoseconds * count);
    else
        NAME(run_products)(&p, 0, count);
}

#undef NS_PER_MULTIPLY
#undef NS_PER_COPY
#undef TILE_COLUMNS
#undef GROUP_COLUMNS
#undef SLAB_ROWS
