/* Pooling of one type. */

/* The first n elements of x, at most a vector. */
INLINE V NAME(load_prefix)(const T *x, int64_t n) { return n >= LANES ? load(x) : load_range(x, 0, n, (V){}); }

/* Element number k of n windows, at most a vector: those `step` apart from position `at` of a row on, and `outside` at
   places before and behind the row. Nothing is outside if `inside`: then the first element of each window lies in the
   row as well. */
INLINE V NAME(window_elements)(const T *row, int64_t size, int inside, int64_t n, int64_t k, int64_t at, int64_t step,
                               V outside) {
    const T *x = row + at;
    if (inside && step == 1) return NAME(load_prefix)(x, n);
    if (inside && step == 2 && k)
        return odds(NAME(load_prefix)(x - 1, 2 * n), NAME(load_prefix)(x - 1 + LANES, 2 * n - LANES));
    if (inside && step == 2) return evens(NAME(load_prefix)(x, 2 * n), NAME(load_prefix)(x + LANES, 2 * n - LANES));
    if (step == 1) return load_range(x, -at, min_i(n, size - at), outside);
    if (step == 2) {
        int64_t end = min_i(2 * n - 1, size - at);
        return evens(load_range(x, -at, end, outside), load_range(x + LANES, -at - LANES, end - LANES, outside));
    }
    for (int i = 0; i < n; i++)
        if (at + i * step >= 0 && at + i * step < size) outside[i] = x[i * step];
    return outside;
}

INLINE MASK NAME(min_m)(MASK a, MASK b) {
    MASK less = a < b;
    return (less & a) | (~less & b);
}

/* The elements that windows have in a row, from positions `from` on, see `extent`. */
INLINE V NAME(row_extents)(const t7_pool_call *c, MASK from) {
    BITS size = (BITS)c->size[2];
    MASK to = NAME(min_m)(from + (BITS)c->kernel[2], (MASK){} + size + (BITS)c->pad[2]);
    if (c->shape->divide == 1) to = NAME(min_m)(to, (MASK){} + size), from &= from > 0;
    return __builtin_convertvector(to - from, V);
}

/* The windows of a row of results: `rows` of them in a column, of which each has the elements from begin[d] to
   end[d] - 1 in dimension d; the first ones are in row `first` of the plane. */
typedef struct {
    int64_t begin[2], end[2], first, rows;
} NAME(windows);

/* n results of a row from number x on, at most a vector, whose windows have `taps` elements in a row of the plane. They
   all lie within it if `inside`. */
INLINE void NAME(pool_vector)(const t7_pool_call *c, int is_max, int inside, int64_t n, int64_t taps, int64_t step,
                              const T *plane, const NAME(windows) *w, int64_t x, T *result, int64_t *index) {
    int relative = c->shape->relative;
    int64_t gap = c->dilation[2], from = x * step - c->pad[2];
    BITS next = (BITS)(relative ? 1 : gap);
    V outside = splat(is_max ? NAME(LOWEST) : 0), best = outside;
    MASK found = (MASK){} - (BITS)relative, number;
    for (int i = 0; i < LANES; i++) number[i] = i * (BITS)step;
    for (int64_t k = w->begin[0]; k < w->end[0]; k++)
        for (int64_t l = w->begin[1]; l < w->end[1]; l++) {
            int64_t row = (w->first + k * c->dilation[0] * c->size[1] + l * c->dilation[1]) * c->size[2];
            BITS first = (BITS)(relative ? (k * c->kernel[1] + l) * taps : row + from + 1);
            MASK at = relative ? (MASK){} + first : number + first;
            for (int64_t i = 0; i < taps; i++, at += next) {
                V a = NAME(window_elements)(plane + row, c->size[2], inside, n, i, from + i * gap, step, outside);
                if (is_max) found = (MASK)blend_greater(a, best, (V)at, (V)found);
                best = is_max ? blend_greater(a, best, a, best) : best + a;
            }
        }
    if (!is_max && c->shape->divide && inside) best /= (T)(w->rows * taps);
    if (!is_max && c->shape->divide && !inside) best /= (T)w->rows * NAME(row_extents)(c, number + (BITS)from);
    if (n == LANES)
        store(result + x, best);
    else
        masked_store(result + x, n, best);
    BITS indices[LANES];
    memcpy(indices, &found, VECTOR);
    if (is_max)
        for (int i = 0; i < n; i++) index[x + i] = indices[i];
}

