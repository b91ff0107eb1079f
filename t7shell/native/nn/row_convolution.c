/* Convolutions of frames with a kernel for each feature. */
#include "base.h"
#include "nn/row_convolution.h"
#include "parallel_for.h"
#include "types.h"

enum { BLOCK = 64 }; /* features at a time */

#define BODY "nn/row_convolution_body.h"
#include "for_floating_types.h"
