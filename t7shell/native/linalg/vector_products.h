#include <stdint.h>
#pragma GCC visibility push(default)
/* The sum of x[i] y[i], steps in elements: 32 partial sums of Floats and 16 of doubles for each 32768 elements, whose
   totals are added in order in double precision. */
double t7_dot_Float(int64_t n, const float *x, int64_t x_step, const float *y, int64_t y_step);
double t7_dot_Double(int64_t n, const double *x, int64_t x_step, const double *y, int64_t y_step);

/* y = beta y + alpha a x for a matrix of m rows and n columns: either a_column or a_row is 1. x is contiguous. With
   beta = 0 the old y is not read. */
void t7_gemv_Float(int64_t m, int64_t n, double alpha, const float *a, int64_t a_row, int64_t a_column, const float *x,
                   double beta, float *y, int64_t y_step);
void t7_gemv_Double(int64_t m, int64_t n, double alpha, const double *a, int64_t a_row, int64_t a_column,
                    const double *x, double beta, double *y, int64_t y_step);

/* c = beta c + alpha x y' for m x n elements, whose rows are contiguous; y is, too. */
void t7_ger_Float(int64_t m, int64_t n, double alpha, const float *x, int64_t x_step, const float *y, double beta,
                  float *c, int64_t c_row);
void t7_ger_Double(int64_t m, int64_t n, double alpha, const double *x, int64_t x_step, const double *y, double beta,
                   double *c, int64_t c_row);

/* y = y + alpha x. */
void t7_axpy_Float(int64_t n, double alpha, const float *x, float *y);
void t7_axpy_Double(int64_t n, double alpha, const double *x, double *y);
#pragma GCC visibility pop
