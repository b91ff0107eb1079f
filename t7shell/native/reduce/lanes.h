/* Vectors of doubles as wide as the processor's, up to four elements: the same bits for two and for four. */
#pragma once
#include "base.h"
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#if defined(__AVX__)
enum { LANES = 4 };
#else
enum { LANES = 2 };
#endif
typedef double doubles __attribute__((vector_size(8 * LANES)));
typedef int64_t longs __attribute__((vector_size(8 * LANES)));
typedef float floats __attribute__((vector_size(4 * LANES)));

#if defined(__clang__)
#define SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#define UNROLLED _Pragma("clang loop unroll(full)")
#else
#define SHUFFLE(a, b, ...) __builtin_shuffle(a, b, (longs){__VA_ARGS__})
#define UNROLLED _Pragma("GCC unroll 16")
#endif

INLINE doubles load_double(const double *x) {
    doubles v;
    memcpy(&v, x, sizeof v);
    return v;
}
INLINE void store_double(double *x, doubles v) { memcpy(x, &v, sizeof v); }
INLINE floats load_float(const float *x) {
    floats v;
    memcpy(&v, x, sizeof v);
    return v;
}

/* Bytes of a vector of the processor. */
#if defined(__AVX512BW__)
enum { BYTES = 64 };
#elif defined(__AVX2__)
enum { BYTES = 32 };
#else
enum { BYTES = 16 };
#endif

/* The bits of a where those of the mask are set, else those of b. */
typedef int64_t block __attribute__((vector_size(BYTES)));
INLINE block choose_bits(block mask, block a, block b) {
#if defined(__AVX512BW__)
    return (block)_mm512_ternarylogic_epi64((__m512i)mask, (__m512i)a, (__m512i)b, 0xca);
#else
    return (a & mask) | (b & ~mask);
#endif
}

/* The first byte of a mask that is set; BYTES where none is. */
INLINE int first_byte(const void *mask) {
#if defined(__AVX512BW__)
    uint64_t set = _mm512_movepi8_mask(_mm512_loadu_si512(mask));
    return set ? __builtin_ctzll(set) : BYTES;
#elif defined(__AVX2__)
    uint32_t set = (uint32_t)_mm256_movemask_epi8(_mm256_loadu_si256(mask));
    return set ? __builtin_ctz(set) : BYTES;
#elif defined(__x86_64__)
    uint32_t set = (uint32_t)_mm_movemask_epi8(_mm_loadu_si128(mask));
    return set ? __builtin_ctz(set) : BYTES;
#else
    uint64_t word[2];
    memcpy(word, mask, sizeof word);
    return word[0] ? __builtin_ctzll(word[0]) / 8 : word[1] ? 8 + __builtin_ctzll(word[1]) / 8 : BYTES;
#endif
}

/* As doubles: GCC takes its own conversion apart. */
INLINE doubles widen_double(doubles v) { return v; }
INLINE doubles widen_float(floats v) {
#if defined(__AVX__)
    return (doubles)_mm256_cvtps_pd((__m128)v);
#else
    return __builtin_convertvector(v, doubles);
#endif
}

/* Turns rows into columns. */
INLINE void transpose(doubles *r) {
#if defined(__AVX__)
    doubles a = SHUFFLE(r[0], r[1], 0, 4, 2, 6), b = SHUFFLE(r[0], r[1], 1, 5, 3, 7);
    doubles c = SHUFFLE(r[2], r[3], 0, 4, 2, 6), d = SHUFFLE(r[2], r[3], 1, 5, 3, 7);
    r[0] = SHUFFLE(a, c, 0, 1, 4, 5), r[1] = SHUFFLE(b, d, 0, 1, 4, 5);
    r[2] = SHUFFLE(a, c, 2, 3, 6, 7), r[3] = SHUFFLE(b, d, 2, 3, 6, 7);
#else
    doubles a = r[0], b = r[1];
    r[0] = SHUFFLE(a, b, 0, 2), r[1] = SHUFFLE(a, b, 1, 3);
#endif
}

/* A NaN that LuaJIT takes for a number, whatever its payload was. */
INLINE double returned(double x) { return x == x ? x : __builtin_copysign(NAN, x); }
