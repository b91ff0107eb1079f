#pragma once
#include <stdint.h>
#pragma GCC visibility push(default)
/* The valid parts of cross-correlations: `outputs` results, each the sum over `inputs` images with a kernel each.
   Images have `image` elements in depth, rows and columns, kernels `kernel`; the images of the next output begin `next`
   elements further. `mirrored` kernels are read from their end on: convolutions. All is contiguous, and the result has
   no memory in common with others. */
typedef struct {
    char *to;
    const char *images, *kernels;
    int64_t outputs, inputs, next, image[3], kernel[3];
    int32_t mirrored;
} t7_correlation;

/* An element is a chain of additions: by images, and for each by the kernel's elements in order. */
void t7_correlate(int32_t type, const t7_correlation *c);
#pragma GCC visibility pop
