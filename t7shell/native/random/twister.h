#pragma once
#include <stdint.h>
#pragma GCC visibility push(default)
/* A generator: `word` is the state and `bits` its 624 numbers, tempered on renewal; `unit` has them times 2^-32, in
   [0, 1). `next` is the next index and left - 1 the number left. The second of a pair of normal numbers is part of the
   state: `normal_valid` says that it is due, made of the other three. */
typedef struct {
    uint32_t bits[624], word[624];
    double unit[624];
    int32_t left, next, seeded, normal_valid;
    double seed, normal_x, normal_y, normal_rho;
} t7_generator;

/* The 624 words of the state of mt19937, started from a seed and renewed; its numbers `bits`, and times 2^-32 `unit`.
 */
void t7_twister_seed(uint32_t *word, uint32_t seed);
void t7_twister_twist(uint32_t *word);
void t7_twister_temper(const uint32_t *word, uint32_t *bits, double *unit);
#pragma GCC visibility pop

/* The next `count` numbers in [0, 1) of a generator that has been seeded. */
void t7_twister_draw(t7_generator *g, double *to, int64_t count);