/* A row of results of a plane: vectors, the last of which may overlap the one before. */
INLINE void NAME(pool_row)(const t7_pool_call *c, int is_max, int64_t taps, int64_t step, const T *plane, int64_t t,
                           int64_t y, T *result, int64_t *index) {
    NAME(windows) w;
    w.first = clip_window(c, 0, t, w.begin, w.end) * c->size[1] + clip_window(c, 1, y, w.begin + 1, w.end + 1);
    w.rows = is_max ? 1 : extent(c, 0, t) * extent(c, 1, y);
    int64_t n = c->out[2], begin = c->inside[0], end = c->inside[1];
    if (n < LANES && begin == 0 && end == n)
        NAME(pool_vector)(c, is_max, 1, n, taps, step, plane, &w, 0, result, index);
    else if (n < LANES)
        NAME(pool_vector)(c, is_max, 0, n, taps, step, plane, &w, 0, result, index);
    else
        for (int64_t x = 0; x < n; x += LANES) {
            x = min_i(x, n - LANES);
            if (x >= begin && x + LANES <= end)
                NAME(pool_vector)(c, is_max, 1, LANES, taps, step, plane, &w, x, result, index);
            else
                NAME(pool_vector)(c, is_max, 0, LANES, taps, step, plane, &w, x, result, index);
        }
}

INLINE void NAME(pool_rows)(const t7_pool_call *c, int is_max, int64_t taps, int64_t step, int64_t from, int64_t to) {
    int64_t at = from * c->outputs;
    for (int64_t p = from; p < to; p++)
        for (int64_t t = 0; t < c->out[0]; t++)
            for (int64_t y = 0; y < c->out[1]; y++, at += c->out[2])
                NAME(pool_row)(c, is_max, taps, step, (const T *)c->from + p * c->area, t, y, (T *)c->to + at,
                               is_max ? c->index + at : 0);
}

/* The same with constants for common windows. */
INLINE void NAME(pool_common_rows)(const t7_pool_call *c, int is_max, int64_t from, int64_t to) {
    int64_t taps = c->kernel[2], step = c->stride[2];
    if (step == 1)
        NAME(pool_rows)(c, is_max, taps, 1, from, to);
    else if (step == 2 && taps == 2)
        NAME(pool_rows)(c, is_max, 2, 2, from, to);
    else if (step == 2)
        NAME(pool_rows)(c, is_max, taps, 2, from, to);
    else
        NAME(pool_rows)(c, is_max, taps, step, from, to);
}

static void NAME(run_rows)(void *data, int64_t from, int64_t to) {
    const t7_pool_call *c = data;
    if (c->is_max)
        NAME(pool_common_rows)(c, 1, from, to);
    else
        NAME(pool_common_rows)(c, 0, from, to);
}

/* Adds n neighbours of each plane, one after the other; planes are an area apart. */
INLINE void NAME(add_runs)(const T *x, int64_t area, int64_t n, NAME(square_row) *sums) {
    int64_t i = 0;
    for (; i + SQUARE <= n; i += SQUARE) UNROLL for (int g = 0; g < MAX_PLANES / SQUARE; g++) {
            NAME(square_row) r[SQUARE];
            UNROLL for (int j = 0; j < SQUARE; j++) memcpy(r + j, x + (g * SQUARE + j) * area + i, sizeof *r);
            NAME(transpose)(r);
            UNROLL for (int j = 0; j < SQUARE; j++) sums[g] += r[j];
        }
    for (; i < n; i++) UNROLL for (int g = 0; g < MAX_PLANES / SQUARE; g++) {
            NAME(square_row) r;
            UNROLL for (int j = 0; j < SQUARE; j++) r[j] = x[(g * SQUARE + j) * area + i];
            sums[g] += r;
        }
}

