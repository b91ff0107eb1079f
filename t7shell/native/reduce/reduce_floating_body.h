/* Reductions of one floating-point type, to doubles. */

/* Elements, or their squares rounded to the type. */
INLINE doubles NAME(load_terms)(enum term term, const T *x) {
    NAME(quad) v = NAME(load_quad)(x);
    if (term == ROUNDED_SQUARES) v = v * v;
    return NAME(widen)(v);
}
INLINE double NAME(load_term)(enum term term, T x) { return term == ROUNDED_SQUARES ? (T)(x * x) : x; }

/* A row in 16 partial results. */
INLINE double NAME(row_in_parts)(enum term term, const T *x, int64_t n, double shift) {
    enum { PARTS = 16, VECTORS = PARTS / DOUBLES };
    doubles a[VECTORS], from = broadcast(shift);
    UNROLL for (int j = 0; j < VECTORS; j++) a[j] = broadcast(identity(term));
    int64_t k = 0;
    for (; k + PARTS <= n; k += PARTS)
        UNROLL for (int j = 0; j < VECTORS; j++) a[j] =
            combine(term, a[j], NAME(load_terms)(term, x + k + j * DOUBLES), from);
    UNROLL for (int j = 0; j < VECTORS; j++) {
        if (k + DOUBLES <= n) {
            a[j] = combine(term, a[j], NAME(load_terms)(term, x + k), from);
        } else if (k < n) {
            /* The rest of the vector is the identity. */
            doubles v = broadcast(term == DIFFERENCES ? shift : identity(term));
            for (int i = 0; i < n - k; i++) v[i] = NAME(load_term)(term, x[k + i]);
            a[j] = combine(term, a[j], v, from);
        }
        k += DOUBLES;
    }
    UNROLL for (int w = VECTORS / 2; w; w /= 2) UNROLL for (int j = 0; j < w; j++) a[j] =
        term == PRODUCTS ? a[j] * a[j + w] : a[j] + a[j + w];
    double part[DOUBLES];
    store_quad_Double(part, a[0]);
    UNROLL for (int w = DOUBLES / 2; w; w /= 2) UNROLL for (int j = 0; j < w; j++) part[j] =
        term == PRODUCTS ? part[j] * part[j + w] : part[j] + part[j + w];
    return part[0];
}

/* Elements one after the other. */
INLINE double NAME(sequential)(enum term term, double a, const T *x, int64_t n, int64_t step, double shift) {
    for (int64_t k = 0; k < n; k++) {
        a = combine_one(term, a, NAME(load_term)(term, x[k * step]), shift);
        AS_SCALAR(a);
    }
    return a;
}

/* `groups` times DOUBLES rows, each in order: vectors hold an element of each row. */
INLINE void NAME(transposed_rows)(enum term term, int groups, const T *x, int64_t n, int64_t step, const double *shift,
                                  double *a) {
    doubles sum[MAX_GROUPS], from[MAX_GROUPS];
    UNROLL for (int g = 0; g < groups; g++) sum[g] = broadcast(identity(term)),
                                            from[g] = load_quad_Double(shift + g * DOUBLES);
    int64_t k = 0;
    for (; k + DOUBLES <= n; k += DOUBLES) {
        const T *row = x + k;
        UNROLL for (int g = 0; g < groups; g++) {
            doubles v[DOUBLES];
            UNROLL for (int j = 0; j < DOUBLES; j++, row += step) v[j] = NAME(load_terms)(term, row);
            transpose_Double(v);
            UNROLL for (int j = 0; j < DOUBLES; j++) sum[g] = combine(term, sum[g], v[j], from[g]);
        }
    }
    for (; k < n; k++) {
        const T *row = x + k;
        UNROLL for (int g = 0; g < groups; g++) {
            doubles v;
            UNROLL for (int j = 0; j < DOUBLES; j++, row += step) v[j] = NAME(load_term)(term, *row);
            sum[g] = combine(term, sum[g], v, from[g]);
        }
    }
    UNROLL for (int g = 0; g < groups; g++) store_quad_Double(a + g * DOUBLES, sum[g]);
}

