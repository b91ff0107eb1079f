#include <stdint.h>
#pragma GCC visibility push(default)
/* c = beta c + alpha a b of integers, whose sums wrap as the elements do: m x n results and k inner elements, steps in
   elements. The columns of b are contiguous. */
void t7_gemm_Byte(int64_t m, int64_t n, int64_t k, int64_t alpha, const uint8_t *a, int64_t a_row, int64_t a_inner,
                  const uint8_t *b, int64_t b_inner, int64_t beta, uint8_t *c, int64_t c_row, int64_t c_column);
void t7_gemm_Char(int64_t m, int64_t n, int64_t k, int64_t alpha, const int8_t *a, int64_t a_row, int64_t a_inner,
                  const int8_t *b, int64_t b_inner, int64_t beta, int8_t *c, int64_t c_row, int64_t c_column);
void t7_gemm_Short(int64_t m, int64_t n, int64_t k, int64_t alpha, const int16_t *a, int64_t a_row, int64_t a_inner,
                   const int16_t *b, int64_t b_inner, int64_t beta, int16_t *c, int64_t c_row, int64_t c_column);
void t7_gemm_Int(int64_t m, int64_t n, int64_t k, int64_t alpha, const int32_t *a, int64_t a_row, int64_t a_inner,
                 const int32_t *b, int64_t b_inner, int64_t beta, int32_t *c, int64_t c_row, int64_t c_column);
void t7_gemm_Long(int64_t m, int64_t n, int64_t k, int64_t alpha, const int64_t *a, int64_t a_row, int64_t a_inner,
                  const int64_t *b, int64_t b_inner, int64_t beta, int64_t *c, int64_t c_row, int64_t c_column);

/* The sum of x[i] y[i], which wraps. */
int64_t t7_dot_Byte(int64_t n, const uint8_t *x, int64_t x_step, const uint8_t *y, int64_t y_step);
int64_t t7_dot_Char(int64_t n, const int8_t *x, int64_t x_step, const int8_t *y, int64_t y_step);
int64_t t7_dot_Short(int64_t n, const int16_t *x, int64_t x_step, const int16_t *y, int64_t y_step);
int64_t t7_dot_Int(int64_t n, const int32_t *x, int64_t x_step, const int32_t *y, int64_t y_step);
int64_t t7_dot_Long(int64_t n, const int64_t *x, int64_t x_step, const int64_t *y, int64_t y_step);
#pragma GCC visibility pop
