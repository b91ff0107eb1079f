#include <stdint.h>
#pragma GCC visibility push(default)
/* Planes y of three dimensions, of sizes `out`, from planes x of sizes `size`: index i of dimension d of y comes from
   source[d][i] of x, or is zero where that is -1. Columns from `begin` to `finish` - 1 come from columns one after the
   other. backward: x, the sums of the elements of y that come from each, in their order; no source is -1. */
typedef struct {
    double planes, size[3], out[3], begin, finish;
    const int32_t *source[3];
} t7_padding;

void t7_pad_Float(const t7_padding *call, const float *x, float *y);
void t7_pad_Double(const t7_padding *call, const double *x, double *y);
void t7_pad_backward_Float(const t7_padding *call, const float *y, float *x);
void t7_pad_backward_Double(const t7_padding *call, const double *y, double *x);
#pragma GCC visibility pop
