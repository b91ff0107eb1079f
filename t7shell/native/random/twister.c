/* The Mersenne Twister of Matsumoto and Nishimura, mt19937. */
#include "random/twister.h"
#include "base.h"

enum { N = 624, M = 397 };

void t7_twister_seed(uint32_t *word, uint32_t seed) {
    word[0] = seed;
    for (uint32_t j = 1; j < N; j++) word[j] = 1812433253u * (word[j - 1] ^ word[j - 1] >> 30) + j;
}

INLINE uint32_t twist(uint32_t m, uint32_t u, uint32_t v) {
    /* The lowest bit, spread over all, selects the constant. */
    return m ^ ((u & 0x80000000u) | (v & 0x7fffffffu)) >> 1 ^ (-(v & 1) & 0x9908b0dfu);
}

void t7_twister_twist(uint32_t *word) {
    for (int j = 0; j < N - M; j++) word[j] = twist(word[j + M], word[j], word[j + 1]);
    for (int j = N - M; j < N - 1; j++) word[j] = twist(word[j + M - N], word[j], word[j + 1]);
    word[N - 1] = twist(word[M - 1], word[N - 1], word[0]);
}

void t7_twister_temper(const uint32_t *restrict word, uint32_t *restrict bits, double *restrict unit) {
    for (int j = 0; j < N; j++) {
        uint32_t y = word[j];
        y ^= y >> 11;
        y ^= y << 7 & 0x9d2c5680u;
        y ^= y << 15 & 0xefc60000u;
        bits[j] = y ^ y >> 18;
        /* Below 2^20 a word counts in steps of 2^-32. */
        unit[j] = from_bits_d(0x4130000000000000u | bits[j]) - 0x1p20;
    }
}

void t7_twister_draw(t7_generator *g, double *to, int64_t count) {
    while (count > 0) {
        if (g->left == 1) {
            t7_twister_twist(g->word);
            t7_twister_temper(g->word, g->bits, g->unit);
            g->left = N + 1, g->next = 0;
        }
        int64_t n = min_i(count, g->left - 1);
        memcpy(to, g->unit + g->next, n * sizeof *to);
        g->next += (int32_t)n, g->left -= (int32_t)n, to += n, count -= n;
    }
}
