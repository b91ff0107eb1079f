/* Convolutions with many results, of one type: the results of a pixel are vectors, and what they read is broadcast. One
   register tile serves all directions: TILE_ROWS rows of sums over a list of offsets, TILE_WIDTH sums each. */

/* c[TILE_ROWS][TILE_WIDTH], or its sum with what is there, becomes the sum over j of x[i][offset[j]] * w[j]. What x
   reads `ahead` terms later is prefetched. */
INLINE void NAME(tile)(int vectors, int ahead, const T *const *x, const int64_t *offset, int64_t n, const T *w, T *c,
                       int is_first) {
    V sum[TILE_ROWS][2];
    for (int i = 0; i < TILE_ROWS; i++) sum[i][0] = sum[i][1] = (V){0};
    for (int64_t j = 0; j < n; j++, w += TILE_WIDTH) {
        V w0 = load(w), w1 = vectors > 1 ? load(w + LANES) : w0;
        if (ahead) __builtin_prefetch(x[TILE_ROWS - 1] + offset[j + ahead]);
        UNROLL for (int i = 0; i < TILE_ROWS; i++) {
            V b = splat(x[i][offset[j]]);
            sum[i][0] = fma_v(b, w0, sum[i][0]);
            if (vectors > 1) sum[i][1] = fma_v(b, w1, sum[i][1]);
        }
    }
    UNROLL for (int i = 0; i < TILE_ROWS; i++) for (int k = 0; k < vectors; k++) {
        T *z = c + i * TILE_WIDTH + k * LANES;
        store(z, is_first ? sum[i][k] : load(z) + sum[i][k]);
    }
}

static void NAME(tiles)(int vectors, int prefetches, int64_t count, const T *const *x, const int64_t *offset, int64_t n,
                        const T *w, T *c, int is_first) {
    for (int64_t i = 0; i < count; i += TILE_ROWS) {
        T *z = c + i * TILE_WIDTH;
        if (vectors == 1)
            NAME(tile)(1, 0, x + i, offset, n, w, z, is_first);
        else if (prefetches)
            NAME(tile)(2, TERMS_AHEAD, x + i, offset, n, w, z, is_first);
        else
            NAME(tile)(2, 0, x + i, offset, n, w, z, is_first);
    }
}

/* The vectors that block b of `outputs` results needs. */
INLINE int NAME(vector_count)(int64_t outputs, int64_t b) { return outputs - b * TILE_WIDTH > LANES ? 2 : 1; }

/* Pointers to what the pixels `first` to `last` - 1 of all images read, the last one repeated to a whole tile. */
static int64_t NAME(gather_pixels)(const NAME(phase) *f, int64_t g, int64_t first, int64_t last, const T **at) {
    const t7_conv_plan *p = f->p;
    const t7_axis *a = f->a;
    int64_t image = first / f->pixels, rest = first % f->pixels, n = 0, width = a[2].count;
    int64_t x = rest % width, y = rest / width % a[1].count, t = rest / width / a[1].count;
    while (first + n < last) {
        int64_t row = (t * a[0].source_step * p->padded[1] + y * a[1].source_step) * p->padded[2];
        const T *v = f->source + (image * p->groups + g) * p->inputs * p->pitch + row;
        for (; x < width && first + n < last; x++, n++) at[n] = v + x * a[2].source_step;
        x = 0;
        if (++y == a[1].count) y = 0, t++;
        if (t == a[0].count) t = 0, image++;
    }
    int64_t all = ceil_div(n, TILE_ROWS) * TILE_ROWS;
    for (int64_t i = n; i < all; i++) at[i] = at[n - 1];
    return all;
}

/* Writes n pixels of c, whose results are contiguous, to the planes at z, with step `step`. */
INLINE void NAME(write_pixels)(const T *c, int64_t n, int64_t outputs, const T *bias, int64_t bias_step, T *z,
                               int64_t plane, int64_t step) {
    for (int64_t o = 0; o < outputs; o++) {
        T *to = z + o * plane;
        if (bias) {
            T b = bias[o * bias_step];
            for (int64_t i = 0; i < n; i++) to[i * step] = c[i * TILE_WIDTH + o] + b;
        } else {
            for (int64_t i = 0; i < n; i++) to[i * step] = c[i * TILE_WIDTH + o];
        }
    }
}

/* The same for contiguous pixels: blocks of a cache line are transposed in registers. */
static void NAME(write_blocks)(const T *c, int64_t n, int64_t outputs, const T *bias, int64_t bias_step, T *z,
                               int64_t plane) {
    enum { BLOCK = 64 / sizeof(T) };
    int64_t i = 0, full = outputs / SQUARE * SQUARE;
    for (; i + BLOCK <= n; i += BLOCK, c += BLOCK * TILE_WIDTH, z += BLOCK) {
        for (int64_t o = 0; o < full; o += SQUARE) UNROLL for (int j = 0; j < BLOCK; j += SQUARE) {
                NAME(square_row) r[SQUARE];
                UNROLL for (int k = 0; k < SQUARE; k++) memcpy(r + k, c + (j + k) * TILE_WIDTH + o, sizeof *r);
                NAME(transpose)(r);
                UNROLL for (int k = 0; k < SQUARE; k++) {
                    if (bias) r[k] += bias[(o + k) * bias_step];
                    memcpy(z + (o + k) * plane + j, r + k, sizeof *r);
                }
            }
        NAME(write_pixels)(c + full, BLOCK, outputs - full, bias ? bias + full * bias_step : 0, bias_step,
                           z + full * plane, plane, 1);
    }
    NAME(write_pixels)(c, n - i, outputs, bias, bias_step, z, plane, 1);
}

