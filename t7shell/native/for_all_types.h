/* Includes the file BODY for each type, see types.h. */
#define TYPE Double
#include BODY
#undef TYPE
#define TYPE Float
#include BODY
#undef TYPE
#define TYPE Long
#include BODY
#undef TYPE
#define TYPE Int
#include BODY
#undef TYPE
#define TYPE Short
#include BODY
#undef TYPE
#define TYPE Char
#include BODY
#undef TYPE
#define TYPE Byte
#include BODY
#undef TYPE
#undef BODY
