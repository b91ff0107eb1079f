/* Convolutions of frames with a kernel for each feature. */
#include "../base.h"
#include "../parallel_for.h"
#include "row_convolution.h"

enum { BLOCK = 64 }; /* features at a time */

#define T float
#define FMA fma_f
#define NAME(f) f##_Float
#include "row_convolution_body.h"
#undef T
#undef FMA
#undef NAME

#define T double
#define FMA fma_d
#define NAME(f) f##_Double
#include "row_convolution_body.h"
