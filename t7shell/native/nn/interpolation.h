#include <stdint.h>
#pragma GCC visibility push(default)
/* Linear interpolation of planes of three dimensions with aligned corners: planes x of sizes `size`, y of `out`.
   backward: x, the gradient of the input, from y, that of the output. */
typedef struct {
    double planes, size[3], out[3];
} t7_interpolation;

void t7_interpolate_Float(const t7_interpolation *call, const float *x, float *y);
void t7_interpolate_Double(const t7_interpolation *call, const double *x, double *y);
void t7_interpolate_backward_Float(const t7_interpolation *call, const float *y, float *x);
void t7_interpolate_backward_Double(const t7_interpolation *call, const double *y, double *x);

/* The same by repetition of elements, where `out` has multiples of `size`; backward adds up an element's repetitions.
 */
void t7_repeat_Float(const t7_interpolation *call, const float *x, float *y);
void t7_repeat_Double(const t7_interpolation *call, const double *x, double *y);
void t7_repeat_backward_Float(const t7_interpolation *call, const float *y, float *x);
void t7_repeat_backward_Double(const t7_interpolation *call, const double *y, double *x);
#pragma GCC visibility pop
