/* Rows of one type. */

INLINE void NAME(pack)(ENTRY(element) *e, const T *x, int64_t n, int descending) {
    ENTRY(key) flip = descending ? (ENTRY(key))-1 : 0;
    for (int64_t i = 0; i < n; i++) e[i] = ENTRY(pack)(NAME(key_of)(x[i]) ^ flip, i);
}
INLINE void NAME(unpack)(T *values, int64_t *indices, const ENTRY(element) *e, const T *x, int64_t n) {
    for (int64_t i = 0; i < n; i++) values[i] = x[ENTRY(index_of)(e[i])], indices[i] = ENTRY(index_of)(e[i]) + 1;
}

/* Sorts all entries of a row. */
static void NAME(sort_entries)(const struct rows *r, ENTRY(element) *e) {
    if (r->is_alone && r->n >= MIN_LONG_ROW)
        ENTRY(sort_long)(e, r->n);
    else
        ENTRY(quicksort)(e, r->n);
}

/* Sorts a row of different numbers that spread evenly: they are distributed to n buckets, whose few elements are sorted
   by insertion. Returns 0 for other rows. */
static __attribute__((noinline)) int NAME(bucket_sort)(const struct rows *r, ENTRY(element) *e, const T *x,
                                                       int32_t *bucket) {
    int64_t n = r->n;
    int32_t *counts = bucket + n, largest = 0, first = 0;
    int is_finite = 1;
    T low = x[0], high = x[0];
    for (int64_t i = 0; i < n; i++) {
        low = x[i] < low ? x[i] : low, high = x[i] > high ? x[i] : high;
        is_finite &= x[i] - x[i] == 0;
    }
    T scale = (T)(n - 1) / (high - low);
    if (!is_finite || !(scale > 0 && scale < INFINITY)) return 0;
    for (int64_t i = 0; i < n; i++)
        counts[i] = 0, bucket[i] = (int32_t)((r->descending ? high - x[i] : x[i] - low) * scale);
    for (int64_t i = 0; i < n; i++) counts[bucket[i]]++;
    for (int64_t i = 0; i < n; i++) {
        int32_t count = counts[i];
        largest = largest > count ? largest : count, counts[i] = first, first += count;
    }
    if (largest > MAX_BUCKET) return 0;
    ENTRY(key) flip = r->descending ? (ENTRY(key))-1 : 0;
    for (int64_t i = 0; i < n; i++) e[counts[bucket[i]]++] = ENTRY(pack)(NAME(key_of)(x[i]) ^ flip, i);
    for (int64_t i = 1; i < n; i++) {
        ENTRY(element) moved = e[i];
        ENTRY(key) key = ENTRY(key_of)(moved);
        int64_t j = i;
        for (; j > 0 && ENTRY(key_of)(e[j - 1]) > key; j--) e[j] = e[j - 1];
        e[j] = moved;
        if (j > 0 && ENTRY(key_of)(e[j - 1]) == key) return 0;
    }
    return 1;
}

static void NAME(sort_row)(const struct rows *r, ENTRY(element) *e, int32_t *bucket, int64_t row) {
    const T *x = (const T *)r->x + row * r->n;
    if (!bucket || !NAME(bucket_sort)(r, e, x, bucket)) {
        NAME(pack)(e, x, r->n, r->descending);
        NAME(sort_entries)(r, e);
    }
    NAME(unpack)((T *)r->values + row * r->n, r->indices + row * r->n, e, x, r->n);
}

static void NAME(kth_row)(const struct rows *r, ENTRY(element) *e, int64_t row) {
    const T *x = (const T *)r->x + row * r->n;
    NAME(pack)(e, x, r->n, 0);
    ENTRY(quickselect)(e, r->n, r->k, 1);
    NAME(unpack)((T *)r->values + row, r->indices + row, e + r->k, x, 1);
}

static void NAME(mode_row)(const struct rows *r, ENTRY(element) *e, int64_t row) {
    const T *x = (const T *)r->x + row * r->n;
    NAME(pack)(e, x, r->n, 0);
    NAME(sort_entries)(r, e);
    int64_t longest = 0, found = 0, start = 0;
    for (int64_t i = 0; i < r->n; i++) {
        /* NaNs differ from each other. */
        if (i + 1 < r->n && ENTRY(key_of)(e[i]) == ENTRY(key_of)(e[i + 1]) &&
            x[ENTRY(index_of)(e[i])] == x[ENTRY(index_of)(e[i])])
            continue;
        if (i - start + 1 > longest) longest = i - start + 1, found = i;
        start = i + 1;
    }
    NAME(unpack)((T *)r->values + row, r->indices + row, e + found, x, 1);
}

