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
                             double ignored, int32_t is_mean, T *r) {
    int64_t n = (int64_t)step, rows = (int64_t)count, all = rows * n;
    double scale = -1, total = 0;
    memset(r, 0, all * (int64_t)classes * sizeof *r);
    for (int64_t i = 0; is_mean && i < all; i++)
        if ((double)target[i] != ignored) total += NAME(weight)(weights, target[i]);
    if (is_mean && !(total > 0)) return;
    if (is_mean) scale = -1 / total;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < n; j++) {
            int64_t t = target[i * n + j];
            if ((double)t == ignored) continue;
            r[(i * (int64_t)classes + t - 1) * n + j] = (T)(scale * NAME(weight)(weights, t));
        }
}

double NAME(t7_class_margins)(double count, double classes, const T *x, const int64_t *target, double p, double margin,
                              const T *weights) {
    int64_t n = (int64_t)classes;
    double total = 0;
    for (int64_t i = 0; i < (int64_t)count; i++, x += n) {
        double from = margin - x[target[i] - 1], sum = 0;
        for (int64_t j = 0; j < n; j++) {
            double excess = from + x[j];
            if (j != target[i] - 1 && excess > 0) sum += p == 2 ? excess * excess : excess;
        }
        total += sum * NAME(weight)(weights, target[i]);
    }
    return total;
}

void NAME(t7_class_margins_gradient)(double count, double classes, const T *x, const int64_t *target, double p,
                                     double margin, const T *weights, double factor, T *r) {
    int64_t n = (int64_t)classes;
    for (int64_t i = 0; i < (int64_t)count; i++, x += n, r += n) {
        double from = margin - x[target[i] - 1], sum = 0, scale = factor * NAME(weight)(weights, target[i]);
        for (int64_t j = 0; j < n; j++) {
            double excess = from + x[j], slope = excess > 0 ? (p == 2 ? 2 * excess : 1) : 0;
            if (j == target[i] - 1) slope = 0;
            r[j] = (T)(slope * scale);
            sum += slope;
        }
        r[target[i] - 1] = (T)((0 - sum) * scale);
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
            double from = 1 - (double)x[target[l] - 1];
            for (int64_t j = 0; j < n; j++) {
                double excess = from + x[j];
                if (marks[j] == 0 && excess > 0) total += excess;
            }
        }
    }
    return total;
}

void NAME(t7_label_margins_gradient)(double count, double classes, const T *x, const int64_t *target, double factor,
                                     T *marks, T *r) {
    int64_t n = (int64_t)classes;
    memset(r, 0, (int64_t)count * n * sizeof *r);
    for (int64_t i = 0; i < (int64_t)count; i++, x += n, target += n, marks += n, r += n) {
        int64_t listed = NAME(mark)(target, n, marks);
        for (int64_t l = 0; l < listed; l++) {
            int64_t c = target[l] - 1;
            double from = 1 - (double)x[c];
            for (int64_t j = 0; j < n; j++)
                if (marks[j] == 0 && from + x[j] > 0) r[c] = (T)(r[c] - factor), r[j] = (T)(r[j] + factor);
        }
    }
}
