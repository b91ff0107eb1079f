/* What every kernel includes: integer types, explicit fused multiply-add and the pragma for independent iterations.

   Kernels give the same bits on every processor because each operation is rounded as it is written: no fast-math, no
   contraction, sums in one order whatever the width of vectors. See docs/decisions/0033-compiled-kernels.md. */
#pragma once
#include <math.h>
#include <stdint.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

/* The iterations of the next loop are independent: in place the result is an operand, element for element, so a test
   for overlap would always fail. */
#if defined(__clang__)
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define INDEPENDENT _Pragma("GCC ivdep")
#endif

INLINE uint32_t bits_f(float x) {
    uint32_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}
INLINE float from_bits_f(uint32_t u) {
    float x;
    memcpy(&x, &u, sizeof x);
    return x;
}
INLINE uint64_t bits_d(double x) {
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}
INLINE double from_bits_d(uint64_t u) {
    double x;
    memcpy(&x, &u, sizeof x);
    return x;
}

/* a * b + c, rounded once where the processor has the instruction. x86-64-v2 has not, and rounds twice: emulation takes
   twenty times as long. */
#if defined(__FMA__) || defined(__aarch64__)
#define HAS_FMA 1
INLINE float fma_f(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
INLINE double fma_d(double a, double b, double c) { return __builtin_fma(a, b, c); }
#else
#define HAS_FMA 0
INLINE float fma_f(float a, float b, float c) { return a * b + c; }
INLINE double fma_d(double a, double b, double c) { return a * b + c; }
#endif

INLINE int64_t min_i(int64_t a, int64_t b) { return a < b ? a : b; }
INLINE int64_t max_i(int64_t a, int64_t b) { return a > b ? a : b; }

/* The quotient of positive numbers, rounded up. */
INLINE int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

/* The unit of a share of columns: prefetchers lose track of rows of which little is read. */
INLINE int64_t column_unit(int64_t columns) { return columns < 512 ? 128 : 512; }

/* Clips begin to end - 1 to the results i whose element, the first one at `x` and `step` apart, lies within the size.
 */
INLINE void clip(int64_t x, int64_t step, int64_t size, int64_t *begin, int64_t *end) {
    if (x < 0) {
        int64_t first = ceil_div(-x, step);
        if (first > *begin) *begin = first;
    }
    if (x + (*end - 1) * step >= size) {
        int64_t last = x < size ? (size - 1 - x) / step + 1 : 0;
        if (last < *end) *end = last;
    }
}

/* Copies n elements of `size` bytes, which lie steps apart, in bytes. Inlined with constants, a copy is a load and a
   store. */
INLINE void copy_elements(char *to, int64_t to_step, const char *from, int64_t from_step, int64_t size, int64_t n) {
    for (int64_t i = 0; i < n; i++) memcpy(to + i * to_step, from + i * from_step, size);
}

/* The same, with vectors for every second element. */
INLINE void gather_elements(char *to, const char *from, int64_t from_step, int64_t size, int64_t n) {
    if (from_step == 2 * size)
        copy_elements(to, size, from, 2 * size, size, n);
    else
        copy_elements(to, size, from, from_step, size, n);
}
