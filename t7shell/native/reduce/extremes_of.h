/* Extremes of a type T; included for each, with P, the signed integer of its size, FRACTIONS, which tells whether it
   has zeros with signs and NaNs, IS_NAN, and SEGMENT, a number of elements that P counts. */
typedef T OF(vector) __attribute__((vector_size(BYTES)));
typedef P OF(mask) __attribute__((vector_size(BYTES)));
enum { OF(WIDTH) = BYTES / sizeof(T) };

INLINE OF(vector) OF(load)(const T *x) {
    OF(vector) v;
    memcpy(&v, x, sizeof v);
    return v;
}
INLINE OF(vector) OF(choose)(OF(mask) m, OF(vector) a, OF(vector) b) {
    return (OF(vector))(((OF(mask))a & m) | ((OF(mask))b & ~m));
}

/* Tells whether v takes the place of the best so far. */
INLINE int OF(takes)(int largest, T v, T best) {
    int beyond = largest ? !(v <= best) : !(v >= best);
    return beyond & !IS_NAN(best);
}
INLINE OF(mask) OF(take)(int largest, OF(vector) v, OF(vector) best) {
    OF(mask) beyond = largest ? ~(v <= best) : ~(v >= best);
    return beyond & ~(OF(mask))IS_NAN(best);
}

/* The place of the first of n elements that equals a value, or that is NaN: there is one. */
INLINE int64_t OF(place)(const T *x, int64_t n, T value) {
    enum { W = OF(WIDTH) };
    int is_nan = IS_NAN(value);
    OF(vector) sought = value - (OF(vector)){};
    int64_t k = 0;
    for (; k + 4 * W <= n; k += 4 * W) {
        OF(mask) hit = {};
        UNROLLED for (int j = 0; j < 4; j++) {
            OF(vector) v = OF(load)(x + k + j * W);
            hit |= is_nan ? (OF(mask))IS_NAN(v) : v == sought;
        }
        if (any(&hit)) break;
    }
    for (; k + W <= n; k += W) {
        OF(vector) v = OF(load)(x + k);
        OF(mask) hit = is_nan ? (OF(mask))IS_NAN(v) : v == sought;
        if (any(&hit)) break;
    }
    while (is_nan ? !IS_NAN(x[k]) : x[k] != value) k++;
    return k;
}

/* The extreme of n elements: the first of equals. */
INLINE T OF(extreme)(int largest, const T *x, int64_t n) {
    enum { W = OF(WIDTH) };
    T best = x[0];
    if (n < W) {
        for (int64_t k = 1; k < n; k++) best = OF(takes)(largest, x[k], best) ? x[k] : best;
        return best;
    }
    OF(vector) a[4];
    OF(mask) nan = {};
    UNROLLED for (int j = 0; j < 4; j++) a[j] = OF(load)(x);
    for (int64_t k = 0; k < n; k += 4 * W) UNROLLED for (int j = 0; j < 4; j++) {
            /* The last vectors overlap those before. */
            OF(vector) v = OF(load)(x + least(k + j * W, n - W));
            nan |= (OF(mask))IS_NAN(v);
            a[j] = OF(choose)(largest ? v > a[j] : v < a[j], v, a[j]);
        }
    UNROLLED for (int j = 1; j < 4; j++) a[0] = OF(choose)(largest ? a[j] > a[0] : a[j] < a[0], a[j], a[0]);
    if (FRACTIONS && any(&nan)) return x[OF(place)(x, n, (T)NAN)];
    T lane[W];
    memcpy(lane, a, BYTES);
    best = lane[0];
    UNROLLED for (int j = 1; j < W; j++) best = (largest ? lane[j] > best : lane[j] < best) ? lane[j] : best;
    /* Zeros have signs. */
    return FRACTIONS && best == 0 ? x[OF(place)(x, n, 0)] : best;
}

