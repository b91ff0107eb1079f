/* Minima and maxima of a type T; included for each, with P, the signed integer of its size, Q, the type itself or an
   integer of 32 bits, QP, the signed integer of that size, IS_FLOATING, which tells whether it has zeros with signs and
   NaNs, IS_NAN, and SEGMENT, a number of elements that P counts. */
typedef T OF(vector) __attribute__((vector_size(VECTOR)));
typedef P OF(mask) __attribute__((vector_size(VECTOR)));
enum { OF(WIDTH) = VECTOR / sizeof(T) };

INLINE OF(vector) OF(load)(const T *x) {
    OF(vector) v;
    memcpy(&v, x, sizeof v);
    return v;
}
INLINE OF(vector) OF(blend)(OF(mask) m, OF(vector) a, OF(vector) b) {
    return (OF(vector))blend_bits((vec_i64)m, (vec_i64)a, (vec_i64)b);
}

/* Tells whether v takes the place of the best so far. */
INLINE int OF(takes)(int largest, T v, T best) {
    int beyond = largest ? !(v <= best) : !(v >= best);
    return beyond & !IS_NAN(best);
}
/* Where the best so far stays beside v. */
INLINE OF(mask) OF(stays)(int largest, OF(vector) v, OF(vector) best) {
    return (largest ? v <= best : v >= best) | (OF(mask))IS_NAN(best);
}

/* The place of the first of n elements that equals a value, or that is NaN: there is one. */
INLINE int64_t OF(place)(const T *x, int64_t n, T value) {
    enum { W = OF(WIDTH) };
    int is_nan = IS_NAN(value);
    OF(vector) sought = value - (OF(vector)){};
    int64_t k = 0;
    if (n < W) {
        while (is_nan ? !IS_NAN(x[k]) : x[k] != value) k++;
        return k;
    }
    for (; k + 4 * W <= n; k += 4 * W) {
        OF(mask) hit = {};
        UNROLL for (int j = 0; j < 4; j++) {
            OF(vector) v = OF(load)(x + k + j * W);
            hit |= is_nan ? (OF(mask))IS_NAN(v) : v == sought;
        }
        if (first_byte(&hit) < VECTOR) break;
    }
    /* The last vector overlaps the one before. */
    for (;; k += W) {
        k = least(k, n - W);
        OF(vector) v = OF(load)(x + k);
        OF(mask) hit = is_nan ? (OF(mask))IS_NAN(v) : v == sought;
        int at = first_byte(&hit);
        if (at < VECTOR) return k + at / (int)sizeof(T);
    }
}

INLINE OF(vector) OF(better)(int largest, OF(vector) a, OF(vector) b) {
    return OF(blend)(largest ? a > b : a < b, a, b);
}

/* The minimum or maximum of n elements: the first of equals. */
INLINE T OF(minmax_of)(int largest, const T *x, int64_t n) {
    enum { W = OF(WIDTH) };
    T best = x[0];
    if (n < W) {
        for (int64_t k = 1; k < n; k++) best = OF(takes)(largest, x[k], best) ? x[k] : best;
        return best;
    }
    OF(vector) a[4];
    OF(mask) nan = {};
    UNROLL for (int j = 0; j < 4; j++) a[j] = OF(load)(x);
    int64_t k = 0;
    for (; k + 4 * W <= n; k += 4 * W) UNROLL for (int j = 0; j < 4; j++) {
            OF(vector) v = OF(load)(x + k + j * W);
            nan |= (OF(mask))IS_NAN(v);
            a[j] = OF(better)(largest, v, a[j]);
        }
    for (; k < n; k += W) {
        /* The last vector overlaps the one before. */
        OF(vector) v = OF(load)(x + least(k, n - W));
        nan |= (OF(mask))IS_NAN(v);
        a[0] = OF(better)(largest, v, a[0]);
    }
    a[0] = OF(better)(largest, OF(better)(largest, a[0], a[1]), OF(better)(largest, a[2], a[3]));
    if (IS_FLOATING && first_byte(&nan) < VECTOR) return x[OF(place)(x, n, (T)NAN)];
    T lane[W];
    memcpy(lane, a, VECTOR);
    UNROLL for (int w = W / 2; w; w /= 2) UNROLL for (int j = 0; j < w; j++) lane[j] =
        (largest ? lane[j] > lane[j + w] : lane[j] < lane[j + w]) ? lane[j] : lane[j + w];
    best = lane[0];
    /* Zeros have signs. */
    return IS_FLOATING && best == 0 ? x[OF(place)(x, n, 0)] : best;
}

