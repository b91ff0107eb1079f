/* Products of vectors, and of matrices and vectors, of one floating-point type. */
#include "linalg/scale_body.h"

#define PARTIAL_SUMS ((int)(128 / sizeof(T)))
#define VECTORS (PARTIAL_SUMS / LANES)
/* Memory limits a multiplication. */
#define NS_PER_MULTIPLY (0.03 * sizeof(T))

INLINE T NAME(total_of_vector)(V sum) {
    T all[LANES];
    store(all, sum);
    UNROLL for (int n = LANES / 2; n > 0; n /= 2) UNROLL for (int i = 0; i < n; i++) all[i] += all[i + n];
    return all[0];
}

/* The products of `rows` rows and x, whose n % LANES last elements are also in `end`, followed by zeros. The number of
   rows is a constant where this is inlined. */
INLINE void NAME(dots)(const int rows, int64_t n, const T *a, int64_t a_row, const T *x, V end, T *results) {
    V sums[DOTS][VECTORS];
    UNROLL for (int r = 0; r < rows; r++) UNROLL for (int j = 0; j < VECTORS; j++) sums[r][j] = (V){0};
    int64_t i = 0;
    for (; i + PARTIAL_SUMS <= n; i += PARTIAL_SUMS)
        UNROLL for (int j = 0; j < VECTORS; j++) UNROLL for (int r = 0; r < rows; r++) sums[r][j] =
            fma_v(load(a + r * a_row + i + j * LANES), load(x + i + j * LANES), sums[r][j]);
    if (i < n) {
        int left = n % LANES;
        UNROLL for (int j = 0; j < VECTORS; j++, i += LANES) {
            if (i + LANES <= n) {
                UNROLL for (int r = 0; r < rows; r++) sums[r][j] =
                    fma_v(load(a + r * a_row + i), load(x + i), sums[r][j]);
            } else if (i < n) {
                UNROLL for (int r = 0; r < rows; r++) sums[r][j] =
                    fma_v(masked_load(a + r * a_row + i, left, (V){0}), end, sums[r][j]);
            }
        }
    }
    UNROLL for (int k = VECTORS / 2; k > 0; k /= 2) UNROLL for (int j = 0; j < k; j++)
        UNROLL for (int r = 0; r < rows; r++) sums[r][j] += sums[r][j + k];
    UNROLL for (int r = 0; r < rows; r++) results[r] = NAME(total_of_vector)(sums[r][0]);
}

/* The sum of up to four products, in the order of partial sums that are zero from there on. */
INLINE T NAME(short_dot)(int64_t n, const T *x, int64_t x_step, const T *y, int64_t y_step) {
    T products[4];
    UNROLL for (int i = 0; i < 4; i++) products[i] = i < n ? NAME(fma)(x[i * x_step], y[i * y_step], 0) + 0 : 0;
    return (products[0] + products[2]) + (products[1] + products[3]);
}

/* Products of vectors in the order of OpenBLAS with AVX2: PARTIAL_SUMS sums in four vectors, whose halves are added
   first, and what is left one after the other, of Floats in doubles. */
static T NAME(dot)(int64_t n, const T *x, int64_t x_step, const T *y, int64_t y_step) {
    enum { GATHERED = 16 * PARTIAL_SUMS, QUARTER = PARTIAL_SUMS / 4, HALF = QUARTER / 2 };
    T a[GATHERED], b[GATHERED], all[PARTIAL_SUMS];
    const int64_t whole = n - n % PARTIAL_SUMS;
    V sums[VECTORS];
    UNROLL for (int j = 0; j < VECTORS; j++) sums[j] = (V){0};
    for (int64_t i = 0; i < whole; i += GATHERED) {
        int64_t count = min_i(whole - i, GATHERED);
        const T *p = x + i * x_step, *q = y + i * y_step;
        if (x_step != 1) gather_row(a, p, x_step, count), p = a;
        if (y_step != 1) gather_row(b, q, y_step, count), q = b;
        for (int64_t k = 0; k < count; k += PARTIAL_SUMS)
            UNROLL for (int j = 0; j < VECTORS; j++) sums[j] =
                fma_v(load(p + k + j * LANES), load(q + k + j * LANES), sums[j]);
    }
    memcpy(all, sums, sizeof all);
    for (int l = 0; l < HALF; l++) {
        T part[4];
        for (int k = 0; k < 4; k++) part[k] = all[k * QUARTER + l] + all[k * QUARTER + l + HALF];
        all[l] = (part[0] + part[1]) + (part[2] + part[3]);
    }
    for (int l = 1; l < HALF; l *= 2)
        for (int k = 0; k < HALF; k += 2 * l) all[k] += all[k + l];
    double sum = all[0];
    for (int64_t i = whole; i < n; i++) sum += (T)(x[i * x_step] * y[i * y_step]);
    return (T)sum;
}