/* Rows in order, many side by side; the last groups may overlap. */
INLINE void NAME(sequential_rows)(enum term term, const T *x, int64_t n, int64_t step, int64_t count,
                                  const double *shift, double *a) {
    enum { WIDE = MAX_GROUPS * DOUBLES };
    int64_t i = 0;
    if (count < DOUBLES) {
        for (; i < count; i++) a[i] = NAME(sequential)(term, identity(term), x + i * step, n, 1, shift[i]);
        return;
    }
    if (n >= 16)
        for (; i + WIDE <= count; i += WIDE)
            NAME(transposed_rows)(term, MAX_GROUPS, x + i * step, n, step, shift + i, a + i);
    for (; i < count; i += DOUBLES) {
        int64_t at = min_i(i, count - DOUBLES);
        NAME(transposed_rows)(term, 1, x + at * step, n, step, shift + at, a + at);
    }
}

/* Vectors of columns over n rows, each in order; a holds the results so far. */
INLINE void NAME(column_vectors)(enum term term, int vectors, const T *x, int64_t n, int64_t n_step,
                                 const double *shift, double *a) {
    doubles sum[MAX_VECTORS], from[MAX_VECTORS];
    UNROLL for (int j = 0; j < vectors; j++) sum[j] = load_quad_Double(a + j * DOUBLES),
                                             from[j] = load_quad_Double(shift + j * DOUBLES);
    for (int64_t k = 0; k < n; k++, x += n_step)
        UNROLL for (int j = 0; j < vectors; j++) sum[j] =
            combine(term, sum[j], NAME(load_terms)(term, x + j * DOUBLES), from[j]);
    UNROLL for (int j = 0; j < vectors; j++) store_quad_Double(a + j * DOUBLES, sum[j]);
}

/* All columns, blocks of rows at a time, which are near each other in memory. Columns with a step, up to BLOCK, are
   gathered. */
INLINE void NAME(sequential_columns)(enum term term, const T *x, int64_t n, int64_t n_step, int64_t count, int64_t step,
                                     const double *shift, double *a) {
    enum { WIDE = MAX_VECTORS * DOUBLES, ROWS = 16 };
    T gathered[ROWS * BLOCK];
    for (int64_t i = 0; i < count; i++) a[i] = identity(term);
    for (; n > 0; n -= ROWS, x += ROWS * n_step) {
        const T *from = x;
        int64_t rows = min_i(ROWS, n), i = 0, row = n_step;
        if (step != 1) {
            for (int j = 0; j < rows; j++) gather_row(gathered + j * BLOCK, x + j * n_step, step, count);
            from = gathered, row = BLOCK;
        }
        for (; i + WIDE <= count; i += WIDE)
            NAME(column_vectors)(term, MAX_VECTORS, from + i, rows, row, shift + i, a + i);
        for (; i + DOUBLES <= count; i += DOUBLES) NAME(column_vectors)(term, 1, from + i, rows, row, shift + i, a + i);
        for (; i < count; i++) a[i] = NAME(sequential)(term, a[i], from + i, rows, row, shift[i]);
    }
}

/* Whether a row is added in parts: Floats that follow each other, but not doubles, which are added in order. */
INLINE int NAME(is_in_parts)(int64_t n, int64_t step) { return sizeof(T) == 4 && step == 1 && n >= 16; }

INLINE void NAME(combine_terms_of)(enum term term, const T *x, int64_t n, int64_t n_step, int64_t count, int64_t step,
                                   const double *shift, double *a) {
    if (NAME(is_in_parts)(n, n_step)) {
        for (int64_t i = 0; i < count; i++) a[i] = NAME(row_in_parts)(term, x + i * step, n, shift[i]);
    } else if (n_step == 1) {
        NAME(sequential_rows)(term, x, n, step, count, shift, a);
    } else if ((step == 1 || step < n_step) && count >= DOUBLES) {
        NAME(sequential_columns)(term, x, n, n_step, count, step, shift, a);
    } else {
        for (int64_t i = 0; i < count; i++)
            a[i] = NAME(sequential)(term, identity(term), x + i * step, n, n_step, shift[i]);
    }
}

/* a[i]: the combined terms of result i, up to BLOCK. */
static void NAME(combine_terms)(enum term term, const T *x, int64_t n, int64_t n_step, int64_t count, int64_t step,
                                const double *shift, double *a) {
#define CASE(t)                                                                                                        \
    case t:                                                                                                            \
        NAME(combine_terms_of)(t, x, n, n_step, count, step, shift, a);                                                \
        break;
    SWITCH_TERM(term, CASE)
#undef CASE
}

