/* Products of vectors, and of a matrix and a vector, of Floats and doubles. The number of partial sums is the same for
   all widths of vectors, so that the bits are. */
#include "vectors.h"
#include "parallel_for.h"
#include "linalg/vector_products.h"
#include <stdlib.h>

enum {
    BLOCK_SIZE = 32768, /* elements of a dot product that one thread takes together */
    DOTS = 2,           /* rows of a matrix whose sums fit the registers */
};

#define T float
#define V vec_f
#define LOAD load_vf
#define LOAD_SOME masked_load_vf
#define STORE store_vf
#define SPLAT splat_vf
#define FMA_V fma_vf
#define FMA fma_f
#define NAME(f) f##_Float
#include "linalg/vector_products_body.h"

#define T double
#define V vec_d
#define LOAD load_vd
#define LOAD_SOME masked_load_vd
#define STORE store_vd
#define SPLAT splat_vd
#define FMA_V fma_vd
#define FMA fma_d
#define NAME(f) f##_Double
#include "linalg/vector_products_body.h"
