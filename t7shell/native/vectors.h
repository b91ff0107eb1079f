/* Vectors of the level's width, and the operations on them that the language has no operator for. */
#pragma once
#include "base.h"

#if defined(__AVX512F__)
#include <immintrin.h>
#define VECTOR 64
#elif defined(__AVX2__)
#include <immintrin.h>
#define VECTOR 32
#elif defined(__x86_64__)
#include <immintrin.h>
#define VECTOR 16
#else
#include <arm_neon.h>
#define VECTOR 16
#endif

typedef float vec_f __attribute__((vector_size(VECTOR)));
typedef double vec_d __attribute__((vector_size(VECTOR)));

INLINE vec_f load_vf(const float *x) {
    vec_f v;
    memcpy(&v, x, sizeof v);
    return v;
}
INLINE vec_d load_vd(const double *x) {
    vec_d v;
    memcpy(&v, x, sizeof v);
    return v;
}
INLINE void store_vf(float *x, vec_f v) { memcpy(x, &v, sizeof v); }
INLINE void store_vd(double *x, vec_d v) { memcpy(x, &v, sizeof v); }

/* splat: a vector of one number. fma: a * b + c, rounded as fma_f and fma_d do. */
#if VECTOR == 64
INLINE vec_f splat_vf(float x) { return (vec_f)_mm512_set1_ps(x); }
INLINE vec_d splat_vd(double x) { return (vec_d)_mm512_set1_pd(x); }
INLINE vec_f fma_vf(vec_f a, vec_f b, vec_f c) { return (vec_f)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c); }
INLINE vec_d fma_vd(vec_d a, vec_d b, vec_d c) { return (vec_d)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c); }
#elif VECTOR == 32
INLINE vec_f splat_vf(float x) { return (vec_f)_mm256_set1_ps(x); }
INLINE vec_d splat_vd(double x) { return (vec_d)_mm256_set1_pd(x); }
INLINE vec_f fma_vf(vec_f a, vec_f b, vec_f c) { return (vec_f)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c); }
INLINE vec_d fma_vd(vec_d a, vec_d b, vec_d c) { return (vec_d)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c); }
#elif defined(__x86_64__)
INLINE vec_f splat_vf(float x) { return (vec_f)_mm_set1_ps(x); }
INLINE vec_d splat_vd(double x) { return (vec_d)_mm_set1_pd(x); }
INLINE vec_f fma_vf(vec_f a, vec_f b, vec_f c) { return a * b + c; }
INLINE vec_d fma_vd(vec_d a, vec_d b, vec_d c) { return a * b + c; }
#else
INLINE vec_f splat_vf(float x) { return (vec_f)vdupq_n_f32(x); }
INLINE vec_d splat_vd(double x) { return (vec_d)vdupq_n_f64(x); }
INLINE vec_f fma_vf(vec_f a, vec_f b, vec_f c) {
    return (vec_f)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
}
INLINE vec_d fma_vd(vec_d a, vec_d b, vec_d c) {
    return (vec_d)vfmaq_f64((float64x2_t)c, (float64x2_t)a, (float64x2_t)b);
}
#endif

/* Masks: the bits of vectors. */
typedef int32_t vec_i32 __attribute__((vector_size(VECTOR)));
typedef int64_t vec_i64 __attribute__((vector_size(VECTOR)));

/* The first n elements of x, fewer than a vector, and then those of `others`. */
INLINE vec_f masked_load_vf(const float *x, int64_t n, vec_f others) {
#if VECTOR == 64
    return (vec_f)_mm512_mask_loadu_ps((__m512)others, (__mmask16)((1u << n) - 1), x);
#elif VECTOR == 32
    static const int32_t ones[16] = {-1, -1, -1, -1, -1, -1, -1, -1};
    __m256i mask = _mm256_loadu_si256((const __m256i *)(ones + 8 - n));
    return (vec_f)_mm256_blendv_ps((__m256)others, _mm256_maskload_ps(x, mask), (__m256)mask);
#else
    for (int i = 0; i < VECTOR / 4; i++) others[i] = i < n ? x[i] : others[i];
    return others;
#endif
}
INLINE vec_d masked_load_vd(const double *x, int64_t n, vec_d others) {
#if VECTOR == 64
    return (vec_d)_mm512_mask_loadu_pd((__m512d)others, (__mmask8)((1u << n) - 1), x);
#elif VECTOR == 32
    static const int64_t ones[8] = {-1, -1, -1, -1};
    __m256i mask = _mm256_loadu_si256((const __m256i *)(ones + 4 - n));
    return (vec_d)_mm256_blendv_pd((__m256d)others, _mm256_maskload_pd(x, mask), (__m256d)mask);
#else
    for (int i = 0; i < VECTOR / 8; i++) others[i] = i < n ? x[i] : others[i];
    return others;
#endif
}

