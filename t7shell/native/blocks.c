#include "blocks.h"

#define GATHER(T)                                                                                                      \
    for (int64_t i = 0; i < n; i++) { ((T *)to)[i] = *(const T *)(from + i * step); }
#define SCATTER(T)                                                                                                     \
    for (int64_t i = 0; i < n; i++) { *(T *)(to + i * step) = ((const T *)from)[i]; }

static void gather(char *to, const char *from, int64_t step, int size, int64_t n) {
    if (step == size) {
        memcpy(to, from, n * size);
    } else if (size == 4) {
        GATHER(uint32_t)
    } else if (size == 8) {
        GATHER(uint64_t)
    } else if (size == 2) {
        GATHER(uint16_t)
    } else {
        GATHER(uint8_t)
    }
}

static void scatter(char *to, const char *from, int64_t step, int size, int64_t n) {
    if (step == size) {
        memcpy(to, from, n * size);
    } else if (size == 4) {
        SCATTER(uint32_t)
    } else if (size == 8) {
        SCATTER(uint64_t)
    } else if (size == 2) {
        SCATTER(uint16_t)
    } else {
        SCATTER(uint8_t)
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
                gather(scratch[k], at[k], steps[k], size, n);
                gather(scratch[k] + n * size, scratch[k], 0, size, padded - n);
            }
            at[k] = scratch[k];
        }
        shape->kernel(at, &padded, sizes, numbers);
        if (at[last] == scratch[last]) {
            scatter(operands[last] + i * steps[last], scratch[last], steps[last], sizes[last], n);
        }
    }
}
