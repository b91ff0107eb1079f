/* SoftMax of one type. The largest element is subtracted first, so that no exponential overflows. */

/* exp(x - shift) of a block; and of n elements, fewer than a block, followed by numbers that do not change sums. */
INLINE void NAME(exp_shifted)(const T *x, T shift, T *z) {
    T block[WIDTH];
    V a = splat(shift);
    UNROLL for (int i = 0; i < WIDTH; i += LANES) store(block + i, NAME(clamp)(load(x + i) - a));
    NAME(exp_block)(block, z);
}
INLINE void NAME(exp_tail)(const T *x, int64_t n, T shift, T *z) {
    T block[WIDTH];
    V others = splat(-700), a = splat(shift);
    UNROLL for (int i = 0; i < WIDTH; i += LANES) {
        int64_t rest = n - i;
        V v = rest >= LANES ? load(x + i) - a : rest > 0 ? masked_load(x + i, rest, others) - a : others;
        store(block + i, NAME(clamp)(v));
    }
    NAME(exp_block)(block, z);
}

/* Stores a vector, or the first n of its elements. */
INLINE void NAME(store_up_to)(T *z, int64_t n, V v) {
    if (n >= LANES)
        store(z, v);
    else
        masked_store(z, n, v);
}

INLINE T NAME(largest_lane)(V m) {
    T lane[LANES];
    store(lane, m);
    UNROLL for (int w = LANES / 2; w; w /= 2) UNROLL for (int i = 0; i < w; i++) lane[i] =
        lane[i] > lane[i + w] ? lane[i] : lane[i + w];
    return lane[0];
}

/* The largest of n elements. */
INLINE T NAME(largest)(const T *x, int64_t n) {
    V m[4];
    UNROLL for (int k = 0; k < 4; k++) m[k] = splat(-INFINITY);
    if (n < LANES) return NAME(largest_lane)(masked_load(x, n, m[0]));
    int64_t i = 0;
    for (; i + 4 * LANES <= n; i += 4 * LANES)
        UNROLL for (int k = 0; k < 4; k++) m[k] = max_v(m[k], load(x + i + k * LANES));
    /* The last vector overlaps the one before. */
    for (; i < n; i += LANES) m[0] = max_v(m[0], load(x + min_i(i, n - LANES)));
    return NAME(largest_lane)(max_v(max_v(m[0], m[1]), max_v(m[2], m[3])));
}

/* The sum of WIDTH partial sums. */
INLINE double NAME(fold)(const V *sum) {
    T part[WIDTH];
    double a[WIDTH];
    for (int k = 0; k < WIDTH / LANES; k++) store(part + k * LANES, sum[k]);
    for (int i = 0; i < WIDTH; i++) a[i] = part[i];
    UNROLL for (int w = WIDTH / 2; w; w /= 2) for (int i = 0; i < w; i++) a[i] += a[i + w];
    return a[0];
}

/* The sum of exp(x - largest) of a block, and those exponentials to z unless it is null. */
INLINE double NAME(add_exp)(const T *x, int64_t n, T largest, T *z) {
    V sum[WIDTH / LANES];
    UNROLL for (int k = 0; k < WIDTH / LANES; k++) sum[k] = splat(0);
    T block[WIDTH];
    int64_t i = 0;
    for (; i + WIDTH <= n; i += WIDTH) {
        NAME(exp_shifted)(x + i, largest, block);
        UNROLL for (int k = 0; k < WIDTH / LANES; k++) {
            V e = load(block + k * LANES);
            sum[k] += e;
            if (z) store(z + i + k * LANES, e);
        }
    }
    if (i < n) {
        NAME(exp_tail)(x + i, n - i, largest, block);
        UNROLL for (int k = 0; k < WIDTH / LANES; k++) sum[k] += load(block + k * LANES);
        for (int k = 0; z && i < n; k += LANES, i += LANES) NAME(store_up_to)(z + i, n - i, load(block + k));
    }
    return NAME(fold)(sum);
}

/* The sum of g y, or of g where y is null, in doubles, which differ from Floats where terms cancel: of short rows in
   order, of others in WIDTH partial sums. */
