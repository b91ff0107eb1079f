/* Pooling by windows of different sizes, and planes that are scaled, of one type. */

/* Windows of different sizes, one after the other. */
typedef struct {
    const t7_windows *windows;
    const T *from;
    T *to;
    int64_t *index;
} NAME(irregular);

/* Elements of several planes, and masks for them. */
typedef T NAME(planes) __attribute__((vector_size(MAX_PLANES * sizeof(T))));
typedef BITS NAME(plane_masks) __attribute__((vector_size(MAX_PLANES * sizeof(T))));

/* Results of MAX_PLANES planes are computed at once, without branches. Of fewer planes the last one is repeated. */
INLINE void NAME(pool_windows)(const NAME(irregular) *c, int is_max, int64_t from, int64_t to) {
    const t7_windows *w = c->windows;
    int64_t columns = (int64_t)w->size[2], rows = (int64_t)w->size[1], area = columns * rows * (int64_t)w->size[0];
    int64_t outputs = (int64_t)(w->out[0] * w->out[1] * w->out[2]);
    for (int64_t p = from, n; p < to; p += n) {
        n = min_i(to - p, MAX_PLANES);
        const T *x[MAX_PLANES];
        for (int j = 0; j < MAX_PLANES; j++) x[j] = c->from + (p + min_i(j, n - 1)) * area;
        for (int64_t q = 0, at = p * outputs; q < outputs; q++, at++) {
            int64_t begin[3], end[3], count = set_window(w, p, q, begin, end);
            NAME(planes) best = (NAME(planes)){} + (is_max ? NAME(LOWEST) : 0);
            NAME(plane_masks) found = {};
            for (int64_t t = begin[0]; t < end[0]; t++)
                for (int64_t y = begin[1]; y < end[1]; y++) {
                    int64_t row = (t * rows + y) * columns;
                    for (int64_t i = row + begin[2]; i < row + end[2]; i++) {
                        NAME(planes) v;
                        UNROLL for (int j = 0; j < MAX_PLANES; j++) v[j] = x[j][i];
                        NAME(plane_masks) larger = v > best, bits = (NAME(plane_masks))best;
                        if (!is_max) best += v;
                        if (!is_max) continue;
                        best = (NAME(planes))((larger & (NAME(plane_masks))v) | (~larger & bits));
                        found = (larger & ((BITS)i + 1)) | (~larger & found);
                    }
                }
            if (!is_max) best /= (T)count;
            for (int64_t j = 0; j < n; j++) c->to[at + j * outputs] = best[j];
            for (int64_t j = 0; j < n && is_max; j++) c->index[at + j * outputs] = found[j];
        }
    }
}

/* Maxima of planes with lists of their own: windows of one size, so that those of MAX_PLANES results of a row are
   compared at once. Of fewer results the last one is repeated. */
static void NAME(run_own_windows)(void *data, int64_t from, int64_t to) {
    const NAME(irregular) *c = data;
    const t7_windows *w = c->windows;
    int64_t columns = (int64_t)w->size[2], rows = (int64_t)w->size[1], area = columns * rows * (int64_t)w->size[0];
    int64_t row_of_results = (int64_t)w->out[2], outputs = (int64_t)(w->out[0] * w->out[1]) * row_of_results;
    for (int64_t p = from; p < to; p++) {
        const int32_t *begins = w->begin[2] + p * row_of_results;
        for (int64_t first = 0, n; first < outputs; first += n) {
            int64_t column = first % row_of_results, begin[3], end[3];
            n = min_i(row_of_results - column, MAX_PLANES);
            set_window(w, p, first, begin, end);
            const T *x[MAX_PLANES];
            for (int j = 0; j < MAX_PLANES; j++) x[j] = c->from + p * area + begins[column + min_i(j, n - 1)];
            NAME(planes) best = (NAME(planes)){} + NAME(LOWEST);
            NAME(plane_masks) found = {};
            for (int64_t t = begin[0]; t < end[0]; t++)
                for (int64_t y = begin[1]; y < end[1]; y++) {
                    int64_t row = (t * rows + y) * columns;
                    for (int64_t i = row; i < row + end[2] - begin[2]; i++) {
                        NAME(planes) v;
                        UNROLL for (int j = 0; j < MAX_PLANES; j++) v[j] = x[j][i];
                        NAME(plane_masks) larger = v > best, bits = (NAME(plane_masks))best;
                        best = (NAME(planes))((larger & (NAME(plane_masks))v) | (~larger & bits));
                        found = (larger & ((BITS)i + 1)) | (~larger & found);
                    }
                }
            int64_t at = p * outputs + first;
            for (int64_t j = 0; j < n; j++) c->to[at + j] = best[j];
            for (int64_t j = 0; j < n; j++) c->index[at + j] = found[j] ? found[j] + begins[column + j] : 0;
        }
    }
}

