/* A quicksort of keys with their indices that leaves equal elements in the order of Torch7's: median of three as pivot,
   up to INSERTION_SORT_MAX elements by insertion. See docs/decisions/0010-tie-breaking.md. Partitions list the elements
   to be moved by blocks, before they are moved, since branches on elements are hard to predict (Edelkamp and Weiss,
   BlockQuicksort). For one kind of entries. */

INLINE void NAME(swap)(T *x, int64_t i, int64_t j) {
    T e = x[i];
    x[i] = x[j], x[j] = e;
}

/* Exchanges two elements if the first is the greater. */
INLINE void NAME(sort_pair)(T *x, int64_t i, int64_t j) {
    T a = x[i], b = x[j];
    int greater = NAME(key_of)(a) > NAME(key_of)(b);
    x[i] = greater ? b : a, x[j] = greater ? a : b;
}

/* Exchanges elements after i that belong after the pivot with elements before j that belong before it, until less than
   two blocks are left. */
INLINE void NAME(partition_blocks)(T *x, int64_t *at_i, int64_t *at_j, KEY pivot) {
    int32_t from_left[PARTITION_BLOCK], from_right[PARTITION_BLOCK];
    int64_t i = *at_i, j = *at_j, left = i + 1, right = j - 1;
    int left_count = 0, right_count = 0, left_done = 0, right_done = 0;
    while (right - left + 1 >= 2 * PARTITION_BLOCK) {
        if (left_done == left_count) {
            left_done = left_count = 0;
            for (int t = 0; t < PARTITION_BLOCK; t++)
                from_left[left_count] = t, left_count += NAME(at_least)(x[left + t], pivot);
            i = left - 1, left += PARTITION_BLOCK;
        }
        if (right_done == right_count) {
            right_done = right_count = 0;
            for (int t = 0; t < PARTITION_BLOCK; t++)
                from_right[right_count] = t, right_count += NAME(at_most)(x[right - t], pivot);
            j = right + 1, right -= PARTITION_BLOCK;
        }
        int count = left_count - left_done;
        if (right_count - right_done < count) count = right_count - right_done;
        int64_t first = left - PARTITION_BLOCK, last = right + PARTITION_BLOCK;
        for (int t = 0; t < count; t++) {
            i = first + from_left[left_done + t], j = last - from_right[right_done + t];
            NAME(swap)(x, i, j);
        }
        left_done += count, right_done += count;
        if (left_done == left_count) i = left - 1;
        if (right_done == right_count) j = right + 1;
    }
    *at_i = i, *at_j = j;
}

/* Partitions fewer than PARTITION_REST_MAX elements: all elements to move are listed first, by their distances from i
   and j. The pivot stops both scans at the ends. Where i and j meet, one may stop at an element that was exchanged. */
INLINE void NAME(partition_rest)(T *x, int64_t *at_i, int64_t *at_j, KEY pivot) {
    int64_t i = *at_i, j = *at_j, count = j - i;
    int32_t left[PARTITION_REST_MAX + 1], right[PARTITION_REST_MAX + 1];
    int left_count = 0, right_count = 0, done = 0;
    for (int t = 1; t <= count; t++) {
        left[left_count] = right[right_count] = t;
        left_count += NAME(at_least)(x[i + t], pivot), right_count += NAME(at_most)(x[j - t], pivot);
    }
    while (left[done] <= count - right[done]) {
        NAME(swap)(x, i + left[done], j - right[done]);
        done++;
    }
    int64_t to_i = i + left[done], to_j = j - right[done];
    int last = done - 1;
    if (last >= 0 && left[last] == count - right[last]) last--;
    if (last >= 0) {
        int64_t a = j - right[last], b = i + left[last];
        to_i = min_i(to_i, a), to_j = to_j > b ? to_j : b;
    }
    *at_i = to_i, *at_j = to_j;
}

/* Partitions x[left] to x[right]: the element at j is then at its final index, nothing before it is greater, nothing
   from i on less. */
static void NAME(partition)(T *x, int64_t left, int64_t right, int64_t *at_i, int64_t *at_j) {
    int64_t first = left + 1;
    NAME(swap)(x, (left + right) / 2, first);
    NAME(sort_pair)(x, first, right);
    NAME(sort_pair)(x, left, right);
    NAME(sort_pair)(x, first, left);
    int64_t i = first, j = right;
    KEY pivot = NAME(key_of)(x[left]);
    if (right - left >= PARTITION_REST_MAX) NAME(partition_blocks)(x, &i, &j, pivot);
    NAME(partition_rest)(x, &i, &j, pivot);
    NAME(swap)(x, left, j);
    *at_i = i, *at_j = j;
}

/* The same for equal elements, each of which stops both scans. */
static void NAME(partition_equals)(T *x, int64_t left, int64_t right, int64_t *at_i, int64_t *at_j) {
    int64_t i = left + 1, j = right;
    NAME(swap)(x, (left + right) / 2, i);
    while (++i <= --j) NAME(swap)(x, i, j);
    NAME(swap)(x, left, j);
    *at_i = i, *at_j = j;
}

