/* The convolutions of one type: memory, and passes over the images of a batch. */
#include "nn/convolution_phase_body.h"
#include "nn/channel_tiles_body.h"
#include "nn/pixel_runs_body.h"

/* Unit: a plane of some images, copied with its margins. */
typedef struct {
    const t7_conv_plan *p;
    const T *from;
    T *to;
    int is_first;
} NAME(margins);

/* Where row t, y of a plane begins in its copy: rows that are read by neighboring results lie side by side. */
INLINE int64_t NAME(row_offset)(const t7_conv_plan *p, int64_t t, int64_t y) {
    int64_t pt = p->parts[0], py = p->parts[1], depth = p->padded[0] / pt, height = p->padded[1] / py;
    return (((t % pt * py + y % py) * p->parts[2] * depth + t / pt) * height + y / py) * p->row;
}

/* Where position x of a row is in its copy, from the beginning of the row. */
INLINE int64_t NAME(column_offset)(const t7_conv_plan *p, int64_t x) {
    return x % p->parts[2] * p->part + x / p->parts[2];
}

/* Copies a row of n elements, `parts` neighbors of which go to different parts; element 0 is that of part k, at *z. */
INLINE void NAME(distribute_row)(const T *x, int64_t n, T *z, int64_t k, int64_t parts, int64_t part) {
    for (int64_t i = 0; i < n; i++) {
        *z = x[i];
        z += part;
        if (++k == parts) z += 1 - parts * part, k = 0;
    }
}

/* The same for a constant number of parts; element k is at z + begin[k]. */
INLINE void NAME(distribute_groups)(int parts, const T *x, int64_t n, T *z, const int64_t *begin) {
    int64_t groups = n / parts;
    INDEPENDENT
    for (int64_t i = 0; i < groups; i++) UNROLL for (int k = 0; k < parts; k++) z[begin[k] + i] = x[i * parts + k];
    for (int64_t i = groups * parts; i < n; i++) z[begin[i - groups * parts] + groups] = x[i];
}

/* Splits a row of n elements into those at even and at odd positions. */
INLINE void NAME(split_row)(const T *x, int64_t n, T *even, T *odd) {
    int64_t i = 0;
    for (; i + PAIRS <= n / 2; i += PAIRS) NAME(split)(x + 2 * i, even + i, odd + i);
    for (; i < n / 2; i++) even[i] = x[2 * i], odd[i] = x[2 * i + 1];
    if (n % 2) even[i] = x[2 * i];
}

static void NAME(copy_planes)(void *data, int64_t first, int64_t last) {
    const NAME(margins) *m = data;
    const t7_conv_plan *p = m->p;
    int64_t px = p->parts[2], py = p->parts[1], margin = p->margin[2], n = p->size[2];
    int64_t begin[4];
    for (int k = 0; k < 4; k++) begin[k] = NAME(column_offset)(p, margin + k);
    for (int64_t u = first; u < last; u++) {
        const T *x = m->from + u * p->area;
        T *z = m->to + u * p->pitch;
        if (m->is_first) memset(z, 0, p->pitch * sizeof *z);
        for (int64_t t = 0; t < p->size[0]; t++) {
            T *row = z + NAME(row_offset)(p, t + p->margin[0], p->margin[1]);
            int64_t part = p->margin[1] % py;
            for (int64_t y = 0; y < p->size[1]; y++, x += n) {
                if (px == 1)
                    memcpy(row + margin, x, n * sizeof *z);
                else if (px == 2)
                    NAME(split_row)(x, n, row + begin[0], row + begin[1]);
                else if (px == 3)
                    NAME(distribute_groups)(3, x, n, row, begin);
                else if (px == 4)
                    NAME(distribute_groups)(4, x, n, row, begin);
                else
                    NAME(distribute_row)(x, n, row + begin[0], margin % px, px, p->part);
                /* The next row is in the next part, after the last of them in the first. */
                row += px * p->part;
                if (++part == py) row += p->row - py * px * p->part, part = 0;
            }
        }
    }
}

/* The source of images `first` to `first` + n - 1, as a copy in `buffer` if the plan needs one. All passes have the
   same margins: the first one writes their zeros. */
static const T *NAME(source)(const t7_conv_plan *p, const T *x, int64_t first, int64_t n, T *buffer) {
    int64_t planes = p->groups * p->inputs;
    x += first * planes * p->area;
    if (!p->is_copied) return x;
    NAME(margins) m = {p, x, buffer, first == 0};
    t7_parallel_for(NAME(copy_planes), &m, n * planes, 1, (double)n * planes * p->pitch * 0.1 * sizeof *x);
    return buffer;
}

