/* Equality of elements of one type. Masks as wide as the elements let vectors of comparisons stay as they are. */
static int32_t NAME(are_equal)(const void *first, const void *second, int64_t n) {
    const T *x = first, *y = second;
    for (int64_t from = 0; from < n; from += BLOCK) {
        const int64_t end = min_i(from + BLOCK, n);
        BITS different = 0;
        for (int64_t i = from; i < end; i++) different |= x[i] != y[i] ? -1 : 0;
        if (different) return 0;
    }
    return 1;
}