INLINE double NAME(add_products)(const T *g, const T *y, int64_t n) {
    enum { VECTORS = WIDTH / DOUBLES };
    double total = 0, part[DOUBLES];
    int64_t i = 0;
    if (n > WIDTH) {
        doubles sum[VECTORS];
        UNROLL for (int k = 0; k < VECTORS; k++) sum[k] = broadcast(0);
        for (; i + WIDTH <= n; i += WIDTH) UNROLL for (int k = 0; k < VECTORS; k++) {
                doubles v = NAME(widen)(NAME(load_quad)(g + i + k * DOUBLES));
                sum[k] += y ? v * NAME(widen)(NAME(load_quad)(y + i + k * DOUBLES)) : v;
            }
        UNROLL for (int w = VECTORS / 2; w; w /= 2) UNROLL for (int k = 0; k < w; k++) sum[k] += sum[k + w];
        store_quad_Double(part, sum[0]);
        UNROLL for (int w = DOUBLES / 2; w; w /= 2) UNROLL for (int k = 0; k < w; k++) part[k] += part[k + w];
        total = part[0];
    }
    for (; i < n; i++) total += y ? (double)g[i] * y[i] : g[i];
    return total;
}

/* The logarithm of an element's part in a row, from its largest element and the logarithm of the sum. */
#define LOG_PART(x, largest, log_sum) (sizeof(T) == 8 ? (x) - ((largest) + (log_sum)) : ((x) - (largest)) - (log_sum))

/* The results of n elements of a row, from its largest element and its normalizer: the logarithm of the sum, or one
   over the sum. */
INLINE void NAME(normalize)(int logarithm, const T *x, int64_t n, T largest, T normalizer, T *z) {
    V a = splat(largest), b = splat(normalizer), zero = splat(0);
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES) store(z + i, logarithm ? LOG_PART(load(x + i), a, b) : load(z + i) * b);
    int64_t rest = n - i;
    if (!rest) return;
    masked_store(z + i, rest,
                 logarithm ? LOG_PART(masked_load(x + i, rest, zero), a, b) : masked_load(z + i, rest, zero) * b);
}

/* Gradients of logarithms, g - exp(y) sum, each with a sum of its own or all with one. */
INLINE void NAME(subtract_exp)(const T *y, const T *g, const T *sum, const int has_one, int64_t n, T *z) {
    T sums[WIDTH], results[WIDTH];
    for (int k = 0; k < WIDTH; k++) sums[k] = *sum;
    int64_t i = 0;
    for (; i + WIDTH <= n; i += WIDTH) {
        NAME(subtract_exp_block)(y + i, g + i, has_one ? sums : sum + i, results);
        UNROLL for (int k = 0; k < WIDTH; k += LANES) store(z + i + k, load(results + k));
    }
    if (i == n) return;
    T last_y[WIDTH] = {0}, last_g[WIDTH] = {0};
    for (int k = 0; k < n - i; k++) {
        last_y[k] = y[i + k], last_g[k] = g[i + k];
        if (!has_one) sums[k] = sum[i + k];
    }
    NAME(subtract_exp_block)(last_y, last_g, sums, results);
    for (int k = 0; i < n; i++, k++) z[i] = results[k];
}

/* y (g - sum), in doubles. */
INLINE void NAME(scale_differences)(const T *y, const T *g, int64_t n, double sum, T *z) {
    doubles a = broadcast(sum);
    int64_t i = 0;
    for (; i + DOUBLES <= n; i += DOUBLES) {
        doubles v = NAME(widen)(NAME(load_quad)(y + i)) * (NAME(widen)(NAME(load_quad)(g + i)) - a);
        NAME(store_rounded)(z + i, v);
    }
    for (; i < n; i++) z[i] = (T)(y[i] * (g[i] - sum));
}

INLINE void NAME(gradient)(int logarithm, const T *y, const T *g, int64_t n, double sum, T *z) {
    T total = (T)sum;
    if (logarithm) {
        NAME(subtract_exp)(y, g, &total, 1, n, z);
    } else {
        NAME(scale_differences)(y, g, n, sum, z);
    }
}

INLINE T NAME(normalizer_of)(int logarithm, double total) { return (T)(logarithm ? log_d(total) : 1 / total); }

/* Repeats the number of each row for its n elements, in whole vectors: the next row overwrites what is too much. */
INLINE void NAME(repeat)(const T *number, int64_t n, int64_t count, T *to) {
    for (int64_t r = 0; r < count; r++, to += n)
        for (int64_t k = 0; k < n; k += LANES) store(to + k, splat(number[r]));
}

