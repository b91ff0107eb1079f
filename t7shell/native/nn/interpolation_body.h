/* Linear interpolation of one type. */

/* Columns of the output, and those of the input around them, the first one at `begin`. */
typedef struct {
    int64_t begin, width, from, count, first[MAX_COLUMNS], second[MAX_COLUMNS];
    T part[MAX_COLUMNS];
} NAME(columns);

/* As many columns, from column `from` of the output on, as a line has space for. */
static void NAME(set_columns)(const interpolation *f, int64_t from, NAME(columns) *c) {
    c->from = from, c->count = 0, c->begin = interval_of(f, 2, from).first, c->width = 0;
    for (int64_t j = from; j < f->out[2] && c->count < MAX_COLUMNS; j++) {
        interval b = interval_of(f, 2, j);
        if (b.second - c->begin >= MAX_COLUMNS) break;
        c->first[c->count] = b.first - c->begin, c->second[c->count] = b.second - c->begin;
        c->part[c->count++] = (T)b.part;
        c->width = b.second - c->begin + 1;
    }
}

/* Rows of a plane that a line of the output is made of: their number, where they begin, and their weights. */
typedef struct {
    int64_t line, row[4];
    T weight[4];
    int count;
} NAME(rows);

INLINE void NAME(set_rows)(const interpolation *f, int64_t line, NAME(rows) *rows) {
    interval t = interval_of(f, 0, line / f->out[1]), h = interval_of(f, 1, line % f->out[1]);
    rows->line = line, rows->count = 0;
    for (int side = 0; side < 4; side++) {
        double w = (side % 2 ? t.part : 1 - t.part) * (side < 2 ? 1 - h.part : h.part);
        if (w == 0) continue;
        int64_t row = (side % 2 ? t.second : t.first) * f->size[1] + (side < 2 ? h.first : h.second);
        rows->row[rows->count] = row * f->size[2], rows->weight[rows->count++] = (T)w;
    }
}

/* x += weight * line */
INLINE void NAME(add_line)(T weight, const T *line, int64_t n, T *x) {
    V w = splat(weight);
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES) store(x + i, fma_v(w, load(line + i), load(x + i)));
    if (i < n)
        masked_store(x + i, n - i, fma_v(w, masked_load(line + i, n - i, (V){}), masked_load(x + i, n - i, (V){})));
}

/* A line of planes p to p + n - 1. Lines of all of them are stored before they are read: a load that needs several
   stores waits for them. */
static void NAME(forward_lines)(const interpolation *f, const NAME(columns) *c, const NAME(rows) *rows, int64_t p,
                                int64_t n) {
    T lines[MAX_COLUMNS];
    for (int64_t k = 0; k < n; k++) {
        const T *x = (const T *)f->from + (p + k) * f->area + c->begin;
        T *line = lines + k * c->width;
        for (int64_t i = 0; i < c->width; i++) line[i] = rows->weight[0] * x[rows->row[0] + i];
        for (int r = 1; r < rows->count; r++) NAME(add_line)(rows->weight[r], x + rows->row[r], c->width, line);
    }
    for (int64_t k = 0; k < n; k++) {
        T *y = (T *)f->to + (p + k) * f->outputs + rows->line * f->out[2] + c->from;
        const T *line = lines + k * c->width;
        for (int64_t j = 0; j < c->count; j++) {
            T b = c->part[j];
            y[j] = (1 - b) * line[c->first[j]] + b * line[c->second[j]];
        }
    }
}

/* The gradient of a line. An element takes the gradients of columns in their order: first those that it is the second
   element of, in `next`, and then those that it is the first of. */
INLINE void NAME(gather_line)(const NAME(columns) *c, const T *y, T *line) {
    T here = 0, next = 0;
    int64_t at = 0;
    for (int64_t i = 0; i < c->width; i++) line[i] = 0;
    for (int64_t j = 0; j < c->count; j++) {
        T b = c->part[j];
        if (c->first[j] > at) {
            line[at] = here, line[at + 1] = next;
            here = c->first[j] == at + 1 ? next : 0, next = 0;
            at = c->first[j];
        }
        here += (1 - b) * y[j];
        if (c->second[j] == at)
            here += b * y[j];
        else
            next += b * y[j];
    }
    line[at] = here;
    if (at + 1 < c->width) line[at + 1] = next;
}

static void NAME(backward_lines)(const interpolation *f, const NAME(columns) *c, const NAME(rows) *rows, int64_t p,
                                 int64_t n) {
    T lines[MAX_COLUMNS];
    for (int64_t k = 0; k < n; k++) {
        const T *y = (const T *)f->from + (p + k) * f->outputs + rows->line * f->out[2] + c->from;
        NAME(gather_line)(c, y, lines + k * c->width);
    }
    for (int64_t k = 0; k < n; k++) {
        T *x = (T *)f->to + (p + k) * f->area + c->begin;
        for (int r = 0; r < rows->count; r++)
            NAME(add_line)(rows->weight[r], lines + k * c->width, c->width, x + rows->row[r]);
    }
}

/* Calls `lines` for all columns and lines of planes, and for no more planes at a time than stay in the cache. */
INLINE void NAME(run_lines)(const interpolation *f, int64_t from, int64_t to,
                            void lines(const interpolation *, const NAME(columns) *, const NAME(rows) *, int64_t,
                                       int64_t)) {
    int64_t step = max_i(CACHED / (f->area + f->outputs), 1);
    NAME(columns) c;
    for (int64_t at = 0; at < f->out[2]; at += c.count) {
        NAME(set_columns)(f, at, &c);
        int64_t at_once = MAX_COLUMNS / c.width;
        for (int64_t first = from; first < to; first += step) {
            int64_t end = min_i(first + step, to);
            for (int64_t l = 0; l < f->out[0] * f->out[1]; l++) {
                NAME(rows) rows;
                NAME(set_rows)(f, l, &rows);
                for (int64_t p = first; p < end; p += at_once) lines(f, &c, &rows, p, min_i(at_once, end - p));
            }
        }
    }
}

static void NAME(run_forward)(void *data, int64_t from, int64_t to) {
    NAME(run_lines)(data, from, to, NAME(forward_lines));
}

static void NAME(run_backward)(void *data, int64_t from, int64_t to) {
    const interpolation *f = data;
    memset((T *)f->to + from * f->area, 0, (to - from) * f->area * sizeof(T));
    NAME(run_lines)(f, from, to, NAME(backward_lines));
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
