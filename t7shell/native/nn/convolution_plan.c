/* Plans of convolutions, see convolution_plan.h. */
#include "nn/convolution_plan.h"

static int64_t common_divisor(int64_t a, int64_t b) {
    while (b) {
        int64_t rest = a % b;
        a = b, b = rest;
    }
    return a;
}

/* From the image to the map: result i is the sum over k of source i * stride + k * dilation - pad. */
static t7_axis forward_axis(const t7_conv_shape *s, int d) {
    return (t7_axis){.step = 1,
                     .count = (int64_t)s->map[d],
                     .source_step = (int64_t)s->stride[d],
                     .taps = (int64_t)s->kernel[d],
                     .tap_step = 1,
                     .from = -(int64_t)s->pad[d],
                     .from_step = (int64_t)s->dilation[d]};
}

/* From the map to the image: pixel x is the sum over the k for which x + pad - k * dilation is a multiple of stride. */
static t7_axis back_axis(const t7_conv_shape *s, int d, int64_t phase) {
    int64_t stride = (int64_t)s->stride[d], dilation = (int64_t)s->dilation[d], kernel = (int64_t)s->kernel[d];
    int64_t pixel = phase + (int64_t)s->pad[d], period = stride / common_divisor(stride, dilation), k = 0;
    while (k < kernel && k < period && (pixel - k * dilation) % stride) k++;
    int64_t count = ((int64_t)s->image[d] - phase + stride - 1) / stride;
    t7_axis a = {.first = phase, .step = stride, .count = count, .source_step = 1};
    if (k < kernel && k < period) {
        a.taps = (kernel - k + period - 1) / period;
        a.tap = k, a.tap_step = period;
        a.from = (pixel - k * dilation) / stride, a.from_step = -(period * dilation / stride);
    }
    return a;
}

t7_axis t7_conv_axis(const t7_conv_plan *p, int d, int64_t phase) {
    return p->back ? back_axis(&p->shape, d, phase) : forward_axis(&p->shape, d);
}

/* Widens the margins of dimension d for what an axis reads. */
static void widen(t7_conv_plan *p, int d, const t7_axis *a) {
    if (!a->taps || a->count < 1) return;
    int64_t last = a->from + (a->taps - 1) * a->from_step, end = (a->count - 1) * a->source_step;
    p->margin[d] = max_i(p->margin[d], -min_i(a->from, last));
    p->padded[d] = max_i(p->padded[d], max_i(a->from, last) + end + 1);
}

/* Elements of padded images that are copied at a time. */
enum { MAX_COPIED = 1 << 17 };

void t7_conv_plan_for(t7_conv_plan *p, const t7_conv_shape *s, int pass) {
    int back = pass == T7_CONV_BACK;
    *p = (t7_conv_plan){.shape = *s, .back = back, .max_taps = 1, .area = 1, .pitch = 1, .to_area = 1};
    p->images = (int64_t)s->images, p->groups = (int64_t)s->groups;
    int64_t planes = (int64_t)s->planes, maps = (int64_t)s->outputs, taps = 1;
    p->inputs = back ? maps : planes, p->outputs = back ? planes : maps;
    int is_short = pass == T7_CONV_WEIGHTS && planes > 1 && s->map[2] < MIN_SUMMED_ROW;
    p->uses_runs = p->is_copied = p->outputs <= MAX_RUN_OUTPUTS && !is_short;
    for (int d = 0; d < 3; d++) {
        p->kernel[d] = (int64_t)s->kernel[d];
        p->size[d] = (int64_t)(back ? s->map : s->image)[d], p->result[d] = (int64_t)(back ? s->image : s->map)[d];
        p->phases[d] = back ? min_i((int64_t)s->stride[d], p->result[d]) : 1;
        p->padded[d] = p->size[d];
        int64_t max_taps = 0;
        for (int64_t phase = 0; phase < p->phases[d]; phase++) {
            t7_axis a = t7_conv_axis(p, d, phase);
            widen(p, d, &a);
            max_taps = max_i(max_taps, a.taps);
        }
        p->parts[d] = p->uses_runs && !back ? (int64_t)s->stride[d] : 1;
        p->padded[d] = (p->padded[d] + p->margin[d] + p->parts[d] - 1) / p->parts[d] * p->parts[d];
        p->is_copied |= p->padded[d] != p->size[d];
        p->area *= p->size[d], p->pitch *= p->padded[d], p->to_area *= p->result[d];
        p->max_taps *= max_taps, taps *= p->kernel[d];
    }
    p->joint_phases = p->uses_runs && p->phases[2] == 2 ? 2 : 1;
    p->row = p->padded[2] / p->parts[2], p->part = p->pitch / (p->parts[0] * p->parts[1] * p->parts[2]);
    p->weight_group = planes * taps;
    int64_t row = p->groups * p->weight_group;
    p->weight_input = back ? row : taps, p->weight_output = back ? taps : row;
    p->bias_group = back ? planes : 1, p->bias_output = back ? 1 : p->groups;
    int64_t sources = p->groups * p->inputs * p->pitch, results = p->groups * p->outputs * p->to_area;
    p->batch = p->is_copied ? max_i(1, min_i(p->images, MAX_COPIED / max_i(1, sources))) : p->images;
    p->map_batch = max_i(1, min_i(p->images, MAX_COPIED / max_i(1, max_i(sources, results))));
}
