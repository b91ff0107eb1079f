/* Convolutions and their gradients without columns, see docs/decisions/0027-convolutions.md. */
#include "convolution_plan.h"
#include "../parallel_for.h"
#include "../vectors.h"
#include "linalg/gemm.h"

enum {
    TILE = VECTOR == 64 ? 8 : 6, /* rows of a tile */
    LIST = 256,                  /* products that are added up before their sum goes to memory */
    FEW_PLANES = 16,             /* planes of the source that a list reads at most: each is a page of memory */
    MOST_PLANES = 64,
    PIXELS = 480, /* most pixels of a unit of work, and fewest */
    LEAST_PIXELS = 48,
    SHARES = 32, /* units of work that a call is divided into at least */
    SHARE = 192, /* rows of weights of a unit */
    RUN = 768,   /* pixels of a run that are computed at a time, a multiple of all vectors of a step */
    ROWS = 6,    /* taps whose products with a map are added up at a time */
};

/* Whether a kernel is one pixel, over planes that are large enough for products of matrices. */
static int is_pixel(const t7_conv_shape *s) {
    enum { LEAST_AREA = 64 };
    double area = 1;
    for (int d = 0; d < 3; d++) {
        if (s->kernel[d] != 1 || s->stride[d] != 1 || s->pad[d] != 0) return 0;
        area *= s->map[d];
    }
    return s->planes > FEW && s->outputs > FEW && area >= LEAST_AREA;
}

#define T float
#define V vec_f
#define M vec_i32
#define BITS int32_t
#define SUMS 16
#define LANES (VECTOR / 4)
#define NAME(f) f##_Float
#define load load_vf
#define store store_vf
#define splat splat_vf
#define HALF 4
#define split split_f
#define join join_f
#define fma_v fma_vf
#define NANOSECONDS 0.025
#include "convolution_phase.h"
#include "channel_tiles.h"
#include "pixel_runs.h"
#include "convolution_body.h"
#include "unfold_body.h"
#undef T
#undef V
#undef M
#undef BITS
#undef SUMS
#undef LANES
#undef WIDE
#undef NAME
#undef load
#undef store
#undef splat
#undef HALF
#undef split
#undef join
#undef fma_v
#undef NANOSECONDS

#define T double
#define V vec_d
#define M vec_i64
#define BITS int64_t
#define SUMS 8
#define LANES (VECTOR / 8)
#define NAME(f) f##_Double
#define load load_vd
#define store store_vd
#define splat splat_vd
#define HALF 2
#define split split_d
#define join join_d
#define fma_v fma_vd
#define NANOSECONDS 0.05
#include "convolution_phase.h"
#include "channel_tiles.h"
#include "pixel_runs.h"
#include "convolution_body.h"
#include "unfold_body.h"

double t7_conv_scratch(const t7_conv_shape *shape, double size) {
    t7_conv_plan p;
    double most = 0;
    for (int back = 0; back < 2; back++) {
        t7_conv_plan_for(&p, shape, back);
        double inner = p.together * ((double)p.inputs * p.most_taps + TILE),
               outputs = p.groups * ((double)p.outputs + VECTOR);
        double copies = p.is_copied ? (double)p.batch * p.groups * p.inputs * p.pitch + RUN : 0;
        double row = p.is_few ? (double)(p.result[2] + 16) / p.result[2] : 1;
        double maps = back ? 0 : (p.is_few ? p.groups * p.outputs : outputs) * p.map_batch * p.to_area * row;
        double bytes = inner * 8 + (inner * outputs + copies + maps) * size + 1024;
        most = bytes > most ? bytes : most;
    }
    return most;
}
