/* Vectors of the level's width, and the operations on them that the language has no operator for. */
#pragma once
#include "base.h"
#include "types.h"

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

/* Vectors of elements, and masks for them, whose bits are all set or all clear. */
#define VECTORS_OF(TYPE)                                                                                               \
    typedef element_##TYPE vec_##TYPE __attribute__((vector_size(VECTOR)));                                            \
    typedef bits_##TYPE mask_##TYPE __attribute__((vector_size(VECTOR)));                                              \
    INLINE vec_##TYPE load_##TYPE(const element_##TYPE *x) {                                                           \
        vec_##TYPE v;                                                                                                  \
        memcpy(&v, x, sizeof v);                                                                                       \
        return v;                                                                                                      \
    }                                                                                                                  \
    INLINE void store_##TYPE(element_##TYPE *x, vec_##TYPE v) { memcpy(x, &v, sizeof v); }
VECTORS_OF(Double)
VECTORS_OF(Float)
VECTORS_OF(Long)
VECTORS_OF(Int)
VECTORS_OF(Short)
VECTORS_OF(Char)
VECTORS_OF(Byte)

/* Unrolls the next loop, whose bounds are constants, so that arrays of vectors stay in registers. */
#if defined(__clang__)
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 32")
#endif

/* Uses of the vector v read a register, where GCC would load it from memory again for each. */
#if defined(__x86_64__)
#define KEEP_IN_REGISTER(v) __asm__("" : "+v"(v))
#else
#define KEEP_IN_REGISTER(v) __asm__("" : "+w"(v))
#endif

/* splat: a vector of one number. fma_v: a * b + c, rounded as fma_f and fma_d do. */
#if VECTOR == 64
INLINE vec_Float splat_Float(float x) { return (vec_Float)_mm512_set1_ps(x); }
INLINE vec_Double splat_Double(double x) { return (vec_Double)_mm512_set1_pd(x); }
INLINE vec_Float fma_v_Float(vec_Float a, vec_Float b, vec_Float c) {
    return (vec_Float)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
}
INLINE vec_Double fma_v_Double(vec_Double a, vec_Double b, vec_Double c) {
    return (vec_Double)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
}
#elif VECTOR == 32
INLINE vec_Float splat_Float(float x) { return (vec_Float)_mm256_set1_ps(x); }
INLINE vec_Double splat_Double(double x) { return (vec_Double)_mm256_set1_pd(x); }
INLINE vec_Float fma_v_Float(vec_Float a, vec_Float b, vec_Float c) {
    return (vec_Float)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
}
INLINE vec_Double fma_v_Double(vec_Double a, vec_Double b, vec_Double c) {
    return (vec_Double)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
}
#elif defined(__x86_64__)
INLINE vec_Float splat_Float(float x) { return (vec_Float)_mm_set1_ps(x); }
INLINE vec_Double splat_Double(double x) { return (vec_Double)_mm_set1_pd(x); }
INLINE vec_Float fma_v_Float(vec_Float a, vec_Float b, vec_Float c) { return a * b + c; }
INLINE vec_Double fma_v_Double(vec_Double a, vec_Double b, vec_Double c) { return a * b + c; }
#else
INLINE vec_Float splat_Float(float x) { return (vec_Float)vdupq_n_f32(x); }
INLINE vec_Double splat_Double(double x) { return (vec_Double)vdupq_n_f64(x); }
INLINE vec_Float fma_v_Float(vec_Float a, vec_Float b, vec_Float c) {
    return (vec_Float)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
}
INLINE vec_Double fma_v_Double(vec_Double a, vec_Double b, vec_Double c) {
    return (vec_Double)vfmaq_f64((float64x2_t)c, (float64x2_t)a, (float64x2_t)b);
}
#endif