/* One average of each of `planes` planes, which are independent sums. */
INLINE void NAME(average_one)(const t7_pool_call *c, int planes, const T *plane, int64_t t, int64_t y, int64_t x,
                              T *result) {
    int64_t k[3], end[3], from[3], o[3] = {t, y, x};
    for (int d = 0; d < 3; d++) from[d] = clip_window(c, d, o[d], &k[d], &end[d]);
    NAME(square_row) all[MAX_PLANES / SQUARE] = {};
    T sums[MAX_PLANES] = {0};
    int in_runs = planes == MAX_PLANES && c->dilation[2] == 1;
    for (int64_t begin = k[1]; k[0] < end[0]; k[0]++)
        for (k[1] = begin; k[1] < end[1]; k[1]++) {
            int64_t row = (from[0] + k[0] * c->dilation[0]) * c->size[1] + from[1] + k[1] * c->dilation[1];
            const T *v = plane + row * c->size[2] + from[2];
            if (in_runs) NAME(add_runs)(v + k[2], c->area, end[2] - k[2], all);
            for (int64_t i = k[2]; i < end[2] && !in_runs; i++)
                UNROLL for (int j = 0; j < planes; j++) sums[j] += v[j * c->area + i * c->dilation[2]];
        }
    if (in_runs) memcpy(sums, all, sizeof all);
    T count = (T)(c->shape->divide ? extent(c, 0, t) * extent(c, 1, y) * extent(c, 2, x) : 1);
    for (int j = 0; j < planes; j++) result[j * c->outputs] = sums[j] / count;
}

/* Averages of `planes` planes from number p on, one by one. */
INLINE void NAME(average_planes)(const t7_pool_call *c, int planes, int64_t p) {
    T *result = (T *)c->to + p * c->outputs;
    for (int64_t t = 0; t < c->out[0]; t++)
        for (int64_t y = 0; y < c->out[1]; y++)
            for (int64_t x = 0; x < c->out[2]; x++)
                NAME(average_one)(c, planes, (const T *)c->from + p * c->area, t, y, x, result++);
}

static void NAME(run_single_averages)(void *data, int64_t p, int64_t to) {
    const t7_pool_call *c = data;
    for (; p + MAX_PLANES <= to; p += MAX_PLANES) NAME(average_planes)(c, MAX_PLANES, p);
    for (; p < to; p++) NAME(average_planes)(c, 1, p);
}

/* Divides the planes of a call, `unit` of them at least, by the time that an element of a window takes. */
static void NAME(run_parallel)(t7_chunk *f, t7_pool_call *c, int64_t unit, double nanoseconds) {
    double windows = (double)c->kernel[0] * c->kernel[1] * c->kernel[2] * c->outputs;
    t7_parallel_for(f, c, (int64_t)c->shape->planes, unit,
                    c->shape->planes * (windows * nanoseconds + 0.5 * c->outputs + 0.2 * c->area));
}

void NAME(t7_max_pool)(const t7_pooling *shape, const T *x, T *y, int64_t *index) {
    t7_pool_call c = {.from = x, .to = y, .index = index, .is_max = 1};
    set_call(&c, shape);
    NAME(run_parallel)(NAME(run_rows), &c, 1, 0.3);
}

void NAME(t7_average_pool)(const t7_pooling *shape, const T *x, T *y) {
    t7_pool_call c = {.from = x, .to = y};
    set_call(&c, shape);
    if (c.out[2] < MIN_AVERAGES)
        NAME(run_parallel)(NAME(run_single_averages), &c, MAX_PLANES, 0.2);
    else
        NAME(run_parallel)(NAME(run_rows), &c, 1, 0.2);
}

/* to = n sums of a row of each plane, from number `first` on, divided by the elements of their windows, `rows` of them
   in a column, if they are to be. */
INLINE void NAME(divide_rows)(const t7_pool_call *c, int64_t rows, int64_t planes, int64_t first, int64_t n,
                              const T *from, T *to) {
    int64_t begin = 0, end = n, x = first * c->stride[2] - c->pad[2];
    T all = (T)(c->shape->divide ? rows * c->kernel[2] : 1);
    if (c->shape->divide) {
        clip(x, c->stride[2], c->size[2], &begin, &end);
        clip(x + c->kernel[2] - 1, c->stride[2], c->size[2], &begin, &end);
        if (begin >= end) begin = end = n;
    }
    for (int64_t p = 0; p < planes; p++, from += c->outputs, to += n) {
        for (int64_t i = 0; i < begin; i++) to[i] = from[i] / (T)(rows * extent(c, 2, first + i));
        for (int64_t i = begin; i < end; i++) to[i] = from[i] / all;
        for (int64_t i = end; i < n; i++) to[i] = from[i] / (T)(rows * extent(c, 2, first + i));
    }
}