/* COLUMNS sums or products over n rows. */
INLINE void NAME(rounded_columns)(int is_product, const T *x, int64_t n, int64_t n_step, T *to) {
    T a[COLUMNS];
    UNROLL for (int j = 0; j < COLUMNS; j++) a[j] = to[j];
    for (int64_t k = 0; k < n; k++, x += n_step)
        UNROLL for (int j = 0; j < COLUMNS; j++) a[j] = is_product ? a[j] * x[j] : a[j] + x[j];
    UNROLL for (int j = 0; j < COLUMNS; j++) to[j] = a[j];
}

/* Sums or products in the type, in order; a row at a time, so that columns are vectors, or one result at a time where
   its elements are nearer to each other. */
INLINE void NAME(rounded_lines)(int is_product, const T *x, int64_t n, int64_t n_step, int64_t count, int64_t step,
                                T *to) {
    if (n_step < step) {
        for (int64_t i = 0; i < count; i++, x += step) {
            T a = is_product;
            for (int64_t k = 0; k < n; k++) a = is_product ? a * x[k * n_step] : a + x[k * n_step];
            to[i] = a;
        }
        return;
    }
    enum { ROWS = 16 };
    for (int64_t i = 0; i < count; i++) to[i] = is_product;
    for (; n > 0; n -= ROWS, x += ROWS * n_step) {
        int64_t rows = min_i(ROWS, n), i = 0;
        if (step == 1)
            for (; i + COLUMNS <= count; i += COLUMNS) NAME(rounded_columns)(is_product, x + i, rows, n_step, to + i);
        for (; i < count; i++)
            for (int64_t k = 0; k < rows; k++) {
                T v = x[k * n_step + i * step];
                to[i] = is_product ? to[i] * v : to[i] + v;
            }
    }
}

/* Results `from` to `to - 1` of a reduction along a dimension. */
static void NAME(reduce_lines)(void *data, int64_t from, int64_t to) {
    const struct lines *l = data;
    static const double zeros[BLOCK];
    double a[BLOCK], mean[BLOCK];
    for (int64_t i = from, count; i < to; i += count) {
        int64_t at = i % l->inner;
        count = min_i(min_i(BLOCK, to - i), l->inner - at);
        const T *x = (const T *)l->x + i / l->inner * l->outer_step + at * l->inner_step;
        T *r = (T *)l->to + i;
        if (l->reduction == T7_ROUNDED_SUM) {
            NAME(rounded_lines)(0, x, l->n, l->n_step, count, l->inner_step, r);
            continue;
        }
        if (l->reduction == T7_ROUNDED_PRODUCT) {
            NAME(rounded_lines)(1, x, l->n, l->n_step, count, l->inner_step, r);
            continue;
        }
        if (is_variance(l->reduction)) {
            NAME(combine_terms)(ELEMENTS, x, l->n, l->n_step, count, l->inner_step, zeros, mean);
            for (int64_t j = 0; j < count; j++) mean[j] /= l->n;
            NAME(combine_terms)(DIFFERENCES, x, l->n, l->n_step, count, l->inner_step, mean, a);
        } else {
            NAME(combine_terms)(term_of(l->reduction), x, l->n, l->n_step, count, l->inner_step, zeros, a);
        }
        for (int64_t j = 0; j < count; j++) r[j] = (T)finish(l->reduction, a[j], l->p);
    }
}

/* Blocks `from` to `to - 1` of a row. */
static void NAME(reduce_blocks)(void *data, int64_t from, int64_t to) {
    const struct blocks *p = data;
    const T *x = (const T *)p->x + from * p->size;
    NAME(combine_terms)(p->term, x, p->size, 1, to - from, p->size, p->shift, p->result + from);
}

static double NAME(reduce_row)(enum term term, const T *x, int64_t n, double shift) {
    if (n < MIN_BLOCKED) {
        double a;
        NAME(combine_terms)(term, x, n, 1, 1, n, &shift, &a);
        return a;
    }
    double shifts[MAX_BLOCKS], result[MAX_BLOCKS + 1];
    for (int j = 0; j < MAX_BLOCKS; j++) shifts[j] = shift;
    struct blocks p = {.x = x, .size = block_size(n), .term = term, .shift = shifts, .result = result};
    int64_t count = n / p.size, rest = n - count * p.size;
    t7_parallel_for(NAME(reduce_blocks), &p, count, sizeof(T) == 8 ? MAX_GROUPS * DOUBLES : 1,
                    n * sizeof(T) * NS_PER_BYTE);
    if (rest) NAME(combine_terms)(term, x + count * p.size, rest, 1, 1, rest, &shift, result + count);
    if (rest) count++;
    double a = identity(term);
    for (int64_t j = 0; j < count; j++) a = term == PRODUCTS ? a * result[j] : a + result[j];
    return a;
}

