/* Includes the file BODY for each type, see types.h. */
#define TYPE Double
#include BODY
#undef TYPE
#define TYPE Float
#include BODY
#undef TYPE
#include "for_integer_types.h"