typedef struct {
    int64_t m, n, a_row, a_column, step, c_row;
    const T *a, *x;
    T *y, alpha, beta;
    double *sums;
} NAME(product);

static void NAME(run_blocks)(void *data, int64_t from, int64_t to) {
    const NAME(product) *p = data;
    for (int64_t i = from; i < to; i += BLOCK_SIZE)
        p->sums[i / BLOCK_SIZE] =
            NAME(dot)(min_i(to - i, BLOCK_SIZE), p->a + i * p->a_row, p->a_row, p->x + i * p->step, p->step);
}

double NAME(t7_dot)(int64_t n, const T *x, int64_t x_step, const T *y, int64_t y_step) {
    enum { MAX_BLOCKS = 64 };
    double sum = 0, sums[MAX_BLOCKS];
    if (n <= BLOCK_SIZE) return NAME(dot)(n, x, x_step, y, y_step);
    for (int64_t i = 0; i < n; i += MAX_BLOCKS * BLOCK_SIZE) {
        int64_t count = n - i < MAX_BLOCKS * BLOCK_SIZE ? n - i : MAX_BLOCKS * BLOCK_SIZE;
        NAME(product) p = {.a = x + i * x_step, .a_row = x_step, .x = y + i * y_step, .step = y_step, .sums = sums};
        t7_parallel_for(NAME(run_blocks), &p, count, BLOCK_SIZE, NS_PER_MULTIPLY * count);
        for (int64_t j = 0; j * BLOCK_SIZE < count; j++) sum += sums[j];
    }
    return sum;
}

static void NAME(set)(const NAME(product) *p, int64_t i, T sum) {
    T *to = p->y + i * p->step;
    *to = p->beta == 0 ? sum * p->alpha : NAME(fma)(sum, p->alpha, *to * p->beta);
}

/* Rows of up to four elements, a constant where this is inlined. */
INLINE void NAME(short_rows)(const int n, const NAME(product) *p, int64_t from, int64_t to) {
    T x[4] = {0};
    for (int j = 0; j < n; j++) x[j] = p->x[j];
    for (int64_t i = from; i < to; i++) NAME(set)(p, i, NAME(short_dot)(n, p->a + i * p->a_row, 1, x, 1));
}

static void NAME(run_short_rows)(void *data, int64_t from, int64_t to) {
    const NAME(product) *p = data;
    if (p->n == 1)
        NAME(short_rows)(1, p, from, to);
    else if (p->n == 2)
        NAME(short_rows)(2, p, from, to);
    else if (p->n == 3)
        NAME(short_rows)(3, p, from, to);
    else
        NAME(short_rows)(4, p, from, to);
}

static void NAME(run_rows)(void *data, int64_t from, int64_t to) {
    const NAME(product) *p = data;
    int64_t i = from, left = p->n % LANES;
    V end = masked_load(p->x + p->n - left, left, (V){0});
    T sums[DOTS];
    for (; i + DOTS <= to; i += DOTS) {
        NAME(dots)(DOTS, p->n, p->a + i * p->a_row, p->a_row, p->x, end, sums);
        UNROLL for (int r = 0; r < DOTS; r++) NAME(set)(p, i + r, sums[r]);
    }
    for (; i < to; i++) {
        NAME(dots)(1, p->n, p->a + i * p->a_row, p->a_row, p->x, end, sums);
        NAME(set)(p, i, sums[0]);
    }
}

