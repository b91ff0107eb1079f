/* The types of elements, numbered as in torch.base.types. */
#pragma once
#include <stdint.h>

enum { DOUBLE = 1, FLOAT, LONG, BYTE, INT, CHAR, SHORT, HALF };

static inline int type_size(int32_t type) {
    static const int sizes[] = {0, 8, 4, 8, 1, 4, 1, 2, 2};
    return sizes[type];
}

/* The functions of a name for each type, by its number. */
#define FOR_TYPES(name) 0, name##_Double, name##_Float, name##_Long, name##_Byte, name##_Int, name##_Char, name##_Short