/* Short rows, four side by side. */
typedef Q OF(four) __attribute__((vector_size(4 * sizeof(Q))));
typedef QP OF(four_mask) __attribute__((vector_size(4 * sizeof(Q))));

INLINE void OF(short_rows)(int largest, const T *x, int64_t n, int64_t step, T *values, int64_t *indices) {
    OF(four) best = {x[0], x[step], x[2 * step], x[3 * step]};
    OF(four_mask) at = {};
    for (QP k = 1; k < n; k++) {
        const T *p = x + k;
        OF(four) v = {p[0], p[step], p[2 * step], p[3 * step]};
        OF(four_mask) stays = (largest ? v <= best : v >= best) | (OF(four_mask))IS_NAN(best);
        best = (OF(four))(((OF(four_mask))best & stays) | ((OF(four_mask))v & ~stays));
        at = (at & stays) | (((OF(four_mask)){} + k) & ~stays);
    }
    UNROLL for (int j = 0; j < 4; j++) values[j] = (T)best[j], indices[j] = at[j] + 1;
}

/* Neighboring columns of some rows, whose first has the index `first`, beside the best of those before. */
INLINE void OF(columns)(int largest, int vectors, const T *x, int n, int64_t n_step, int64_t first, T *values,
                        int64_t *indices) {
    enum { W = OF(WIDTH), MAX_VECTORS = 4 };
    OF(vector) best[MAX_VECTORS];
    OF(mask) at[MAX_VECTORS];
    UNROLL for (int j = 0; j < vectors; j++) best[j] = OF(load)(values + j * W), at[j] = (OF(mask)){} - 1;
    for (P k = 0; k < n; k++, x += n_step) UNROLL for (int j = 0; j < vectors; j++) {
            OF(vector) v = OF(load)(x + j * W);
            OF(mask) stays = OF(stays)(largest, v, best[j]), here = (OF(mask)){} + k;
            best[j] = OF(blend)(stays, best[j], v);
            at[j] = (OF(mask))blend_bits((vec_i64)stays, (vec_i64)at[j], (vec_i64)here);
        }
    P place[MAX_VECTORS * W];
    memcpy(place, at, vectors * VECTOR);
    memcpy(values, best, vectors * VECTOR);
    for (int i = 0; i < vectors * W; i++) indices[i] = place[i] >= 0 ? first + place[i] : indices[i];
}

/* Some rows of all columns at a time, which lie near each other. */
INLINE void OF(all_columns)(int largest, const T *x, int64_t n, int64_t n_step, int64_t count, T *values,
                            int64_t *indices) {
    enum { W = OF(WIDTH), ROWS = 16 };
    memcpy(values, x, count * sizeof(T));
    for (int64_t i = 0; i < count; i++) indices[i] = 1;
    for (int64_t k = 0; k < n; k += ROWS) {
        int rows = (int)least(ROWS, n - k);
        const T *from = x + k * n_step;
        int64_t i = 0;
        for (; i + 4 * W <= count; i += 4 * W)
            OF(columns)(largest, 4, from + i, rows, n_step, k + 1, values + i, indices + i);
        for (; i + W <= count; i += W) OF(columns)(largest, 1, from + i, rows, n_step, k + 1, values + i, indices + i);
        for (; i < count; i++) {
            for (int j = 0; j < rows; j++) {
                T v = from[j * n_step + i];
                if (OF(takes)(largest, v, values[i])) values[i] = v, indices[i] = k + j + 1;
            }
        }
    }
}

