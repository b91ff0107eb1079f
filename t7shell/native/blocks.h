/* Element-wise kernels run over contiguous operands; others go through blocks of copies, with the same bits. */
#pragma once
#include "base.h"
#include "elementwise.h"
#include "vectors.h"

enum { BLOCK = 256, WIDTH = 16 };

/* Stores a block as vectors: GCC 12 expands memcpy of an array to moves through general registers. */
#define STORE_BLOCK(to, from)                                                                                          \
    do {                                                                                                               \
        enum { BYTES = sizeof(from) < VECTOR ? sizeof(from) : VECTOR };                                                \
        typedef char vector __attribute__((vector_size(BYTES), aligned(1), may_alias));                                \
        UNROLL for (unsigned at = 0; at < sizeof(from); at += BYTES) {                                                 \
            *(vector *)((char *)(to) + at) = *(const vector *)((const char *)(from) + at);                             \
        }                                                                                                              \
    } while (0)

/* A kernel with the sizes of its operands' elements. It takes multiples of `unit` elements. */
typedef struct {
    t7_kernel *kernel;
    int32_t operands, unit, sizes[T7_OPERANDS];
} t7_shape;

/* Runs a kernel for elements from `from` on in blocks, whose operands are copied where their steps are not their sizes
   or the count is no multiple of the unit. */
void t7_in_blocks(const t7_shape *shape, char **operands, int64_t from, int64_t count, const int64_t *steps,
                  void *numbers);