static void NAME(write_results)(const NAME(phase) *f, int64_t g, int64_t b, int64_t first, int64_t last, const T *c) {
    const t7_conv_plan *p = f->p;
    const t7_axis *a = f->a;
    /* Without gaps between results, an image is a single row. */
    int is_dense = a[0].step == 1 && a[1].step == 1 && a[2].step == 1;
    int64_t width = is_dense ? f->pixels : a[2].count, height = is_dense ? 1 : a[1].count;
    int64_t outputs = min_i(p->outputs - b * TILE_WIDTH, TILE_WIDTH);
    const T *bias = f->bias ? f->bias + g * p->bias_group + b * TILE_WIDTH * p->bias_output : 0;
    for (int64_t i = first; i < last;) {
        int64_t image = i / f->pixels, rest = i % f->pixels, x = rest % width, y = rest / width % height;
        int64_t t = rest / width / height, n = min_i(width - x, last - i);
        int64_t row = (a[0].first + t * a[0].step) * p->result[1] + a[1].first + y * a[1].step;
        T *z = f->to + ((image * p->groups + g) * p->outputs + b * TILE_WIDTH) * p->to_area + row * p->result[2] +
               a[2].first + x * a[2].step;
        const T *pixels = c + (i - first) * TILE_WIDTH;
        if (a[2].step == 1)
            NAME(write_blocks)(pixels, n, outputs, bias, p->bias_output, z, p->to_area);
        else
            NAME(write_pixels)(pixels, n, outputs, bias, p->bias_output, z, p->to_area, a[2].step);
        i += n;
    }
}

/* Unit (chunk, g, b): a chunk of pixels for block b of group g. */
static void NAME(convolve)(void *data, int64_t from, int64_t to) {
    const NAME(phase) *f = data;
    const t7_conv_plan *p = f->p;
    _Alignas(64) T c[MAX_UNIT_PIXELS * TILE_WIDTH];
    const T *at[MAX_UNIT_PIXELS];
    int64_t last_chunk = -1, n = 0;
    /* Kernels of few taps read many planes, more than the first cache keeps. */
    int prefetches = TERMS_AHEAD > 0 && f->terms <= MAX_PREFETCHED_TAPS * p->inputs;
    for (int64_t u = from; u < to; u++) {
        int64_t b = u % f->blocks, q = u / f->blocks, g = q % p->groups, first = q / p->groups * f->chunk;
        int64_t last = min_i(first + f->chunk, f->images * f->pixels);
        if (q != last_chunk) n = NAME(gather_pixels)(f, g, first, last, at);
        last_chunk = q;
        const T *w = f->packed + (g * f->blocks + b) * f->terms * TILE_WIDTH;
        if (!f->terms) memset(c, 0, n * TILE_WIDTH * sizeof *c);
        for (int64_t j = 0; j < f->terms; j += f->block_terms) {
            int64_t count = min_i(f->terms - j, f->block_terms);
            NAME(tiles)(NAME(vector_count)(p->outputs, b), prefetches, n, at, f->offsets + j, count, w + j * TILE_WIDTH,
                        c, j == 0);
        }
        NAME(write_results)(f, g, b, first, last, c);
    }
}

/* Unit (g, b, image): the maps of block b, those of a pixel side by side. */
static void NAME(pack_maps)(void *data, int64_t from, int64_t to) {
    const NAME(sums) *s = data;
    const NAME(phase) *f = &s->f;
    const t7_conv_plan *p = f->p;
    for (int64_t u = from; u < to; u++) {
        int64_t image = u % f->images, q = u / f->images, b = q % f->blocks, g = q / f->blocks;
        int64_t n = min_i(p->outputs - b * TILE_WIDTH, TILE_WIDTH);
        const T *x = f->from + ((image * p->groups + g) * p->outputs + b * TILE_WIDTH) * f->pixels;
        T *z = s->maps + u * f->pixels * TILE_WIDTH;
        if (n < TILE_WIDTH) memset(z, 0, f->pixels * TILE_WIDTH * sizeof *z);
        for (int64_t i = 0; i < f->pixels; i += 16) {
            int64_t end = min_i(i + 16, f->pixels);
            for (int64_t o = 0; o < n; o++)
                for (int64_t k = i; k < end; k++) z[k * TILE_WIDTH + o] = x[o * f->pixels + k];
        }
    }
}

/* Unit (g, b, share): sums of some weights for block b of group g, over the images of a pass. */
static void NAME(sum_products)(void *data, int64_t from, int64_t to) {
    const NAME(sums) *s = data;
    const NAME(phase) *f = &s->f;
    const t7_conv_plan *p = f->p;
    const T *base = f->source;
    const T *pixel[BLOCK_TERMS + TILE_ROWS], *at[UNIT_WEIGHTS];
    int64_t list[BLOCK_TERMS], all = f->images * f->pixels;
    for (int64_t u = from; u < to; u++) {
        int64_t q = u / s->shares, first = u % s->shares * UNIT_WEIGHTS, g = q / f->blocks, b = q % f->blocks;
        int64_t n = min_i(s->rows - first, UNIT_WEIGHTS);
        T *c = s->sums + (q * s->rows + first) * TILE_WIDTH;
        for (int64_t i = 0; i < n; i++)
            at[i] = base + g * p->inputs * p->pitch + f->offsets[min_i(first + i, f->terms - 1)];
        for (int64_t i = 0; i < all; i += BLOCK_TERMS) {
            int64_t count = min_i(all - i, BLOCK_TERMS);
            NAME(gather_pixels)(f, 0, i, i + count, pixel);
            for (int64_t j = 0; j < count; j++) list[j] = pixel[j] - base;
            NAME(tiles)(NAME(vector_count)(p->outputs, b), 0, n, at, list, count, s->maps + (q * all + i) * TILE_WIDTH,
                        c, s->is_first && i == 0);
        }
    }
}
