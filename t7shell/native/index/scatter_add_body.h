/* Additions of elements of one type in the order of the indices; integers wrap. */

static void NAME(scatter_add)(const struct gather *call, int64_t rows) {
    const struct gather p = *call;
    for (int64_t j = 0; j < rows; j++) {
        const T *values = (const T *)p.values + j * p.values_row;
        T *indexed = (T *)p.indexed + j * p.indexed_row - p.stride;
        const int64_t *indices = p.indices + j * p.index_row;
        for (int64_t k = 0; k < p.count; k++) indexed[k * p.step + indices[k] * p.stride] += values[k * p.values_step];
    }
}

static void NAME(add_slices)(void *data, int64_t from, int64_t to) {
    const struct slices *s = data;
    int64_t inner = s->width;
    for (int64_t o = from; o < to; o++) {
        const T *x = (const T *)s->from + o * s->count * inner;
        for (int64_t k = 0; k < s->count; k++, x += inner) {
            T *r = (T *)s->to + (o * s->size + s->indices[k] - 1) * inner;
            INDEPENDENT
            for (int64_t i = 0; i < inner; i++) r[i] += x[i];
        }
    }
}

static int64_t NAME(nonzero)(int64_t *positions, const void *data, int64_t n) {
    const T *x = data;
    int64_t at = 0;
    for (int64_t k = 0; k < n; k++) {
        positions[at] = k;
        at += x[k] != 0;
    }
    return at;
}
