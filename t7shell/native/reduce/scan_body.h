/* Running sums and products of one type. */

INLINE void NAME(rows)(int product, int rows, T *to, int64_t to_n, int64_t to_i, const T *x, int64_t n_step,
                       int64_t i_step, int64_t n) {
    SUM a[MAX_ROWS];
    UNROLL for (int j = 0; j < rows; j++) a[j] = (SUM)product;
    for (int64_t k = 0; k < n; k++) UNROLL for (int j = 0; j < rows; j++) {
            SUM v = (SUM)x[k * n_step + j * i_step];
            a[j] = product ? a[j] * v : a[j] + v;
            to[k * to_n + j * to_i] = (T)a[j];
        }
}

INLINE void NAME(columns)(int product, T *to, int64_t to_n, int64_t to_i, const T *x, int64_t n_step, int64_t i_step,
                          int64_t n, int64_t count) {
    SUM a[COLUMNS];
    for (int64_t i = 0; i < count; i++) a[i] = (SUM)product;
    for (int64_t k = 0; k < n; k++, x += n_step, to += to_n) {
        INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            SUM v = (SUM)x[i * i_step];
            a[i] = product ? a[i] * v : a[i] + v;
            to[i * to_i] = (T)a[i];
        }
    }
}

INLINE void NAME(scan_block)(int product, T *to, int64_t to_n, int64_t to_i, const T *x, int64_t n_step, int64_t i_step,
                             int64_t n, int64_t count) {
    if (i_step == 1 && to_i == 1 && n_step != 1 && count > 1) {
        for (int64_t i = 0; i < count; i += COLUMNS)
            NAME(columns)(product, to + i, to_n, 1, x + i, n_step, 1, n, min_i(count - i, COLUMNS));
    } else if (n_step <= i_step || count < MIN_COLUMNS) {
        int64_t i = 0;
        for (; i + MAX_ROWS <= count; i += MAX_ROWS) {
            if (n_step == 1 && to_n == 1)
                NAME(rows)(product, MAX_ROWS, to + i * to_i, 1, to_i, x + i * i_step, 1, i_step, n);
            else
                NAME(rows)(product, MAX_ROWS, to + i * to_i, to_n, to_i, x + i * i_step, n_step, i_step, n);
        }
        for (; i < count; i++) NAME(rows)(product, 1, to + i * to_i, to_n, to_i, x + i * i_step, n_step, i_step, n);
    } else {
        for (int64_t i = 0; i < count; i += COLUMNS)
            NAME(columns)(product, to + i * to_i, to_n, to_i, x + i * i_step, n_step, i_step, n,
                          min_i(count - i, COLUMNS));
    }
}

static void NAME(scan_lines)(void *data, int64_t from, int64_t to) {
    const struct scan *l = data;
    for (int64_t i = from, count; i < to; i += count) {
        int64_t at = i % l->inner, o = i / l->inner;
        count = min_i(l->inner - at, to - i);
        T *r = (T *)l->to + o * l->to_outer + at * l->to_inner;
        const T *x = (const T *)l->x + o * l->outer_step + at * l->inner_step;
        if (l->product)
            NAME(scan_block)(1, r, l->to_n, l->to_inner, x, l->n_step, l->inner_step, l->n, count);
        else
            NAME(scan_block)(0, r, l->to_n, l->to_inner, x, l->n_step, l->inner_step, l->n, count);
    }
}