/* The offsets of a phase: where each tap of each plane is. */
static void NAME(list_offsets)(NAME(phase) *f, int64_t *offsets) {
    const t7_conv_plan *p = f->p;
    const t7_axis *a = f->a;
    f->offsets = offsets;
    int64_t at[3];
    for (int d = 0; d < 3; d++) at[d] = p->margin[d] + a[d].from;
    for (int64_t c = 0; c < p->inputs; c++)
        for (int64_t t = 0; t < a[0].taps; t++)
            for (int64_t y = 0; y < a[1].taps; y++)
                for (int64_t x = 0; x < a[2].taps; x++)
                    *offsets++ = c * p->pitch +
                                 NAME(row_offset)(p, at[0] + t * a[0].from_step, at[1] + y * a[1].from_step) +
                                 NAME(column_offset)(p, at[2] + x * a[2].from_step);
    for (int i = 0; i < TERMS_AHEAD; i++) *offsets++ = 0;
}

static void NAME(set_phase)(NAME(phase) *f, const t7_conv_plan *p, int64_t phase, int64_t *offsets) {
    f->p = p;
    f->pixels = 1, f->terms = p->inputs;
    for (int d = 2; d >= 0; d--) {
        f->a[d] = t7_conv_axis(p, d, phase % p->phases[d]);
        phase /= p->phases[d];
        f->pixels *= f->a[d].count, f->terms *= f->a[d].taps;
    }
    f->width = p->uses_runs ? p->outputs : TILE_WIDTH;
    f->blocks = ceil_div(p->outputs, f->width);
    int64_t count = (p->uses_runs ? MAX_BLOCK_PLANES_OF_RUNS : MAX_BLOCK_PLANES) * (f->terms / p->inputs);
    f->block_terms = min_i(count, BLOCK_TERMS);
    NAME(list_offsets)(f, offsets);
}

/* Parts of scratch memory begin at cache lines. */
INLINE void *NAME(take)(char **buffer, int64_t bytes) {
    void *part = *buffer;
    *buffer += (bytes + 63) / 64 * 64;
    return part;
}

/* Results of a phase, or of both joint ones, for the images of a pass. */
static void NAME(convolve_phase)(NAME(phase) *f, int is_packed) {
    const t7_conv_plan *p = f->p;
    double work = 0;
    for (int k = 0; k < p->joint_phases; k++) {
        double products = (double)f[k].terms * p->outputs * p->groups * NS_PER_MULTIPLY;
        if (!is_packed) t7_parallel_for(NAME(pack_weights), f + k, p->groups * f->blocks, 1, products * 16);
        work += products * f->images * f->pixels;
    }
    if (p->uses_runs) {
        int64_t chunks = f->images * p->groups * f->a[0].count * NAME(chunks_of)(f);
        t7_parallel_for(NAME(convolve_runs), f, chunks, 1, work);
        return;
    }
    int64_t units = f->images * f->pixels * p->groups * f->blocks;
    f->chunk = max_i(MIN_UNIT_PIXELS, min_i(units / MIN_UNITS / TILE_ROWS * TILE_ROWS, MAX_UNIT_PIXELS));
    f->chunks = ceil_div(f->images * f->pixels, f->chunk);
    t7_parallel_for(NAME(convolve), f, f->chunks * p->groups * f->blocks, 1, work);
}

static void NAME(convolution)(const t7_conv_shape *shape, int back, const T *from, const T *weight, const T *bias,
                              T *to, void *scratch) {
    t7_conv_plan p;
    t7_conv_plan_for(&p, shape, back ? T7_CONV_BACK : T7_CONV_FORWARD);
    int64_t terms = p.inputs * p.max_taps, phases = p.phases[0] * p.phases[1] * p.phases[2], *offsets[2];
    NAME(phase) f[2] = {{.bias = bias, .from = weight}, {.from = weight}};
    char *buffer = (char *)(((uintptr_t)scratch + 63) / 64 * 64);
    for (int k = 0; k < p.joint_phases; k++) {
        offsets[k] = NAME(take)(&buffer, (terms + TERMS_AHEAD) * sizeof **offsets);
        f[k].packed = NAME(take)(&buffer, p.groups * (p.outputs + TILE_WIDTH) * terms * sizeof(T));
    }
    for (int64_t first = 0; first < p.images; first += p.batch) {
        f->images = min_i(p.images - first, p.batch);
        f->source = NAME(source)(&p, from, first, f->images, (T *)buffer);
        f->to = to + first * p.groups * p.outputs * p.to_area;
        for (int64_t i = 0; i < phases; i += p.joint_phases) {
            int is_known = first > 0 && phases == p.joint_phases;
            for (int k = 0; k < p.joint_phases && !is_known; k++) NAME(set_phase)(f + k, &p, i + k, offsets[k]);
            if (f->pixels > 0) NAME(convolve_phase)(f, is_known);
        }
    }
}

