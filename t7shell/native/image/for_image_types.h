/* Includes the file BODY for each type that images have, see types.h. */
#define TYPE Double
#include BODY
#undef TYPE
#define TYPE Float
#include BODY
#undef TYPE
#define TYPE Byte
#include BODY
#undef TYPE
#undef BODY
