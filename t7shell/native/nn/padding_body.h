/* Padding of one type. */

/* Columns `from` to `to` - 1 of a row of each of `planes` planes, by their sources. */
INLINE void NAME(pad_columns)(const padding *f, int planes, int64_t from, int64_t to, const T *x, T *y) {
    for (int64_t i = from; i < to; i++) {
        int64_t source = f->source[2][i];
        if (source < 0)
            UNROLL for (int j = 0; j < planes; j++) y[j * f->outputs + i] = 0;
        else
            UNROLL for (int j = 0; j < planes; j++) y[j * f->outputs + i] = x[j * f->area + source];
    }
}

INLINE void NAME(add_columns)(const padding *f, int planes, int64_t from, int64_t to, const T *y, T *x) {
    for (int64_t i = from; i < to; i++) {
        int64_t source = f->source[2][i];
        UNROLL for (int j = 0; j < planes; j++) x[j * f->area + source] += y[j * f->outputs + i];
    }
}

/* Planes that are one row. */
static void NAME(run_pad_list)(void *data, int64_t p, int64_t to) {
    const padding *f = data;
    const T *x = f->from;
    T *y = f->to;
    for (; p + MAX_PLANES <= to; p += MAX_PLANES)
        NAME(pad_columns)(f, MAX_PLANES, 0, f->outputs, x + p * f->area, y + p * f->outputs);
    for (; p < to; p++) NAME(pad_columns)(f, 1, 0, f->outputs, x + p * f->area, y + p * f->outputs);
}

static void NAME(run_add_list)(void *data, int64_t p, int64_t to) {
    const padding *f = data;
    const T *y = f->from;
    T *x = f->to;
    memset(x + p * f->area, 0, (to - p) * f->area * sizeof(T));
    for (; p + MAX_PLANES <= to; p += MAX_PLANES)
        NAME(add_columns)(f, MAX_PLANES, 0, f->outputs, y + p * f->outputs, x + p * f->area);
    for (; p < to; p++) NAME(add_columns)(f, 1, 0, f->outputs, y + p * f->outputs, x + p * f->area);
}

static void NAME(run_pad_rows)(void *data, int64_t from, int64_t to) {
    const padding *f = data;
    T *y = (T *)f->to + from * f->outputs;
    for (int64_t p = from; p < to; p++)
        for (int64_t t = 0; t < f->out[0]; t++)
            for (int64_t h = 0; h < f->out[1]; h++, y += f->out[2]) {
                int64_t row = source_row(f, t, h);
                const T *x = (const T *)f->from + p * f->area + row * f->size[2];
                if (row < 0) {
                    memset(y, 0, f->out[2] * sizeof(T));
                    continue;
                }
                NAME(pad_columns)(f, 1, 0, f->begin, x, y);
                memcpy(y + f->begin, x + f->begin + f->shift, (f->end - f->begin) * sizeof(T));
                NAME(pad_columns)(f, 1, f->end, f->out[2], x, y);
            }
}

static void NAME(run_add_rows)(void *data, int64_t from, int64_t to) {
    const padding *f = data;
    const T *y = (const T *)f->from + from * f->outputs;
    memset((T *)f->to + from * f->area, 0, (to - from) * f->area * sizeof(T));
    for (int64_t p = from; p < to; p++)
        for (int64_t t = 0; t < f->out[0]; t++)
            for (int64_t h = 0; h < f->out[1]; h++, y += f->out[2]) {
                T *x = (T *)f->to + p * f->area + source_row(f, t, h) * f->size[2];
                NAME(add_columns)(f, 1, 0, f->begin, y, x);
                INDEPENDENT
                for (int64_t i = f->begin; i < f->end; i++) x[i + f->shift] += y[i];
                NAME(add_columns)(f, 1, f->end, f->out[2], y, x);
            }
}

static void NAME(run_parallel)(t7_chunk *rows, t7_chunk *lists, const t7_padding *call, const T *from, T *to,
                               int min_run, double nanoseconds) {
    padding f = {.from = from, .to = to, .area = 1, .outputs = 1};
    int32_t list[MAX_LIST];
    for (int d = 0; d < 3; d++) {
        f.size[d] = (int64_t)call->size[d], f.out[d] = (int64_t)call->out[d], f.source[d] = call->source[d];
        f.area *= f.size[d], f.outputs *= f.out[d];
    }
    f.begin = (int64_t)call->begin, f.end = (int64_t)call->finish;
    if (f.begin < f.end) f.shift = f.source[2][f.begin] - f.begin;
    int listed = f.end - f.begin < min_run && f.outputs <= MAX_LIST;
    if (listed) set_list(&f, list);
    t7_parallel_for(listed ? lists : rows, &f, (int64_t)call->planes, 1, call->planes * f.outputs * nanoseconds);
}

void NAME(t7_pad)(const t7_padding *call, const T *x, T *y) {
    NAME(run_parallel)(NAME(run_pad_rows), NAME(run_pad_list), call, x, y, MIN_COPIED, 0.4);
}

void NAME(t7_pad_backward)(const t7_padding *call, const T *y, T *x) {
    NAME(run_parallel)(NAME(run_add_rows), NAME(run_add_list), call, y, x, MIN_ADDED, 0.6);
}