typedef void NAME(gemm)(int64_t, int64_t, int64_t, double, const T *, int64_t, int64_t, const T *, int64_t, int64_t,
                        double, T *, int64_t);

/* A convolution whose kernel is one pixel: for each image and group a product of matrices, from `planes` of one side to
   `rows` of the other. Element r, c of the weights of a group is at r * row + c * column. */
typedef struct {
    int64_t units, groups, group, rows, planes, area, row, column;
    const T *weight, *from;
    T *to;
    double beta;
} NAME(pixel_call);

/* Large planes are multiplied in batches: each is a page of memory. */
static void NAME(pixel_products)(void *data, int64_t first, int64_t last) {
    enum { PAGE = 2048 };
    const NAME(pixel_call) *c = data;
    /* The product of a single image is divided between threads; that of a single pixel would have other bits. */
    NAME(gemm) *multiply = c->units > 1 || c->area == 1 ? NAME(t7_gemm) : NAME(t7_gemm_parallel);
    int64_t batch = c->area * (int64_t)sizeof(T) < PAGE ? c->planes : MAX_BLOCK_PLANES;
    for (int64_t u = first; u < last; u++)
        for (int64_t p = 0; p < c->planes; p += batch)
            multiply(c->rows, c->area, min_i(c->planes - p, batch), 1,
                     c->weight + u % c->groups * c->group + p * c->column, c->row, c->column,
                     c->from + (u * c->planes + p) * c->area, c->area, 1, p ? 1 : c->beta,
                     c->to + u * c->rows * c->area, c->area);
}

static void NAME(multiply_pixels)(NAME(pixel_call) *c, const t7_conv_shape *s) {
    c->units = (int64_t)(s->images * s->groups);
    c->groups = (int64_t)s->groups, c->group = (int64_t)s->planes;
    c->area = (int64_t)(s->map[0] * s->map[1] * s->map[2]);
    t7_parallel_for(NAME(pixel_products), c, c->units, 1, NS_PER_MULTIPLY * c->units * c->rows * c->planes * c->area);
}

void NAME(t7_conv_forward)(const t7_conv_shape *shape, const T *image, const T *weight, const T *bias, T *map,
                           void *scratch) {
    if (is_pixel(shape)) {
        int64_t groups = (int64_t)shape->groups, outputs = (int64_t)shape->outputs, planes = (int64_t)shape->planes;
        int64_t area = (int64_t)(shape->map[0] * shape->map[1] * shape->map[2]);
        if (bias)
            for (int64_t i = 0; i < (int64_t)shape->images * groups * outputs; i++) {
                T b = bias[i % outputs * groups + i / outputs % groups];
                for (int64_t k = 0; k < area; k++) map[i * area + k] = b;
            }
        NAME(pixel_call) c = {.rows = outputs, .planes = planes, .row = groups * planes, .column = 1, .weight = weight};
        c.from = image, c.to = map, c.beta = bias != 0;
        NAME(multiply_pixels)(&c, shape);
        return;
    }
    NAME(convolution)(shape, 0, image, weight, bias, map, scratch);
}

void NAME(t7_conv_back)(const t7_conv_shape *shape, const T *map, const T *weight, const T *bias, T *image,
                        void *scratch) {
    if (is_pixel(shape) && !bias) {
        int64_t row = (int64_t)(shape->groups * shape->planes);
        NAME(pixel_call)
        c = {.rows = (int64_t)shape->planes, .planes = (int64_t)shape->outputs, .row = 1, .column = row};
        c.weight = weight, c.from = map, c.to = image;
        NAME(multiply_pixels)(&c, shape);
        return;
    }
    NAME(convolution)(shape, 1, map, weight, bias, image, scratch);
}