/* Elements `begin` to `end` - 1 of x, the part of them in a vector, and those of `others` at the other places. */
INLINE vec_Float load_range_Float(const float *x, int64_t begin, int64_t end, vec_Float others) {
    begin = min_i(max_i(begin, 0), VECTOR / 4), end = min_i(max_i(end, 0), VECTOR / 4);
#if VECTOR == 64
    return (vec_Float)_mm512_mask_loadu_ps((__m512)others, (__mmask16)(((1u << end) - 1) & -(1u << begin)), x);
#elif VECTOR == 32
    mask_Float place = {0, 1, 2, 3, 4, 5, 6, 7}, mask = (place >= (int32_t)begin) & (place < (int32_t)end);
    __m256 loaded = _mm256_maskload_ps(x, (__m256i)mask);
    return (vec_Float)_mm256_blendv_ps((__m256)others, loaded, (__m256)mask);
#else
    for (int64_t i = begin; i < end; i++) others[i] = x[i];
    return others;
#endif
}
INLINE vec_Double load_range_Double(const double *x, int64_t begin, int64_t end, vec_Double others) {
    begin = min_i(max_i(begin, 0), VECTOR / 8), end = min_i(max_i(end, 0), VECTOR / 8);
#if VECTOR == 64
    return (vec_Double)_mm512_mask_loadu_pd((__m512d)others, (__mmask8)(((1u << end) - 1) & -(1u << begin)), x);
#elif VECTOR == 32
    mask_Double place = {0, 1, 2, 3}, mask = (place >= begin) & (place < end);
    __m256d loaded = _mm256_maskload_pd(x, (__m256i)mask);
    return (vec_Double)_mm256_blendv_pd((__m256d)others, loaded, (__m256d)mask);
#else
    for (int64_t i = begin; i < end; i++) others[i] = x[i];
    return others;
#endif
}

/* The first n elements of x, fewer than a vector, and then those of `others`. */
INLINE vec_Float masked_load_Float(const float *x, int64_t n, vec_Float others) {
    return load_range_Float(x, 0, n, others);
}
INLINE vec_Double masked_load_Double(const double *x, int64_t n, vec_Double others) {
    return load_range_Double(x, 0, n, others);
}

/* Stores the first bytes of a vector, fewer than all; their count is a multiple of 4. */
INLINE void store_bytes(void *to, const void *v, int64_t bytes) {
    char *z = to;
    const char *x = v;
    UNROLL for (int size = VECTOR / 2; size >= 4; size /= 2) if (bytes & size) memcpy(z, x, size), z += size, x += size;
}
INLINE void masked_store_Float(float *x, int64_t n, vec_Float v) { store_bytes(x, &v, n * 4); }
INLINE void masked_store_Double(double *x, int64_t n, vec_Double v) { store_bytes(x, &v, n * 8); }

/* a += v, in doubles. */
INLINE void add_wide_Double(double *a, vec_Double v) { store_Double(a, load_Double(a) + v); }
INLINE void add_wide_Float(double *a, vec_Float v) {
#if VECTOR == 64
    add_wide_Double(a, (vec_Double)_mm512_cvtps_pd(_mm512_castps512_ps256((__m512)v)));
    add_wide_Double(
        a + 8, (vec_Double)_mm512_cvtps_pd(_mm512_castps512_ps256(_mm512_shuffle_f32x4((__m512)v, (__m512)v, 0xee))));
#elif VECTOR == 32
    add_wide_Double(a, (vec_Double)_mm256_cvtps_pd(_mm256_castps256_ps128((__m256)v)));
    add_wide_Double(a + 4, (vec_Double)_mm256_cvtps_pd(_mm256_extractf128_ps((__m256)v, 1)));
#else
    for (int i = 0; i < VECTOR / 4; i++) a[i] += v[i];
#endif
}

/* The larger elements. */
INLINE vec_Float max_v_Float(vec_Float a, vec_Float b) {
#if VECTOR == 64
    return (vec_Float)_mm512_max_ps((__m512)a, (__m512)b);
#elif VECTOR == 32
    return (vec_Float)_mm256_max_ps((__m256)a, (__m256)b);
#elif defined(__x86_64__)
    return (vec_Float)_mm_max_ps((__m128)a, (__m128)b);
#else
    return (vec_Float)vmaxq_f32((float32x4_t)a, (float32x4_t)b);
#endif
}
INLINE vec_Double max_v_Double(vec_Double a, vec_Double b) {
#if VECTOR == 64
    return (vec_Double)_mm512_max_pd((__m512d)a, (__m512d)b);
#elif VECTOR == 32
    return (vec_Double)_mm256_max_pd((__m256d)a, (__m256d)b);
#elif defined(__x86_64__)
    return (vec_Double)_mm_max_pd((__m128d)a, (__m128d)b);
#else
    return (vec_Double)vmaxq_f64((float64x2_t)a, (float64x2_t)b);
#endif
}

