/* Batch normalization of one type. A unit of work is a plane, or as many small planes as MAX_COLUMNS hold: their
   columns are elements of an image, the same ones in all images. */

typedef struct {
    const t7_batch_norm *call;
    int64_t images, planes, area, block; /* planes of a unit */
} NAME(norm);

/* Adds the terms of elements x and gradients g to a, and of products to b. */
INLINE void NAME(add)(enum sums kind, V x, V g, V mean, V *a, V *b) {
    V d = x - mean;
    *a = kind == ELEMENTS ? *a + x : kind == SQUARES ? fma_v(d, d, *a) : *a + g;
    if (kind == PRODUCTS) *b = fma_v(d, g, *b);
}
INLINE void NAME(add_one)(enum sums kind, T x, T g, T mean, T *a, T *b) {
    T d = x - mean;
    *a = kind == ELEMENTS ? *a + x : kind == SQUARES ? NAME(fma)(d, d, *a) : *a + g;
    if (kind == PRODUCTS) *b = NAME(fma)(d, g, *b);
}

/* The sum of a row of partial sums. */
INLINE double NAME(total)(const V *sum) {
    enum { PARTIAL_SUMS = PARTIAL_SUM_BYTES / sizeof(T) };
    T part[PARTIAL_SUMS];
    double a[PARTIAL_SUMS];
    for (int k = 0; k < PARTIAL_SUMS / LANES; k++) store(part + k * LANES, sum[k]);
    for (int i = 0; i < PARTIAL_SUMS; i++) a[i] = part[i];
    UNROLL for (int w = PARTIAL_SUMS / 2; w; w /= 2) for (int i = 0; i < w; i++) a[i] += a[i + w];
    return a[0];
}

/* The sums of a plane of n elements over images, `step` apart: a, and of products b. */
INLINE void NAME(add_plane)(enum sums kind, const T *x, const T *g, T mean, int64_t n, int64_t images, int64_t step,
                            double *a, double *b) {
    enum { PARTIAL_SUMS = PARTIAL_SUM_BYTES / sizeof(T), VECTORS = PARTIAL_SUMS / LANES };
    V m = splat(mean), zero = splat(0), others = kind == ELEMENTS ? zero : m, s[VECTORS], p[VECTORS];
    int64_t added = 0;
    *a = *b = 0;
    UNROLL for (int k = 0; k < VECTORS; k++) s[k] = p[k] = zero;
    for (; images > 0; images--, x += step, g += step) {
        for (int64_t at = 0; at < n; at += BLOCK_SIZE) {
            int64_t end = min_i(n, at + BLOCK_SIZE), i = at;
            if (added + end - at > BLOCK_SIZE) {
                *a += NAME(total)(s);
                if (kind == PRODUCTS) *b += NAME(total)(p);
                UNROLL for (int k = 0; k < VECTORS; k++) s[k] = p[k] = zero;
                added = 0;
            }
            added += end - at;
            for (; i + PARTIAL_SUMS <= end; i += PARTIAL_SUMS) UNROLL for (int k = 0; k < VECTORS; k++) {
                    int64_t j = i + k * LANES;
                    NAME(add)(kind, load(x + j), kind == PRODUCTS ? load(g + j) : zero, m, s + k, p + k);
                }
            UNROLL for (int k = 0; k < VECTORS; k++) {
                int64_t j = i + k * LANES, rest = end - j;
                if (rest >= LANES)
                    NAME(add)(kind, load(x + j), kind == PRODUCTS ? load(g + j) : zero, m, s + k, p + k);
                else if (rest > 0)
                    NAME(add)(kind, masked_load(x + j, rest, others),
                              kind == PRODUCTS ? masked_load(g + j, rest, zero) : zero, m, s + k, p + k);
            }
        }
    }
    *a += NAME(total)(s);
    if (kind == PRODUCTS) *b += NAME(total)(p);
}

