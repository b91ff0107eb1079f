/* Losses of classes with scores of one type. */

INLINE double NAME(weight)(const T *weights, int64_t target) { return weights ? weights[target - 1] : 1; }

double NAME(t7_class_loss)(double count, double classes, double step, const T *x, const int64_t *target,
                           const T *weights, double ignored, double *total) {
    int64_t n = (int64_t)step;
    double loss = 0, sum = 0;
    for (int64_t i = 0; i < (int64_t)count; i++)
        for (int64_t j = 0; j < n; j++) {
            int64_t t = target[i * n + j];
            if ((double)t == ignored) continue;
            double w = NAME(weight)(weights, t);
            loss -= w * x[(i * (int64_t)classes + t - 1) * n + j];
            sum += w;
        }
    *total = sum;
    return loss;
}

void NAME(t7_class_gradient)(double count, double classes, double step, const int64_t *target, const T *weights,
                             double ignored, double divisor, T *r) {
    int64_t n = (int64_t)step, rows = (int64_t)count;
    memset(r, 0, rows * n * (int64_t)classes * sizeof *r);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < n; j++) {
            int64_t t = target[i * n + j];
            if ((double)t == ignored) continue;
            r[(i * (int64_t)classes + t - 1) * n + j] = (T)(-NAME(weight)(weights, t) / divisor);
        }
}

/* Adds the losses of n scores: 0 where from + x[j] is not above 0, at `own`, and where `marks`, if there are any, are
   not 0. They are computed by a loop without branches first; adding a 0 changes no sum. */
INLINE double NAME(add_hinges)(double total, const T *x, const T *marks, int64_t n, int64_t own, T from, T weight,
                               int squares) {
    for (int64_t first = 0; first < n; first += BLOCK) {
        T losses[BLOCK];
        int64_t size = min_i(n - first, BLOCK);
        for (int64_t j = 0; j < size; j++) {
            T excess = from + x[first + j], loss = (squares ? excess * excess : excess) * weight;
            losses[j] = ((excess > 0) & (!marks || marks[first + j] == 0)) ? loss : 0;
        }
        if (own >= first && own < first + size) losses[own - first] = 0;
        for (int64_t j = 0; j < size; j++) total += losses[j];
    }
    return total;
}

/* Compares in T, as the original does: what is not above 0, NaN with it, counts for nothing, whatever its weight. */
double NAME(t7_class_margins)(double count, double classes, const T *x, const int64_t *target, double p, double margin,
                              const T *weights) {
    int64_t n = (int64_t)classes;
    double total = 0;
    for (int64_t i = 0; i < (int64_t)count; i++, x += n) {
        T from = (T)margin - x[target[i] - 1], weight = (T)NAME(weight)(weights, target[i]);
        if (p == 2)
            total = NAME(add_hinges)(total, x, 0, n, target[i] - 1, from, weight, 1);
        else
            total = NAME(add_hinges)(total, x, 0, n, target[i] - 1, from, weight, 0);
    }
    return total;
}

void NAME(t7_class_margins_gradient)(double count, double classes, const T *x, const int64_t *target, double p,
                                     double margin, const T *weights, double factor, T *r) {
    int64_t n = (int64_t)classes;
    T step = (T)factor;
    for (int64_t i = 0; i < (int64_t)count; i++, x += n, r += n) {
        T from = (T)margin - x[target[i] - 1], weight = (T)NAME(weight)(weights, target[i]), sum = 0;
        for (int64_t j = 0; j < n; j++) {
            T excess = from + x[j];
            r[j] = 0;
            if (j == target[i] - 1 || !(excess > 0)) continue;
            r[j] = (p == 2 ? 2 * step * excess : step) * weight;
            sum -= r[j];
        }
        r[target[i] - 1] = sum;
    }
}

/* Marks the targets of a row; returns their number. */
INLINE int64_t NAME(mark)(const int64_t *target, int64_t n, T *marks) {
    int64_t count = 0;
    for (int64_t j = 0; j < n; j++) marks[j] = 0;
    for (; count < n && target[count] > 0; count++) marks[target[count] - 1] = 1;
    return count;
}

double NAME(t7_label_margins)(double count, double classes, const T *x, const int64_t *target, T *marks) {
    int64_t n = (int64_t)classes;
    double total = 0;
    for (int64_t i = 0; i < (int64_t)count; i++, x += n, target += n, marks += n) {
        int64_t listed = NAME(mark)(target, n, marks);
        for (int64_t l = 0; l < listed; l++) {
            T from = 1 - x[target[l] - 1];
            total = NAME(add_hinges)(total, x, marks, n, -1, from, 1, 0);
        }
    }
    return total;
}

void NAME(t7_label_margins_gradient)(double count, double classes, const T *x, const int64_t *target, double factor,
                                     T *marks, T *r) {
    int64_t n = (int64_t)classes;
    T step = (T)factor;
    memset(r, 0, (int64_t)count * n * sizeof *r);
    for (int64_t i = 0; i < (int64_t)count; i++, x += n, target += n, marks += n, r += n) {
        int64_t listed = NAME(mark)(target, n, marks);
        for (int64_t l = 0; l < listed; l++) {
            int64_t c = target[l] - 1;
            T from = 1 - x[c];
            for (int64_t j = 0; j < n; j++)
                if (marks[j] == 0 && from + x[j] > 0) r[c] -= step, r[j] += step;
        }
    }
}
