/* Includes the file BODY for each floating-point type, see types.h. */
#define TYPE Float
#include BODY
#undef TYPE
#define TYPE Double
#include BODY
#undef TYPE
#undef BODY
