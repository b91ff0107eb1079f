/* Rows of results of one type. */

/* Rows `from` to `to - 1`, counted through all planes and outputs. */
static void NAME(rows)(void *data, int64_t from, int64_t to) {
    const job *j = data;
    const t7_correlation *c = j->c;
    const int64_t rows = j->size[1], columns = j->size[2], width = c->image[2], area = c->image[1] * width;
    const int64_t taps = c->kernel[0] * c->kernel[1] * c->kernel[2];
    T scratch[RUN_LENGTH];
    for (int64_t line = from, count; line < to; line += count) {
        int64_t plane = line / rows, y = line % rows, output = plane / j->size[0], z = plane % j->size[0];
        const T *image = (const T *)c->images + output * c->next + z * area + y * width;
        const T *kernel = (const T *)c->kernels + output * c->inputs * taps;
        T *at = (T *)c->to + line * columns;
        count = min_i(min_i(rows - y, to - line), j->rows_per_run);
        if (count == 1) {
            NAME(run)(c, image, kernel, at, columns);
            continue;
        }
        NAME(run)(c, image, kernel, scratch, (count - 1) * width + columns);
        for (int64_t l = 0; l < count; l++) memcpy(at + l * columns, scratch + l * width, columns * sizeof(T));
    }
}
