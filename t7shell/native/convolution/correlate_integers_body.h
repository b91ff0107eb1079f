/* Runs of results of one integer type. */

static void NAME(run)(const t7_correlation *c, const T *image, const T *kernel, T *to, int64_t n) {
    enum { BLOCK = 128 };
    const int64_t taps = c->kernel[0] * c->kernel[1] * c->kernel[2], step = c->mirrored ? -1 : 1;
    for (int64_t j = 0; j < n; j += BLOCK) {
        SUM sums[BLOCK] = {0};
        int64_t count = min_i(n - j, BLOCK);
        for (int64_t i = 0; i < c->inputs; i++) {
            const T *weight = kernel + i * taps + (c->mirrored ? taps - 1 : 0);
            for (int64_t z = 0; z < c->kernel[0]; z++) {
                for (int64_t y = 0; y < c->kernel[1]; y++) {
                    const T *x = image + ((i * c->image[0] + z) * c->image[1] + y) * c->image[2] + j;
                    for (int64_t k = 0; k < c->kernel[2]; k++, weight += step)
                        for (int64_t q = 0; q < count; q++) sums[q] += (SUM)*weight * (SUM)x[k + q];
                }
            }
        }
        for (int64_t q = 0; q < count; q++) to[j + q] = (T)sums[q];
    }
}
