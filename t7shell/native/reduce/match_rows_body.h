/* Squared distances of rows of one type, in doubles. */
static void NAME(match_rows)(void *result, const void *first, const void *second, int64_t rows, int64_t others,
                             int64_t n, double gain) {
    T *to = result;
    const T *x = first, *y = second;
    for (int64_t i = 0; i < rows; i++, x += n) {
        for (int64_t j = 0; j < others; j++) {
            double total = 0;
            for (int64_t k = 0; k < n; k++) {
                double difference = (double)x[k] - (double)y[j * n + k];
                total += difference * difference;
            }
            to[i * others + j] = IS_FLOATING ? (T)(gain * total) : (T)double_to_long(gain * total);
        }
    }
}
