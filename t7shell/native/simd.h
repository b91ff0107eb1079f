/* Vectors as wide as the processor's: `vf` of floats and `vd` of doubles, with the fused multiply-add that base.h has
   for single elements. Wider types than the processor's would be taken apart through memory. */
#pragma once
#include "base.h"

#if defined(__AVX512F__)
#include <immintrin.h>
enum { VECTOR_BYTES = 64 };
#define FMA_VF(a, b, c) _mm512_fmadd_ps(a, b, c)
#define FMA_VD(a, b, c) _mm512_fmadd_pd(a, b, c)
#elif defined(__AVX2__)
#include <immintrin.h>
enum { VECTOR_BYTES = 32 };
#define FMA_VF(a, b, c) _mm256_fmadd_ps(a, b, c)
#define FMA_VD(a, b, c) _mm256_fmadd_pd(a, b, c)
#elif defined(__aarch64__)
#include <arm_neon.h>
enum { VECTOR_BYTES = 16 };
#define FMA_VF(a, b, c) vfmaq_f32(c, a, b)
#define FMA_VD(a, b, c) vfmaq_f64(c, a, b)
#else
enum { VECTOR_BYTES = 16 };
#define FMA_VF(a, b, c) ((a) * (b) + (c))
#define FMA_VD(a, b, c) ((a) * (b) + (c))
#endif

typedef float vf __attribute__((vector_size(VECTOR_BYTES)));
typedef double vd __attribute__((vector_size(VECTOR_BYTES)));
/* The same where they lie in memory, at any address. */
typedef float vf_unaligned __attribute__((vector_size(VECTOR_BYTES), aligned(4), may_alias));
typedef double vd_unaligned __attribute__((vector_size(VECTOR_BYTES), aligned(8), may_alias));

INLINE vf fma_vf(vf a, vf b, vf c) { return (vf)FMA_VF(a, b, c); }
INLINE vd fma_vd(vd a, vd b, vd c) { return (vd)FMA_VD(a, b, c); }

/* Unrolls the next loop, whose bounds are constants, so that arrays of vectors stay in registers. */
#if defined(__clang__)
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 32")
#endif
