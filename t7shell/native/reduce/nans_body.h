/* NaNs of one type. Masks as wide as the elements let vectors of comparisons stay as they are. */
static int32_t NAME(has_nan)(const T *x, int64_t n) {
    for (int64_t from = 0; from < n; from += BLOCK) {
        const int64_t end = min_i(from + BLOCK, n);
        BITS found = 0;
        for (int64_t i = from; i < end; i++) found |= x[i] != x[i] ? -1 : 0;
        if (found) return 1;
    }
    return 0;
}
