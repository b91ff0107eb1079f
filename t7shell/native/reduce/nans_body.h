/* NaNs of one type. Masks as wide as the elements let vectors of comparisons stay as they are; one comparison looks at
   two elements. */
static int32_t NAME(has_nan)(const T *x, int64_t n) {
    for (int64_t from = 0; from < n; from += BLOCK) {
        const int64_t end = min_i(from + BLOCK, n), half = (end - from + 1) / 2;
        const T *first = x + from, *second = x + end - half;
        BITS found = 0;
        for (int64_t i = 0; i < half; i++) found |= __builtin_isunordered(first[i], second[i]) ? -1 : 0;
        if (found) return 1;
    }
    return 0;
}
