/* Convolutions with few results, such as those of single planes, of one type: vectors hold neighboring pixels, in runs
   through all rows of the copied source. What a run computes between the rows is discarded. */

/* The pixels of a slice from the first of them to the last. */
INLINE int64_t NAME(run_of)(const NAME(phase) *f) { return (f->a[1].count - 1) * f->p->row + f->a[2].count; }
INLINE int64_t NAME(chunks_of)(const NAME(phase) *f) {
    return ceil_div(NAME(run_of)(f) * f->p->joint_phases, RUN_LENGTH);
}

/* c[m][RUN_LENGTH], or its sum with what is there, becomes the sum over j of w[j][m] * x[offset[j] + i] for n pixels i.
 */
INLINE void NAME(run)(int results, int vectors, const T *x, int64_t n, const int64_t *offset, int64_t terms, const T *w,
                      T *c, int is_first) {
    for (int64_t i = 0; i < n; i += vectors * LANES) {
        V sum[MAX_RUN_OUTPUTS][8];
        for (int m = 0; m < results; m++)
            for (int k = 0; k < vectors; k++) sum[m][k] = (V){0};
        const T *weight = w;
        for (int64_t j = 0; j < terms; j++, weight += results) {
            const T *v = x + offset[j] + i;
            /* The smaller side is kept in registers. */
            V kept[4];
            if (results < vectors) {
                UNROLL for (int m = 0; m < results; m++) kept[m] = splat(weight[m]);
                UNROLL for (int k = 0; k < vectors; k++) {
                    V a = load(v + k * LANES);
                    KEEP_IN_REGISTER(a);
                    UNROLL for (int m = 0; m < results; m++) sum[m][k] = fma_v(a, kept[m], sum[m][k]);
                }
            } else {
                UNROLL for (int k = 0; k < vectors; k++) {
                    kept[k] = load(v + k * LANES);
                    KEEP_IN_REGISTER(kept[k]);
                }
                UNROLL for (int m = 0; m < results; m++) {
                    V a = splat(weight[m]);
                    UNROLL for (int k = 0; k < vectors; k++) sum[m][k] = fma_v(kept[k], a, sum[m][k]);
                }
            }
        }
        UNROLL for (int m = 0; m < results; m++) UNROLL for (int k = 0; k < vectors; k++) {
            T *z = c + m * RUN_LENGTH + i + k * LANES;
            store(z, is_first ? sum[m][k] : load(z) + sum[m][k]);
        }
    }
}

static void NAME(runs)(int64_t results, const T *x, int64_t n, const int64_t *offset, int64_t terms, const T *w, T *c,
                       int is_first) {
    switch (results) {
    case 1:
        NAME(run)(1, 8, x, n, offset, terms, w, c, is_first);
        break;
    case 2:
        NAME(run)(2, 6, x, n, offset, terms, w, c, is_first);
        break;
    case 3:
        NAME(run)(3, 4, x, n, offset, terms, w, c, is_first);
        break;
    case 4:
        NAME(run)(4, 3, x, n, offset, terms, w, c, is_first);
        break;
    case 5:
        NAME(run)(5, 2, x, n, offset, terms, w, c, is_first);
        break;
    case 6:
        NAME(run)(6, 2, x, n, offset, terms, w, c, is_first);
        break;
    }
}

/* Interleaves a and b, of which b may have one element less. */
INLINE void NAME(join_rows)(const T *a, const T *b, int64_t na, int64_t nb, T *z) {
    int64_t i = 0;
    for (; i + PAIRS <= nb; i += PAIRS) NAME(join)(a + i, b + i, z + 2 * i);
    for (; i < nb; i++) z[2 * i] = a[i], z[2 * i + 1] = b[i];
    if (nb < na) z[2 * nb] = a[nb];
}