INLINE int NAME(are_equal)(const T *x, int64_t n) {
    KEY key = NAME(key_of)(x[0]);
    if (NAME(key_of)(x[n - 1]) != key) return 0;
    for (int64_t i = 1; i < n; i++)
        if (NAME(key_of)(x[i]) != key) return 0;
    return 1;
}

static void NAME(sort_part)(T *x, int64_t n, int are_equal, int *is_distinct);

/* Sorts elements that are in order, in reverse order without ties, or equal; else they stay, and the result is 0. */
static int NAME(sort_ordered)(T *x, int64_t n) {
    KEY first = NAME(key_of)(x[0]), second = NAME(key_of)(x[1]);
    int64_t i = 2;
    if (n <= INSERTION_SORT_MAX + 1 && first <= second) {
        while (i < n && NAME(key_of)(x[i - 1]) <= NAME(key_of)(x[i])) i++;
    } else if (first < second) {
        while (i < n && NAME(key_of)(x[i - 1]) < NAME(key_of)(x[i])) i++;
    } else if (first > second) {
        while (i < n && NAME(key_of)(x[i - 1]) > NAME(key_of)(x[i])) i++;
        if (i == n)
            for (int64_t k = 0; k < n / 2; k++) NAME(swap)(x, k, n - 1 - k);
    } else if (NAME(are_equal)(x, n)) {
        NAME(sort_part)(x, i = n, 1, NULL);
    }
    return i == n;
}

/* Sorts elements by their ranks, equal ones in the order that they have. Ranks of `padded` ones are computed. */
INLINE void NAME(rank_sort_stable)(T *x, int64_t n, const int padded) {
    enum { MAX_PADDED = 16, KEY_LANES = VECTOR / sizeof(KEY) };
    T e[MAX_PADDED];
    KEY key[MAX_PADDED], rank[MAX_PADDED];
    NAME(keys) keys[MAX_PADDED / KEY_LANES], counts[MAX_PADDED / KEY_LANES] = {0}, place[MAX_PADDED / KEY_LANES];
    for (int j = 0; j < padded; j++) key[j] = j;
    memcpy(place, key, padded * sizeof *key);
    for (int j = 0; j < padded; j++) e[j] = x[min_i(j, n - 1)], key[j] = NAME(key_of)(e[j]);
    memcpy(keys, key, padded * sizeof *key);
    for (int i = 0; i < n; i++) {
        NAME(keys) here = (NAME(keys)){0} + key[i];
        UNROLL for (int v = 0; v < padded / (int)KEY_LANES; v++) counts[v] -=
            (here < keys[v]) | ((here == keys[v]) & (place[v] > i));
    }
    memcpy(rank, counts, padded * sizeof *rank);
    for (int j = 0; j < n; j++) x[rank[j]] = e[j];
}

/* Sorts up to INSERTION_SORT_MAX + 1 elements. */
static void NAME(rank_sort)(T *x, int64_t n) {
    if (n <= 8 && VECTOR / sizeof(KEY) <= 8)
        NAME(rank_sort_stable)(x, n, 8);
    else
        NAME(rank_sort_stable)(x, n, 16);
}

/* Sorts n elements of which none are equal; else they stay, and the result is 0. Ranks of `padded` ones are computed.
 */
INLINE int NAME(rank_sort_padded)(T *x, int64_t n, int padded) {
    enum { KEY_LANES = VECTOR / sizeof(KEY) };
    T e[RANK_SORT_MAX];
    KEY key[RANK_SORT_MAX], rank[RANK_SORT_MAX], sum = 0;
    NAME(keys) keys[RANK_SORT_MAX / KEY_LANES], counts[RANK_SORT_MAX / KEY_LANES] = {0};
    for (int j = 0; j < n; j++) e[j] = x[j], key[j] = NAME(key_of)(e[j]);
    for (int j = n; j < padded; j++) key[j] = key[n - 1];
    memcpy(keys, key, padded * sizeof *key);
    for (int i = 0; i < n; i++) {
        NAME(keys) here = (NAME(keys)){0} + key[i];
        UNROLL for (int v = 0; v < padded / KEY_LANES; v++) counts[v] -= here < keys[v];
    }
    memcpy(rank, counts, padded * sizeof *rank);
    /* Of two different elements one is counted as before the other. */
    for (int j = 0; j < n; j++) sum += rank[j];
    if (sum != n * (n - 1) / 2) return 0;
    for (int j = 0; j < n; j++) x[rank[j]] = e[j];
    return 1;
}

static int NAME(rank_sort_distinct)(T *x, int64_t n) {
    return n <= RANK_SORT_MAX / 2 ? NAME(rank_sort_padded)(x, n, RANK_SORT_MAX / 2)
                                  : NAME(rank_sort_padded)(x, n, RANK_SORT_MAX);
}

/* Sorts a few elements by exchanges of neighbours without branches, equal ones in the order that they have. */
INLINE void NAME(exchange_sort)(T *x, int64_t n) {
    for (int64_t last = n - 1; last > 0; last--)
        for (int64_t i = 0; i < last; i++) NAME(sort_pair)(x, i, i + 1);
}

