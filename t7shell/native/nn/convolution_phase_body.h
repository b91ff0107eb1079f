/* A phase of a convolution for some images, and the weights of its results, for one type. */

typedef struct {
    const t7_conv_plan *p;
    t7_axis a[3];
    int64_t terms, block_terms;    /* of a sum; those that are added up before their sum goes to memory */
    int64_t pixels, chunk, chunks; /* of an image, of a chunk; chunks of all images */
    int64_t blocks, width, images; /* of `width` results each; images of a pass */
    const int64_t *offsets;        /* of the terms in the source */
    const T *source, *bias, *from;
    T *packed, *to;
} NAME(phase);

/* Sums for weights, `width` of them side by side; maps of an image and block take `pitch` elements. */
typedef struct {
    NAME(phase) f;
    T *sums, *maps, *weight;
    int64_t rows, shares, pitch;
    T scale;
    int is_first;
} NAME(sums);

/* Unit (g, b): the weights of group g for the results of block b, in the order of the list. */
static void NAME(pack_weights)(void *data, int64_t from, int64_t to) {
    const NAME(phase) *f = data;
    const t7_conv_plan *p = f->p;
    const t7_axis *a = f->a;
    for (int64_t u = from; u < to; u++) {
        int64_t g = u / f->blocks, first = (u % f->blocks) * f->width;
        int64_t n = min_i(p->outputs - first, f->width);
        T *z = f->packed + u * f->terms * f->width;
        if (n < f->width) memset(z, 0, f->terms * f->width * sizeof *z);
        const T *group = f->from + g * p->weight_group + first * p->weight_output;
        for (int64_t c = 0; c < p->inputs; c++)
            for (int64_t t = 0; t < a[0].taps; t++)
                for (int64_t y = 0; y < a[1].taps; y++)
                    for (int64_t x = 0; x < a[2].taps; x++, z += f->width) {
                        int64_t kt = a[0].tap + t * a[0].tap_step, ky = a[1].tap + y * a[1].tap_step;
                        int64_t kx = a[2].tap + x * a[2].tap_step;
                        const T *w = group + c * p->weight_input + (kt * p->kernel[1] + ky) * p->kernel[2] + kx;
                        for (int64_t i = 0; i < n; i++) z[i] = w[i * p->weight_output];
                    }
    }
}

/* Unit (g, o): adds the sums of an output to its weights. */
static void NAME(add_sums)(void *data, int64_t from, int64_t to) {
    const NAME(sums) *s = data;
    const t7_conv_plan *p = s->f.p;
    for (int64_t u = from; u < to; u++) {
        int64_t g = u / p->outputs, o = u % p->outputs;
        T *w = s->weight + g * p->weight_group + o * p->weight_output;
        const T *c = s->sums + (g * s->f.blocks + o / s->f.width) * s->rows * s->f.width + o % s->f.width;
        for (int64_t j = 0; j < s->f.terms; j++) w[j] += s->scale * c[j * s->f.width];
    }
}
