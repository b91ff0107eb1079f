/* Convolutions with many results: the results of a pixel are vectors, and what they read is broadcast. One tile of
   registers serves all directions: sums of TILE rows over a list of offsets, each element times WIDE others.

   Included once for each type, which names T, LANES and the vectors. */

/* Results side by side, in two vectors; rows of a tile; elements of a list that are added up at a time, and pixels. */
#define WIDE (2 * LANES)

/* c[TILE][WIDE], or its sum with what is there, becomes the sum over j of x[i][offset[j]] * w[j]. */
INLINE void NAME(tile)(int vectors, const T *const *x, const int64_t *offset, int64_t n, const T *w, T *c,
                       int is_first) {
    V sum[TILE][2];
    for (int i = 0; i < TILE; i++) sum[i][0] = sum[i][1] = (V){0};
    for (int64_t j = 0; j < n; j++, w += WIDE) {
        V w0 = load(w), w1 = vectors > 1 ? load(w + LANES) : w0;
#pragma GCC unroll 8
        for (int i = 0; i < TILE; i++) {
            V b = splat(x[i][offset[j]]);
            sum[i][0] = fma_v(b, w0, sum[i][0]);
            if (vectors > 1) sum[i][1] = fma_v(b, w1, sum[i][1]);
        }
    }
#pragma GCC unroll 8
    for (int i = 0; i < TILE; i++)
        for (int k = 0; k < vectors; k++) {
            T *z = c + i * WIDE + k * LANES;
            store(z, is_first ? sum[i][k] : load(z) + sum[i][k]);
        }
}

static void NAME(tiles)(int vectors, int64_t count, const T *const *x, const int64_t *offset, int64_t n, const T *w,
                        T *c, int is_first) {
    if (vectors > 1)
        for (int64_t i = 0; i < count; i += TILE) NAME(tile)(2, x + i, offset, n, w, c + i * WIDE, is_first);
    else
        for (int64_t i = 0; i < count; i += TILE) NAME(tile)(1, x + i, offset, n, w, c + i * WIDE, is_first);
}

/* The vectors that block b of `outputs` results needs. */
INLINE int NAME(vectors_of)(int64_t outputs, int64_t b) { return outputs - b * WIDE > LANES ? 2 : 1; }

/* Pointers to what the pixels `first` to `last` - 1 of all images read, the last one repeated to a whole tile. */
static int64_t NAME(point)(const NAME(phase) * f, int64_t g, int64_t first, int64_t last, const T **at) {
    const t7_conv_plan *p = f->p;
    const t7_axis *a = f->a;
    int64_t image = first / f->pixels, rest = first % f->pixels, n = 0, wide = a[2].count;
    int64_t x = rest % wide, y = rest / wide % a[1].count, t = rest / wide / a[1].count;
    while (first + n < last) {
        int64_t row = (t * a[0].source_step * p->padded[1] + y * a[1].source_step) * p->padded[2];
        const T *v = f->source + (image * p->groups + g) * p->inputs * p->pitch + row;
        for (; x < wide && first + n < last; x++, n++) at[n] = v + x * a[2].source_step;
        x = 0;
        if (++y == a[1].count) y = 0, t++;
        if (t == a[0].count) t = 0, image++;
    }
    int64_t all = (n + TILE - 1) / TILE * TILE;
    for (int64_t i = n; i < all; i++) at[i] = at[n - 1];
    return all;
}

/* Writes n pixels of c, from pixel i of an image on, to its maps at z, with step `step`. */
INLINE void NAME(spread_row)(const T *c, int64_t n, int64_t outputs, const T *bias, int64_t bias_step, T *z,
                             int64_t plane, int64_t step) {
    for (int64_t o = 0; o < outputs; o++) {
        T *to = z + o * plane;
        if (bias) {
            T b = bias[o * bias_step];
            for (int64_t i = 0; i < n; i++) to[i * step] = c[i * WIDE + o] + b;
        } else {
            for (int64_t i = 0; i < n; i++) to[i * step] = c[i * WIDE + o];
        }
    }
}

