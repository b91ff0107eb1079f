#include <stdint.h>
#pragma GCC visibility push(default)
/* Vector products: for each of outer x inner vectors, three elements at steps of `to_n`, `a_n` and `b_n`. Types are
   numbered as in torch.base.types. */
void t7_cross(int32_t type, void *to, int64_t to_outer, int64_t to_n, int64_t to_inner, const void *a, int64_t a_outer,
              int64_t a_n, int64_t a_inner, const void *b, int64_t b_outer, int64_t b_n, int64_t b_inner, int64_t outer,
              int64_t inner);
#pragma GCC visibility pop