/* Stores the first bytes of a vector, fewer than all; their count is a multiple of 4. */
INLINE void store_bytes(void *to, const void *v, int64_t bytes) {
    char *z = to;
    const char *x = v;
#pragma GCC unroll 8
    for (int size = VECTOR / 2; size >= 4; size /= 2)
        if (bytes & size) memcpy(z, x, size), z += size, x += size;
}
INLINE void masked_store_vf(float *x, int64_t n, vec_f v) { store_bytes(x, &v, n * 4); }
INLINE void masked_store_vd(double *x, int64_t n, vec_d v) { store_bytes(x, &v, n * 8); }

/* a += v, in doubles. */
INLINE void add_wide_vd(double *a, vec_d v) { store_vd(a, load_vd(a) + v); }
INLINE void add_wide_vf(double *a, vec_f v) {
#if VECTOR == 64
    add_wide_vd(a, (vec_d)_mm512_cvtps_pd(_mm512_castps512_ps256((__m512)v)));
    add_wide_vd(a + 8,
                (vec_d)_mm512_cvtps_pd(_mm512_castps512_ps256(_mm512_shuffle_f32x4((__m512)v, (__m512)v, 0xee))));
#elif VECTOR == 32
    add_wide_vd(a, (vec_d)_mm256_cvtps_pd(_mm256_castps256_ps128((__m256)v)));
    add_wide_vd(a + 4, (vec_d)_mm256_cvtps_pd(_mm256_extractf128_ps((__m256)v, 1)));
#else
    for (int i = 0; i < VECTOR / 4; i++) a[i] += v[i];
#endif
}

/* The larger elements. */
INLINE vec_f max_vf(vec_f a, vec_f b) {
#if VECTOR == 64
    return (vec_f)_mm512_max_ps((__m512)a, (__m512)b);
#elif VECTOR == 32
    return (vec_f)_mm256_max_ps((__m256)a, (__m256)b);
#elif defined(__x86_64__)
    return (vec_f)_mm_max_ps((__m128)a, (__m128)b);
#else
    return (vec_f)vmaxq_f32((float32x4_t)a, (float32x4_t)b);
#endif
}
INLINE vec_d max_vd(vec_d a, vec_d b) {
#if VECTOR == 64
    return (vec_d)_mm512_max_pd((__m512d)a, (__m512d)b);
#elif VECTOR == 32
    return (vec_d)_mm256_max_pd((__m256d)a, (__m256d)b);
#elif defined(__x86_64__)
    return (vec_d)_mm_max_pd((__m128d)a, (__m128d)b);
#else
    return (vec_d)vmaxq_f64((float64x2_t)a, (float64x2_t)b);
#endif
}

/* Unrolls the next loop, whose bounds are constants, so that arrays of vectors stay in registers. */
#if defined(__clang__)
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 32")
#endif

/* Vectors of doubles as wide as the processor's, up to four elements: sums have the same bits for two and for four. */
#if VECTOR >= 32
enum { DOUBLES = 4 };
#else
enum { DOUBLES = 2 };
#endif
typedef double doubles __attribute__((vector_size(8 * DOUBLES)));
typedef int64_t longs __attribute__((vector_size(8 * DOUBLES)));
typedef float floats __attribute__((vector_size(4 * DOUBLES)));

#if defined(__clang__)
#define SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define SHUFFLE(a, b, ...) __builtin_shuffle(a, b, (longs){__VA_ARGS__})
#endif

