/* A library of its own that runs on any processor. It asks cpuid itself: __builtin_cpu_supports is always 0 in programs
   that zig compiles. */
#include "level.h"

#if defined(__x86_64__)
#include <cpuid.h>

/* Bits of cpuid's results, by leaf and register. */
enum { SSE42 = 1 << 20, POPCNT = 1 << 23, OSXSAVE = 1 << 27, FMA = 1 << 12, F16C = 1 << 29 }; /* 1, ecx */
enum { BMI1 = 1 << 3, AVX2 = 1 << 5, BMI2 = 1 << 8 };                                         /* 7, ebx */
enum { AVX512F = 1 << 16, AVX512DQ = 1 << 17, AVX512CD = 1 << 28, AVX512BW = 1 << 30 };
static const unsigned AVX512VL = 1u << 31;
/* What the system saves, by xgetbv: vectors of 256 bits, and of 512 bits with masks. */
enum { YMM = 0x06, ZMM = 0xE6 };

static int has(unsigned word, unsigned bits) { return (word & bits) == bits; }

int t7_level(void) {
    unsigned a, b, c, d, features;
    if (!__get_cpuid(1, &a, &b, &features, &d) || !has(features, SSE42 | POPCNT)) return 0;
    if (!has(features, OSXSAVE | FMA | F16C) || !__get_cpuid_count(7, 0, &a, &b, &c, &d)) return 2;
    unsigned saved, high;
    __asm__("xgetbv" : "=a"(saved), "=d"(high) : "c"(0));
    if (!has(saved, YMM) || !has(b, AVX2 | BMI1 | BMI2)) return 2;
    return has(saved, ZMM) && has(b, AVX512F | AVX512DQ | AVX512CD | AVX512BW | AVX512VL) ? 4 : 3;
}
#else
int t7_level(void) { return 0; }
#endif
