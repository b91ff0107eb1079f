/* Rows of a type T, whose keys are in the order of elements; included for each, with the elements E of a quicksort. */

INLINE void OF(pack)(E *e, const T *x, int64_t n, int descending) {
    K flip = descending ? (K)-1 : 0;
    for (int64_t i = 0; i < n; i++) e[i] = PACK(OF(key)(x[i]) ^ flip, i);
}
INLINE void OF(unpack)(T *values, int64_t *indices, const E *e, const T *x, int64_t n) {
    for (int64_t i = 0; i < n; i++) values[i] = x[INDEX(e[i])], indices[i] = INDEX(e[i]) + 1;
}

static void OF(sort_row)(const struct rows *r, E *e, int64_t row) {
    const T *x = (const T *)r->x + row * r->n;
    OF(pack)(e, x, r->n, r->descending);
    SORT(quicksort)(e, r->n);
    OF(unpack)((T *)r->values + row * r->n, r->indices + row * r->n, e, x, r->n);
}

static void OF(rank_row)(const struct rows *r, E *e, int64_t row) {
    const T *x = (const T *)r->x + row * r->n;
    OF(pack)(e, x, r->n, 0);
    SORT(quickselect)(e, r->n, r->k);
    OF(unpack)((T *)r->values + row, r->indices + row, e + r->k, x, 1);
}

static void OF(mode_row)(const struct rows *r, E *e, int64_t row) {
    const T *x = (const T *)r->x + row * r->n;
    OF(pack)(e, x, r->n, 0);
    SORT(quicksort)(e, r->n);
    int64_t most = 0, found = 0, start = 0;
    for (int64_t i = 0; i < r->n; i++) {
        /* Each NaN is a value of its own. */
        if (i + 1 < r->n && KEY(e[i]) == KEY(e[i + 1]) && x[INDEX(e[i])] == x[INDEX(e[i])]) continue;
        if (i - start + 1 > most) most = i - start + 1, found = i;
        start = i + 1;
    }
    OF(unpack)((T *)r->values + row, r->indices + row, e + found, x, 1);
}

/* The first of the best of a row, best first, by insertion: keys are compared with the worst that is kept. */
static void OF(insert_best)(const struct rows *r, E *e, const T *x, int64_t kept) {
    K flip = r->largest ? (K)-1 : 0;
    for (int64_t i = 0; i < kept; i++) {
        E new = PACK(OF(key)(x[i]) ^ flip, i);
        int64_t j = i;
        for (; j > 0 && KEY(e[j - 1]) > KEY(new); j--) e[j] = e[j - 1];
        e[j] = new;
    }
    for (int64_t i = kept; i < r->n;) {
        K worst = KEY(e[kept - 1]);
        int64_t end = r->n - i < 32 ? r->n : i + 32;
        int better = 0;
        for (int64_t k = i; k < end; k++) better |= (OF(key)(x[k]) ^ flip) < worst;
        for (; better && i < end; i++) {
            E new = PACK(OF(key)(x[i]) ^ flip, i);
            if (KEY(new) >= KEY(e[kept - 1])) continue;
            int64_t j = kept - 1;
            for (; j > 0 && KEY(e[j - 1]) > KEY(new); j--) e[j] = e[j - 1];
            e[j] = new;
        }
        i = end;
    }
}

static void OF(best_row)(const struct rows *r, E *e, int64_t row) {
    const T *x = (const T *)r->x + row * r->n;
    T *values = (T *)r->values + row * r->k;
    int64_t *indices = r->indices + row * r->k, n = r->n, k = r->k;
    int64_t kept = r->sorted ? k + 1 : k;
    if (n > FEW && kept <= n && (kept <= ANY || (r->sorted && kept <= MOST && n >= SQUARE * kept * kept))) {
        OF(insert_best)(r, e, x, kept);
        int unique = 1;
        for (int64_t i = 1; r->sorted && i < kept; i++) unique &= KEY(e[i - 1]) != KEY(e[i]);
        if (unique) {
            OF(unpack)(values, indices, e, x, k);
            return;
        }
    }
    /* The selection moves the last of the smallest to its index. */
    int64_t from = r->largest ? n - k : 0, last = r->largest ? from - 1 : k - 1;
    OF(pack)(e, x, n, 0);
    if (last >= 0) SORT(quickselect)(e, n, last);
    int64_t unsorted = !r->sorted ? 0 : r->largest ? k : k - 1;
    for (int64_t i = 0; r->largest && i < unsorted; i++) e[from + i] = PACK(~KEY(e[from + i]), INDEX(e[from + i]));
    if (unsorted > 1) SORT(quicksort)(e + from, unsorted);
    OF(unpack)(values, indices, e + from, x, k);
}

static void OF(some_rows)(void *data, int64_t from, int64_t to) {
    struct rows *r = data;
    E *e = malloc(r->n * sizeof(E));
    if (!e) {
        r->failed = 1;
        return;
    }
    for (int64_t row = from; row < to; row++) {
        switch (r->what) {
        case SORTED:
            OF(sort_row)(r, e, row);
            break;
        case RANKED:
            OF(rank_row)(r, e, row);
            break;
        case MODE:
            OF(mode_row)(r, e, row);
            break;
        case BEST:
            OF(best_row)(r, e, row);
            break;
        }
    }
    free(e);
}
