/* Normalization across maps of one type. */

/* The sums, or with `squared` those of squares, of map i and its neighbors, for `count` pixels. */
INLINE void NAME(neighbors)(int squared, const t7_lrn *c, const T *x, int64_t i, int64_t count, T *sum) {
    int64_t half = (int64_t)c->half, maps = (int64_t)c->maps, area = (int64_t)c->area;
    for (int64_t p = 0; p < count; p++) sum[p] = 0;
    for (int64_t j = i < half ? 0 : i - half; j <= min_i(i + half, maps - 1); j++) {
        const T *v = x + j * area;
        for (int64_t p = 0; p < count; p++) sum[p] += squared ? v[p] * v[p] : v[p];
    }
}

/* Where the pixels of a unit of work begin. */
INLINE int64_t NAME(pixels)(const t7_lrn *c, int64_t unit, int64_t *count) {
    int64_t area = (int64_t)c->area, blocks = ceil_div(area, COLUMNS), image = unit / blocks;
    int64_t at = (unit - image * blocks) * COLUMNS;
    *count = min_i(COLUMNS, area - at);
    return image * (int64_t)c->maps * area + at;
}

static void NAME(forward)(void *data, int64_t from, int64_t to) {
    const lrn *f = data;
    const t7_lrn *c = f->call;
    T alpha = (T)c->alpha, k = (T)c->k, exponent = (T)-c->beta, sum[COLUMNS];
    int64_t area = (int64_t)c->area, count;
    for (int64_t u = from; u < to; u++) {
        int64_t at = NAME(pixels)(c, u, &count);
        for (int64_t i = 0; i < (int64_t)c->maps; i++) {
            const T *x = (const T *)f->x + at + i * area;
            T *scale = (T *)f->scale + at + i * area, *y = (T *)f->result + at + i * area;
            NAME(neighbors)(1, c, (const T *)f->x + at, i, count, sum);
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
    T factor = (T)(-2 * c->alpha * c->beta), exponent = (T)-c->beta, sum[COLUMNS];
    int64_t area = (int64_t)c->area, maps = (int64_t)c->maps, count;
    for (int64_t u = from; u < to; u++) {
        int64_t at = NAME(pixels)(c, u, &count);
        const T *x = (const T *)f->x + at, *y = (const T *)f->y + at, *g = (const T *)f->g + at;
        const T *scale = (const T *)f->given + at;
        T *parts = (T *)f->parts + at, *r = (T *)f->result + at;
        for (int64_t i = 0; i < maps * area; i += area) INDEPENDENT
        for (int64_t p = i; p < i + count; p++) parts[p] = g[p] * y[p] / scale[p];
        for (int64_t i = 0; i < maps; i++) {
            NAME(neighbors)(0, c, parts, i, count, sum);
            const T *v = x + i * area, *s = scale + i * area, *h = g + i * area;
            T *z = r + i * area;
            INDEPENDENT
            for (int64_t p = 0; p < count; p++) z[p] = NAME(power)(s[p], exponent) * h[p] + sum[p] * factor * v[p];
        }
    }
}

static void NAME(share)(t7_chunk *chunk, lrn *f) {
    const t7_lrn *c = f->call;
    int64_t blocks = ((int64_t)c->area + COLUMNS - 1) / COLUMNS;
    t7_parallel_for(chunk, f, (int64_t)c->images * blocks, 1, c->images * c->maps * c->area * sizeof(T) * 0.4);
}

void NAME(t7_lrn_forward)(const t7_lrn *call, const T *x, T *scale, T *y) {
    lrn f = {.call = call, .x = x, .scale = scale, .result = y};
    NAME(share)(NAME(forward), &f);
}

void NAME(t7_lrn_backward)(const t7_lrn *call, const T *x, const T *scale, const T *y, const T *g, T *parts, T *r) {
    lrn f = {.call = call, .x = x, .given = scale, .y = y, .g = g, .parts = parts, .result = r};
    NAME(share)(NAME(backward), &f);
}
