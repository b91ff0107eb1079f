/* Columns of one image, and the way back, for one type. */

typedef struct {
    const t7_conv_shape *shape;
    const T *from;
    T *to;
} NAME(columns);

/* Goes through the rows of the columns of some planes; `back` adds them to the planes. */
INLINE void NAME(walk_columns)(const NAME(columns) *f, int64_t from, int64_t to, int back) {
    const t7_conv_shape *s = f->shape;
    int64_t size[3], kernel[3], stride[3], pad[3], dilation[3], map[3], k[3];
    for (int d = 0; d < 3; d++) {
        size[d] = (int64_t)s->image[d], kernel[d] = (int64_t)s->kernel[d], stride[d] = (int64_t)s->stride[d];
        pad[d] = (int64_t)s->pad[d], dilation[d] = (int64_t)s->dilation[d], map[d] = (int64_t)s->map[d];
    }
    int64_t area = size[0] * size[1] * size[2], out = map[0] * map[1] * map[2], n = map[2];
    int64_t taps = kernel[0] * kernel[1] * kernel[2];
    for (int64_t plane = from; plane < to; plane++) {
        if (back) memset(f->to + plane * area, 0, area * sizeof(T));
        const T *row = f->from + plane * taps * out;
        T *column = f->to + plane * taps * out;
        for (k[0] = 0; k[0] < kernel[0]; k[0]++)
            for (k[1] = 0; k[1] < kernel[1]; k[1]++)
                for (k[2] = 0; k[2] < kernel[2]; k[2]++)
                    for (int64_t t = 0; t < map[0]; t++)
                        for (int64_t y = 0; y < map[1]; y++, row += n, column += n) {
                            int64_t z = t * stride[0] + k[0] * dilation[0] - pad[0];
                            int64_t v = y * stride[1] + k[1] * dilation[1] - pad[1];
                            int64_t x = k[2] * dilation[2] - pad[2], first = 0, end = 0;
                            if (z >= 0 && z < size[0] && v >= 0 && v < size[1]) {
                                end = n;
                                clip(x, stride[2], size[2], &first, &end);
                                first = min_i(first, end);
                            }
                            int64_t at = plane * area + (z * size[1] + v) * size[2] + x;
                            if (back) {
                                for (int64_t i = first; i < end; i++) f->to[at + i * stride[2]] += row[i];
                                continue;
                            }
                            memset(column, 0, first * sizeof(T));
                            for (int64_t i = first; i < end; i++) column[i] = f->from[at + i * stride[2]];
                            memset(column + end, 0, (n - end) * sizeof(T));
                        }
    }
}

static void NAME(unfold_planes)(void *data, int64_t from, int64_t to) { NAME(walk_columns)(data, from, to, 0); }
static void NAME(fold_planes)(void *data, int64_t from, int64_t to) { NAME(walk_columns)(data, from, to, 1); }

static void NAME(share_columns)(t7_chunk *f, const t7_conv_shape *s, const T *from, T *to) {
    NAME(columns) columns = {s, from, to};
    double taps = s->kernel[0] * s->kernel[1] * s->kernel[2] * s->map[0] * s->map[1] * s->map[2];
    t7_parallel_for(f, &columns, (int64_t)s->planes, 1, s->planes * taps * 0.3);
}

void NAME(t7_unfold)(const t7_conv_shape *shape, const T *image, T *columns) {
    NAME(share_columns)(NAME(unfold_planes), shape, image, columns);
}

void NAME(t7_fold)(const t7_conv_shape *shape, const T *columns, T *image) {
    NAME(share_columns)(NAME(fold_planes), shape, columns, image);
}