/* Short rows, 16 side by side; the last ones beside copies of them. */
INLINE void OF(short_rows)(int largest, const T *x, int64_t n, int64_t step, int64_t count, T *values,
                           int64_t *indices) {
    enum { SIDE = 16 };
    for (int64_t i = 0; i < count; i += SIDE) {
        const T *row[SIDE];
        T best[SIDE], v[SIDE];
        P at[SIDE] = {0};
        for (int j = 0; j < SIDE; j++) row[j] = x + least(i + j, count - 1) * step, best[j] = row[j][0];
        for (P k = 1; k < n; k++) {
            UNROLLED for (int j = 0; j < SIDE; j++) v[j] = row[j][k];
            for (int j = 0; j < SIDE; j++) {
                int taken = OF(takes)(largest, v[j], best[j]);
                best[j] = taken ? v[j] : best[j];
                at[j] = taken ? k : at[j];
            }
        }
        int64_t used = least(SIDE, count - i);
        for (int j = 0; j < used; j++) values[i + j] = best[j], indices[i + j] = at[j] + 1;
    }
}

/* Neighboring columns. */
INLINE void OF(columns)(int largest, int vectors, const T *x, int64_t n, int64_t n_step, T *values, int64_t *indices) {
    enum { W = OF(WIDTH), MOST = 4 };
    OF(vector) best[MOST];
    UNROLLED for (int j = 0; j < vectors; j++) best[j] = OF(load)(x + j * W);
    for (int i = 0; i < vectors * W; i++) indices[i] = 1;
    for (int64_t done = 0; done < n; done += SEGMENT) {
        P end = (P)least(SEGMENT, n - done);
        OF(mask) at[MOST];
        UNROLLED for (int j = 0; j < vectors; j++) at[j] = (OF(mask)){} - 1;
        for (P k = 0; k < end; k++, x += n_step) UNROLLED for (int j = 0; j < vectors; j++) {
                OF(vector) v = OF(load)(x + j * W);
                OF(mask) taken = OF(take)(largest, v, best[j]);
                best[j] = OF(choose)(taken, v, best[j]);
                at[j] = (taken & ((OF(mask)){} + k)) | (~taken & at[j]);
            }
        P place[MOST * W];
        memcpy(place, at, vectors * BYTES);
        for (int i = 0; i < vectors * W; i++) indices[i] = place[i] >= 0 ? done + place[i] + 1 : indices[i];
    }
    memcpy(values, best, vectors * BYTES);
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
    enum { W = OF(WIDTH) };
    if (n_step == 1 && n < 16) {
        OF(short_rows)(largest, x, n, step, count, values, indices);
    } else if (n_step == 1) {
        for (int64_t i = 0; i < count; i++, x += step) {
            values[i] = OF(extreme)(largest, x, n);
            indices[i] = OF(place)(x, n, values[i]) + 1;
        }
    } else if (step == 1 && count >= W) {
        /* The last vectors overlap those before. */
        for (int64_t i = 0; i < count;) {
            if (count - i >= 4 * W) {
                OF(columns)(largest, 4, x + i, n, n_step, values + i, indices + i);
                i += 4 * W;
            } else {
                int64_t at = least(i, count - W);
                OF(columns)(largest, 1, x + at, n, n_step, values + at, indices + at);
                i = at + W;
            }
        }
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
    return largest ? OF(extreme)(1, x, n) : OF(extreme)(0, x, n);
}

static void OF(pieces)(void *data, int64_t from, int64_t to) {
    const struct pieces *p = data;
    T *result = p->result;
    for (int64_t j = from; j < to; j++)
        result[j] = OF(of_row)(p->largest, (const T *)p->x + j * p->size, least(p->size, p->n - j * p->size));
}

static T OF(of_all)(int largest, const T *x, int64_t n) {
    if (n < 2 * PIECE) return OF(of_row)(largest, x, n);
    T result[MOST_PIECES];
    struct pieces p = {x, (n - 1) / MOST_PIECES + 1, n, largest, result};
    if (p.size < PIECE) p.size = PIECE;
    int64_t count = (n - 1) / p.size + 1;
    t7_parallel_for(OF(pieces), &p, count, 1, n * sizeof(T) * NANOSECONDS);
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
