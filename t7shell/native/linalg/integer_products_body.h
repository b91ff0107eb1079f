/* Products of one integer type. */

typedef struct {
    int64_t n, k, alpha, beta, a_row, a_inner, b_inner, c_row, c_column;
    const T *a, *b;
    T *c;
} NAME(product);

int64_t NAME(t7_dot)(int64_t n, const T *x, int64_t x_step, const T *y, int64_t y_step) {
    TOTAL sum = 0;
    if (x_step == 1 && y_step == 1)
        for (int64_t i = 0; i < n; i++) sum += (FACTOR)x[i] * (FACTOR)y[i];
    else
        for (int64_t i = 0; i < n; i++) sum += (FACTOR)x[i * x_step] * (FACTOR)y[i * y_step];
    return (T)sum;
}

/* c = alpha sums + beta c for elements at a step, a constant where this is inlined. */
INLINE void NAME(store_sums)(const NAME(product) *p, T *c, const int64_t step, const SUM *sums, int columns) {
    SUM alpha = (SUM)p->alpha, beta = (SUM)p->beta;
    if (beta == 0)
        for (int q = 0; q < columns; q++) c[q * step] = (T)(alpha * sums[q]);
    else
        for (int q = 0; q < columns; q++) c[q * step] = (T)(alpha * sums[q] + beta * (SUM)c[q * step]);
}

static void NAME(run_rows)(void *data, int64_t from, int64_t to) {
    const NAME(product) *p = data;
    for (int64_t j = 0; j < p->n; j += COLUMNS) {
        int columns = p->n - j < COLUMNS ? (int)(p->n - j) : COLUMNS;
        for (int64_t i = from; i < to; i++) {
            SUM sums[COLUMNS] = {0};
            const T *a = p->a + i * p->a_row, *b = p->b + j;
            for (int64_t l = 0; l < p->k; l++, a += p->a_inner, b += p->b_inner)
                for (int q = 0; q < columns; q++) sums[q] += (SUM)*a * (SUM)b[q];
            T *c = p->c + i * p->c_row + j * p->c_column;
            if (p->c_column == 1)
                NAME(store_sums)(p, c, 1, sums, columns);
            else
                NAME(store_sums)(p, c, p->c_column, sums, columns);
        }
    }
}

/* One column of c: dot products of rows of a. */
static void NAME(run_dots)(void *data, int64_t from, int64_t to) {
    const NAME(product) *p = data;
    for (int64_t i = from; i < to; i++) {
        SUM sum = (SUM)NAME(t7_dot)(p->k, p->a + i * p->a_row, p->a_inner, p->b, p->b_inner);
        NAME(store_sums)(p, p->c + i * p->c_row, 1, &sum, 1);
    }
}

/* Rows of an outer product. */
static void NAME(run_outer)(void *data, int64_t from, int64_t to) {
    const NAME(product) *p = data;
    const int64_t n = p->n;
    for (int64_t i = from; i < to; i++) {
        FACTOR x = (FACTOR)((uint64_t)p->alpha * (uint64_t)p->a[i * p->a_row]), beta = (FACTOR)p->beta;
        T *restrict c = p->c + i * p->c_row;
        const T *restrict b = p->b;
        if (p->beta == 0)
            for (int64_t j = 0; j < n; j++) c[j] = (T)(x * (FACTOR)b[j]);
        else
            for (int64_t j = 0; j < n; j++) c[j] = (T)(beta * (FACTOR)c[j] + x * (FACTOR)b[j]);
    }
}

void NAME(t7_gemm)(int64_t m, int64_t n, int64_t k, int64_t alpha, const T *a, int64_t a_row, int64_t a_inner,
                   const T *b, int64_t b_inner, int64_t beta, T *c, int64_t c_row, int64_t c_column) {
    NAME(product) p = {n, k, alpha, beta, a_row, a_inner, b_inner, c_row, c_column, a, b, c};
    t7_chunk *run = n == 1 ? NAME(run_dots) : k == 1 && c_column == 1 ? NAME(run_outer) : NAME(run_rows);
    if (n == 1 && a_row == 1 && b_inner == 1 && a_inner != 1) {
        /* A transposed matrix: its columns are added up. */
        p = (NAME(product)){m, k, alpha, beta, 0, 1, a_inner, 0, c_row, b, a, c};
        run = NAME(run_rows), n = m, m = 1;
    }
    t7_parallel_for(run, &p, m, 1, NS_PER_MULTIPLY * m * n * k);
}
