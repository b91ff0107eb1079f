/* Runs of results of one floating-point type, in vectors. */

/* `vectors` of results, a constant where this is inlined. */
INLINE void NAME(block)(const t7_correlation *c, const T *image, const T *kernel, T *to, const int vectors) {
    const int64_t taps = c->kernel[0] * c->kernel[1] * c->kernel[2], step = c->mirrored ? -1 : 1;
    V sums[8];
    UNROLL for (int v = 0; v < vectors; v++) sums[v] = (V){0};
    for (int64_t i = 0; i < c->inputs; i++, kernel += taps) {
        const T *weight = kernel + (c->mirrored ? taps - 1 : 0);
        for (int64_t z = 0; z < c->kernel[0]; z++) {
            for (int64_t y = 0; y < c->kernel[1]; y++) {
                const T *x = image + ((i * c->image[0] + z) * c->image[1] + y) * c->image[2];
                for (int64_t k = 0; k < c->kernel[2]; k++, weight += step) {
                    V w = splat(*weight);
                    UNROLL for (int v = 0; v < vectors; v++) sums[v] = fma_v(w, load(x + k + v * LANES), sums[v]);
                }
            }
        }
    }
    UNROLL for (int v = 0; v < vectors; v++) store(to + v * LANES, sums[v]);
}

/* A result alone. */
static void NAME(single)(const t7_correlation *c, const T *image, const T *kernel, T *to) {
    const int64_t taps = c->kernel[0] * c->kernel[1] * c->kernel[2], step = c->mirrored ? -1 : 1;
    T sum = 0;
    for (int64_t i = 0; i < c->inputs; i++, kernel += taps) {
        const T *weight = kernel + (c->mirrored ? taps - 1 : 0);
        for (int64_t z = 0; z < c->kernel[0]; z++) {
            for (int64_t y = 0; y < c->kernel[1]; y++) {
                const T *x = image + ((i * c->image[0] + z) * c->image[1] + y) * c->image[2];
                for (int64_t k = 0; k < c->kernel[2]; k++, weight += step) sum = NAME(fma)(*weight, x[k], sum);
            }
        }
    }
    *to = sum;
}

/* n results whose windows begin at adjacent elements. The last vector repeats results where they are not whole vectors.
 */
static void NAME(run)(const t7_correlation *c, const T *image, const T *kernel, T *to, int64_t n) {
    int64_t j = 0;
    for (; j + 8 * LANES <= n; j += 8 * LANES) NAME(block)(c, image + j, kernel, to + j, 8);
    for (; j + 4 * LANES <= n; j += 4 * LANES) NAME(block)(c, image + j, kernel, to + j, 4);
    for (; j + 2 * LANES <= n; j += 2 * LANES) NAME(block)(c, image + j, kernel, to + j, 2);
    for (; j + LANES <= n; j += LANES) NAME(block)(c, image + j, kernel, to + j, 1);
    if (j < n && n >= LANES) {
        NAME(block)(c, image + n - LANES, kernel, to + n - LANES, 1);
    } else {
        for (; j < n; j++) NAME(single)(c, image + j, kernel, to + j);
    }
}