/* Short rows, whose exponentials are computed together. */
INLINE void NAME(short_rows)(int logarithm, const T *x, int64_t n, int64_t count, T *z) {
    T largest[MAX_ROWS], normalizer[MAX_ROWS], all_largest[MAX_ROWS * WIDTH + WIDTH],
        normalizers[MAX_ROWS * WIDTH + WIDTH], e[MAX_ROWS * WIDTH + WIDTH];
    double total[MAX_ROWS];
    int64_t i = 0, all = n * count;
    for (int64_t r = 0; r < count; r++) largest[r] = NAME(largest)(x + r * n, n);
    NAME(repeat)(largest, n, count, all_largest);
    for (; i + WIDTH <= all; i += WIDTH) {
        T block[WIDTH];
        UNROLL for (int k = 0; k < WIDTH; k += LANES) store(block + k, load(x + i + k) - load(all_largest + i + k));
        NAME(exp_shifted)(block, 0, e + i);
    }
    if (i < all) {
        T block[WIDTH] = {0};
        for (int64_t k = i; k < all; k++) block[k - i] = x[k] - all_largest[k];
        NAME(exp_shifted)(block, 0, e + i);
    }
    for (int64_t r = 0; r < count; r++) {
        total[r] = 0;
        for (int64_t k = r * n; k < r * n + n; k++) total[r] += e[k];
    }
    INDEPENDENT
    for (int64_t r = 0; r < count; r++) normalizer[r] = NAME(normalizer_of)(logarithm, total[r]);
    NAME(repeat)(normalizer, n, count, normalizers);
    INDEPENDENT
    for (i = 0; i < all; i++) z[i] = logarithm ? LOG_PART(x[i], all_largest[i], normalizers[i]) : e[i] * normalizers[i];
}

/* Gradients of the logarithms of short rows. */
INLINE void NAME(short_rows_back)(const T *y, const T *g, int64_t n, int64_t count, const double *total, T *z) {
    T sum[MAX_ROWS], sums[MAX_ROWS * WIDTH + WIDTH];
    for (int64_t r = 0; r < count; r++) sum[r] = (T)total[r];
    NAME(repeat)(sum, n, count, sums);
    NAME(subtract_exp)(y, g, sums, 0, n * count, z);
}

/* Rows, in groups of which each step is computed for all. */
INLINE void NAME(rows_of)(int logarithm, const softmax *f, int64_t from, int64_t to) {
    int64_t n = f->n, group = group_rows(n);
    T largest[MAX_ROWS], normalizer[MAX_ROWS];
    double total[MAX_ROWS];
    for (int64_t row = from; row < to; row += group) {
        int64_t count = min_i(group, to - row);
        const T *x = (const T *)f->x + row * n;
        T *z = (T *)f->z + row * n;
        if (n <= WIDTH) {
            NAME(short_rows)(logarithm, x, n, count, z);
            continue;
        }
        for (int64_t r = 0; r < count; r++) largest[r] = NAME(largest)(x + r * n, n), total[r] = 0;
        for (int64_t r = 0; r < count; r++)
            for (int64_t i = r * n, end = i + n; i < end; i += BLOCK_SIZE)
                total[r] += NAME(add_exp)(x + i, min_i(BLOCK_SIZE, end - i), largest[r], logarithm ? 0 : z + i);
        INDEPENDENT
        for (int64_t r = 0; r < count; r++) normalizer[r] = NAME(normalizer_of)(logarithm, total[r]);
        for (int64_t r = 0; r < count; r++)
            NAME(normalize)(logarithm, x + r * n, n, largest[r], normalizer[r], z + r * n);
    }
}
static void NAME(rows)(void *data, int64_t from, int64_t to) {
    const softmax *f = data;
    if (f->logarithm)
        NAME(rows_of)(1, f, from, to);
    else
        NAME(rows_of)(0, f, from, to);
}

INLINE void NAME(rows_back_of)(int logarithm, const softmax *f, int64_t from, int64_t to) {
    int64_t n = f->n, group = group_rows(n);
    double total[MAX_ROWS];
    for (int64_t row = from; row < to; row += group) {
        int64_t count = min_i(group, to - row);
        const T *y = (const T *)f->y + row * n, *g = (const T *)f->g + row * n;
        T *z = (T *)f->z + row * n;
        for (int64_t r = 0; r < count; r++) {
            total[r] = 0;
            for (int64_t i = r * n, end = i + n; i < end; i += BLOCK_SIZE)
                total[r] += NAME(add_products)(g + i, logarithm ? 0 : y + i, min_i(BLOCK_SIZE, end - i));
        }
        if (logarithm && n <= WIDTH)
            NAME(short_rows_back)(y, g, n, count, total, z);
        else
            for (int64_t r = 0; r < count; r++) NAME(gradient)(logarithm, y + r * n, g + r * n, n, total[r], z + r * n);
    }
}
static void NAME(rows_back)(void *data, int64_t from, int64_t to) {
    const softmax *f = data;
    if (f->logarithm)
        NAME(rows_back_of)(1, f, from, to);
    else
        NAME(rows_back_of)(0, f, from, to);
}