/* Writes the pixels of run positions `first` to `last` - 1 of slice t. */
static void NAME(write_run)(const NAME(phase) *f, int64_t image, int64_t g, int64_t t, int64_t first, int64_t last,
                            const T *c) {
    const t7_conv_plan *p = f->p;
    const t7_axis *a = f->a;
    int64_t width = p->row, step = a[2].step;
    for (int64_t m = 0; m < p->outputs; m++) {
        T *plane = f->to + ((image * p->groups + g) * p->outputs + m) * p->to_area +
                   (a[0].first + t * a[0].step) * p->result[1] * p->result[2];
        for (int64_t y = first / width; y * width < last; y++) {
            int64_t from = first > y * width ? first - y * width : 0;
            int64_t n = min_i(last - y * width, a[2].count) - from;
            if (n <= 0) continue;
            T *z = plane + (a[1].first + y * a[1].step) * p->result[2] + a[2].first + from * step;
            const T *v = c + m * RUN_LENGTH + y * width + from - first;
            if (step == 1) {
                memcpy(z, v, n * sizeof *z);
            } else if (p->joint_phases == 2) {
                int64_t rest = f[1].a[2].count - from;
                NAME(join_rows)(v, v + RUN_LENGTH / 2, n, min_i(n, rest), z);
            } else {
                for (int64_t x = 0; x < n; x++) z[x * step] = v[x];
            }
        }
    }
}

/* Unit (image, g, t, chunk): a part of the run through slice t, of the phase or of both joint ones. */
static void NAME(convolve_runs)(void *data, int64_t from, int64_t to) {
    const NAME(phase) *f = data;
    const t7_conv_plan *p = f->p;
    _Alignas(64) T c[MAX_RUN_OUTPUTS * RUN_LENGTH];
    int64_t chunks = NAME(chunks_of)(f), all = NAME(run_of)(f), length = RUN_LENGTH / p->joint_phases;
    int64_t slice = p->padded[1] / p->parts[1] * p->row;
    for (int64_t u = from; u < to; u++) {
        int64_t first = u % chunks * length, q = u / chunks, t = q % f->a[0].count, group = q / f->a[0].count;
        int64_t last = min_i(first + length, all), g = group % p->groups;
        const T *x = f->source + group * p->inputs * p->pitch + t * slice + first;
        for (int k = 0; k < p->joint_phases; k++) {
            const T *w = f[k].packed + g * f[k].terms * p->outputs;
            T *sums = c + k * length;
            for (int64_t j = 0; j < f[k].terms; j += f[k].block_terms) {
                int64_t terms = min_i(f[k].terms - j, f[k].block_terms);
                NAME(runs)(p->outputs, x, last - first, f[k].offsets + j, terms, w + j * p->outputs, sums, j == 0);
            }
            for (int64_t m = 0; m < p->outputs; m++, sums += RUN_LENGTH) {
                if (!f[k].terms) memset(sums, 0, (last - first) * sizeof *sums);
                if (!f->bias) continue;
                T b = f->bias[g * p->bias_group + m * p->bias_output];
                for (int64_t i = 0; i < last - first; i++) sums[i] += b;
            }
        }
        NAME(write_run)(f, group / p->groups, g, t, first, last, c);
    }
}

/* Rows of maps, padded with zeros to whole groups of PARTIAL_SUMS pixels. */
INLINE int64_t NAME(padded_row)(const NAME(phase) *f) { return ceil_div(f->a[2].count, PARTIAL_SUMS) * PARTIAL_SUMS; }

/* Unit (g, image): the maps of a group with padded rows. */
static void NAME(pad_maps)(void *data, int64_t from, int64_t to) {
    const NAME(sums) *s = data;
    const NAME(phase) *f = &s->f;
    int64_t n = f->a[2].count, width = NAME(padded_row)(f), rows = f->p->outputs * (f->pixels / n);
    for (int64_t u = from; u < to; u++) {
        int64_t image = u % f->images, g = u / f->images;
        const T *x = f->from + (image * f->p->groups + g) * rows * n;
        T *z = s->maps + u * rows * width;
        for (int64_t r = 0; r < rows; r++, x += n, z += width) {
            memcpy(z, x, n * sizeof *z);
            memset(z + n, 0, (width - n) * sizeof *z);
        }
    }
}

