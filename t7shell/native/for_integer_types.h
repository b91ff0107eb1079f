/* Includes the file BODY for each integer type, see types.h. */
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