/* Adds the sums of neighboring columns of rows, `step` apart, to a and b: of some vectors, or of a column. */
INLINE void NAME(add_vectors)(enum sums kind, int vectors, const T *x, const T *g, const T *mean, int64_t rows,
                              int64_t step, double *a, double *b) {
    V s[CACHE_LINE / VECTOR], p[CACHE_LINE / VECTOR], m[CACHE_LINE / VECTOR];
    UNROLL for (int k = 0; k < vectors; k++) {
        s[k] = p[k] = splat(0);
        m[k] = kind == ELEMENTS ? s[k] : load(mean + k * LANES);
    }
    for (int64_t at = 0; at < rows * step; at += step) UNROLL for (int k = 0; k < vectors; k++) {
            int64_t j = at + k * LANES;
            NAME(add)(kind, load(x + j), kind == PRODUCTS ? load(g + j) : m[k], m[k], s + k, p + k);
        }
    UNROLL for (int k = 0; k < vectors; k++) {
        add_wide(a + k * LANES, s[k]);
        if (kind == PRODUCTS) add_wide(b + k * LANES, p[k]);
    }
}
INLINE void NAME(add_column)(enum sums kind, const T *x, const T *g, T mean, int64_t rows, int64_t step, double *a,
                             double *b) {
    T s = 0, p = 0;
    for (int64_t at = 0; at < rows * step; at += step)
        NAME(add_one)(kind, x[at], kind == PRODUCTS ? g[at] : 0, mean, &s, &p);
    *a += s;
    if (kind == PRODUCTS) *b += p;
}

/* The same for `wide` columns, lines of the cache at a time. */
INLINE void NAME(add_columns)(enum sums kind, const T *x, const T *g, const T *mean, int64_t rows, int64_t step,
                              int64_t wide, double *a, double *b) {
    enum { VECTORS = CACHE_LINE / VECTOR, LINE_ELEMENTS = VECTORS * LANES };
    for (; rows > 0; rows -= BLOCK_ROWS, x += BLOCK_ROWS * step, g += BLOCK_ROWS * step) {
        int64_t n = min_i(rows, BLOCK_ROWS), j = 0;
        for (; j + LINE_ELEMENTS <= wide; j += LINE_ELEMENTS)
            NAME(add_vectors)(kind, VECTORS, x + j, g + j, mean + j, n, step, a + j, b + j);
        for (; VECTORS > 1 && j + LANES <= wide; j += LANES)
            NAME(add_vectors)(kind, 1, x + j, g + j, mean + j, n, step, a + j, b + j);
        for (; j < wide; j++)
            NAME(add_column)(kind, x + j, g + j, kind == ELEMENTS ? 0 : mean[j], n, step, a + j, b + j);
    }
}

/* Repeats the number of each plane for its columns, in whole vectors: the next plane overwrites what is too much. */
INLINE void NAME(repeat)(const T *numbers, int64_t count, int64_t area, T *to) {
    for (int64_t i = 0; i < count; i++, to += area) {
        V v = splat(numbers[i]);
        for (int64_t j = 0; j < area; j += LANES) store(to + j, v);
    }
}

/* a[i] = the sum of plane first + i over all images; of products b[i]. */
INLINE void NAME(plane_sums)(const NAME(norm) *f, enum sums kind, int64_t first, int64_t count, const T *mean,
                             double *a, double *b) {
    int64_t n = f->planes * f->area, at = first * f->area, wide = count * f->area;
    const T *x = (const T *)f->call->x + at, *g = kind == PRODUCTS ? (const T *)f->call->g + at : x;
    if (f->area >= MIN_AREA) {
        NAME(add_plane)(kind, x, g, kind == ELEMENTS ? 0 : mean[0], f->area, f->images, n, a, b);
        return;
    }
    T means[MAX_COLUMNS + LANES];
    double sums[MAX_COLUMNS], products[MAX_COLUMNS];
    for (int64_t j = 0; j < wide; j++) sums[j] = products[j] = 0;
    if (kind != ELEMENTS) NAME(repeat)(mean, count, f->area, means);
    NAME(add_columns)(kind, x, g, means, f->images, n, wide, sums, products);
    for (int64_t i = 0; i < count; i++) {
        a[i] = sum_of(sums + i * f->area, f->area);
        if (kind == PRODUCTS) b[i] = sum_of(products + i * f->area, f->area);
    }
}

/* (x - mean) slope + shift, with gradients plus g factor. */
INLINE V NAME(normalize_vector)(int with_gradient, V x, V g, V mean, V slope, V shift, V factor) {
    V z = fma_v(x - mean, slope, shift);
    return with_gradient ? fma_v(g, factor, z) : z;
}

