/* Convolutions and their gradients without columns, see docs/decisions/0027-convolutions.md. */
#include "nn/convolution_plan.h"
#include "parallel_for.h"
#include "vectors.h"
#include "linalg/gemm.h"

enum {
    TILE_ROWS = VECTOR == 64 ? 8 : 6,
    TERMS_AHEAD = VECTOR == 64 ? 8 : 0, /* terms that are prefetched: tiles of AVX-512 do not leave time to load them */
    MAX_PREFETCHED_TAPS = 9,
    BLOCK_TERMS = 256,     /* products that are added up before their sum goes to memory */
    MAX_BLOCK_PLANES = 64, /* planes of the source that such a block reads: each is a page of memory */
    MAX_BLOCK_PLANES_OF_RUNS = 16,
    MIN_UNITS = 32, /* units of work that a call is divided into */
    MIN_UNIT_PIXELS = 48,
    MAX_UNIT_PIXELS = 480,
    UNIT_WEIGHTS = 192, /* rows of weights of a unit */
    RUN_LENGTH = 768,   /* pixels of a run that are computed at a time, a multiple of all vectors of a step */
    TAP_ROWS = 6,       /* taps whose products with a map are added up at a time */
};

/* Whether a kernel is one pixel, over planes that are large enough for products of matrices. */
static int is_pixel(const t7_conv_shape *s) {
    enum { MIN_AREA = 64 };
    double area = 1;
    for (int d = 0; d < 3; d++) {
        if (s->kernel[d] != 1 || s->stride[d] != 1 || s->pad[d] != 0) return 0;
        area *= s->map[d];
    }
    return s->planes > MAX_RUN_OUTPUTS && s->outputs > MAX_RUN_OUTPUTS && area >= MIN_AREA;
}

/* Partial sums of a weight: as many bytes as the longest vector. */
#define PARTIAL_SUMS (64 / (int)sizeof(T))
/* Results side by side, in two vectors. */
#define TILE_WIDTH (2 * LANES)
#define NS_PER_MULTIPLY (0.00625 * sizeof(T))

#define BODY "nn/convolution_body.h"
#include "for_floating_types.h"
#define BODY "nn/unfold_body.h"
#include "for_floating_types.h"

double t7_conv_scratch(const t7_conv_shape *shape, double size) {
    t7_conv_plan p;
    double bytes = 0;
    for (int pass = T7_CONV_FORWARD; pass <= T7_CONV_WEIGHTS; pass++) {
        t7_conv_plan_for(&p, shape, pass);
        double terms = p.joint_phases * ((double)p.inputs * p.max_taps + TILE_ROWS),
               outputs = p.groups * ((double)p.outputs + VECTOR);
        double copies = p.is_copied ? (double)p.batch * p.groups * p.inputs * p.pitch + RUN_LENGTH : 0;
        double row = p.uses_runs ? (double)(p.result[2] + 16) / p.result[2] : 1;
        double maps = pass != T7_CONV_WEIGHTS
                          ? 0
                          : (p.uses_runs ? p.groups * p.outputs : outputs) * p.map_batch * p.to_area * row;
        double needed = (terms + p.joint_phases * TERMS_AHEAD) * 8 + (terms * outputs + copies + maps) * size + 1024;
        bytes = needed > bytes ? needed : bytes;
    }
    return bytes;
}
