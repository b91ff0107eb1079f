/* The types of elements, numbered as in torch.base.types, and names by type.

   A body (*_body.h) is included once per type, by for_all_types.h and its like, with TYPE defined as the type's name.
   In it NAME(f) is the type's own f: f_Float where TYPE is Float. */
#pragma once
#include <stdint.h>

enum { DOUBLE = 1, FLOAT, LONG, BYTE, INT, CHAR, SHORT, HALF };

static inline int type_size(int32_t type) {
    static const int sizes[] = {0, 8, 4, 8, 1, 4, 1, 2, 2};
    return sizes[type];
}

/* The functions of a name for each type, by its number; for elements of 1, 2, 4 and 8 bytes, by their size. */
#define FOR_TYPES(name) 0, name##_Double, name##_Float, name##_Long, name##_Byte, name##_Int, name##_Char, name##_Short
#define FOR_IMAGE_TYPES(name) 0, name##_Double, name##_Float, 0, name##_Byte
#define FOR_INTEGER_TYPES(name) 0, 0, 0, name##_Long, name##_Byte, name##_Int, name##_Char, name##_Short
#define FOR_SIZES(name) 0, name##_1, name##_2, 0, name##_4, 0, 0, 0, name##_8

#define PASTE_EXPANDED(a, b) a##b
#define PASTE(a, b) PASTE_EXPANDED(a, b)
#define NAME(f) PASTE(f##_, TYPE)

/* In bodies: elements; signed integers of their size; what they are added up in, where integers wrap. */
#define T NAME(element)
#define BITS NAME(bits)
#define SUM NAME(sum)
#define IS_FLOATING ((T)0.5 != 0)

typedef double element_Double, sum_Double, sum_Float;
typedef float element_Float;
typedef int64_t element_Long, bits_Long, bits_Double;
typedef int32_t element_Int, bits_Int, bits_Float;
typedef int16_t element_Short, bits_Short;
typedef int8_t element_Char, bits_Char, bits_Byte;
typedef uint8_t element_Byte;
typedef uint64_t sum_Long;
typedef uint32_t sum_Int, sum_Short, sum_Char, sum_Byte;

/* The fused multiply-add of base.h, by type. */
#define fma_Float fma_f
#define fma_Double fma_d
