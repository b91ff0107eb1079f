/* Minima and maxima of one type. */

INLINE V NAME(blend)(MASK m, V a, V b) { return (V)blend_bits((vec_Long)m, (vec_Long)a, (vec_Long)b); }

/* Whether v replaces the best so far. */
INLINE int NAME(is_better)(int largest, T v, T best) {
    int beyond = largest ? !(v <= best) : !(v >= best);
    return beyond & !IS_NAN(best);
}
/* A mask: where v does not replace the best so far. */
INLINE MASK NAME(keeps_best)(int largest, V v, V best) {
    return (largest ? v <= best : v >= best) | (MASK)IS_NAN(best);
}

/* The position of the first of n elements that equals a value, or is NaN as the value is; there is one. */
INLINE int64_t NAME(find)(const T *x, int64_t n, T value) {
    int is_nan = IS_NAN(value);
    V sought = value - (V){};
    int64_t k = 0;
    if (n < LANES) {
        while (is_nan ? !IS_NAN(x[k]) : x[k] != value) k++;
        return k;
    }
    for (; k + 4 * LANES <= n; k += 4 * LANES) {
        MASK hit = {};
        UNROLL for (int j = 0; j < 4; j++) {
            V v = load(x + k + j * LANES);
            hit |= is_nan ? (MASK)IS_NAN(v) : v == sought;
        }
        if (first_byte(&hit) < VECTOR) break;
    }
    /* The last vector overlaps the one before. */
    for (;; k += LANES) {
        k = min_i(k, n - LANES);
        V v = load(x + k);
        MASK hit = is_nan ? (MASK)IS_NAN(v) : v == sought;
        int at = first_byte(&hit);
        if (at < VECTOR) return k + at / (int)sizeof(T);
    }
}

INLINE V NAME(better)(int largest, V a, V b) { return NAME(blend)(largest ? a > b : a < b, a, b); }

/* The minimum or maximum of n elements: the first of equals. */
INLINE T NAME(minmax)(int largest, const T *x, int64_t n) {
    T best = x[0];
    if (n < LANES) {
        for (int64_t k = 1; k < n; k++) best = NAME(is_better)(largest, x[k], best) ? x[k] : best;
        return best;
    }
    V a[4];
    MASK nan = {};
    UNROLL for (int j = 0; j < 4; j++) a[j] = load(x);
    int64_t k = 0;
    for (; k + 4 * LANES <= n; k += 4 * LANES) UNROLL for (int j = 0; j < 4; j++) {
            V v = load(x + k + j * LANES);
            nan |= (MASK)IS_NAN(v);
            a[j] = NAME(better)(largest, v, a[j]);
        }
    for (; k < n; k += LANES) {
        /* The last vector overlaps the one before. */
        V v = load(x + min_i(k, n - LANES));
        nan |= (MASK)IS_NAN(v);
        a[0] = NAME(better)(largest, v, a[0]);
    }
    a[0] = NAME(better)(largest, NAME(better)(largest, a[0], a[1]), NAME(better)(largest, a[2], a[3]));
    if (IS_FLOATING && first_byte(&nan) < VECTOR) return x[NAME(find)(x, n, (T)NAN)];
    T lane[LANES];
    memcpy(lane, a, VECTOR);
    UNROLL for (int w = LANES / 2; w; w /= 2) UNROLL for (int j = 0; j < w; j++) lane[j] =
        (largest ? lane[j] > lane[j + w] : lane[j] < lane[j + w]) ? lane[j] : lane[j + w];
    best = lane[0];
    /* The first zero, whose sign may be another. */
    return IS_FLOATING && best == 0 ? x[NAME(find)(x, n, 0)] : best;
}