static double NAME(reduce_all)(t7_reduction reduction, double p, const void *data, int64_t n) {
    const T *x = data;
    double shift = is_variance(reduction) ? NAME(reduce_row)(ELEMENTS, x, n, 0) / n : 0;
    return canonical_nan(finish(reduction, NAME(reduce_row)(term_of(reduction), x, n, shift), p));
}

/* Goes on with elements in order. */
static double NAME(add_in_order)(enum term term, double a, const T *x, int64_t n, int64_t step, double shift) {
#define CASE(t)                                                                                                        \
    case t:                                                                                                            \
        return NAME(sequential)(t, a, x, n, step, shift);
    SWITCH_TERM(term, CASE)
#undef CASE
    return a;
}

/* A reduction over a loop nest: rows of doubles are in order, of Floats in parts. Of many elements the rows of the two
   inner loops are reduced first. */
static double NAME(reduce_nest)(enum term term, const T *x, int loops, const double *size, const double *step, int many,
                                const double *shift, double a) {
    int64_t n = (int64_t)size[loops - 1], by = (int64_t)step[loops - 1];
    if (loops > 2 || (loops == 2 && !many)) {
        for (int64_t k = 0; k < n; k++) a = NAME(reduce_nest)(term, x + k * by, loops - 1, size, step, many, shift, a);
    } else if (loops == 2) {
        double rows[BLOCK];
        for (int64_t k = 0; k < n; k += BLOCK) {
            int64_t count = min_i(BLOCK, n - k);
            NAME(combine_terms)(term, x + k * by, (int64_t)size[0], (int64_t)step[0], count, by, shift, rows);
            for (int64_t j = 0; j < count; j++) a = term == PRODUCTS ? a * rows[j] : a + rows[j];
        }
    } else if (NAME(is_in_parts)(n, by)) {
        double row;
        NAME(combine_terms)(term, x, n, 1, 1, n, shift, &row);
        a = term == PRODUCTS ? a * row : a + row;
    } else {
        a = NAME(add_in_order)(term, a, x, n, by, *shift);
    }
    return a;
}

static double NAME(reduce_loops)(t7_reduction reduction, double p, const void *data, int loops, const double *size,
                                 const double *step) {
    double shift[BLOCK] = {0}, count = elements(loops, size);
    enum term term = term_of(reduction);
    int many = count >= MIN_BLOCKED;
    if (is_variance(reduction)) {
        double mean = NAME(reduce_nest)(ELEMENTS, data, loops, size, step, many, shift, 0) / count;
        for (int i = 0; i < BLOCK; i++) shift[i] = mean;
    }
    double a = NAME(reduce_nest)(term, data, loops, size, step, many, shift, identity(term));
    return canonical_nan(finish(reduction, a, p));
}

/* Terms of the differences of two rows. */
static double NAME(reduce_differences)(enum term term, const T *x, const T *y, int64_t n) {
    T difference[DIFFERENCE_BLOCK];
    double a = 0;
    for (int64_t k = 0; k < n; k += DIFFERENCE_BLOCK) {
        int64_t count = min_i(DIFFERENCE_BLOCK, n - k);
        for (int64_t i = 0; i < count; i++) difference[i] = x[k + i] - y[k + i];
        if (sizeof(T) == 4 || n >= MIN_BLOCKED) {
            a += term == ABSOLUTES ? NAME(row_in_parts)(ABSOLUTES, difference, count, 0)
                                   : NAME(row_in_parts)(ROUNDED_SQUARES, difference, count, 0);
        } else if (term == ABSOLUTES) {
            a = NAME(sequential)(ABSOLUTES, a, difference, count, 1, 0);
        } else {
            a = NAME(sequential)(ROUNDED_SQUARES, a, difference, count, 1, 0);
        }
    }
    return a;
}
