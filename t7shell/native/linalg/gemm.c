/* Products of matrices of Floats and doubles. See docs/decisions/0030-products.md.

   A tile of the result is summed in registers. The columns of a tile are a panel of b, which is copied so that its rows
   are contiguous and stays in the first cache while all rows of a slab of a pass by, which stays in the second. BLIS
   calls these sizes MR, NR, KC, MC and NC. */
#include "linalg/gemm.h"
#include "linalg/vector_products.h"
#include "parallel_for.h"
#include "vectors.h"
#include <stdlib.h>

/* A tile has as many sums as there are registers, but for one row of the panel and a broadcast element. Up to
   DIRECT_TILES tiles, the rows of b are read in place. A step over the inner elements with vectors of 512 bits takes
   little time for the bytes of a that it reads, so these are prefetched INNER_AHEAD steps before. */
#if defined(__AVX512F__)
enum { TILE_ROWS = 12, TILE_VECTORS = 2, DIRECT_TILES = 6, INNER_AHEAD = 16 };
#elif defined(__aarch64__)
enum { TILE_ROWS = 6, TILE_VECTORS = 4, DIRECT_TILES = 2, INNER_AHEAD = 0 };
#else
enum { TILE_ROWS = 6, TILE_VECTORS = 2, DIRECT_TILES = 4, INNER_AHEAD = 0 };
#endif

enum {
    PANEL_INNER = 256,              /* inner elements of a panel */
    GROUP_PANELS = 2,               /* panels that are copied at a time: b's rows are far apart, each visit costs */
    SLAB_BYTES = 960 * PANEL_INNER, /* of a that stay in the second cache */
    BLOCK_COLUMNS = 1024,           /* columns of b whose panels are kept for all slabs */
    MIN_PACKED_COLUMNS = 256,       /* columns of c for which rows of a are copied: far apart they share cache sets */
    MIN_BATCH = 8,                  /* rows of a whose products are computed transposed: from so many, */
    MAX_BATCH = 64,                 /* to so many, */
    MAX_EMPTY = 12,                 /* if no more columns of their vectors are empty */
    MAX_IN_PLACE_BYTES = 1 << 18,   /* of a transposed a that is not copied */
    CACHE_LINE = 64,
    PAGE = 4096,
    MIN_SHARED_ROWS = 400, /* rows of c from which threads share packed panels */
    MIN_SHARED_PANELS = 6, /* panels that are shared between threads, fewer are not, but rows */
    MIN_PART = 64,         /* rows or columns of a part, of which there are not many more than threads */
    MIN_PARALLEL_NS = 4000,
    MIN_PARALLEL_PRODUCT_NS = 80000, /* for a product of a batch that is itself shared between threads */
};

#define BODY "linalg/gemm_body.h"
#include "for_floating_types.h"