/* Vectors of 16 bytes, which every level has. */
typedef float float4 __attribute__((vector_size(16)));
typedef int32_t int4 __attribute__((vector_size(16)));
typedef double double2 __attribute__((vector_size(16)));
typedef int64_t long2 __attribute__((vector_size(16)));

#if defined(__clang__)
#define SHUFFLE4 __builtin_shufflevector
#define SHUFFLE2 __builtin_shufflevector
#else
#define SHUFFLE4(a, b, ...) __builtin_shuffle(a, b, (int4){__VA_ARGS__})
#define SHUFFLE2(a, b, ...) __builtin_shuffle(a, b, (long2){__VA_ARGS__})
#endif

/* The first elements of the pairs at x, and the second ones. */
INLINE void split_f(const float *x, float *first, float *second) {
    float4 a, b;
    memcpy(&a, x, 16), memcpy(&b, x + 4, 16);
    float4 c = SHUFFLE4(a, b, 0, 2, 4, 6), d = SHUFFLE4(a, b, 1, 3, 5, 7);
    memcpy(first, &c, 16), memcpy(second, &d, 16);
}
INLINE void split_d(const double *x, double *first, double *second) {
    double2 a, b;
    memcpy(&a, x, 16), memcpy(&b, x + 2, 16);
    double2 c = SHUFFLE2(a, b, 0, 2), d = SHUFFLE2(a, b, 1, 3);
    memcpy(first, &c, 16), memcpy(second, &d, 16);
}

/* The pairs of the elements of both. */
INLINE void join_f(const float *first, const float *second, float *z) {
    float4 a, b;
    memcpy(&a, first, 16), memcpy(&b, second, 16);
    float4 c = SHUFFLE4(a, b, 0, 4, 1, 5), d = SHUFFLE4(a, b, 2, 6, 3, 7);
    memcpy(z, &c, 16), memcpy(z + 4, &d, 16);
}
INLINE void join_d(const double *first, const double *second, double *z) {
    double2 a, b;
    memcpy(&a, first, 16), memcpy(&b, second, 16);
    double2 c = SHUFFLE2(a, b, 0, 2), d = SHUFFLE2(a, b, 1, 3);
    memcpy(z, &c, 16), memcpy(z + 2, &d, 16);
}

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

/* The bits of a where those of the mask are set, else those of b. */
INLINE vec_i64 blend_bits(vec_i64 mask, vec_i64 a, vec_i64 b) {
#if VECTOR == 64
    return (vec_i64)_mm512_ternarylogic_epi64((__m512i)mask, (__m512i)a, (__m512i)b, 0xca);
#else
    return (a & mask) | (b & ~mask);
#endif
}

/* The first byte of a mask that is set; VECTOR where none is. */
INLINE int first_byte(const void *mask) {
#if VECTOR == 64
    uint64_t set = _mm512_movepi8_mask(_mm512_loadu_si512(mask));
    return set ? __builtin_ctzll(set) : VECTOR;
#elif VECTOR == 32
    uint32_t set = (uint32_t)_mm256_movemask_epi8(_mm256_loadu_si256(mask));
    return set ? __builtin_ctz(set) : VECTOR;
#elif defined(__x86_64__)
    uint32_t set = (uint32_t)_mm_movemask_epi8(_mm_loadu_si128(mask));
    return set ? __builtin_ctz(set) : VECTOR;
#else
    uint64_t word[2];
    memcpy(word, mask, sizeof word);
    return word[0] ? __builtin_ctzll(word[0]) / 8 : word[1] ? 8 + __builtin_ctzll(word[1]) / 8 : VECTOR;
#endif
}

/* As doubles: GCC takes its own conversion apart. */
INLINE doubles widen_double(doubles v) { return v; }
INLINE doubles widen_float(floats v) {
#if VECTOR >= 32
    return (doubles)_mm256_cvtps_pd((__m128)v);
#else
    return __builtin_convertvector(v, doubles);
#endif
}

/* Turns rows into columns. */
INLINE void transpose(doubles *r) {
#if VECTOR >= 32
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