/* Four short rows. */
INLINE void NAME(short_rows)(int largest, const T *x, int64_t n, int64_t step, T *values, int64_t *indices) {
    NAME(four) best = {x[0], x[step], x[2 * step], x[3 * step]};
    NAME(four_indices) at = {};
    for (NAME(index) k = 1; k < n; k++) {
        const T *p = x + k;
        NAME(four) v = {p[0], p[step], p[2 * step], p[3 * step]};
        NAME(four_indices) keeps_best = (largest ? v <= best : v >= best) | (NAME(four_indices))IS_NAN(best);
        best = (NAME(four))(((NAME(four_indices))best & keeps_best) | ((NAME(four_indices))v & ~keeps_best));
        at = (at & keeps_best) | (((NAME(four_indices)){} + k) & ~keeps_best);
    }
    UNROLL for (int j = 0; j < 4; j++) values[j] = (T)best[j], indices[j] = at[j] + 1;
}

/* Vectors of columns over n rows, the first with the index `first`; values and indices hold the best so far. */
INLINE void NAME(column_vectors)(int largest, int vectors, const T *x, int n, int64_t n_step, int64_t first, T *values,
                                 int64_t *indices) {
    enum { MAX_VECTORS = 4 };
    V best[MAX_VECTORS];
    MASK at[MAX_VECTORS];
    UNROLL for (int j = 0; j < vectors; j++) best[j] = load(values + j * LANES), at[j] = (MASK){} - 1;
    for (BITS k = 0; k < n; k++, x += n_step) UNROLL for (int j = 0; j < vectors; j++) {
            V v = load(x + j * LANES);
            MASK keeps_best = NAME(keeps_best)(largest, v, best[j]), here = (MASK){} + k;
            best[j] = NAME(blend)(keeps_best, best[j], v);
            at[j] = (MASK)blend_bits((vec_Long)keeps_best, (vec_Long)at[j], (vec_Long)here);
        }
    BITS place[MAX_VECTORS * LANES];
    memcpy(place, at, vectors * VECTOR);
    memcpy(values, best, vectors * VECTOR);
    for (int i = 0; i < vectors * LANES; i++) indices[i] = place[i] >= 0 ? first + place[i] : indices[i];
}

/* All columns, blocks of rows at a time, which are near each other in memory. Columns with a step, up to GATHERED, are
   gathered. */
INLINE void NAME(sequential_columns)(int largest, const T *x, int64_t n, int64_t n_step, int64_t count, int64_t step,
                                     T *values, int64_t *indices) {
    enum { ROWS = 16 };
    T gathered[ROWS * GATHERED];
    gather_row(values, x, step, count);
    for (int64_t i = 0; i < count; i++) indices[i] = 1;
    for (int64_t k = 0; k < n; k += ROWS) {
        int rows = (int)min_i(ROWS, n - k);
        const T *from = x + k * n_step;
        int64_t i = 0, row = n_step;
        if (step != 1) {
            for (int j = 0; j < rows; j++) gather_row(gathered + j * GATHERED, from + j * n_step, step, count);
            from = gathered, row = GATHERED;
        }
        for (; i + 4 * LANES <= count; i += 4 * LANES)
            NAME(column_vectors)(largest, 4, from + i, rows, row, k + 1, values + i, indices + i);
        for (; i + LANES <= count; i += LANES)
            NAME(column_vectors)(largest, 1, from + i, rows, row, k + 1, values + i, indices + i);
        for (; i < count; i++) {
            for (int j = 0; j < rows; j++) {
                T v = from[j * row + i];
                if (NAME(is_better)(largest, v, values[i])) values[i] = v, indices[i] = k + j + 1;
            }
        }
    }
}

/* The minimum or maximum of n elements with a step, and its index from 0. */
INLINE T NAME(strided)(int largest, const T *x, int64_t n, int64_t step, int64_t *index) {
    T gathered[GATHERED], best = x[0];
    *index = 0;
    for (int64_t k = 0; k < n; k += GATHERED) {
        int64_t count = min_i(n - k, GATHERED);
        gather_row(gathered, x + k * step, step, count);
        T v = NAME(minmax)(largest, gathered, count);
        if (k == 0 || NAME(is_better)(largest, v, best)) best = v, *index = k + NAME(find)(gathered, count, v);
    }
    return best;
}

