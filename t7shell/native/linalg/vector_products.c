/* Products of vectors, and of a matrix and a vector, of Floats and doubles. The number of partial sums is the same for
   all widths of vectors, so that the bits are. */
#include "vectors.h"
#include "parallel_for.h"
#include "linalg/vector_products.h"
#include <stdlib.h>

enum {
    BLOCK_SIZE = 32768,          /* elements of a dot product that one thread takes together */
    DOTS = VECTOR >= 32 ? 3 : 2, /* rows of a matrix whose sums fit the registers */
};

#define BODY "linalg/vector_products_body.h"
#include "for_floating_types.h"
