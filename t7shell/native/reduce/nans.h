#include <stdint.h>
#pragma GCC visibility push(default)
/* Types are numbered as in torch.base.types; floating-point types only. */
int32_t t7_has_nan(int32_t type, const void *x, int64_t n);
/* Gives each NaN with a payload the bits of the usual one. */
void t7_clean_nans(int32_t type, void *x, int64_t n);
#pragma GCC visibility pop