/* Adds n gradients of each plane to all elements of their windows; rows of planes are an area apart. */
INLINE void NAME(scatter_windows)(int64_t kernel, int64_t step, int64_t planes, const T *g, int64_t n, int64_t area,
                                  T *row) {
    for (int64_t p = 0; p < planes; p++, row += area, g += n)
        for (int64_t i = 0; i < n; i++)
            for (int64_t k = 0; k < kernel; k++) row[i * step + k] += g[i];
}

/* Adds n gradients to the elements of a row of x: the last element of each window first, so that an element takes those
   of its windows in order. */
INLINE void NAME(scatter_row)(const t7_pool_call *c, const T *g, int64_t n, int64_t x, T *row) {
    int64_t step = c->stride[2], gap = c->dilation[2], kernel = c->kernel[2];
    if (n < MIN_ROW) {
        for (int64_t i = 0; i < n; i++) {
            int64_t k = 0, end = kernel;
            T *to = row + x + i * step;
            clip(x + i * step, gap, c->size[2], &k, &end);
            for (; k < end; k++) to[k * gap] += g[i];
        }
        return;
    }
    for (int64_t k = kernel - 1; k >= 0; k--) {
        int64_t begin = 0, end = n;
        clip(x + k * gap, step, c->size[2], &begin, &end);
        T *to = row + x + k * gap;
        if (step == 1) INDEPENDENT
        for (int64_t i = begin; i < end; i++) to[i] += g[i];
        else INDEPENDENT
        for (int64_t i = begin; i < end; i++) to[i * step] += g[i];
    }
}

/* The same for a row of each plane. */
INLINE void NAME(scatter_rows)(const t7_pool_call *c, int64_t planes, const T *g, int64_t n, int64_t first, T *row) {
    int64_t step = c->stride[2], x = first * step - c->pad[2], kernel = c->kernel[2], area = c->area;
    int inside = c->dilation[2] == 1 && first >= c->inside[0] && first + n <= c->inside[1];
    if (inside && step == 2 && kernel == 2)
        NAME(scatter_windows)(2, 2, planes, g, n, area, row + x);
    else if (inside && step == 2 && kernel == 3)
        NAME(scatter_windows)(3, 2, planes, g, n, area, row + x);
    else if (inside && n < MIN_ROW)
        NAME(scatter_windows)(kernel, step, planes, g, n, area, row + x);
    else
        for (int64_t p = 0; p < planes; p++) NAME(scatter_row)(c, g + p * n, n, x, row + p * area);
}

/* Adds the gradients of a row of averages of each plane, number b of its slice a, to the elements of their windows. */
INLINE void NAME(average_rows_back)(const t7_pool_call *c, int64_t planes, int64_t a, int64_t b, const T *rows,
                                    T *plane) {
    int64_t k[2], end[2], t = clip_window(c, 0, a, k, end), y = clip_window(c, 1, b, k + 1, end + 1);
    T g[BLOCK];
    for (int64_t first = 0; first < c->out[2]; first += BLOCK) {
        int64_t n = min_i(c->out[2] - first, BLOCK);
        NAME(divide_rows)(c, extent(c, 0, a) * extent(c, 1, b), planes, first, n, rows + first, g);
        for (int64_t kt = k[0]; kt < end[0]; kt++)
            for (int64_t ky = k[1]; ky < end[1]; ky++) {
                int64_t at = (t + kt * c->dilation[0]) * c->size[1] + y + ky * c->dilation[1];
                NAME(scatter_rows)(c, planes, g, n, first, plane + at * c->size[2]);
            }
    }
}

/* A row of as many planes at once as stay in the cache, and as there is space for gradients. */
static void NAME(run_average_back)(void *data, int64_t from, int64_t to) {
    const t7_pool_call *c = data;
    int64_t step = max_i(min_i(CACHED / c->area, BLOCK / c->out[2]), 1);
    for (int64_t p = from; p < to; p += step) {
        int64_t planes = min_i(step, to - p);
        const T *rows = (const T *)c->from + p * c->outputs;
        T *plane = (T *)c->to + p * c->area;
        memset(plane, 0, planes * c->area * sizeof *plane);
        for (int64_t a = 0; a < c->out[0]; a++)
            for (int64_t b = 0; b < c->out[1]; b++, rows += c->out[2])
                NAME(average_rows_back)(c, planes, a, b, rows, plane);
    }
}