/* Sorts a small part; returns whether it is in order. After a tie, ranks of different elements are not tried again. */
INLINE int NAME(sort_small)(T *x, int64_t n, int *is_distinct) {
    if (n <= EXCHANGE_SORT_MAX) {
        NAME(exchange_sort)(x, n);
        return 1;
    }
    if (NAME(are_equal)(x, n)) {
        if (n > INSERTION_SORT_MAX) NAME(sort_part)(x, n, 1, NULL);
        return 1;
    }
    if (n <= INSERTION_SORT_MAX) {
        NAME(rank_sort)(x, n);
        return 1;
    }
    return *is_distinct && n <= RANK_SORT_MAX && (*is_distinct = NAME(rank_sort_distinct)(x, n));
}

/* Sorts a part too long for sort_small, or of equal elements. */
static void NAME(sort_part)(T *x, int64_t n, int are_equal, int *is_distinct) {
    int64_t stack[2 * 64], left = 0, right = n - 1;
    int top = 0;
    for (;;) {
        int64_t i, j;
        int left_is_open, right_is_open;
        if (are_equal) {
            NAME(partition_equals)(x, left, right, &i, &j);
            left_is_open = j - left > INSERTION_SORT_MAX, right_is_open = right - i + 1 > INSERTION_SORT_MAX;
        } else {
            NAME(partition)(x, left, right, &i, &j);
            left_is_open = !NAME(sort_small)(x + left, j - left, is_distinct);
            right_is_open = !NAME(sort_small)(x + i, right - i + 1, is_distinct);
        }
        if (left_is_open && right_is_open) {
            /* The longer part waits: there are at most as many as n can be halved. */
            if (j - left > right - i + 1)
                stack[top++] = left, stack[top++] = j - 1, left = i;
            else
                stack[top++] = i, stack[top++] = right, right = j - 1;
        } else if (left_is_open) {
            right = j - 1;
        } else if (right_is_open) {
            left = i;
        } else if (top == 0) {
            return;
        } else {
            right = stack[--top], left = stack[--top];
        }
    }
}

/* Parts of a row, none of which has an element that belongs into another. */
typedef struct {
    T *x;
    int64_t left[MAX_PARTS], right[MAX_PARTS];
} NAME(parts);

static void NAME(sort_parts)(void *data, int64_t from, int64_t to) {
    NAME(parts) *p = data;
    for (int64_t k = from; k < to; k++) {
        int is_distinct = 1;
        T *x = p->x + p->left[k];
        int64_t n = p->right[k] - p->left[k] + 1;
        if (!NAME(sort_small)(x, n, &is_distinct)) NAME(sort_part)(x, n, 0, &is_distinct);
    }
}

/* Sorts a long row on all cores: its longest parts are partitioned until there are MAX_PARTS. */
static void NAME(sort_long)(T *x, int64_t n) {
    NAME(parts) p = {.x = x, .left = {0}, .right = {n - 1}};
    int count = 1;
    while (count < MAX_PARTS) {
        int longest = 0;
        for (int k = 1; k < count; k++)
            if (p.right[k] - p.left[k] > p.right[longest] - p.left[longest]) longest = k;
        if (p.right[longest] - p.left[longest] < MIN_PART) break;
        int64_t i, j;
        NAME(partition)(x, p.left[longest], p.right[longest], &i, &j);
        p.left[count] = i, p.right[count++] = p.right[longest];
        p.right[longest] = j - 1;
    }
    t7_parallel_for(NAME(sort_parts), &p, count, 1, n * NS_PER_SORTED);
}

static void NAME(quicksort)(T *x, int64_t n) {
    int is_distinct = 1;
    if (n > EXCHANGE_SORT_MAX && NAME(sort_ordered)(x, n)) return;
    if (n == INSERTION_SORT_MAX + 1)
        NAME(rank_sort)(x, n);
    else if (!NAME(sort_small)(x, n, &is_distinct))
        NAME(sort_part)(x, n, 0, &is_distinct);
}

/* Moves the element of rank k to index k, no greater ones before it. The others have the places that Torch7 gives them,
   unless `only_kth` is wanted. */
static void NAME(quickselect)(T *x, int64_t n, int64_t k, int only_kth) {
    int64_t left = 0, right = n - 1;
    int is_distinct = only_kth;
    while (right > left) {
        int64_t i, j, count = right - left + 1;
        if (count == 2) {
            if (NAME(key_of)(x[left]) > NAME(key_of)(x[right])) NAME(swap)(x, left, right);
            return;
        }
        if (NAME(are_equal)(x + left, count)) {
            NAME(partition_equals)(x, left, right, &i, &j);
        } else {
            if (is_distinct && count > EXCHANGE_SORT_MAX && count <= RANK_SORT_MAX &&
                (is_distinct = NAME(rank_sort_distinct)(x + left, count)))
                return;
            NAME(partition)(x, left, right, &i, &j);
        }
        if (j <= k) left = i;
        if (j >= k) right = j - 1;
    }
}