static void NAME(run_max_windows)(void *data, int64_t from, int64_t to) { NAME(pool_windows)(data, 1, from, to); }
static void NAME(run_average_windows)(void *data, int64_t from, int64_t to) { NAME(pool_windows)(data, 0, from, to); }

static void NAME(run_average_windows_back)(void *data, int64_t from, int64_t to) {
    const NAME(irregular) *c = data;
    const t7_windows *w = c->windows;
    int64_t columns = (int64_t)w->size[2], rows = (int64_t)w->size[1], area = columns * rows * (int64_t)w->size[0];
    int64_t outputs = (int64_t)(w->out[0] * w->out[1] * w->out[2]), step = max_i(CACHED / area, 1);
    memset(c->to + from * area, 0, (to - from) * area * sizeof(T));
    for (int64_t first = from, last; first < to; first = last) {
        last = min_i(first + step, to);
        for (int64_t q = 0; q < outputs; q++) {
            int64_t begin[3], end[3], count = set_window(w, first, q, begin, end);
            for (int64_t p = first; p < last; p++) {
                T share = c->from[p * outputs + q] / (T)count;
                for (int64_t t = begin[0]; t < end[0]; t++)
                    for (int64_t y = begin[1]; y < end[1]; y++) {
                        T *row = c->to + p * area + (t * rows + y) * columns;
                        for (int64_t i = begin[2]; i < end[2]; i++) row[i] += share;
                    }
            }
        }
    }
}

static void NAME(run_windows)(t7_chunk *f, const t7_windows *w, const T *from, T *to, int64_t *index) {
    NAME(irregular) c = {w, from, to, index};
    double work = w->size[0] * w->size[1] * w->size[2] + 5 * w->out[0] * w->out[1] * w->out[2];
    t7_parallel_for(f, &c, (int64_t)w->planes, MAX_PLANES, w->planes * work);
}

void NAME(t7_max_windows)(const t7_windows *windows, const T *x, T *y, int64_t *index) {
    NAME(run_windows)(windows->own ? NAME(run_own_windows) : NAME(run_max_windows), windows, x, y, index);
}

void NAME(t7_average_windows)(const t7_windows *windows, const T *x, T *y) {
    NAME(run_windows)(NAME(run_average_windows), windows, x, y, 0);
}

void NAME(t7_average_windows_back)(const t7_windows *windows, const T *y, T *x) {
    NAME(run_windows)(NAME(run_average_windows_back), windows, y, x, 0);
}

/* Planes of a call that are multiplied and shifted. */
typedef struct {
    int64_t features, area;
    const T *x, *weight, *bias;
    T *y;
} NAME(scaled_planes);

static void NAME(run_scale)(void *data, int64_t from, int64_t to) {
    const NAME(scaled_planes) *c = data;
    for (int64_t p = from, f = from % c->features; p < to; p++, f = f + 1 < c->features ? f + 1 : 0) {
        const T *x = c->x + p * c->area;
        T *y = c->y + p * c->area, weight = c->weight[f];
        INDEPENDENT
        for (int64_t i = 0; i < c->area; i++) y[i] = x[i] * weight;
        if (!c->bias) continue;
        T bias = c->bias[f];
        INDEPENDENT
        for (int64_t i = 0; i < c->area; i++) y[i] += bias;
    }
}

/* The same for planes of one element. */
static void NAME(run_scale_elements)(void *data, int64_t from, int64_t to) {
    const NAME(scaled_planes) *c = data;
    for (int64_t p = from, n; p < to; p += n) {
        int64_t f = p % c->features;
        n = min_i(c->features - f, to - p);
        INDEPENDENT
        for (int64_t i = 0; i < n; i++) c->y[p + i] = c->x[p + i] * c->weight[f + i];
        if (!c->bias) continue;
        INDEPENDENT
        for (int64_t i = 0; i < n; i++) c->y[p + i] += c->bias[f + i];
    }
}

void NAME(t7_scale_planes)(double planes, double features, double area, const T *x, const T *weight, const T *bias,
                           T *y) {
    NAME(scaled_planes) c = {(int64_t)features, (int64_t)area, x, weight, bias, y};
    if (area == 1)
        t7_parallel_for(NAME(run_scale_elements), &c, (int64_t)planes, 1, planes * 0.3);
    else
        t7_parallel_for(NAME(run_scale), &c, (int64_t)planes, 1, planes * (area * 0.2 + 2));
}
