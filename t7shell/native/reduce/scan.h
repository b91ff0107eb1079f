#include <stdint.h>
#pragma GCC visibility push(default)
/* Running sums, or products, of n elements: to[o * to_outer + k * to_n + i * to_inner] of those at x with steps of its
   own. Floats are added as doubles, integers wrap. Types are numbered as in torch.base.types. */
void t7_scan(int32_t type, int32_t product, void *to, int64_t to_outer, int64_t to_n, int64_t to_inner, const void *x,
             int64_t outer_step, int64_t n_step, int64_t inner_step, int64_t outer, int64_t n, int64_t inner);
#pragma GCC visibility pop