void NAME(t7_conv_weights)(const t7_conv_shape *shape, const T *image, const T *map, double scale, T *weight,
                           void *scratch) {
    t7_conv_plan p;
    t7_conv_plan_for(&p, shape, T7_CONV_WEIGHTS);
    if (p.images < 1) return;
    if (is_pixel(shape)) {
        int64_t area = p.area, row = p.groups * p.inputs;
        for (int64_t g = 0; g < p.groups; g++)
            NAME(t7_gemm_batch)(p.images, p.outputs, p.inputs, area, scale, map + g * p.outputs * area,
                                p.groups * p.outputs * area, area, 1, image + g * p.inputs * area, row * area, 1, area,
                                1, weight + g * p.inputs, 0, row);
        return;
    }
    NAME(sums) s = {.weight = weight, .scale = (T)scale};
    NAME(phase) *f = &s.f;
    int64_t terms = p.inputs * p.max_taps;
    char *buffer = (char *)(((uintptr_t)scratch + 63) / 64 * 64);
    int64_t *offsets = NAME(take)(&buffer, (terms + TERMS_AHEAD) * sizeof *offsets);
    NAME(set_phase)(f, &p, 0, offsets);
    int64_t units = p.groups * f->blocks;
    s.rows = p.uses_runs ? f->terms : ceil_div(f->terms, TILE_ROWS) * TILE_ROWS;
    s.shares = ceil_div(s.rows, UNIT_WEIGHTS);
    s.pitch = p.uses_runs ? f->pixels / f->a[2].count * NAME(padded_row)(f) * p.outputs : f->pixels * TILE_WIDTH;
    s.sums = NAME(take)(&buffer, units * s.rows * f->width * sizeof(T));
    s.maps = NAME(take)(&buffer, units * p.map_batch * s.pitch * sizeof(T));
    double work = (double)f->terms * p.outputs * p.groups * f->pixels * NS_PER_MULTIPLY;
    for (int64_t first = 0; first < p.images; first += p.map_batch) {
        f->images = min_i(p.images - first, p.map_batch);
        f->source = NAME(source)(&p, image, first, f->images, (T *)buffer);
        f->from = map + first * p.groups * p.outputs * f->pixels;
        s.is_first = first == 0;
        t7_parallel_for(p.uses_runs ? NAME(pad_maps) : NAME(pack_maps), &s, units * f->images, 1,
                        (double)units * f->images * s.pitch * 0.5);
        if (p.uses_runs)
            t7_parallel_for(NAME(sum_rows), &s, p.groups * p.outputs * p.inputs, 1, work * f->images);
        else
            t7_parallel_for(NAME(sum_products), &s, units * s.shares, 1, work * f->images);
    }
    t7_parallel_for(NAME(add_sums), &s, p.groups * p.outputs, 1, (double)p.groups * p.outputs * f->terms);
}

/* Unit (g, o): a plane of the map over all images. */
typedef struct {
    int64_t images, groups, outputs, area;
    const T *map;
    T *bias, scale;
} NAME(planes);

static void NAME(sum_planes)(void *data, int64_t from, int64_t to) {
    const NAME(planes) *s = data;
    for (int64_t u = from; u < to; u++) {
        T total = 0;
        for (int64_t image = 0; image < s->images; image++) {
            const T *x = s->map + (image * s->groups * s->outputs + u) * s->area;
            T lanes[16] = {0};
            int64_t i = 0;
            for (; i + 16 <= s->area; i += 16)
                for (int k = 0; k < 16; k++) lanes[k] += x[i + k];
            for (int k = 0; i < s->area; i++, k++) lanes[k] += x[i];
            for (int n = 8; n; n /= 2)
                for (int k = 0; k < n; k++) lanes[k] += lanes[k + n];
            total += lanes[0];
        }
        s->bias[u % s->outputs * s->groups + u / s->outputs] += s->scale * total;
    }
}

void NAME(t7_conv_biases)(const t7_conv_shape *shape, const T *map, double scale, T *bias) {
    NAME(planes) s = {.images = (int64_t)shape->images, .groups = (int64_t)shape->groups, .map = map, .bias = bias};
    s.outputs = (int64_t)shape->outputs, s.scale = (T)scale;
    s.area = (int64_t)shape->map[0] * (int64_t)shape->map[1] * (int64_t)shape->map[2];
    int64_t planes = s.groups * s.outputs;
    t7_parallel_for(NAME(sum_planes), &s, planes, 1, (double)planes * s.images * (20 + s.area * 0.1));
}
