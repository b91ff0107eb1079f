/* Products of integers. The low bits of a sum follow from the low bits of its terms, so sums have 32 bits for elements
   of up to 32, and 64 for others. */
#include "base.h"
#include "parallel_for.h"
#include "linalg/integer_products.h"

enum { COLUMNS = 64 }; /* of a row of c that are summed together */

#define T uint8_t
#define SUM uint32_t
#define NAME(f) f##_Byte
#include "linalg/integer_products_body.h"

#define T int8_t
#define SUM uint32_t
#define NAME(f) f##_Char
#include "linalg/integer_products_body.h"

#define T int16_t
#define SUM uint32_t
#define NAME(f) f##_Short
#include "linalg/integer_products_body.h"

#define T int32_t
#define SUM uint32_t
#define NAME(f) f##_Int
#include "linalg/integer_products_body.h"

#define T int64_t
#define SUM uint64_t
#define NAME(f) f##_Long
#include "linalg/integer_products_body.h"