static void NAME(write_results)(const NAME(phase) * f, int64_t g, int64_t b, int64_t first, int64_t last, const T *c) {
    const t7_conv_plan *p = f->p;
    const t7_axis *a = f->a;
    /* Without gaps between results, an image is a single row. */
    int is_dense = a[0].step == 1 && a[1].step == 1 && a[2].step == 1;
    int64_t wide = is_dense ? f->pixels : a[2].count, high = is_dense ? 1 : a[1].count;
    int64_t outputs = p->outputs - b * WIDE < WIDE ? p->outputs - b * WIDE : WIDE;
    const T *bias = f->bias ? f->bias + g * p->bias_group + b * WIDE * p->bias_output : 0;
    for (int64_t i = first; i < last;) {
        int64_t image = i / f->pixels, rest = i % f->pixels, x = rest % wide, y = rest / wide % high;
        int64_t t = rest / wide / high, n = wide - x < last - i ? wide - x : last - i;
        int64_t row = (a[0].first + t * a[0].step) * p->result[1] + a[1].first + y * a[1].step;
        T *z = f->to + ((image * p->groups + g) * p->outputs + b * WIDE) * p->to_area + row * p->result[2] +
               a[2].first + x * a[2].step;
        NAME(spread_row)(c + (i - first) * WIDE, n, outputs, bias, p->bias_output, z, p->to_area, a[2].step);
        i += n;
    }
}

/* Unit (chunk, g, b): a chunk of pixels for block b of group g. */
static void NAME(convolve)(void *data, int64_t from, int64_t to) {
    const NAME(phase) *f = data;
    const t7_conv_plan *p = f->p;
    _Alignas(64) T c[PIXELS * WIDE];
    const T *at[PIXELS];
    int64_t known = -1, n = 0;
    for (int64_t u = from; u < to; u++) {
        int64_t b = u % f->blocks, q = u / f->blocks, g = q % p->groups, first = q / p->groups * f->chunk;
        int64_t last = first + f->chunk < f->images * f->pixels ? first + f->chunk : f->images * f->pixels;
        if (q != known) n = NAME(point)(f, g, first, last, at);
        known = q;
        const T *w = f->packed + (g * f->blocks + b) * f->inner * WIDE;
        if (!f->inner) memset(c, 0, n * WIDE * sizeof *c);
        for (int64_t j = 0; j < f->inner; j += f->list) {
            int64_t some = f->inner - j < f->list ? f->inner - j : f->list;
            NAME(tiles)(NAME(vectors_of)(p->outputs, b), n, at, f->offsets + j, some, w + j * WIDE, c, j == 0);
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
        int64_t n = p->outputs - b * WIDE < WIDE ? p->outputs - b * WIDE : WIDE;
        const T *x = f->from + ((image * p->groups + g) * p->outputs + b * WIDE) * f->pixels;
        T *z = s->maps + u * f->pixels * WIDE;
        if (n < WIDE) memset(z, 0, f->pixels * WIDE * sizeof *z);
        for (int64_t i = 0; i < f->pixels; i += 16) {
            int64_t end = i + 16 < f->pixels ? i + 16 : f->pixels;
            for (int64_t o = 0; o < n; o++)
                for (int64_t k = i; k < end; k++) z[k * WIDE + o] = x[o * f->pixels + k];
        }
    }
}

/* Unit (g, b, share): sums of some weights for block b of group g, over the images of a pass. */
static void NAME(sum_products)(void *data, int64_t from, int64_t to) {
    const NAME(sums) *s = data;
    const NAME(phase) *f = &s->f;
    const t7_conv_plan *p = f->p;
    const T *base = f->source;
    const T *pixel[LIST + TILE], *at[SHARE];
    int64_t list[LIST], all = f->images * f->pixels;
    for (int64_t u = from; u < to; u++) {
        int64_t q = u / s->shares, first = u % s->shares * SHARE, g = q / f->blocks, b = q % f->blocks;
        int64_t n = s->rows - first < SHARE ? s->rows - first : SHARE;
        T *c = s->sums + (q * s->rows + first) * WIDE;
        for (int64_t i = 0; i < n; i++)
            at[i] = base + g * p->inputs * p->pitch + f->offsets[first + i < f->inner ? first + i : f->inner - 1];
        for (int64_t i = 0; i < all; i += LIST) {
            int64_t some = all - i < LIST ? all - i : LIST;
            NAME(point)(f, 0, i, i + some, pixel);
            for (int64_t j = 0; j < some; j++) list[j] = pixel[j] - base;
            NAME(tiles)(NAME(vectors_of)(p->outputs, b), n, at, list, some, s->maps + (q * all + i) * WIDE, c,
                        s->is_first && i == 0);
        }
    }
}