/* Blocks of rows: where the block begins, its elements, and its row. */
INLINE int64_t NAME(block)(const softmax *f, int64_t block, int64_t *n, int64_t *row) {
    *row = block / f->blocks;
    int64_t at = (block - *row * f->blocks) * BLOCK_SIZE;
    *n = min_i(BLOCK_SIZE, f->n - at);
    return *row * f->n + at;
}

static void NAME(run_block_maxima)(void *data, int64_t from, int64_t to) {
    const softmax *f = data;
    for (int64_t p = from, n, row; p < to; p++) {
        int64_t at = NAME(block)(f, p, &n, &row);
        f->largest[p] = NAME(largest)((const T *)f->x + at, n);
    }
}
static void NAME(run_block_sums)(void *data, int64_t from, int64_t to) {
    const softmax *f = data;
    for (int64_t p = from, n, row; p < to; p++) {
        int64_t at = NAME(block)(f, p, &n, &row);
        if (f->g)
            f->total[p] = NAME(add_products)((const T *)f->g + at, f->logarithm ? 0 : (const T *)f->y + at, n);
        else
            f->total[p] = NAME(add_exp)((const T *)f->x + at, n, (T)f->largest[row], f->logarithm ? 0 : (T *)f->z + at);
    }
}
static void NAME(run_normalize_blocks)(void *data, int64_t from, int64_t to) {
    const softmax *f = data;
    for (int64_t p = from, n, row; p < to; p++) {
        int64_t at = NAME(block)(f, p, &n, &row);
        T *z = (T *)f->z + at;
        if (f->g)
            NAME(gradient)(f->logarithm, (const T *)f->y + at, (const T *)f->g + at, n, f->total[row], z);
        else
            NAME(normalize)(f->logarithm, (const T *)f->x + at, n, (T)f->largest[row],
                            NAME(normalizer_of)(f->logarithm, f->total[row]), z);
    }
}

/* Few long rows are divided into blocks, with the same bits. Returns 0 where there is no memory. */
static int NAME(run_in_blocks)(softmax *f, int64_t rows, double nanoseconds) {
    f->blocks = ceil_div(f->n, BLOCK_SIZE);
    int64_t count = rows * f->blocks;
    double *scratch = malloc(2 * count * sizeof *scratch);
    if (!scratch) return 0;
    f->largest = scratch, f->total = scratch + count;
    if (!f->g) {
        t7_parallel_for(NAME(run_block_maxima), f, count, 1, nanoseconds / 8);
        for (int64_t row = 0; row < rows; row++) {
            const double *largest = f->largest + row * f->blocks;
            double largest_of_row = largest[0];
            for (int64_t p = 1; p < f->blocks; p++)
                largest_of_row = largest_of_row > largest[p] ? largest_of_row : largest[p];
            f->largest[row] = largest_of_row;
        }
    }
    t7_parallel_for(NAME(run_block_sums), f, count, 1, nanoseconds);
    for (int64_t row = 0; row < rows; row++) {
        const double *part = f->total + row * f->blocks;
        double total = 0;
        for (int64_t p = 0; p < f->blocks; p++) total += part[p];
        f->total[row] = total;
    }
    t7_parallel_for(NAME(run_normalize_blocks), f, count, 1, nanoseconds / 4);
    free(scratch);
    return 1;
}