/* Vectors of doubles as wide as the processor's, up to four elements, and of as many Floats. Sums have the same bits
   for two and for four. */
#if VECTOR >= 32
enum { DOUBLES = 4 };
#else
enum { DOUBLES = 2 };
#endif
typedef double doubles __attribute__((vector_size(8 * DOUBLES)));
typedef int64_t longs __attribute__((vector_size(8 * DOUBLES)));
typedef float floats __attribute__((vector_size(4 * DOUBLES)));
typedef doubles quad_Double;
typedef floats quad_Float;

#if defined(__clang__)
#define SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define SHUFFLE(a, b, ...) __builtin_shuffle(a, b, (longs){__VA_ARGS__})
#endif

/* The elements of even number of two vectors, one after the other, and those of odd number. */
#if VECTOR == 64
#define EVENS_Float 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30
#define ODDS_Float 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31
#define EVENS_Double 0, 2, 4, 6, 8, 10, 12, 14
#define ODDS_Double 1, 3, 5, 7, 9, 11, 13, 15
#elif VECTOR == 32
#define EVENS_Float 0, 2, 4, 6, 8, 10, 12, 14
#define ODDS_Float 1, 3, 5, 7, 9, 11, 13, 15
#define EVENS_Double 0, 2, 4, 6
#define ODDS_Double 1, 3, 5, 7
#else
#define EVENS_Float 0, 2, 4, 6
#define ODDS_Float 1, 3, 5, 7
#define EVENS_Double 0, 2
#define ODDS_Double 1, 3
#endif
#if defined(__clang__)
#define SHUFFLE_V(TYPE, a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define SHUFFLE_V(TYPE, a, b, ...) __builtin_shuffle(a, b, (mask_##TYPE){__VA_ARGS__})
#endif
INLINE vec_Float evens_Float(vec_Float a, vec_Float b) { return SHUFFLE_V(Float, a, b, EVENS_Float); }
INLINE vec_Float odds_Float(vec_Float a, vec_Float b) { return SHUFFLE_V(Float, a, b, ODDS_Float); }
INLINE vec_Double evens_Double(vec_Double a, vec_Double b) { return SHUFFLE_V(Double, a, b, EVENS_Double); }
INLINE vec_Double odds_Double(vec_Double a, vec_Double b) { return SHUFFLE_V(Double, a, b, ODDS_Double); }

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
INLINE void split_Float(const float *x, float *first, float *second) {
    float4 a, b;
    memcpy(&a, x, 16), memcpy(&b, x + 4, 16);
    float4 c = SHUFFLE4(a, b, 0, 2, 4, 6), d = SHUFFLE4(a, b, 1, 3, 5, 7);
    memcpy(first, &c, 16), memcpy(second, &d, 16);
}
INLINE void split_Double(const double *x, double *first, double *second) {
    double2 a, b;
    memcpy(&a, x, 16), memcpy(&b, x + 2, 16);
    double2 c = SHUFFLE2(a, b, 0, 2), d = SHUFFLE2(a, b, 1, 3);
    memcpy(first, &c, 16), memcpy(second, &d, 16);
}

/* The pairs of the elements of both. */
INLINE void join_Float(const float *first, const float *second, float *z) {
    float4 a, b;
    memcpy(&a, first, 16), memcpy(&b, second, 16);
    float4 c = SHUFFLE4(a, b, 0, 4, 1, 5), d = SHUFFLE4(a, b, 2, 6, 3, 7);
    memcpy(z, &c, 16), memcpy(z + 4, &d, 16);
}
INLINE void join_Double(const double *first, const double *second, double *z) {
    double2 a, b;
    memcpy(&a, first, 16), memcpy(&b, second, 16);
    double2 c = SHUFFLE2(a, b, 0, 2), d = SHUFFLE2(a, b, 1, 3);
    memcpy(z, &c, 16), memcpy(z + 2, &d, 16);
}