/* The first `kept` entries of the sorted row, by insertion: keys are compared with the last one that is kept. */
static void NAME(insert_topk)(const struct rows *r, ENTRY(element) *e, const T *x, int64_t kept) {
    ENTRY(key) flip = r->largest ? (ENTRY(key))-1 : 0;
    for (int64_t i = 0; i < kept; i++) {
        ENTRY(element) new = ENTRY(pack)(NAME(key_of)(x[i]) ^ flip, i);
        int64_t j = i;
        for (; j > 0 && ENTRY(key_of)(e[j - 1]) > ENTRY(key_of)(new); j--) e[j] = e[j - 1];
        e[j] = new;
    }
    for (int64_t i = kept; i < r->n;) {
        ENTRY(key) worst = ENTRY(key_of)(e[kept - 1]);
        int64_t end = min_i(r->n, i + 32);
        int better = 0;
        for (int64_t k = i; k < end; k++) better |= (NAME(key_of)(x[k]) ^ flip) < worst;
        for (; better && i < end; i++) {
            ENTRY(element) new = ENTRY(pack)(NAME(key_of)(x[i]) ^ flip, i);
            if (ENTRY(key_of)(new) >= ENTRY(key_of)(e[kept - 1])) continue;
            int64_t j = kept - 1;
            for (; j > 0 && ENTRY(key_of)(e[j - 1]) > ENTRY(key_of)(new); j--) e[j] = e[j - 1];
            e[j] = new;
        }
        i = end;
    }
}

static void NAME(topk_row)(const struct rows *r, ENTRY(element) *e, int64_t row) {
    const T *x = (const T *)r->x + row * r->n;
    T *values = (T *)r->values + row * r->k;
    int64_t *indices = r->indices + row * r->k, n = r->n, k = r->k;
    int64_t kept = r->sorted ? k + 1 : k;
    if (n >= TOPK_MIN_ROW && kept <= n &&
        (kept <= TOPK_MAX || (r->sorted && kept <= TOPK_LONG_MAX && n >= TOPK_LONG_ROW * kept * kept))) {
        NAME(insert_topk)(r, e, x, kept);
        int unique = 1;
        for (int64_t i = 1; r->sorted && i < kept; i++) unique &= ENTRY(key_of)(e[i - 1]) != ENTRY(key_of)(e[i]);
        if (unique) {
            NAME(unpack)(values, indices, e, x, k);
            return;
        }
    }
    /* The selection moves the last of the smallest to its index. */
    int64_t from = r->largest ? n - k : 0, last = r->largest ? from - 1 : k - 1;
    NAME(pack)(e, x, n, 0);
    if (last >= 0) ENTRY(quickselect)(e, n, last, 0);
    int64_t unsorted = !r->sorted ? 0 : r->largest ? k : k - 1;
    for (int64_t i = 0; r->largest && i < unsorted; i++)
        e[from + i] = ENTRY(pack)(~ENTRY(key_of)(e[from + i]), ENTRY(index_of)(e[from + i]));
    if (unsorted > 1) ENTRY(quicksort)(e + from, unsorted);
    NAME(unpack)(values, indices, e + from, x, k);
}

static void NAME(run_rows)(void *data, int64_t from, int64_t to) {
    struct rows *r = data;
    ENTRY(element) *e = malloc(r->n * sizeof(ENTRY(element)));
    if (!e) {
        r->failed = 1;
        return;
    }
    int64_t max_length = sizeof(T) == 8 ? MAX_BUCKET_SORT : MAX_BUCKET_SORT_FLOAT;
    int32_t *bucket = NULL;
    if (IS_FLOATING && r->task == SORT && r->n >= MIN_BUCKET_SORT && r->n <= max_length)
        bucket = malloc(2 * r->n * sizeof *bucket);
    for (int64_t row = from; row < to; row++) {
        switch (r->task) {
        case SORT:
            NAME(sort_row)(r, e, bucket, row);
            break;
        case KTH:
            NAME(kth_row)(r, e, row);
            break;
        case MODE:
            NAME(mode_row)(r, e, row);
            break;
        case TOPK:
            NAME(topk_row)(r, e, row);
            break;
        }
    }
    free(bucket);
    free(e);
}
