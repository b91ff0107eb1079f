/* Pixels to and from planes of one type. */

/* `planes` and `bytes` of a pixel, constants where this is inlined. */
INLINE void NAME(deinterleave)(const job *j, int64_t from, int64_t to, const int planes, const int bytes) {
    for (int64_t first = from; first < to; first += BLOCK) {
        const int64_t n = min_i(to - first, BLOCK);
        for (int p = 0; p < planes; p++) {
            T *restrict z = (T *)j->to + first + p * j->count;
            const uint8_t *restrict x = (const uint8_t *)j->from + first * bytes + p;
            for (int64_t i = 0; i < n; i++) z[i] = NAME(of_byte)(x[i * bytes]);
        }
    }
}

static void NAME(to_planes)(void *data, int64_t from, int64_t to) {
    const job *j = data;
    T *restrict z = (T *)j->to;
    if (j->kind == 1) return NAME(deinterleave)(j, from, to, 1, 1);
    if (j->kind == 2) return NAME(deinterleave)(j, from, to, 2, 2);
    if (j->kind == 3) return NAME(deinterleave)(j, from, to, 3, 4);
    if (j->kind == 4) return NAME(deinterleave)(j, from, to, 4, 4);
    if (j->kind == T7_16_BIT_PIXELS) {
        const int32_t *restrict x = (const int32_t *)j->from;
        for (int64_t i = from; i < to; i++) z[i] = NAME(of_deep)(x[i]);
    } else {
        const float *restrict x = (const float *)j->from;
        for (int64_t i = from; i < to; i++) z[i] = NAME(of_float)(x[i]);
    }
}

INLINE void NAME(gather)(const job *j, int64_t from, int64_t to, const int planes) {
    uint32_t *restrict z = (uint32_t *)j->to;
    const T *restrict x = (const T *)j->from;
    for (int64_t i = from; i < to; i++) {
        uint32_t pixel = planes == 3 ? 0xff000000 : 0; /* a fourth byte that belongs to no plane */
        for (int p = 0; p < planes; p++) pixel |= (uint32_t)NAME(steps)(x[i + p * j->count]) << 8 * p;
        z[i] = pixel;
    }
}

static void NAME(to_pixels)(void *data, int64_t from, int64_t to) {
    const job *j = data;
    const T *restrict x = (const T *)j->from;
    uint8_t *restrict z = (uint8_t *)j->to;
    if (j->kind == 3) return NAME(gather)(j, from, to, 3);
    if (j->kind == 4) return NAME(gather)(j, from, to, 4);
    for (int64_t i = from; i < to; i++) {
        for (int p = 0; p < j->kind; p++) z[i * j->kind + p] = NAME(steps)(x[i + p * j->count]);
    }
}
