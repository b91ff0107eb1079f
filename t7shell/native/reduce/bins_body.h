/* Distances of rows of a type T, as doubles; included for each. */
static void OF(match)(T *to, const T *x, const T *y, int64_t rows, int64_t others, int64_t n, double gain) {
    for (int64_t i = 0; i < rows; i++, x += n) {
        for (int64_t j = 0; j < others; j++) {
            double total = 0;
            for (int64_t k = 0; k < n; k++) {
                double difference = (double)x[k] - (double)y[j * n + k];
                total += difference * difference;
            }
            to[i * others + j] = CONVERT(gain * total);
        }
    }
}