/* The same for a plane of at least a vector; in place, too. */
INLINE void NAME(normalize_plane)(int with_gradient, const T *x, const T *g, T mean, T slope, T shift, T factor,
                                  int64_t n, T *z) {
    V m = splat(mean), s = splat(slope), b = splat(shift), c = splat(factor);
    int64_t end = n - LANES;
    V last = NAME(normalize_vector)(with_gradient, load(x + end), load(g + end), m, s, b, c);
    for (int64_t i = 0; i < end; i += LANES)
        store(z + i, NAME(normalize_vector)(with_gradient, load(x + i), load(g + i), m, s, b, c));
    store(z + end, last);
}

/* The same for columns of rows. */
INLINE void NAME(normalize_columns)(int with_gradient, const T *x, const T *g, const T *mean, const T *slope,
                                    const T *shift, const T *factor, int64_t rows, int64_t step, int64_t wide, T *z) {
    for (; rows > 0; rows--, x += step, g += step, z += step) {
        int64_t j = 0;
        for (; j + LANES <= wide; j += LANES) {
            V m = load(mean + j);
            store(z + j,
                  NAME(normalize_vector)(with_gradient, load(x + j), with_gradient ? load(g + j) : m, m,
                                         load(slope + j), load(shift + j), with_gradient ? load(factor + j) : m));
        }
        for (; j < wide; j++) {
            T v = NAME(fma)(x[j] - mean[j], slope[j], shift[j]);
            z[j] = with_gradient ? NAME(fma)(g[j], factor[j], v) : v;
        }
    }
}

/* The same for planes of all images, each with its numbers. */
INLINE void NAME(normalize_planes)(const NAME(norm) *f, int with_gradient, int64_t first, int64_t count, const T *x,
                                   const T *g, const T *mean, const T *slope, const T *shift, const T *factor, T *z) {
    int64_t n = f->planes * f->area, at = first * f->area, wide = count * f->area;
    x += at, g += at, z += at;
    if (f->area >= MIN_AREA) {
        for (int64_t s = 0; s < f->images * n; s += n)
            NAME(normalize_plane)(with_gradient, x + s, g + s, *mean, *slope, *shift, with_gradient ? *factor : 0,
                                  f->area, z + s);
    } else if (f->area == 1) {
        NAME(normalize_columns)(with_gradient, x, g, mean, slope, shift, factor, f->images, n, wide, z);
    } else {
        T row[4][MAX_COLUMNS + LANES];
        NAME(repeat)(mean, count, f->area, row[0]);
        NAME(repeat)(slope, count, f->area, row[1]);
        NAME(repeat)(shift, count, f->area, row[2]);
        if (with_gradient) NAME(repeat)(factor, count, f->area, row[3]);
        NAME(normalize_columns)(with_gradient, x, g, row[0], row[1], row[2], row[3], f->images, n, wide, z);
    }
}

/* One over standard deviations. */
INLINE void NAME(inverse_stds)(const T *variance, double eps, int64_t count, double *inverse) {
    INDEPENDENT
    for (int64_t i = 0; i < count; i++) inverse[i] = 1 / sqrt(variance[i] + eps);
}

