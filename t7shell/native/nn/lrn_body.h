/* Normalization across maps of one type. */

/* Sums, or with `squared` sums of squares, over the window of maps around map i, for `count` pixels. */
INLINE void NAME(window_sums)(int squared, const t7_lrn *c, const T *x, int64_t i, int64_t count, T *sum) {
    int64_t half = (int64_t)c->half, maps = (int64_t)c->maps, area = (int64_t)c->area;
    for (int64_t p = 0; p < count; p++) sum[p] = 0;
    for (int64_t j = i < half ? 0 : i - half; j <= min_i(i + half, maps - 1); j++) {
        const T *v = x + j * area;
        for (int64_t p = 0; p < count; p++) sum[p] += squared ? v[p] * v[p] : v[p];
    }
}

/* Where the pixels of a unit of work begin. */
INLINE int64_t NAME(pixels)(const t7_lrn *c, int64_t unit, int64_t *count) {
    int64_t area = (int64_t)c->area, blocks = ceil_div(area, BLOCK_PIXELS), image = unit / blocks;
    int64_t at = (unit - image * blocks) * BLOCK_PIXELS;
    *count = min_i(BLOCK_PIXELS, area - at);
    return image * (int64_t)c->maps * area + at;
}

static void NAME(forward)(void *data, int64_t from, int64_t to) {
    const lrn *f = data;
    const t7_lrn *c = f->call;
    T alpha = (T)c->alpha, k = (T)c->k, exponent = (T)-c->beta, sum[BLOCK_PIXELS];
    int64_t area = (int64_t)c->area, count;
    for (int64_t u = from; u < to; u++) {
        int64_t at = NAME(pixels)(c, u, &count);
        for (int64_t i = 0; i < (int64_t)c->maps; i++) {
            const T *x = (const T *)f->x + at + i * area;
            T *scale = (T *)f->scale + at + i * area, *y = (T *)f->result + at + i * area;
            NAME(window_sums)(1, c, (const T *)f->x + at, i, count, sum);
            INDEPENDENT
            for (int64_t p = 0; p < count; p++) {
                T s = sum[p] * alpha + k;
                scale[p] = s;
                y[p] = NAME(power)(s, exponent) * x[p];
            }
        }
    }
}

static void NAME(backward)(void *data, int64_t from, int64_t to) {
    const lrn *f = data;
    const t7_lrn *c = f->call;
    T factor = (T)(-2 * c->alpha * c->beta), exponent = (T)-c->beta, sum[BLOCK_PIXELS];
    int64_t area = (int64_t)c->area, maps = (int64_t)c->maps, count;
    for (int64_t u = from; u < to; u++) {
        int64_t at = NAME(pixels)(c, u, &count);
        const T *x = (const T *)f->x + at, *y = (const T *)f->y + at, *g = (const T *)f->g + at;
        const T *scale = (const T *)f->saved_scale + at;
        T *terms = (T *)f->terms + at, *r = (T *)f->result + at;
        for (int64_t i = 0; i < maps * area; i += area) INDEPENDENT
        for (int64_t p = i; p < i + count; p++) terms[p] = g[p] * y[p] / scale[p];
        for (int64_t i = 0; i < maps; i++) {
            NAME(window_sums)(0, c, terms, i, count, sum);
            const T *v = x + i * area, *s = scale + i * area, *h = g + i * area;
            T *z = r + i * area;
            INDEPENDENT
            for (int64_t p = 0; p < count; p++) z[p] = NAME(power)(s[p], exponent) * h[p] + sum[p] * factor * v[p];
        }
    }
}

static void NAME(run_parallel)(t7_chunk *chunk, lrn *f) {
    const t7_lrn *c = f->call;
    int64_t blocks = ((int64_t)c->area + BLOCK_PIXELS - 1) / BLOCK_PIXELS;
    t7_parallel_for(chunk, f, (int64_t)c->images * blocks, 1, c->images * c->maps * c->area * sizeof(T) * 0.4);
}

void NAME(t7_lrn_forward)(const t7_lrn *call, const T *x, T *scale, T *y) {
    lrn f = {.call = call, .x = x, .scale = scale, .result = y};
    NAME(run_parallel)(NAME(forward), &f);
}

void NAME(t7_lrn_backward)(const t7_lrn *call, const T *x, const T *scale, const T *y, const T *g, T *terms, T *r) {
    lrn f = {.call = call, .x = x, .saved_scale = scale, .y = y, .g = g, .terms = terms, .result = r};
    NAME(run_parallel)(NAME(backward), &f);
}
