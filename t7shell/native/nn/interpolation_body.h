/* Linear interpolation of one type. */

/* Columns of the output, and those of the input around them, the first one at `begin`. */
typedef struct {
    int64_t begin, width, from, count, first[MAX_COLUMNS], second[MAX_COLUMNS];
    T part[MAX_COLUMNS];
} NAME(columns);

/* As many columns, from column `from` of the output on, as a line has space for. */
static void NAME(set_columns)(const interpolation *f, int64_t from, NAME(columns) *c) {
    c->from = from, c->count = 0;
    for (int64_t j = from; j < f->out[2] && c->count < MAX_COLUMNS; j++) {
        interval b = interval_of(f, 2, j);
        if (j == from) c->begin = b.first;
        if (b.second - c->begin >= MAX_COLUMNS) break;
        c->first[c->count] = b.first - c->begin, c->second[c->count] = b.second - c->begin;
        c->part[c->count++] = (T)b.part;
        c->width = b.second - c->begin + 1;
    }
}

/* Rows of a plane that line `line` is made of: their number, where they begin, and their weights. */
INLINE int NAME(rows_of)(const interpolation *f, int64_t line, int64_t *row, T *weight) {
    interval t = interval_of(f, 0, line / f->out[1]), h = interval_of(f, 1, line % f->out[1]);
    int n = 0;
    for (int side = 0; side < 4; side++) {
        double w = (side % 2 ? t.part : 1 - t.part) * (side < 2 ? 1 - h.part : h.part);
        if (w == 0) continue;
        row[n] = ((side % 2 ? t.second : t.first) * f->size[1] + (side < 2 ? h.first : h.second)) * f->size[2];
        weight[n++] = (T)w;
    }
    return n;
}

static void NAME(run_forward)(void *data, int64_t from, int64_t to) {
    const interpolation *f = data;
    NAME(columns) c;
    for (int64_t at = 0; at < f->out[2]; at += c.count) {
        NAME(set_columns)(f, at, &c);
        for (int64_t l = from * f->out[0] * f->out[1]; l < to * f->out[0] * f->out[1]; l++) {
            int64_t row[4], plane = l / (f->out[0] * f->out[1]);
            T weight[4], line[MAX_COLUMNS], *y = (T *)f->to + l * f->out[2] + at;
            const T *x = (const T *)f->from + plane * f->area + c.begin;
            int rows = NAME(rows_of)(f, l % (f->out[0] * f->out[1]), row, weight);
            for (int64_t i = 0; i < c.width; i++) line[i] = weight[0] * x[row[0] + i];
            for (int r = 1; r < rows; r++)
                for (int64_t i = 0; i < c.width; i++) line[i] = NAME(fma)(weight[r], x[row[r] + i], line[i]);
            for (int64_t j = 0; j < c.count; j++) {
                T b = c.part[j];
                y[j] = (1 - b) * line[c.first[j]] + b * line[c.second[j]];
            }
        }
    }
}

static void NAME(run_backward)(void *data, int64_t from, int64_t to) {
    const interpolation *f = data;
    NAME(columns) c;
    memset((T *)f->to + from * f->area, 0, (to - from) * f->area * sizeof(T));
    for (int64_t at = 0; at < f->out[2]; at += c.count) {
        NAME(set_columns)(f, at, &c);
        for (int64_t l = from * f->out[0] * f->out[1]; l < to * f->out[0] * f->out[1]; l++) {
            int64_t row[4], plane = l / (f->out[0] * f->out[1]);
            T weight[4], line[MAX_COLUMNS];
            const T *y = (const T *)f->from + l * f->out[2] + at;
            T *x = (T *)f->to + plane * f->area + c.begin;
            int rows = NAME(rows_of)(f, l % (f->out[0] * f->out[1]), row, weight);
            for (int64_t i = 0; i < c.width; i++) line[i] = 0;
            for (int64_t j = 0; j < c.count; j++) {
                T b = c.part[j];
                line[c.first[j]] += (1 - b) * y[j];
                line[c.second[j]] += b * y[j];
            }
            for (int r = 0; r < rows; r++)
                for (int64_t i = 0; i < c.width; i++) x[row[r] + i] = NAME(fma)(weight[r], line[i], x[row[r] + i]);
        }
    }
}