INLINE void OF(strided)(int largest, const T *x, int64_t n, int64_t n_step, T *value, int64_t *index) {
    T best = x[0];
    int64_t at = 0;
    for (int64_t k = 1; k < n; k++) {
        T v = x[k * n_step];
        if (OF(takes)(largest, v, best)) best = v, at = k;
    }
    *value = best, *index = at + 1;
}

INLINE void OF(some_lines)(int largest, const T *x, int64_t n, int64_t n_step, int64_t count, int64_t step, T *values,
                           int64_t *indices) {
    if (n_step == 1 && n < 16 && count >= 4) {
        /* The last rows may be taken twice. */
        for (int64_t i = 0; i < count; i += 4) {
            int64_t at = least(i, count - 4);
            OF(short_rows)(largest, x + at * step, n, step, values + at, indices + at);
        }
    } else if (n_step == 1) {
        for (int64_t i = 0; i < count; i++, x += step) {
            values[i] = OF(minmax_of)(largest, x, n);
            indices[i] = OF(place)(x, n, values[i]) + 1;
        }
    } else if (step == 1 && count >= OF(WIDTH)) {
        OF(all_columns)(largest, x, n, n_step, count, values, indices);
    } else {
        for (int64_t i = 0; i < count; i++) OF(strided)(largest, x + i * step, n, n_step, values + i, indices + i);
    }
}

static void OF(lines)(void *data, int64_t from, int64_t to) {
    const struct lines *l = data;
    for (int64_t i = from, count; i < to; i += count) {
        int64_t at = i % l->inner;
        count = least(to - i, l->inner - at);
        const T *x = (const T *)l->x + i / l->inner * l->outer_step + at * l->inner_step;
        T *values = (T *)l->values + i;
        if (l->largest)
            OF(some_lines)(1, x, l->n, l->n_step, count, l->inner_step, values, l->indices + i);
        else
            OF(some_lines)(0, x, l->n, l->n_step, count, l->inner_step, values, l->indices + i);
    }
}

static T OF(of_row)(int largest, const T *x, int64_t n) {
    return largest ? OF(minmax_of)(1, x, n) : OF(minmax_of)(0, x, n);
}

static void OF(blocks)(void *data, int64_t from, int64_t to) {
    const struct blocks *p = data;
    T *result = p->result;
    for (int64_t j = from; j < to; j++)
        result[j] = OF(of_row)(p->largest, (const T *)p->x + j * p->size, least(p->size, p->n - j * p->size));
}

static T OF(of_all)(int largest, const T *x, int64_t n) {
    if (n < 2 * BLOCK_SIZE) return OF(of_row)(largest, x, n);
    T result[MAX_BLOCKS];
    struct blocks p = {x, (n - 1) / MAX_BLOCKS + 1, n, largest, result};
    if (p.size < BLOCK_SIZE) p.size = BLOCK_SIZE;
    int64_t count = (n - 1) / p.size + 1;
    t7_parallel_for(OF(blocks), &p, count, 1, n * sizeof(T) * NANOSECONDS);
    T best = result[0];
    for (int64_t j = 1; j < count; j++) best = OF(takes)(largest, result[j], best) ? result[j] : best;
    return best;
}

static T OF(of_loops)(int largest, const T *x, int loops, const double *size, const double *step) {
    int64_t n = (int64_t)size[loops - 1], by = (int64_t)step[loops - 1];
    if (loops == 1 && by == 1) return OF(of_row)(largest, x, n);
    T best = loops > 1 ? OF(of_loops)(largest, x, loops - 1, size, step) : x[0];
    for (int64_t k = 1; k < n; k++) {
        T v = loops > 1 ? OF(of_loops)(largest, x + k * by, loops - 1, size, step) : x[k * by];
        best = OF(takes)(largest, v, best) ? v : best;
    }
    return best;
}
