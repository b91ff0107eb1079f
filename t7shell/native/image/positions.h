/* The taps of outputs at computed positions, see positions.c. */
#pragma once
#include "image/sampling.h"

enum {
    T7_CUBIC_TAPS = 17,   /* 16 elements, and the padding with the weight of those beyond the edge */
    T7_LANCZOS_TAPS = 37, /* 36 elements, and the sum of their weights */
    T7_MAX_TAPS = T7_LANCZOS_TAPS,
    T7_BLOCK = 64, /* outputs whose taps are computed together */
};

/* Taps of an output in a mode. */
int t7_taps_of(int32_t mode);

/* Writes the taps of outputs `first` to `first + n - 1` of a row, indices in a plane; those outside of the image have
   the first index -1. A single tap has no weight. */
void t7_row_taps(const t7_sampling *s, int64_t row, int64_t first, int n, int32_t *at, double *weight);