static void NAME(run_forward)(void *data, int64_t from, int64_t to) {
    const NAME(norm) *f = data;
    const t7_batch_norm *c = f->call;
    const T *weight = c->weight, *bias = c->bias, *x = c->x;
    T *save_mean = c->save_mean, *save_std = c->save_std, *running_mean = c->running_mean;
    T *running_var = c->running_var, mean[MAX_COLUMNS], slope[MAX_COLUMNS], shift[MAX_COLUMNS];
    double total = (double)f->images * f->area, momentum = c->momentum, sums[MAX_COLUMNS], squares[MAX_COLUMNS],
           none[MAX_COLUMNS];
    double inverse[MAX_COLUMNS];
    for (int64_t u = from; u < to; u++) {
        int64_t first = u * f->block, count = min_i(f->block, f->planes - first);
        if (c->train) {
            NAME(plane_sums)(f, ELEMENTS, first, count, mean, sums, none);
            INDEPENDENT
            for (int64_t i = 0; i < count; i++) mean[i] = (T)(sums[i] / total);
            NAME(plane_sums)(f, SQUARES, first, count, mean, squares, none);
            T *means = save_mean + first, *inverse_stds = save_std + first;
            T *running = running_mean + first, *variances = running_var + first;
            INDEPENDENT
            for (int64_t i = 0; i < count; i++) {
                inverse[i] = 1 / sqrt(squares[i] / total + c->eps);
                means[i] = mean[i], inverse_stds[i] = (T)inverse[i];
                running[i] = (T)(momentum * (sums[i] / total) + (1 - momentum) * running[i]);
                variances[i] = (T)(momentum * (squares[i] / (total - 1)) + (1 - momentum) * variances[i]);
            }
        } else {
            memcpy(mean, running_mean + first, count * sizeof *mean);
            NAME(inverse_stds)(running_var + first, c->eps, count, inverse);
        }
        for (int64_t i = 0; i < count; i++) {
            slope[i] = (T)(weight ? inverse[i] * weight[first + i] : inverse[i]);
            shift[i] = weight ? bias[first + i] : 0;
        }
        NAME(normalize_planes)(f, 0, first, count, x, x, mean, slope, shift, 0, c->y);
    }
}

static void NAME(run_backward)(void *data, int64_t from, int64_t to) {
    const NAME(norm) *f = data;
    const t7_batch_norm *c = f->call;
    const T *weight = c->weight, *x = c->x, *g = c->g, *save_std = c->save_std, *running_var = c->running_var;
    const T *means = c->train ? c->save_mean : c->running_mean;
    T *grad_weight = c->grad_weight, *grad_bias = c->grad_bias;
    T zeros[MAX_COLUMNS] = {0}, slope[MAX_COLUMNS], shift[MAX_COLUMNS], factor[MAX_COLUMNS];
    double total = (double)f->images * f->area, sums[MAX_COLUMNS] = {0}, products[MAX_COLUMNS] = {0};
    double inverse[MAX_COLUMNS];
    for (int64_t u = from; u < to; u++) {
        int64_t first = u * f->block, count = min_i(f->block, f->planes - first);
        if (c->train || grad_weight || grad_bias)
            NAME(plane_sums)(f, PRODUCTS, first, count, means + first, sums, products);
        for (int64_t i = 0; c->train && i < count; i++) inverse[i] = save_std[first + i];
        if (!c->train) NAME(inverse_stds)(running_var + first, c->eps, count, inverse);
        INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            double scale = weight ? inverse[i] * weight[first + i] : inverse[i];
            factor[i] = (T)scale, shift[i] = (T)(-scale * sums[i] / total);
            slope[i] = (T)(-scale * inverse[i] * inverse[i] * products[i] / total);
        }
        for (int64_t i = 0; grad_weight && i < count; i++)
            grad_weight[first + i] = (T)(grad_weight[first + i] + c->scale * inverse[i] * products[i]);
        for (int64_t i = 0; grad_bias && i < count; i++)
            grad_bias[first + i] = (T)(grad_bias[first + i] + c->scale * sums[i]);
        if (c->r && c->train)
            NAME(normalize_planes)(f, 1, first, count, x, g, means + first, slope, shift, factor, c->r);
        else if (c->r)
            /* The running statistics do not depend on the input. */
            NAME(normalize_planes)(f, 0, first, count, g, g, zeros, factor, zeros, 0, c->r);
    }
}

static void NAME(run_parallel)(t7_chunk *chunk, const t7_batch_norm *c, double nanoseconds) {
    double elements = c->images * c->planes * c->area;
    if (!(elements > 0)) return;
    NAME(norm) f = {c, (int64_t)c->images, (int64_t)c->planes, (int64_t)c->area, 1};
    if (f.area < MIN_AREA) f.block = MAX_COLUMNS / f.area;
    t7_parallel_for(chunk, &f, ceil_div(f.planes, f.block), 1, elements * nanoseconds * sizeof(T));
}

void NAME(t7_batch_norm_forward)(const t7_batch_norm *call) { NAME(run_parallel)(NAME(run_forward), call, 0.06); }

void NAME(t7_batch_norm_backward)(const t7_batch_norm *call) { NAME(run_parallel)(NAME(run_backward), call, 0.08); }
