/* Rows of weights of one type. */

static void NAME(gather)(void *data, int64_t from, int64_t to) {
    const lookup *f = data;
    int64_t n = f->n;
    for (int64_t i = from; i < to; i++) {
        const T *w = (const T *)f->from + (f->index[i] - 1) * n;
        T *y = (T *)f->to + i * n;
        int64_t j = 0;
        for (; j + LANES <= n; j += LANES) store(y + j, load(w + j));
        for (; j < n; j++) y[j] = w[j];
    }
}

/* Columns of all rows: a row of weights may occur often. */
static void NAME(scatter)(void *data, int64_t from, int64_t to) {
    const lookup *f = data;
    int64_t n = f->n;
    for (int64_t i = 0; i < f->rows; i++) {
        int64_t row = f->index[i];
        if ((double)row == f->padding) continue;
        const T *g = (const T *)f->from + i * n;
        T *w = (T *)f->to + (row - 1) * n;
        if (f->counts) {
            double factor = f->scale / f->counts[row - 1];
            for (int64_t j = from; j < to; j++) w[j] = (T)(w[j] + factor * g[j]);
            continue;
        }
        T scale = (T)f->scale;
        int64_t j = from;
        for (; j + LANES <= to; j += LANES) store(w + j, load(w + j) + load(g + j) * scale);
        for (; j < to; j++) w[j] += g[j] * scale;
    }
}

void NAME(t7_lookup)(double rows, double n, const int64_t *index, const T *weight, T *y) {
    lookup f = {.index = index, .from = weight, .to = y, .n = (int64_t)n};
    t7_parallel_for(NAME(gather), &f, (int64_t)rows, 1, rows * (3 + n * sizeof(T) * 0.05));
}

void NAME(t7_lookup_backward)(double rows, double n, const int64_t *index, const T *g, double scale, double padding,
                              int32_t *counts, T *weight) {
    lookup f = {index, g, weight, counts, (int64_t)rows, (int64_t)n, scale, padding};
    for (int64_t i = 0; counts && i < f.rows; i++) counts[index[i] - 1]++;
    t7_parallel_for(NAME(scatter), &f, f.n, 64, rows * (3 + n * sizeof(T) * 0.05));
}
