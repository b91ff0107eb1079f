#include "blocks.h"

/* Elements of `size` bytes, a constant where this is inlined. */
INLINE void copy_of_size(char *to, int64_t to_step, const char *from, int64_t from_step, int64_t n,
                         const int64_t size) {
    if (to_step == size)
        gather_elements(to, from, from_step, size, n);
    else
        copy_elements(to, to_step, from, size, size, n);
}

/* Copies n elements to or from a block, which is contiguous. */
static void copy_block(char *to, int64_t to_step, const char *from, int64_t from_step, int64_t size, int64_t n) {
    if (to_step == size && from_step == size) {
        memcpy(to, from, n * size);
    } else if (size == 4) {
        copy_of_size(to, to_step, from, from_step, n, 4);
    } else if (size == 8) {
        copy_of_size(to, to_step, from, from_step, n, 8);
    } else if (size == 2) {
        copy_of_size(to, to_step, from, from_step, n, 2);
    } else {
        copy_of_size(to, to_step, from, from_step, n, 1);
    }
}

void t7_in_blocks(const t7_shape *shape, char **operands, int64_t from, int64_t count, const int64_t *steps,
                  void *numbers) {
    _Alignas(64) char scratch[T7_OPERANDS][BLOCK * 8];
    char *at[T7_OPERANDS];
    int64_t sizes[T7_OPERANDS];
    int last = shape->operands - 1;
    /* A result of one element is an operand of the next time, if it is one at all. */
    int64_t block = steps[last] == 0 ? 1 : BLOCK;
    for (int64_t i = from; i < count; i += block) {
        int64_t n = min_i(count - i, block), padded = ceil_div(n, shape->unit) * shape->unit;
        for (int k = 0; k <= last; k++) {
            int64_t size = shape->sizes[k];
            sizes[k] = size;
            at[k] = operands[k] + i * steps[k];
            if (steps[k] == size && padded == n) continue;
            /* A number's block is filled once. */
            if (k < last && (steps[k] != 0 || i == from || block == 1)) {
                copy_block(scratch[k], size, at[k], steps[k], size, n);
                copy_block(scratch[k] + n * size, size, scratch[k], 0, size, padded - n);
            }
            at[k] = scratch[k];
        }
        shape->kernel(at, &padded, sizes, numbers);
        if (at[last] == scratch[last]) {
            copy_block(operands[last] + i * steps[last], steps[last], scratch[last], sizes[last], sizes[last], n);
        }
    }
}
