#pragma once
#include "elementwise.h"
#pragma GCC visibility push(default)
/* The sizes and strides, in elements, of an operand's dimensions. */
typedef struct {
    const double *size, *stride;
    int32_t dims;
} t7_layout;

/* Runs a kernel over operands of any layout with the same number of elements, at least one, which correspond in
   row-major order. Of the call, `begin` and `sizes` are set. Elements of the result are other operands' elements only
   where both have one layout. Returns 0, without having done anything, if the sizes have no common loops. */
int t7_run_strided(const t7_call *call, const t7_layout *layouts);

/* Sets all elements of `size` bytes to the one at `value`. */
void t7_fill_strided(char *begin, int32_t size, const t7_layout *layout, void *value);
#pragma GCC visibility pop
