/* A convolution in either direction as sums over lists of offsets: results at even steps read a source, which is copied
   with margins of zeros where windows reach beyond it. Going back with a stride, the results that leave the same
   remainders are a phase, whose kernel has some of the taps; a phase is such a convolution too. */
#pragma once
#include "base.h"
#include "nn/convolution.h"

/* One dimension of a phase. Result i lies at first + i * step, and tap j, element tap + j * tap_step of the kernel,
   reads position from + i * source_step + j * from_step of the source. */
typedef struct {
    int64_t first, step, count, source_step, taps, tap, tap_step, from, from_step;
} t7_axis;

/* A plan: sizes and strides in elements. */
typedef struct {
    int64_t images, groups, inputs, outputs;          /* planes of the source and of results in a group */
    int64_t kernel[3], phases[3], size[3], result[3]; /* sizes of the kernel, of source and results */
    int64_t margin[3], padded[3];                     /* margins, and sizes of the source with them */
    int64_t parts[3];                                 /* a copy puts positions i, i + parts, ... side by side */
    int64_t row, part;                                /* elements of a row's part, and of a part of a plane */
    int64_t area, pitch, to_area;                     /* elements of planes: of the source, padded, of results */
    int64_t max_taps;                                 /* of a phase */
    int64_t weight_group, weight_input, weight_output;
    int64_t batch, map_batch; /* images that are copied at a time; the same for sums of weights */
    int64_t bias_group, bias_output;
    int uses_runs, is_copied, back;
    int joint_phases; /* phases that are computed together: both columns of a stride of 2 */
    t7_conv_shape shape;
} t7_conv_plan;

/* With so few results per pixel and group, vectors hold neighboring pixels, in runs; else they hold the results of a
   pixel. Sums of shorter rows for the weights of several planes do not. */
enum { MAX_RUN_OUTPUTS = 6, MIN_SUMMED_ROW = 16 };

/* What is computed: the map, the image, sums for weights. */
enum { T7_CONV_FORWARD, T7_CONV_BACK, T7_CONV_WEIGHTS };

/* Fills in a plan. */
void t7_conv_plan_for(t7_conv_plan *p, const t7_conv_shape *shape, int pass);

/* The axis of dimension d in phase `phase` of p->phases[d]. */
t7_axis t7_conv_axis(const t7_conv_plan *p, int d, int64_t phase);
