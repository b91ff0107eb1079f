/* Products of matrices of Floats and doubles. See docs/decisions/0030-products.md.

   A tile of the result, ROWS by VECTORS vectors, is summed in registers. The columns of a tile are a panel of b, which
   is copied so that its rows are contiguous and stays in the first cache while all rows of a slab of a pass by, which
   stays in the second. */
#include "vectors.h"
#include "parallel_for.h"
#include "linalg/gemm.h"
#include <stdlib.h>

/* As many sums as there are registers, but for one row of the panel and a broadcast element. */
#if defined(__AVX512F__)
enum { ROWS = 8, VECTORS = 3 };
#elif defined(__aarch64__)
enum { ROWS = 6, VECTORS = 4 };
#else
enum { ROWS = 6, VECTORS = 2 };
#endif

enum {
    INNER = 256,              /* inner elements of a panel */
    SLAB_BYTES = 960 * INNER, /* of a that stay in the second cache */
    COPIED = 256,             /* columns of c for which rows of a are copied: far apart they share sets of the caches */
    LINE = 64,
    KEPT = 512,     /* columns of b whose panels are kept for all slabs */
    FEW_PANELS = 6, /* fewer are not shared between threads, but rows */
    PART = 64,      /* rows or columns of a part at least, of which there are not many more than threads */
    SMALL = 4000,   /* nanoseconds of a product for which one thread is enough */
    LARGE = 80000,  /* nanoseconds of a product of a batch that is shared itself */
};

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t divide_up(int64_t a, int64_t b) { return (a + b - 1) / b; }

#define T float
#define V vec_f
#define LOAD load_vf
#define STORE store_vf
#define SPLAT splat_vf
#define FMA_V fma_vf
#define FMA fma_f
#define NAME(f) f##_Float
#define NANOSECONDS 0.02
#include "linalg/gemm_body.h"

#define T double
#define V vec_d
#define LOAD load_vd
#define STORE store_vd
#define SPLAT splat_vd
#define FMA_V fma_vd
#define FMA fma_d
#define NAME(f) f##_Double
#define NANOSECONDS 0.04
#include "linalg/gemm_body.h"
