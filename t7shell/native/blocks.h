/* Element-wise kernels run over contiguous operands; others go through blocks of copies, with the same bits. */
#pragma once
#include "base.h"
#include "elementwise.h"
#include "vectors.h"

enum { BLOCK = 256, WIDTH = 16 };

/* Stores a block of `size` bytes, a constant, as vectors: GCC 12 expands memcpy of an array to moves through general
   registers. */
INLINE void store_block(void *to, const void *block, const int64_t size) {
    UNROLL for (int64_t at = 0; at + VECTOR <= size; at += VECTOR)
        store_Byte((uint8_t *)to + at, load_Byte((const uint8_t *)block + at));
    if (size < VECTOR) memcpy(to, block, size);
}

/* A kernel with the sizes of its operands' elements. It takes multiples of `unit` elements. */
typedef struct {
    t7_kernel *kernel;
    int32_t operands, unit, sizes[T7_OPERANDS];
} t7_shape;

/* Runs a kernel for elements from `from` on in blocks, whose operands are copied where their steps are not their sizes
   or the count is no multiple of the unit. */
void t7_in_blocks(const t7_shape *shape, char **operands, int64_t from, int64_t count, const int64_t *steps,
                  void *numbers);