void NAME(t7_average_pool_back)(const t7_pooling *shape, const T *y, T *x) {
    t7_pool_call c = {.from = y, .to = x};
    set_call(&c, shape);
    NAME(run_parallel)(NAME(run_average_back), &c, 1, 0.4);
}

/* Indices may change meanwhile: each is read once, checked and used. */
static void NAME(run_max_back)(void *data, int64_t from, int64_t to) {
    t7_pool_call *c = data;
    uint64_t area = (uint64_t)c->area, wrong = 0;
    int64_t n = c->outputs;
    for (int64_t p = from; p < to; p++) {
        T *plane = (T *)c->to + p * c->area;
        const T *g = (const T *)c->from + p * n;
        const int64_t *index = c->indices + p * n;
        memset(plane, 0, c->area * sizeof *plane);
        for (int64_t q = 0; q < n; q++) {
            uint64_t i = (uint64_t)index[q] - 1;
            if (__builtin_expect(i < area, 1))
                plane[i] += g[q];
            else
                wrong |= i + 1;
        }
    }
    if (wrong) __atomic_store_n(&c->is_wrong, 1, __ATOMIC_RELAXED);
}

/* Relative indices are of windows of one column. */
static void NAME(run_max_back_relative)(void *data, int64_t from, int64_t to) {
    t7_pool_call *c = data;
    int is_wrong = 0;
    for (int64_t p = from; p < to; p++) {
        T *plane = (T *)c->to + p * c->area;
        const T *g = (const T *)c->from + p * c->outputs;
        const int64_t *index = c->indices + p * c->outputs;
        memset(plane, 0, c->area * sizeof *plane);
        for (int64_t o = 0; o < c->out[1]; o++)
            for (int64_t x = 0; x < c->out[2]; x++, g++) {
                int64_t i = *index++, y = o * c->stride[1] - c->pad[1] + i * c->dilation[1];
                if ((uint64_t)i < (uint64_t)c->kernel[1] && (uint64_t)y < (uint64_t)c->size[1])
                    plane[y * c->size[2] + x] += *g;
                else
                    is_wrong |= i != -1;
            }
    }
    if (is_wrong) __atomic_store_n(&c->is_wrong, 1, __ATOMIC_RELAXED);
}

int NAME(t7_max_pool_back)(const t7_pooling *shape, const T *y, const int64_t *index, T *x) {
    t7_pool_call c = {.from = y, .to = x, .indices = index};
    set_call(&c, shape);
    t7_parallel_for(shape->relative ? NAME(run_max_back_relative) : NAME(run_max_back), &c, (int64_t)shape->planes, 1,
                    shape->planes * (c.area * 0.2 + c.outputs * 1.2));
    return !c.is_wrong;
}

int NAME(t7_unpool)(double planes, double from, double to, const T *x, const int64_t *index, T *y) {
    int64_t count = (int64_t)from, area = (int64_t)to, is_valid = 1;
    for (int64_t p = 0; p < (int64_t)planes; p++, x += count, index += count, y += area) {
        memset(y, 0, area * sizeof *y);
        for (int64_t q = 0; q < count; q++) {
            uint64_t at = (uint64_t)index[q] - 1;
            if (at < (uint64_t)area)
                y[at] = x[q];
            else
                is_valid = 0;
        }
    }
    return (int)is_valid;
}

int NAME(t7_unpool_back)(double planes, double from, double to, const T *y, const int64_t *index, T *x) {
    int64_t count = (int64_t)from, area = (int64_t)to, is_valid = 1;
    for (int64_t p = 0; p < (int64_t)planes; p++, x += count, index += count, y += area)
        for (int64_t q = 0; q < count; q++) {
            uint64_t at = (uint64_t)index[q] - 1;
            if (at < (uint64_t)area)
                x[q] = y[at];
            else
                is_valid = 0;
        }
    return (int)is_valid;
}
