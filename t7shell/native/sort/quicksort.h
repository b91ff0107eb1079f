/* The exchanges of a quicksort on elements E, as in the TH library: median of three as pivot, up to ten elements
   as they are. They decide the order of equal elements: docs/decisions/0010-tie-breaking.md. Moves are listed before
   they are made, without branches on the elements, which are hard to predict. Included for each E, with AT_LEAST(e,
   pivot), AT_MOST(e, pivot) and KEY(e). */

INLINE void OF(swap)(E *x, int64_t i, int64_t j) {
    E e = x[i];
    x[i] = x[j], x[j] = e;
}

/* Exchanges two elements if the first is the greater. */
INLINE void OF(order)(E *x, int64_t i, int64_t j) {
    E a = x[i], b = x[j];
    int greater = KEY(a) > KEY(b);
    x[i] = greater ? b : a, x[j] = greater ? a : b;
}

/* Exchanges elements after i that belong after the pivot with elements before j that belong before it, until less than
   two blocks are left. */
INLINE void OF(exchange_blocks)(E *x, int64_t *at_i, int64_t *at_j, K pivot) {
    int32_t from_left[EXCHANGED], from_right[EXCHANGED];
    int64_t i = *at_i, j = *at_j, left = i + 1, right = j - 1;
    int left_count = 0, right_count = 0, left_done = 0, right_done = 0;
    while (right - left + 1 >= 2 * EXCHANGED) {
        if (left_done == left_count) {
            left_done = left_count = 0;
            for (int t = 0; t < EXCHANGED; t++) from_left[left_count] = t, left_count += AT_LEAST(x[left + t], pivot);
            i = left - 1, left += EXCHANGED;
        }
        if (right_done == right_count) {
            right_done = right_count = 0;
            for (int t = 0; t < EXCHANGED; t++)
                from_right[right_count] = t, right_count += AT_MOST(x[right - t], pivot);
            j = right + 1, right -= EXCHANGED;
        }
        int count = left_count - left_done;
        if (right_count - right_done < count) count = right_count - right_done;
        int64_t first = left - EXCHANGED, last = right + EXCHANGED;
        for (int t = 0; t < count; t++) {
            i = first + from_left[left_done + t], j = last - from_right[right_done + t];
            OF(swap)(x, i, j);
        }
        left_done += count, right_done += count;
        if (left_done == left_count) i = left - 1;
        if (right_done == right_count) j = right + 1;
    }
    *at_i = i, *at_j = j;
}

/* Exchanges a part of fewer than LISTED elements completely: all elements to move are listed first. The pivot stops
   both scans at the ends. Where i and j meet, one may stop at an element that was exchanged. */
INLINE void OF(exchange_listed)(E *x, int64_t *at_i, int64_t *at_j, K pivot) {
    int64_t i = *at_i, j = *at_j, count = j - i;
    int32_t left[LISTED + 1], right[LISTED + 1];
    int left_count = 0, right_count = 0, done = 0;
    for (int t = 1; t <= count; t++) {
        left[left_count] = right[right_count] = t;
        left_count += AT_LEAST(x[i + t], pivot), right_count += AT_MOST(x[j - t], pivot);
    }
    /* As distances from i. */
    while (left[done] <= count - right[done]) {
        OF(swap)(x, i + left[done], j - right[done]);
        done++;
    }
    int64_t to_i = i + left[done], to_j = j - right[done];
    int last = done - 1;
    if (last >= 0 && left[last] == count - right[last]) last--;
    if (last >= 0) {
        int64_t a = j - right[last], b = i + left[last];
        to_i = to_i < a ? to_i : a, to_j = to_j > b ? to_j : b;
    }
    *at_i = to_i, *at_j = to_j;
}

/* The element at j is then at its final index, nothing before it is greater, nothing from i on less. */
static void OF(partition)(E *x, int64_t left, int64_t right, int64_t *at_i, int64_t *at_j) {
    int64_t first = left + 1;
    OF(swap)(x, (left + right) / 2, first);
    OF(order)(x, first, right);
    OF(order)(x, left, right);
    OF(order)(x, first, left);
    int64_t i = first, j = right;
    K pivot = KEY(x[left]);
    if (right - left >= LISTED) OF(exchange_blocks)(x, &i, &j, pivot);
    OF(exchange_listed)(x, &i, &j, pivot);
    OF(swap)(x, left, j);
    *at_i = i, *at_j = j;
}