/* Sums of a column of PARTIAL_SUMS elements each: element j of x times those of column j. */
static void NAME(run_columns)(void *data, int64_t from, int64_t to) {
    const NAME(product) *p = data;
    int64_t i = from;
    for (; i + PARTIAL_SUMS <= to; i += PARTIAL_SUMS) {
        V sums[VECTORS];
        UNROLL for (int j = 0; j < VECTORS; j++) sums[j] = (V){0};
        const T *a = p->a + i;
        for (int64_t l = 0; l < p->n; l++, a += p->a_column) {
            V x = splat(p->x[l]);
            UNROLL for (int j = 0; j < VECTORS; j++) sums[j] = fma_v(load(a + j * LANES), x, sums[j]);
        }
        T all[PARTIAL_SUMS];
        memcpy(all, sums, sizeof all);
        for (int j = 0; j < PARTIAL_SUMS; j++) NAME(set)(p, i + j, all[j]);
    }
    for (; i < to; i += LANES) {
        int64_t rest = min_i(to - i, LANES);
        V sum = {0};
        for (int64_t l = 0; l < p->n; l++)
            sum = fma_v(masked_load(p->a + i + l * p->a_column, rest, (V){0}), splat(p->x[l]), sum);
        T all[LANES];
        store(all, sum);
        for (int j = 0; j < rest; j++) NAME(set)(p, i + j, all[j]);
    }
}

void NAME(t7_gemv)(int64_t m, int64_t n, double alpha, const T *a, int64_t a_row, int64_t a_column, const T *x,
                   double beta, T *y, int64_t y_step) {
    if (alpha == 0) {
        NAME(scale)(m, 1, (T)beta, y, y_step);
        return;
    }
    NAME(product) p = {m, n, a_row, a_column, y_step, 0, a, x, y, (T)alpha, (T)beta, NULL};
    int by_rows = a_column == 1 && (a_row != 1 || n > 1);
    t7_chunk *run = by_rows ? NAME(run_rows) : NAME(run_columns);
    if (by_rows && n > 0 && n <= 4) run = NAME(run_short_rows);
    t7_parallel_for(run, &p, m, PARTIAL_SUMS, NS_PER_MULTIPLY * m * n);
}

static void NAME(run_outer)(void *data, int64_t from, int64_t to) {
    const NAME(product) *p = data;
    T beta = p->beta;
    const T *restrict y = p->x;
    for (int64_t i = from; i < to; i++) {
        T x = p->a[i * p->a_row] * p->alpha, *restrict c = p->y + i * p->c_row;
        /* Products are added to zero: -0 becomes 0. */
        if (beta == 0)
            for (int64_t j = 0; j < p->n; j++) c[j] = NAME(fma)(x, y[j], 0);
        else if (beta == 1)
            for (int64_t j = 0; j < p->n; j++) c[j] = NAME(fma)(x, y[j], c[j]);
        else
            for (int64_t j = 0; j < p->n; j++) c[j] = NAME(fma)(x, y[j], c[j] * beta);
    }
}

void NAME(t7_ger)(int64_t m, int64_t n, double alpha, const T *x, int64_t x_step, const T *y, double beta, T *c,
                  int64_t c_row) {
    if (alpha == 0) {
        NAME(scale)(m, n, (T)beta, c, c_row);
        return;
    }
    NAME(product) p = {m, n, x_step, 0, 0, c_row, x, y, c, (T)alpha, (T)beta, NULL};
    t7_parallel_for(NAME(run_outer), &p, m, 1, NS_PER_MULTIPLY * m * n);
}

void NAME(t7_axpy)(int64_t n, double alpha, const T *restrict x, T *restrict y) {
    T scale = (T)alpha;
    for (int64_t i = 0; i < n; i++) y[i] = NAME(fma)(scale, x[i], y[i]);
}

#undef NS_PER_MULTIPLY
#undef VECTORS
#undef PARTIAL_SUMS
