/* Moves of elements of one size. The record of a call is copied, since stores of 8 bytes may alias it. */

static void NAME(gather)(void *data, int64_t from, int64_t to) {
    const struct gather p = *(const struct gather *)data;
    for (int64_t j = from; j < to; j++) {
        T *values = (T *)p.values + j * p.values_row;
        const T *indexed = (const T *)p.indexed + j * p.indexed_row - p.stride;
        const int64_t *indices = p.indices + j * p.index_row;
        if (p.values_step == 1 && p.step == 0 && p.stride == 1) {
            for (int64_t k = 0; k < p.count; k++) values[k] = indexed[indices[k]];
        } else {
            for (int64_t k = 0; k < p.count; k++)
                values[k * p.values_step] = indexed[k * p.step + indices[k] * p.stride];
        }
    }
}

static void NAME(scatter)(void *data, int64_t from, int64_t to) {
    const struct gather p = *(const struct gather *)data;
    for (int64_t j = from; j < to; j++) {
        const T *values = (const T *)p.values + j * p.values_row;
        T *indexed = (T *)p.indexed + j * p.indexed_row - p.stride;
        const int64_t *indices = p.indices + j * p.index_row;
        if (p.step == 0 && p.stride == 1) {
            for (int64_t k = 0; k < p.count; k++) indexed[indices[k]] = values[k * p.values_step];
        } else {
            for (int64_t k = 0; k < p.count; k++)
                indexed[k * p.step + indices[k] * p.stride] = values[k * p.values_step];
        }
    }
}

/* Without branches on the mask, which is hard to predict. */
static void NAME(masked_select)(void *result, const void *data, const uint8_t *mask, int64_t n) {
    T *to = result;
    const T *from = data;
    for (int64_t k = 0; k < n; k++) {
        *to = from[k];
        to += mask[k];
    }
}

static void NAME(masked_copy)(void *result, const void *data, const uint8_t *mask, int64_t n) {
    T *to = result;
    const T *from = data;
    int64_t at = 0, last = -1;
    for (int64_t k = 0; k < n; k++) last += mask[k];
    /* The last element of `from` is read again for what lies behind it. */
    for (int64_t k = 0; k < n && last >= 0; k++) {
        T a = from[min_i(at, last)], b = to[k];
        to[k] = b ^ ((a ^ b) & (T) - (T)mask[k]);
        at += mask[k];
    }
}

static void NAME(masked_fill)(void *result, const void *data, const uint8_t *mask, int64_t n) {
    T *to = result, value = *(const T *)data;
    INDEPENDENT
    for (int64_t k = 0; k < n; k++) to[k] = mask[k] ? value : to[k];
}

static void NAME(where)(void *result, const uint8_t *restrict mask, const void *first, int64_t x_step,
                        const void *second, int64_t y_step, int64_t n) {
    T *restrict to = result;
    const T *x = first, *y = second;
    if (x_step == 1 && y_step == 1) {
        for (int64_t k = 0; k < n; k++) {
            T a = x[k], b = y[k];
            to[k] = mask[k] ? a : b;
        }
    } else {
        for (int64_t k = 0; k < n; k++) {
            T a = x[k * x_step], b = y[k * y_step];
            to[k] = mask[k] ? a : b;
        }
    }
}
