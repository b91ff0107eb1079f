/* Row convolutions of one type, by blocks of BLOCK features. */

typedef struct {
    int64_t frames, features, kernel, stride, outputs, sequences;
    const T *x, *weight, *bias;
    T *to, scale;
} NAME(rows);

static NAME(rows) NAME(rows_of)(const t7_row_shape *s, const T *x, const T *weight, T *to) {
    return (NAME(rows)){.frames = (int64_t)s->frames,
                        .features = (int64_t)s->features,
                        .kernel = (int64_t)s->kernel,
                        .stride = (int64_t)s->stride,
                        .outputs = (int64_t)s->outputs,
                        .sequences = (int64_t)s->sequences,
                        .x = x,
                        .weight = weight,
                        .to = to};
}

static void NAME(run_rows)(t7_chunk *f, const NAME(rows) *r, int64_t sequences) {
    int64_t blocks = ceil_div(r->features, BLOCK);
    double work = (double)r->sequences * r->frames * r->features * (r->kernel + 2) * 0.08;
    t7_parallel_for(f, (void *)r, sequences * blocks, 1, work);
}

/* The weights of n features from c on for tap k. */
INLINE void NAME(tap)(const NAME(rows) *r, int64_t c, int64_t n, int64_t k, T *w) {
    for (int64_t i = 0; i < n; i++) w[i] = r->weight[(c + i) * r->kernel + k];
}

/* Units (sequence, block of features). */
static void NAME(rows_forward)(void *data, int64_t from, int64_t to) {
    const NAME(rows) *r = data;
    int64_t blocks = ceil_div(r->features, BLOCK), step = r->features;
    T w[BLOCK];
    for (int64_t u = from; u < to; u++) {
        int64_t s = u / blocks, c = u % blocks * BLOCK, n = min_i(step - c, BLOCK);
        const T *x = r->x + s * r->frames * step + c;
        T *y = r->to + s * r->outputs * step + c;
        for (int64_t k = 0; k < r->kernel; k++) {
            NAME(tap)(r, c, n, k, w);
            for (int64_t f = 0; f < r->outputs; f++) {
                const T *v = x + (f * r->stride + k) * step;
                T *z = y + f * step;
                INDEPENDENT
                for (int64_t i = 0; i < n; i++) z[i] = NAME(fma)(w[i], v[i], k ? z[i] : 0);
            }
        }
        for (int64_t f = 0; r->bias && f < r->outputs; f++)
            for (int64_t i = 0; i < n; i++) y[f * step + i] += r->bias[c + i];
    }
}

static void NAME(rows_back)(void *data, int64_t from, int64_t to) {
    const NAME(rows) *r = data;
    int64_t blocks = ceil_div(r->features, BLOCK), step = r->features;
    T w[BLOCK];
    for (int64_t u = from; u < to; u++) {
        int64_t s = u / blocks, c = u % blocks * BLOCK, n = min_i(step - c, BLOCK);
        const T *g = r->x + s * r->outputs * step + c;
        T *x = r->to + s * r->frames * step + c;
        for (int64_t f = 0; f < r->frames; f++) memset(x + f * step, 0, n * sizeof(T));
        for (int64_t k = 0; k < r->kernel; k++) {
            NAME(tap)(r, c, n, k, w);
            for (int64_t f = 0; f < r->outputs; f++) {
                const T *v = g + f * step;
                T *z = x + (f * r->stride + k) * step;
                INDEPENDENT
                for (int64_t i = 0; i < n; i++) z[i] = NAME(fma)(w[i], v[i], z[i]);
            }
        }
    }
}

/* Units are blocks of features, over all sequences. */
static void NAME(rows_weights)(void *data, int64_t from, int64_t to) {
    const NAME(rows) *r = data;
    int64_t step = r->features;
    T sum[BLOCK];
    for (int64_t u = from; u < to; u++) {
        int64_t c = u * BLOCK, n = min_i(step - c, BLOCK);
        for (int64_t k = 0; k < r->kernel; k++)
            for (int64_t s = 0; s < r->sequences; s++) {
                memset(sum, 0, sizeof sum);
                for (int64_t f = 0; f < r->outputs; f++) {
                    const T *v = r->x + (s * r->frames + f * r->stride + k) * step + c;
                    const T *g = r->weight + (s * r->outputs + f) * step + c;
                    INDEPENDENT
                    for (int64_t i = 0; i < n; i++) sum[i] = NAME(fma)(g[i], v[i], sum[i]);
                }
                for (int64_t i = 0; i < n; i++) r->to[(c + i) * r->kernel + k] += r->scale * sum[i];
            }
    }
}

void NAME(t7_rows_forward)(const t7_row_shape *shape, const T *x, const T *weight, const T *bias, T *y) {
    NAME(rows) r = NAME(rows_of)(shape, x, weight, y);
    r.bias = bias;
    NAME(run_rows)(NAME(rows_forward), &r, r.sequences);
}

void NAME(t7_rows_back)(const t7_row_shape *shape, const T *gradient, const T *weight, T *x) {
    NAME(rows) r = NAME(rows_of)(shape, gradient, weight, x);
    NAME(run_rows)(NAME(rows_back), &r, r.sequences);
}

void NAME(t7_rows_weights)(const t7_row_shape *shape, const T *x, const T *gradient, double scale, T *sums) {
    NAME(rows) r = NAME(rows_of)(shape, x, gradient, sums);
    r.scale = (T)scale;
    NAME(run_rows)(NAME(rows_weights), &r, 1);
}
