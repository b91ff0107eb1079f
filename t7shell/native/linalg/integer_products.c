/* Products of integers. The low bits of a sum follow from the low bits of its terms, so sums have 32 bits for elements
   of up to 32, and 64 for others. */
#include "base.h"
#include "parallel_for.h"
#include "linalg/integer_products.h"
#include "types.h"

enum { COLUMNS = 64 }; /* of a row of c that are summed together */
static const double NS_PER_MULTIPLY = 0.1;

/* Unsigned factors, so that products of bytes take 16 bits, and what such products are added up in. */
#define FACTOR NAME(factor)
#define TOTAL NAME(total)
typedef uint8_t factor_Byte, factor_Char;
typedef sum_Short factor_Short;
typedef sum_Int factor_Int, total_Short, total_Int;
typedef sum_Long factor_Long, total_Long;
typedef uint16_t total_Byte, total_Char;

#define BODY "linalg/integer_products_body.h"
#include "for_integer_types.h"