/* Some columns of n planes, up to COLUMNS. */
INLINE void NAME(columns)(int logarithm, const T *x, int64_t n, int64_t step, int64_t count, T *z) {
    T largest[COLUMNS], normalizer[COLUMNS];
    double total[COLUMNS];
    for (int64_t c = 0; c < COLUMNS; c++) largest[c] = -INFINITY, total[c] = 0;
    for (int64_t j = 0; j < n; j++) {
        const T *v = x + j * step;
        int64_t c = 0;
        for (; c + LANES <= count; c += LANES) store(largest + c, max_v(load(largest + c), load(v + c)));
        for (; c < count; c++) largest[c] = largest[c] > v[c] ? largest[c] : v[c];
    }
    for (int64_t j = 0; j < n; j++) {
        const T *v = x + j * step;
        T *to = z + j * step, block[WIDTH], e[WIDTH];
        int64_t c = 0;
        for (; c + WIDTH <= count; c += WIDTH) {
            UNROLL for (int i = 0; i < WIDTH; i += LANES)
                store(block + i, NAME(clamp)(load(v + c + i) - load(largest + c + i)));
            NAME(exp_block)(block, e);
            UNROLL for (int i = 0; i < WIDTH; i += LANES) {
                V a = load(e + i);
                add_wide(total + c + i, a);
                if (!logarithm) store(to + c + i, a);
            }
        }
        if (c == count) continue;
        for (int i = 0; i < WIDTH; i++) block[i] = c + i < count ? v[c + i] - largest[c + i] : 0;
        NAME(exp_shifted)(block, 0, e);
        for (int i = 0; c < count; i++, c++) {
            total[c] += e[i];
            if (!logarithm) to[c] = e[i];
        }
    }
    INDEPENDENT
    for (int64_t c = 0; c < count; c++) normalizer[c] = (T)(logarithm ? log_d(total[c]) : 1 / total[c]);
    for (int64_t j = 0; j < n; j++) {
        const T *v = x + j * step;
        T *to = z + j * step;
        INDEPENDENT
        for (int64_t c = 0; c < count; c++)
            to[c] = logarithm ? LOG_PART(v[c], largest[c], normalizer[c]) : to[c] * normalizer[c];
    }
}

INLINE void NAME(columns_back)(int logarithm, const T *y, const T *g, int64_t n, int64_t step, int64_t count, T *z) {
    double total[COLUMNS] = {0};
    T sums[COLUMNS];
    for (int64_t j = 0; j < n; j++) {
        const T *v = y + j * step, *h = g + j * step;
        for (int64_t c = 0; c < count; c++) total[c] += logarithm ? h[c] : (double)h[c] * v[c];
    }
    for (int64_t c = 0; c < count; c++) sums[c] = (T)total[c];
    for (int64_t j = 0; j < n; j++) {
        const T *v = y + j * step, *h = g + j * step;
        T *to = z + j * step;
        if (logarithm) {
            NAME(subtract_exp)(v, h, sums, 0, count, to);
        } else {
            INDEPENDENT
            for (int64_t c = 0; c < count; c++) to[c] = (T)(v[c] * (h[c] - total[c]));
        }
    }
}

/* Blocks of columns of groups. */
static void NAME(planes)(void *data, int64_t from, int64_t to) {
    const softmax *f = data;
    int64_t blocks = ceil_div(f->step, COLUMNS), n = f->n, step = f->step;
    for (int64_t b = from; b < to; b++) {
        int64_t group = b / blocks, c = (b - group * blocks) * COLUMNS, count = min_i(COLUMNS, step - c);
        int64_t at = group * n * step + c;
        T *z = (T *)f->z + at;
        if (f->g && f->logarithm)
            NAME(columns_back)(1, (const T *)f->y + at, (const T *)f->g + at, n, step, count, z);
        else if (f->g)
            NAME(columns_back)(0, (const T *)f->y + at, (const T *)f->g + at, n, step, count, z);
        else if (f->logarithm)
            NAME(columns)(1, (const T *)f->x + at, n, step, count, z);
        else
            NAME(columns)(0, (const T *)f->x + at, n, step, count, z);
    }
}

static void NAME(run_parallel)(softmax *f, int64_t count, double nanoseconds) {
    nanoseconds *= (double)count * f->n * f->step * sizeof(T);
    if (f->n < 1 || f->step < 1) return;
    if (f->step > 1)
        t7_parallel_for(NAME(planes), f, count * ceil_div(f->step, COLUMNS), 1, nanoseconds);
    else if (count >= MIN_ROWS || f->n < 4 * BLOCK_SIZE || !NAME(run_in_blocks)(f, count, nanoseconds))
        t7_parallel_for(f->g ? NAME(rows_back) : NAME(rows), f, count, 1, nanoseconds);
}

void NAME(t7_softmax)(int32_t logarithm, int64_t count, int64_t n, int64_t step, const T *x, T *y) {
    softmax f = {.x = x, .z = y, .n = n, .step = step, .logarithm = logarithm};
    NAME(run_parallel)(&f, count, 0.2);
}

void NAME(t7_softmax_backward)(int32_t logarithm, int64_t count, int64_t n, int64_t step, const T *y, const T *g,
                               T *r) {
    softmax f = {.y = y, .g = g, .z = r, .n = n, .step = step, .logarithm = logarithm};
    NAME(run_parallel)(&f, count, logarithm ? 0.15 : 0.05);
}
#undef LOG_PART