/* Planes whose elements are repeated. */
static void NAME(run_repeat)(void *data, int64_t from, int64_t to) {
    const interpolation *f = data;
    int64_t w = f->size[2], n = f->out[2], times = n / w, up = f->out[1] / f->size[1], deep = f->out[0] / f->size[0];
    int64_t slice = n * f->out[1];
    for (int64_t s = from * f->size[0]; s < to * f->size[0]; s++) {
        T *y = (T *)f->to + s * deep * slice;
        for (int64_t h = 0; h < f->size[1]; h++) {
            const T *x = (const T *)f->from + (s * f->size[1] + h) * w;
            T *row = y + h * up * n;
            if (times == 2)
                for (int64_t j = 0; j < w; j++) row[2 * j] = row[2 * j + 1] = x[j];
            else
                for (int64_t j = 0; j < w; j++)
                    for (int64_t k = 0; k < times; k++) row[j * times + k] = x[j];
            for (int64_t k = 1; k < up; k++) memcpy(row + k * n, row, n * sizeof(T));
        }
        for (int64_t k = 1; k < deep; k++) memcpy(y + k * slice, y, slice * sizeof(T));
    }
}

static void NAME(run_repeat_backward)(void *data, int64_t from, int64_t to) {
    const interpolation *f = data;
    int64_t w = f->size[2], n = f->out[2], times = n / w, up = f->out[1] / f->size[1], deep = f->out[0] / f->size[0];
    for (int64_t s = from * f->size[0]; s < to * f->size[0]; s++)
        for (int64_t h = 0; h < f->size[1]; h++) {
            T *x = (T *)f->to + (s * f->size[1] + h) * w;
            for (int64_t j = 0; j < w; j++) x[j] = 0;
            for (int64_t r = 0; r < deep * up; r++) {
                const T *y = (const T *)f->from + ((s * deep + r / up) * f->out[1] + h * up + r % up) * n;
                if (times == 2)
                    for (int64_t j = 0; j < w; j++) x[j] = (x[j] + y[2 * j]) + y[2 * j + 1];
                else
                    for (int64_t j = 0; j < w; j++)
                        for (int64_t k = 0; k < times; k++) x[j] += y[j * times + k];
            }
        }
}

static void NAME(run_parallel)(t7_chunk *chunk, const t7_interpolation *call, const T *from, T *to,
                               double nanoseconds) {
    interpolation f = {.from = from, .to = to, .area = 1, .outputs = 1};
    for (int d = 0; d < 3; d++) {
        f.size[d] = (int64_t)call->size[d], f.out[d] = (int64_t)call->out[d];
        f.area *= f.size[d], f.outputs *= f.out[d];
    }
    if (f.area < 1 || f.outputs < 1) return;
    t7_parallel_for(chunk, &f, (int64_t)call->planes, 1, call->planes * f.outputs * nanoseconds);
}

void NAME(t7_interpolate)(const t7_interpolation *call, const T *x, T *y) {
    NAME(run_parallel)(NAME(run_forward), call, x, y, 1);
}

void NAME(t7_interpolate_backward)(const t7_interpolation *call, const T *y, T *x) {
    NAME(run_parallel)(NAME(run_backward), call, y, x, 1.5);
}

void NAME(t7_repeat)(const t7_interpolation *call, const T *x, T *y) {
    NAME(run_parallel)(NAME(run_repeat), call, x, y, 0.2);
}

void NAME(t7_repeat_backward)(const t7_interpolation *call, const T *y, T *x) {
    NAME(run_parallel)(NAME(run_repeat_backward), call, y, x, 0.3);
}