/* Up to SMALL + 1 elements in order, equal ones as they are: each goes where as many are before it. */
static void OF(place)(E *x, int64_t n) {
    enum { PLACES = 16 };
    E e[PLACES];
    K key[PLACES], before[PLACES] = {0};
    for (int j = 0; j < PLACES; j++) e[j] = x[j < n ? j : n - 1], key[j] = KEY(e[j]);
    for (int i = 0; i < n; i++) {
        K here = key[i];
        for (int j = 0; j < PLACES; j++) before[j] += (here < key[j]) | ((here == key[j]) & (i < j));
    }
    for (int j = 0; j < n; j++) x[before[j]] = e[j];
}

/* The same of up to `most` elements if none are equal; else they stay, and the result is 0. */
INLINE int OF(place_if_distinct)(E *x, int64_t n, int most) {
    enum { LANES = VECTOR / sizeof(K) };
    E e[DISTINCT];
    K key[DISTINCT], before[DISTINCT], sum = 0;
    KEYS keys[DISTINCT / LANES], counts[DISTINCT / LANES] = {0};
    for (int j = 0; j < n; j++) e[j] = x[j], key[j] = KEY(e[j]);
    for (int j = n; j < most; j++) key[j] = key[n - 1];
    memcpy(keys, key, most * sizeof *key);
    for (int i = 0; i < n; i++) {
        KEYS here = (KEYS){0} + key[i];
        UNROLL for (int v = 0; v < most / LANES; v++) counts[v] -= here < keys[v];
    }
    memcpy(before, counts, most * sizeof *before);
    /* Of two different elements one is counted as before the other. */
    for (int j = 0; j < n; j++) sum += before[j];
    if (sum != n * (n - 1) / 2) return 0;
    for (int j = 0; j < n; j++) x[before[j]] = e[j];
    return 1;
}

static int OF(place_distinct)(E *x, int64_t n) {
    return n <= DISTINCT / 2 ? OF(place_if_distinct)(x, n, DISTINCT / 2) : OF(place_if_distinct)(x, n, DISTINCT);
}

/* Whether a part is in order after this. Where there was a tie no other part is tried. */
INLINE int OF(finish)(E *x, int64_t n, int *tries) {
    if (n < 2) return 1;
    if (*tries && n <= DISTINCT && (*tries = OF(place_distinct)(x, n))) return 1;
    if (n <= SMALL) OF(place)(x, n);
    return n <= SMALL;
}

static void OF(quicksort)(E *x, int64_t n) {
    int64_t stack[2 * 64], left = 0, right = n - 1;
    int top = 0, tries = 1;
    if (OF(finish)(x, n, &tries)) return;
    if (n == SMALL + 1) {
        OF(place)(x, n);
        return;
    }
    for (;;) {
        int64_t i, j;
        OF(partition)(x, left, right, &i, &j);
        int go_before = !OF(finish)(x + left, j - left, &tries), go_behind = !OF(finish)(x + i, right - i + 1, &tries);
        if (go_before && go_behind) {
            /* The longer part waits, so that there is one for each doubling at most. */
            if (j - left > right - i + 1)
                stack[top++] = left, stack[top++] = j - 1, left = i;
            else
                stack[top++] = i, stack[top++] = right, right = j - 1;
        } else if (go_before) {
            right = j - 1;
        } else if (go_behind) {
            left = i;
        } else if (top == 0) {
            return;
        } else {
            right = stack[--top], left = stack[--top];
        }
    }
}

/* Moves the element of rank k to index k, no greater ones before it. */
static void OF(quickselect)(E *x, int64_t n, int64_t k) {
    int64_t left = 0, right = n - 1;
    while (right > left) {
        if (right == left + 1) {
            if (KEY(x[left]) > KEY(x[right])) OF(swap)(x, left, right);
            return;
        }
        int64_t i, j;
        OF(partition)(x, left, right, &i, &j);
        if (j <= k) left = i;
        if (j >= k) right = j - 1;
    }
}
