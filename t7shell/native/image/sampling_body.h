/* Weighted sums of one type. */

/* The sum of the taps of an output, whose number is a constant where this is inlined for a few. */
INLINE NAME(intermediate) NAME(weighted_sum)(const T *x, const int32_t *at, const double *weight, const int64_t taps) {
    NAME(intermediate) sum = (NAME(intermediate))weight[0] * x[at[0]];
    for (int64_t k = 1; k < taps; k++) sum += (NAME(intermediate))weight[k] * x[at[k]];
    return sum;
}

/* The same in a float, as the original's means are computed for doubles, too. */
INLINE float NAME(float_sum)(const T *x, const int32_t *at, const double *weight, const int64_t taps) {
    float sum = (float)((NAME(intermediate))weight[0] * x[at[0]]);
    for (int64_t k = 1; k < taps; k++) sum = (float)(sum + (NAME(intermediate))weight[k] * x[at[k]]);
    return sum;
}

INLINE void NAME(along_by)(const t7_taps *t, int64_t from, int64_t to, const int64_t taps) {
    const int64_t width = t->width;
    const int32_t *restrict at = t->at;
    const double *restrict weight = t->weight, *restrict total = t->total;
    for (int64_t y = from; y < to; y++) {
        const T *x = (const T *)t->from + y * t->step;
        T *restrict z = (T *)t->to + y * width;
        for (int64_t i = 0; i < width; i++) {
            const int32_t *a = at + i * taps;
            const double *w = weight + i * taps;
            z[i] = total ? NAME(round)(NAME(float_sum)(x, a, w, taps) / (float)total[i])
                         : NAME(round)(NAME(weighted_sum)(x, a, w, taps));
        }
    }
}

/* The cubic of bicubic interpolation, in the original's order. */
INLINE NAME(intermediate) NAME(cubic)(NAME(intermediate) x0, NAME(intermediate) x1, NAME(intermediate) x2,
                                      NAME(intermediate) x3, NAME(intermediate) t) {
    NAME(intermediate) a = x2 - x0, b = 2 * x0 - 5 * x1 + 4 * x2 - x3, c = 3 * (x1 - x2) + x3 - x0;
    return (NAME(intermediate))(x1 + 0.5 * t * (a + t * (b + t * c)));
}

/* The same for the i-th elements of four rows, where the outermost rows may be missing. */
INLINE T NAME(cubic_output)(const T *x0, const T *x1, const T *x2, const T *x3, int64_t i, NAME(intermediate) t,
                            const int has_first, const int has_last) {
    NAME(intermediate) b = x1[i], c = x2[i], a = 2 * b - c, d = 2 * c - b;
    if (has_first) a = x0[i];
    if (has_last) d = x3[i];
    return NAME(round)(NAME(cubic)(a, b, c, d, t));
}

/* Outputs from `begin` to `end` - 1 of a row, which have all four taps. */
static void NAME(cubic_gathered)(T *restrict z, const T *x, const t7_taps *t, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; i++) {
        z[i] = NAME(cubic_output)(x, x + 1, x + 2, x + 3, t->at[i * 4], (NAME(intermediate))t->weight[i * 4], 1, 1);
    }
}

/* The same for bytes, which processors cannot gather: vectors are computed of blocks that are collected first. */
static void NAME(cubic_collected)(T *restrict z, const T *x, const t7_taps *t, int64_t begin, int64_t end) {
    NAME(intermediate) taps[4][BLOCK], part[BLOCK];
    for (int64_t from = begin; from < end; from += BLOCK) {
        const int64_t n = min_i(end - from, BLOCK);
        for (int64_t i = 0; i < n; i++) {
            const int64_t k = (from + i) * 4;
            for (int j = 0; j < 4; j++) taps[j][i] = x[t->at[k] + j];
            part[i] = (NAME(intermediate))t->weight[k];
        }
        for (int64_t i = 0; i < n; i++) {
            z[from + i] = NAME(round)(NAME(cubic)(taps[0][i], taps[1][i], taps[2][i], taps[3][i], part[i]));
        }
    }
}

