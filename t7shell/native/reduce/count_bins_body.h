/* Histograms of one floating-point type, every step rounded to it. */

/* Where an element is among the bins, from 0 on; NaN if the span is infinite. */
INLINE T NAME(position)(const struct histogram *h, T x) {
    T low = (T)h->low, high = (T)h->high;
    return (x - low) / (high - low) * (T)h->bins;
}

/* The bins of a block of elements; MAX_BINS for those outside of the bounds. */
INLINE void NAME(find_bins)(int32_t *bin, const T *x, int64_t n, const struct histogram *h) {
    T low = (T)h->low, high = (T)h->high, bins = (T)h->bins;
    for (int64_t i = 0; i < n; i++) {
        T at = NAME(position)(h, x[i]);
        int32_t found = at >= 0 && at < bins ? (int32_t)at : (int32_t)h->bins - 1;
        bin[i] = x[i] >= low && x[i] <= high ? found : MAX_BINS;
    }
}

static void NAME(count_block)(void *data, int64_t from, int64_t to) {
    const struct histogram *h = data;
    int64_t counts[TABLES][MAX_BINS + 1];
    int32_t bin[BLOCK];
    for (int t = 0; t < TABLES; t++) memset(counts[t], 0, h->bins * sizeof **counts), counts[t][MAX_BINS] = 0;
    for (; from < to; from += BLOCK) {
        int64_t n = min_i(BLOCK, to - from), i = 0;
        NAME(find_bins)(bin, (const T *)h->x + from, n, h);
        for (; i + TABLES <= n; i += TABLES) UNROLL for (int t = 0; t < TABLES; t++) counts[t][bin[i + t]]++;
        for (; i < n; i++) counts[0][bin[i]]++;
    }
    for (int64_t b = 0; b < h->bins; b++) {
        int64_t sum = 0;
        for (int t = 0; t < TABLES; t++) sum += counts[t][b];
        __atomic_fetch_add(h->counts + b, sum, __ATOMIC_RELAXED);
    }
}

/* Counts stay where adding 1 does not change them. */
static void NAME(count_bins)(T *to, const struct histogram *h) {
    if (h->bins > MAX_BINS) {
        for (int64_t i = 0; i < h->n; i++) {
            T x = ((const T *)h->x)[i], at = NAME(position)(h, x);
            if (x >= (T)h->low && x <= (T)h->high) to[at < (T)h->bins ? (int64_t)at : h->bins - 1] += 1;
        }
        return;
    }
    const int64_t limit = sizeof(T) == 4 ? 1 << 24 : INT64_C(1) << 53;
    t7_parallel_for(NAME(count_block), (void *)h, h->n, CHUNK, h->n * NS_PER_ELEMENT);
    for (int64_t b = 0; b < h->bins; b++) to[b] = (T)min_i(h->counts[b], limit);
}
