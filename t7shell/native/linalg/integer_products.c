/* Products of integers. The low bits of a sum follow from the low bits of its terms, so sums have 32 bits for elements
   of up to 32, and 64 for others. */
#include "base.h"
#include "parallel_for.h"
#include "linalg/integer_products.h"
#include "types.h"

enum { COLUMNS = 64 }; /* of a row of c that are summed together */

#define BODY "linalg/integer_products_body.h"
#include "for_integer_types.h"
