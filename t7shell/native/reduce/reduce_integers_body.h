/* Sums and products of one integer type. */

/* a[i]: the sum or product of result i. */
static void NAME(combine_terms)(int product, const T *x, int64_t n, int64_t n_step, int64_t count, int64_t step,
                                SUM *a) {
    for (int64_t i = 0; i < count; i++) a[i] = product;
    if (n_step < step && n > 8) {
        for (int64_t i = 0; i < count; i++, x += step) {
            SUM s = a[i];
            if (product) {
                for (int64_t k = 0; k < n; k++) s *= (SUM)x[k * n_step];
            } else if (n_step == 1) {
                for (int64_t k = 0; k < n; k++) s += (SUM)x[k];
            } else {
                for (int64_t k = 0; k < n; k++) s += (SUM)x[k * n_step];
            }
            a[i] = s;
        }
        return;
    }
    for (int64_t k = 0; k < n; k++, x += n_step) {
        if (product) {
            for (int64_t i = 0; i < count; i++) a[i] *= (SUM)x[i * step];
        } else if (step == 1) {
            for (int64_t i = 0; i < count; i++) a[i] += (SUM)x[i];
        } else {
            for (int64_t i = 0; i < count; i++) a[i] += (SUM)x[i * step];
        }
    }
}

static void NAME(reduce_lines)(void *data, int64_t from, int64_t to) {
    const struct lines *l = data;
    SUM a[BLOCK];
    for (int64_t i = from, count; i < to; i += count) {
        int64_t at = i % l->inner;
        count = min_i(min_i(BLOCK, to - i), l->inner - at);
        const T *x = (const T *)l->x + i / l->inner * l->outer_step + at * l->inner_step;
        NAME(combine_terms)(l->reduction == T7_PRODUCT, x, l->n, l->n_step, count, l->inner_step, a);
        T *r = (T *)l->to + i;
        for (int64_t j = 0; j < count; j++) r[j] = (T)a[j];
    }
}

/* The sum or product of n contiguous elements modulo 2^64; sums of BLOCK_SIZE small ones fit in 32 bits. */
static uint64_t NAME(reduce_row)(int product, const T *x, int64_t n) {
    uint64_t a = product;
    if (product || sizeof(T) > 2) {
        if (product)
            for (int64_t k = 0; k < n; k++) a *= (uint64_t)x[k];
        else
            for (int64_t k = 0; k < n; k++) a += (uint64_t)x[k];
        return a;
    }
    for (int64_t k = 0, end; k < n; k = end) {
        end = min_i(n, k + BLOCK_SIZE);
        int32_t s = 0;
        for (int64_t j = k; j < end; j++) s += x[j];
        a += (uint64_t)s;
    }
    return a;
}

static void NAME(reduce_blocks)(void *data, int64_t from, int64_t to) {
    const struct blocks *p = data;
    for (int64_t j = from; j < to; j++)
        p->integers[j] = NAME(reduce_row)(p->term == PRODUCTS, (const T *)p->x + j * p->size, p->size);
}

static double NAME(reduce_all)(t7_reduction reduction, double power, const void *data, int64_t n) {
    (void)power;
    const T *x = data;
    int product = reduction == T7_PRODUCT;
    if (n < MIN_BLOCKED) return (double)(int64_t)NAME(reduce_row)(product, x, n);
    uint64_t result[MAX_BLOCKS];
    struct blocks p = {.x = x, .size = block_size(n), .term = term_of(reduction), .integers = result};
    int64_t count = n / p.size;
    t7_parallel_for(NAME(reduce_blocks), &p, count, 1, n * sizeof(T) * NS_PER_BYTE);
    uint64_t a = NAME(reduce_row)(product, x + count * p.size, n - count * p.size);
    for (int64_t j = 0; j < count; j++) a = product ? a * result[j] : a + result[j];
    return (double)(int64_t)a;
}

static uint64_t NAME(reduce_nest)(int product, const T *x, int loops, const double *size, const double *step,
                                  uint64_t a) {
    int64_t n = (int64_t)size[loops - 1], by = (int64_t)step[loops - 1];
    if (loops > 1) {
        for (int64_t k = 0; k < n; k++) a = NAME(reduce_nest)(product, x + k * by, loops - 1, size, step, a);
    } else if (product) {
        for (int64_t k = 0; k < n; k++) a *= (uint64_t)x[k * by];
    } else {
        for (int64_t k = 0; k < n; k++) a += (uint64_t)x[k * by];
    }
    return a;
}

static double NAME(reduce_loops)(t7_reduction reduction, double power, const void *data, int loops, const double *size,
                                 const double *step) {
    (void)power;
    int product = reduction == T7_PRODUCT;
    return (double)(int64_t)NAME(reduce_nest)(product, data, loops, size, step, product);
}
