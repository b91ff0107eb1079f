/* Squared distances of rows of one type, in doubles; those of integers wrap as their type does. */
INLINE T NAME(match_row)(const T *x, const T *y, int64_t n, double gain) {
    if (!IS_FLOATING) {
        uint64_t total = 0;
        for (int64_t k = 0; k < n; k++) {
            uint64_t difference = (uint64_t)(int64_t)x[k] - (uint64_t)(int64_t)y[k];
            total += difference * difference;
        }
        return (T)((uint64_t)double_to_long(gain) * total);
    }
    double total = 0;
    for (int64_t k = 0; k < n; k++) {
        double difference = (double)x[k] - (double)y[k];
        total += difference * difference;
    }
    return (T)(gain * total);
}

static void NAME(match_rows)(void *result, const void *first, const void *second, int64_t rows, int64_t others,
                             int64_t n, double gain) {
    T *to = result;
    const T *x = first, *y = second;
    for (int64_t i = 0; i < rows; i++, x += n) {
        for (int64_t j = 0; j < others; j++) to[i * others + j] = NAME(match_row)(x, y + j * n, n, gain);
    }
}