/* Outputs without all four taps are the first and the last ones of a row. */
static void NAME(cubic_along)(const t7_taps *t, int64_t from, int64_t to) {
    int64_t begin = 0, end = t->width;
    while (begin < end && t->at[begin * 4] < 0) begin++;
    while (end > begin && (t->at[end * 4 - 2] < 0 || t->at[end * 4 - 1] < 0)) end--;
    for (int64_t y = from; y < to; y++) {
        const T *x = (const T *)t->from + y * t->step;
        T *z = (T *)t->to + y * t->width;
        (sizeof(T) == 1 ? NAME(cubic_collected) : NAME(cubic_gathered))(z, x, t, begin, end);
        for (int64_t k = 0; k < begin + t->width - end; k++) {
            const int64_t i = k < begin ? k : k - begin + end;
            const int32_t *at = t->at + i * 4;
            z[i] = at[2] < 0 ? x[at[1]]
                             : NAME(cubic_output)(x - 1, x, x + 1, x + 2, at[1], (NAME(intermediate))t->weight[i * 4],
                                                  at[0] >= 0, at[3] >= 0);
        }
    }
}

INLINE void NAME(cubic_row)(T *restrict z, const T *x0, const T *x1, const T *x2, const T *x3, NAME(intermediate) t,
                            int64_t n, const int has_first, const int has_last) {
    INDEPENDENT
    for (int64_t i = 0; i < n; i++) { z[i] = NAME(cubic_output)(x0, x1, x2, x3, i, t, has_first, has_last); }
}

static void NAME(cubic_across)(const t7_taps *t, int64_t from, int64_t to) {
    const int64_t n = t->width;
    for (int64_t y = from; y < to; y++) {
        const int32_t *at = t->at + y * 4;
        const T *x1 = (const T *)t->from + at[1] * n, *x2 = x1 + n, *x0 = at[0] < 0 ? x1 : x1 - n;
        const T *x3 = at[3] < 0 ? x1 : x2 + n;
        const NAME(intermediate) part = (NAME(intermediate))t->weight[y * 4];
        T *z = (T *)t->to + y * n;
        if (at[2] < 0)
            memcpy(z, x1, n * sizeof(T));
        else if (at[0] < 0 && at[3] < 0)
            NAME(cubic_row)(z, x0, x1, x2, x3, part, n, 0, 0);
        else if (at[0] < 0)
            NAME(cubic_row)(z, x0, x1, x2, x3, part, n, 0, 1);
        else if (at[3] < 0)
            NAME(cubic_row)(z, x0, x1, x2, x3, part, n, 1, 0);
        else
            NAME(cubic_row)(z, x0, x1, x2, x3, part, n, 1, 1);
    }
}

static void NAME(along)(void *data, int64_t from, int64_t to) {
    const t7_taps *t = data;
    if (t->is_cubic) return NAME(cubic_along)(t, from, to);
    if (t->taps == 2) return NAME(along_by)(t, from, to, 2);
    if (t->taps == 3) return NAME(along_by)(t, from, to, 3);
    if (t->taps == 4) return NAME(along_by)(t, from, to, 4);
    NAME(along_by)(t, from, to, t->taps);
}

static void NAME(across)(void *data, int64_t from, int64_t to) {
    const t7_taps *t = data;
    if (t->is_cubic) return NAME(cubic_across)(t, from, to);
    NAME(intermediate) sums[BLOCK];
    float means[BLOCK];
    for (int64_t y = from; y < to; y++) {
        const int32_t *at = t->at + y * t->taps;
        const double *weight = t->weight + y * t->taps;
        for (int64_t first = 0; first < t->width; first += BLOCK) {
            const int64_t n = min_i(t->width - first, BLOCK);
            const T *x = (const T *)t->from + first;
            T *z = (T *)t->to + y * t->width + first;
            for (int64_t k = 0; k < t->taps; k++) {
                const T *row = x + at[k] * t->width;
                const NAME(intermediate) w = (NAME(intermediate))weight[k];
                for (int64_t i = 0; i < n; i++) {
                    if (t->total)
                        means[i] = (float)(k > 0 ? means[i] + w * row[i] : w * row[i]);
                    else
                        sums[i] = k > 0 ? sums[i] + w * row[i] : w * row[i];
                }
            }
            if (t->total) {
                const float total = (float)t->total[y];
                for (int64_t i = 0; i < n; i++) z[i] = NAME(round)(means[i] / total);
            } else {
                for (int64_t i = 0; i < n; i++) z[i] = NAME(round)(sums[i]);
            }
        }
    }
}

