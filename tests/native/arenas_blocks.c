/* Blocks of random sizes in arenas: allocated, resized, freed, each with contents of its own. Prints what failed. */
#include "arenas.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 4000, ROUNDS = 400000, MAX_SMALL = 4352 };

static int state, in_rest, endings;

/* What is not small, and all after the last small block was freed. */
static void *rest(void *data, void *block, size_t old, size_t size) {
    (void)old;
    if (data != &in_rest) puts("other data");
    in_rest += (size != 0) - (block != 0);
    if (size) return realloc(block, size);
    free(block);
    return 0;
}

static void set_alloc(void *of, t7_lua_alloc *alloc, void *data) {
    if (of != &state || alloc != rest || data != &in_rest) puts("another allocator at the end");
    endings++;
}

static uint32_t random_number(void) {
    static uint32_t x = 1;
    x ^= x << 13, x ^= x >> 17, x ^= x << 5;
    return x;
}

static uint8_t *block[BLOCKS];
static size_t size_of[BLOCKS];

static void check(int i) {
    for (size_t k = 0; k < size_of[i]; k++)
        if (block[i][k] != (uint8_t)i) {
            printf("byte %zu of block %d has changed\n", k, i);
            exit(1);
        }
}

/* The block's first `kept` bytes must have stayed. */
static void resize(void *arenas, int i, size_t size) {
    size_t kept = size < size_of[i] ? size : size_of[i];
    check(i);
    block[i] = t7_arenas_alloc(arenas, block[i], size_of[i], size);
    size_of[i] = kept;
    if (size) check(i);
    size_of[i] = size;
    if (size) memset(block[i], i, size);
    if ((uintptr_t)block[i] % 16) puts("not aligned");
}

static size_t random_size(void) {
    uint32_t r = random_number();
    return r % 8 == 0 ? 0 : r % 8 == 1 ? r / 8 % 20000 : r / 8 % 300 + 1;
}

int main(void) {
    t7_arenas_api(0, set_alloc, 0);
    void *arenas = t7_arenas_new(&state, rest, &in_rest);
    resize(arenas, 0, 100);
    for (int round = 0; round < ROUNDS; round++) resize(arenas, 1 + random_number() % (BLOCKS - 1), random_size());
    for (int i = 1; i < BLOCKS; i++) resize(arenas, i, 0);
    printf("%d blocks elsewhere, %d endings\n", in_rest, endings);

    enum { MANY = 20000 };
    static void *all[MANY];

    /* One block in 300 stays. Their arenas, which are never empty, are used again: 190 MB fit a fraction of them. */
    enum { TURNS = 400, GARBAGE = 3000, KEPT = BLOCKS / TURNS };
    uint8_t *lowest = block[0], *highest = block[0];
    for (int turn = 0; turn < TURNS; turn++) {
        for (int k = 0; k < GARBAGE; k++) {
            uint8_t *new = all[k] = t7_arenas_alloc(arenas, 0, 0, 160);
            lowest = new < lowest ? new : lowest, highest = new > highest ? new : highest;
            int kept = turn * KEPT + k * KEPT / GARBAGE;
            if (k % (GARBAGE / KEPT) == 0 && kept > 0) resize(arenas, kept, 160);
        }
        for (int k = GARBAGE - 1; k >= 0; k--) t7_arenas_alloc(arenas, all[k], 160, 0);
    }
    printf("blocks within %s\n", highest - lowest < 1 << 24 ? "16 MB" : "more");
    for (int i = 1; i < BLOCKS; i++) resize(arenas, i, 0);

    /* More small blocks than arenas hold, which are used again once they have been freed. */
    for (int turn = 0; turn < 2; turn++) {
        for (int i = 0; i < MANY; i++) all[i] = t7_arenas_alloc(arenas, 0, 0, MAX_SMALL);
        printf("%s elsewhere\n", in_rest == 0 ? "none" : in_rest > MANY / 2 ? "most" : "some");
        for (int i = 0; i < MANY; i++) t7_arenas_alloc(arenas, all[i], MAX_SMALL, 0);
    }
    resize(arenas, 0, 0);
    printf("%d blocks elsewhere, %d endings\n", in_rest, endings);
    return 0;
}