/* Rows of a square matrix, which becomes its transpose. */
typedef float4 square_row_Float;
typedef doubles square_row_Double;
INLINE void transpose_Float(float4 *r) {
    float4 a = SHUFFLE4(r[0], r[1], 0, 4, 1, 5), b = SHUFFLE4(r[0], r[1], 2, 6, 3, 7);
    float4 c = SHUFFLE4(r[2], r[3], 0, 4, 1, 5), d = SHUFFLE4(r[2], r[3], 2, 6, 3, 7);
    r[0] = SHUFFLE4(a, c, 0, 1, 4, 5), r[1] = SHUFFLE4(a, c, 2, 3, 6, 7);
    r[2] = SHUFFLE4(b, d, 0, 1, 4, 5), r[3] = SHUFFLE4(b, d, 2, 3, 6, 7);
}
INLINE void transpose_Double(doubles *r) {
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

INLINE doubles load_quad_Double(const double *x) {
    doubles v;
    memcpy(&v, x, sizeof v);
    return v;
}
INLINE void store_quad_Double(double *x, doubles v) { memcpy(x, &v, sizeof v); }
INLINE floats load_quad_Float(const float *x) {
    floats v;
    memcpy(&v, x, sizeof v);
    return v;
}

/* The bits of a where those of the mask are set, else those of b. */
INLINE vec_Long blend_bits(vec_Long mask, vec_Long a, vec_Long b) {
#if VECTOR == 64
    return (vec_Long)_mm512_ternarylogic_epi64((__m512i)mask, (__m512i)a, (__m512i)b, 0xca);
#else
    return (a & mask) | (b & ~mask);
#endif
}

/* The elements of x where a is greater than b, else those of y. */
INLINE vec_Float blend_greater_Float(vec_Float a, vec_Float b, vec_Float x, vec_Float y) {
#if VECTOR == 64
    __mmask16 greater = _mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_GT_OQ);
    return (vec_Float)_mm512_mask_mov_ps((__m512)y, greater, (__m512)x);
#else
    return (vec_Float)blend_bits((vec_Long)(a > b), (vec_Long)x, (vec_Long)y);
#endif
}
INLINE vec_Double blend_greater_Double(vec_Double a, vec_Double b, vec_Double x, vec_Double y) {
#if VECTOR == 64
    __mmask8 greater = _mm512_cmp_pd_mask((__m512d)a, (__m512d)b, _CMP_GT_OQ);
    return (vec_Double)_mm512_mask_mov_pd((__m512d)y, greater, (__m512d)x);
#else
    return (vec_Double)blend_bits((vec_Long)(a > b), (vec_Long)x, (vec_Long)y);
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

INLINE doubles broadcast(double x) { return (doubles){} + x; }

/* As doubles: GCC takes its own conversion apart. */
INLINE doubles widen_Double(doubles v) { return v; }
INLINE doubles widen_Float(floats v) {
#if VECTOR >= 32
    return (doubles)_mm256_cvtps_pd((__m128)v);
#else
    return __builtin_convertvector(v, doubles);
#endif
}

/* Stores doubles, rounded to the type. */
INLINE void store_rounded_Double(double *x, doubles v) { store_quad_Double(x, v); }
INLINE void store_rounded_Float(float *x, doubles v) {
    floats rounded = __builtin_convertvector(v, floats);
    memcpy(x, &rounded, sizeof rounded);
}

/* x, for LuaJIT: a NaN with another payload could be taken for a pointer. */
INLINE double canonical_nan(double x) { return x == x ? x : __builtin_copysign(NAN, x); }

/* In bodies: vectors of a type, and the functions above. */
#define V NAME(vec)
#define MASK NAME(mask)
#define LANES (VECTOR / (int)sizeof(T))
#define load NAME(load)
#define store NAME(store)
#define load_range NAME(load_range)
#define masked_load NAME(masked_load)
#define masked_store NAME(masked_store)
#define add_wide NAME(add_wide)
#define max_v NAME(max_v)
#define splat NAME(splat)
#define fma_v NAME(fma_v)
#define blend_greater NAME(blend_greater)
#define evens NAME(evens)
#define odds NAME(odds)
#define gather_row(to, x, step, n)                                                                                     \
    gather_elements((char *)(to), (const char *)(x), (step) * (int64_t)sizeof(T), sizeof(T), n)
/* Pairs that NAME(split) and NAME(join) take at a time, and the rows that NAME(transpose) does. */
#define PAIRS (16 / (int)sizeof(T))
#define SQUARE (int)(sizeof(NAME(square_row)) / sizeof(T))