static void NAME(nearest_rows)(void *data, int64_t from, int64_t to) {
    const nearest *n = data;
    const int64_t columns = n->columns;
    const int32_t *restrict at = n->column_at;
    for (int64_t line = from; line < to; line++) {
        const T *x = (const T *)n->from + line / n->rows * n->plane_step + n->row_at[line % n->rows] * n->row_step;
        T *restrict z = (T *)n->to + line * columns;
        if (n->step == 1) {
            for (int64_t i = 0; i < columns; i++) z[i] = (T)(float)x[at[i]];
        } else {
            for (int64_t i = 0; i < columns; i++) z[i] = (T)(float)x[at[i] * n->step];
        }
    }
}

/* Of four taps, as the original adds them: in doubles, but for the last product of Floats and bytes. */
INLINE float NAME(bilinear)(const T *x, const int32_t *at, const double *weight) {
    double sum = weight[0] * x[at[0]] + weight[1] * x[at[1]] + weight[2] * x[at[2]];
    return (float)(sum + (sizeof(T) == 8 ? weight[3] * x[at[3]] : (float)weight[3] * (float)x[at[3]]));
}

/* An output of taps in a plane, whose number and geometry are constants where this is inlined. */
INLINE T NAME(output)(const T *x, const int32_t *at, const double *weight, const int taps, const int is_warp,
                      T outside) {
    if (at[0] < 0) return outside;
    if (taps == 1) return is_warp ? x[at[0]] : (T)(float)x[at[0]];
    if (!is_warp) return NAME(round)(NAME(bilinear)(x, at, weight));
    if (taps == 4) return NAME(round)(NAME(weighted_sum)(x, at, weight, taps));
    NAME(intermediate) sum = NAME(weighted_sum)(x, at, weight, taps - 1), last = (NAME(intermediate))weight[taps - 1];
    if (taps == T7_LANCZOS_TAPS) return NAME(round)(sum / last);
    return NAME(round)(last != 0 ? sum + last * outside : sum);
}

INLINE void NAME(outputs)(T *restrict z, const T *x, const int32_t *restrict at, const double *restrict weight, int n,
                          const int taps, const int is_warp, T outside) {
    for (int i = 0; i < n; i++) z[i] = NAME(output)(x, at + i * taps, weight + i * taps, taps, is_warp, outside);
}

static void NAME(sampled_rows)(void *data, int64_t from, int64_t to) {
    const t7_sampling *s = data;
    const int taps = t7_taps_of(s->mode);
    const T outside = *(const T *)s->outside;
    int32_t at[T7_BLOCK * T7_MAX_TAPS];
    double weight[T7_BLOCK * T7_MAX_TAPS];
    for (int64_t y = from; y < to; y++) {
        for (int64_t first = 0; first < s->to_width; first += T7_BLOCK) {
            const int n = (int)min_i(s->to_width - first, T7_BLOCK);
            t7_row_taps(s, y, first, n, at, weight);
            for (int64_t p = 0; p < s->planes; p++) {
                T *z = (T *)s->to + (p * s->to_height + y) * s->to_width + first;
                const T *x = (const T *)s->from + p * s->height * s->width;
                if (s->geometry != T7_WARP && taps == 1)
                    NAME(outputs)(z, x, at, weight, n, 1, 0, outside);
                else if (s->geometry != T7_WARP)
                    NAME(outputs)(z, x, at, weight, n, 4, 0, outside);
                else if (taps == 1)
                    NAME(outputs)(z, x, at, weight, n, 1, 1, outside);
                else if (taps == 4)
                    NAME(outputs)(z, x, at, weight, n, 4, 1, outside);
                else if (taps == T7_CUBIC_TAPS)
                    NAME(outputs)(z, x, at, weight, n, T7_CUBIC_TAPS, 1, outside);
                else
                    NAME(outputs)(z, x, at, weight, n, T7_LANCZOS_TAPS, 1, outside);
            }
        }
    }
}