/* sums[i], of `taps` up to TAP_ROWS, += the products of a map with what taps read of one image. Each of PARTIAL_SUMS
   partial results has the pixels of every PARTIAL_SUMS-th column; a mask clears what lies behind a row. */
INLINE void NAME(dot_rows)(int taps, const NAME(phase) *f, const T *const *x, const T *map, T *sums, int is_first) {
    enum { N = PARTIAL_SUMS / LANES };
    V sum[TAP_ROWS][N], mask[N];
    for (int i = 0; i < taps; i++)
        for (int k = 0; k < N; k++) sum[i][k] = (V){0};
    int64_t n = f->a[2].count, width = f->p->row, full = n / PARTIAL_SUMS * PARTIAL_SUMS;
    for (int k = 0; k < N; k++)
        for (int l = 0; l < LANES; l++) ((BITS *)mask)[k * LANES + l] = k * LANES + l < n - full ? -1 : 0;
    int64_t slice = f->p->padded[1] / f->p->parts[1] * width;
    for (int64_t t = 0; t < f->a[0].count; t++)
        for (int64_t y = 0; y < f->a[1].count; y++) {
            int64_t row = t * slice + y * width, i = 0;
            for (; i < full; i += PARTIAL_SUMS, map += PARTIAL_SUMS)
                for (int k = 0; k < N; k++) {
                    V m = load(map + k * LANES);
                    UNROLL for (int j = 0; j < taps; j++) sum[j][k] =
                        fma_v(load(x[j] + row + i + k * LANES), m, sum[j][k]);
                }
            if (i == n) continue;
            for (int k = 0; k < N; k++) {
                V m = load(map + k * LANES);
                UNROLL for (int j = 0; j < taps; j++) {
                    V a = (V)((MASK)load(x[j] + row + i + k * LANES) & (MASK)mask[k]);
                    sum[j][k] = fma_v(a, m, sum[j][k]);
                }
            }
            map += PARTIAL_SUMS;
        }
    for (int i = 0; i < taps; i++) {
        T lanes[PARTIAL_SUMS];
        for (int k = 0; k < N; k++) store(lanes + k * LANES, sum[i][k]);
        for (int k = PARTIAL_SUMS / 2; k; k /= 2)
            for (int j = 0; j < k; j++) lanes[j] += lanes[j + k];
        sums[i * f->width] = is_first ? lanes[0] : sums[i * f->width] + lanes[0];
    }
}

/* Unit (g, o, c): sums for the weights of an output and a plane of the source, over the images of a pass. */
static void NAME(sum_rows)(void *data, int64_t from, int64_t to) {
    const NAME(sums) *s = data;
    const NAME(phase) *f = &s->f;
    const t7_conv_plan *p = f->p;
    int64_t taps = f->terms / p->inputs;
    for (int64_t u = from; u < to; u++) {
        int64_t c = u % p->inputs, q = u / p->inputs, o = q % p->outputs, g = q / p->outputs;
        T *sums = s->sums + (g * s->rows + c * taps) * f->width + o;
        for (int64_t image = 0; image < f->images; image++) {
            const T *v = f->source + (image * p->groups + g) * p->inputs * p->pitch;
            const T *map = s->maps + (g * f->images + image) * s->pitch + o * (s->pitch / p->outputs), *x[TAP_ROWS];
            int is_first = s->is_first && image == 0;
            for (int64_t i = 0; i < taps;) {
                int n = taps - i >= TAP_ROWS ? TAP_ROWS : taps - i >= TAP_ROWS / 2 ? TAP_ROWS / 2 : 1;
                for (int j = 0; j < n; j++) x[j] = v + f->offsets[c * taps + i + j];
                T *z = sums + i * f->width;
                if (n == TAP_ROWS)
                    NAME(dot_rows)(TAP_ROWS, f, x, map, z, is_first);
                else if (n == TAP_ROWS / 2)
                    NAME(dot_rows)(TAP_ROWS / 2, f, x, map, z, is_first);
                else
                    NAME(dot_rows)(1, f, x, map, z, is_first);
                i += n;
            }
        }
    }
}
