/* Products of one integer type. */

typedef struct {
    int64_t n, k, alpha, beta, a_row, a_inner, b_inner, c_row, c_column;
    const T *a, *b;
    T *c;
} NAME(product);

static void NAME(run_rows)(void *data, int64_t from, int64_t to) {
    const NAME(product) *p = data;
    SUM alpha = (SUM)p->alpha, beta = (SUM)p->beta;
    for (int64_t j = 0; j < p->n; j += COLUMNS) {
        int columns = p->n - j < COLUMNS ? (int)(p->n - j) : COLUMNS;
        for (int64_t i = from; i < to; i++) {
            SUM sums[COLUMNS] = {0};
            const T *a = p->a + i * p->a_row, *b = p->b + j;
            for (int64_t l = 0; l < p->k; l++, a += p->a_inner, b += p->b_inner)
                for (int q = 0; q < columns; q++) sums[q] += (SUM)*a * (SUM)b[q];
            T *c = p->c + i * p->c_row + j * p->c_column;
            for (int q = 0; q < columns; q++)
                c[q * p->c_column] = (T)(alpha * sums[q] + (p->beta ? beta * (SUM)c[q * p->c_column] : 0));
        }
    }
}

void NAME(t7_gemm)(int64_t m, int64_t n, int64_t k, int64_t alpha, const T *a, int64_t a_row, int64_t a_inner,
                   const T *b, int64_t b_inner, int64_t beta, T *c, int64_t c_row, int64_t c_column) {
    NAME(product) p = {n, k, alpha, beta, a_row, a_inner, b_inner, c_row, c_column, a, b, c};
    t7_parallel_for(NAME(run_rows), &p, m, 1, 0.1 * m * n * k);
}

int64_t NAME(t7_dot)(int64_t n, const T *x, int64_t x_step, const T *y, int64_t y_step) {
    SUM sum = 0;
    if (x_step == 1 && y_step == 1)
        for (int64_t i = 0; i < n; i++) sum += (SUM)x[i] * (SUM)y[i];
    else
        for (int64_t i = 0; i < n; i++) sum += (SUM)x[i * x_step] * (SUM)y[i * y_step];
    return (T)sum;
}
