#include <stdint.h>
#pragma GCC visibility push(default)
/* Types are numbered as in torch.base.types. */

/* Adds 1 to the bin of each of n floating-point elements from low to high, of `bins` of one width; every step is
 * rounded to the type.
 */
void t7_count_bins(int32_t type, void *to, const void *x, int64_t n, int64_t bins, double low, double high);
/* to[i * others + j]: gain times the squared distance between row i of x and row j of y, of n elements each. */
void t7_match_rows(int32_t type, void *to, const void *x, const void *y, int64_t rows, int64_t others, int64_t n,
                   double gain);
#pragma GCC visibility pop