INLINE void NAME(minmax_block)(int largest, const T *x, int64_t n, int64_t n_step, int64_t count, int64_t step,
                               T *values, int64_t *indices) {
    if (n_step == 1 && n < 16 && count >= 4) {
        /* The last rows may be taken twice. */
        for (int64_t i = 0; i < count; i += 4) {
            int64_t at = min_i(i, count - 4);
            NAME(short_rows)(largest, x + at * step, n, step, values + at, indices + at);
        }
    } else if (n_step == 1) {
        for (int64_t i = 0; i < count; i++, x += step) {
            values[i] = NAME(minmax)(largest, x, n);
            indices[i] = NAME(find)(x, n, values[i]) + 1;
        }
    } else if (step == 1 && count >= LANES) {
        NAME(sequential_columns)(largest, x, n, n_step, count, 1, values, indices);
    } else if (step < n_step && count >= LANES) {
        for (int64_t i = 0; i < count; i += GATHERED)
            NAME(sequential_columns)(largest, x + i * step, n, n_step, min_i(count - i, GATHERED), step, values + i,
                                     indices + i);
    } else {
        for (int64_t i = 0; i < count; i++) {
            values[i] = NAME(strided)(largest, x + i * step, n, n_step, indices + i);
            indices[i]++;
        }
    }
}

static void NAME(minmax_lines)(void *data, int64_t from, int64_t to) {
    const struct lines *l = data;
    for (int64_t i = from, count; i < to; i += count) {
        int64_t at = i % l->inner;
        count = min_i(to - i, l->inner - at);
        const T *x = (const T *)l->x + i / l->inner * l->outer_step + at * l->inner_step;
        T *values = (T *)l->values + i;
        if (l->largest)
            NAME(minmax_block)(1, x, l->n, l->n_step, count, l->inner_step, values, l->indices + i);
        else
            NAME(minmax_block)(0, x, l->n, l->n_step, count, l->inner_step, values, l->indices + i);
    }
}

static T NAME(minmax_row)(int largest, const T *x, int64_t n) {
    return largest ? NAME(minmax)(1, x, n) : NAME(minmax)(0, x, n);
}

static void NAME(minmax_blocks)(void *data, int64_t from, int64_t to) {
    const struct blocks *p = data;
    T *result = p->result;
    for (int64_t j = from; j < to; j++)
        result[j] = NAME(minmax_row)(p->largest, (const T *)p->x + j * p->size, min_i(p->size, p->n - j * p->size));
}

static double NAME(minmax_all)(int largest, const void *data, int64_t n) {
    const T *x = data;
    if (n < 2 * BLOCK_SIZE) return (double)NAME(minmax_row)(largest, x, n);
    T result[MAX_BLOCKS];
    struct blocks p = {x, (n - 1) / MAX_BLOCKS + 1, n, largest, result};
    if (p.size < BLOCK_SIZE) p.size = BLOCK_SIZE;
    int64_t count = (n - 1) / p.size + 1;
    t7_parallel_for(NAME(minmax_blocks), &p, count, 1, n * sizeof(T) * NS_PER_BYTE);
    T best = result[0];
    for (int64_t j = 1; j < count; j++) best = NAME(is_better)(largest, result[j], best) ? result[j] : best;
    return (double)best;
}

static T NAME(minmax_nest)(int largest, const T *x, int loops, const double *size, const double *step) {
    int64_t n = (int64_t)size[loops - 1], by = (int64_t)step[loops - 1], at;
    if (loops == 1 && by == 1) return NAME(minmax_row)(largest, x, n);
    if (loops == 1) return largest ? NAME(strided)(1, x, n, by, &at) : NAME(strided)(0, x, n, by, &at);
    T best = NAME(minmax_nest)(largest, x, loops - 1, size, step);
    for (int64_t k = 1; k < n; k++) {
        T v = NAME(minmax_nest)(largest, x + k * by, loops - 1, size, step);
        best = NAME(is_better)(largest, v, best) ? v : best;
    }
    return best;
}

static double NAME(minmax_loops)(int largest, const void *x, int loops, const double *size, const double *step) {
    return (double)NAME(minmax_nest)(largest, x, loops, size, step);
}
