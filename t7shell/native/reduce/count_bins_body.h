/* Histograms of one floating-point type, every step rounded to it. */
static void NAME(count_bins)(T *to, const T *x, int64_t n, T bins, T low, T high) {
    T span = high - low;
    for (int64_t i = 0; i < n; i++) {
        if (!(x[i] >= low && x[i] <= high)) continue;
        T part = (x[i] - low) / span, bin = part * bins;
        /* Also where an infinite span made it NaN. */
        to[bin < bins ? (int64_t)bin : (int64_t)bins - 1] += 1;
    }
}
