#include <stdint.h>
#pragma GCC visibility push(default)
/* Whether n elements equal those of y, one by one: NaN equals nothing. Types are numbered as in torch.base.types. */
int32_t t7_are_equal(int32_t type, const void *x, const void *y, int64_t n);
#pragma GCC visibility pop
