#include <stdint.h>
#pragma GCC visibility push(default)
/* c = beta c + alpha a b for m x n results and k inner elements. Steps are in elements: a_row between rows of a and
   a_inner between its columns, b_inner between rows of b and b_column between its columns, c_row between the rows of c,
   whose columns are contiguous. With beta = 0 the old c is not read. c overlaps neither a nor b.

   An element of c is a chain of fused multiply-adds over blocks of at most 256 inner elements, in whichever place,
   layout or part of a shared product it is. */
void t7_gemm_Float(int64_t m, int64_t n, int64_t k, double alpha, const float *a, int64_t a_row, int64_t a_inner,
                   const float *b, int64_t b_inner, int64_t b_column, double beta, float *c, int64_t c_row);
void t7_gemm_Double(int64_t m, int64_t n, int64_t k, double alpha, const double *a, int64_t a_row, int64_t a_inner,
                    const double *b, int64_t b_inner, int64_t b_column, double beta, double *c, int64_t c_row);

/* The same on several threads. One row or one column is computed by t7_gemv if that has its layout. */
void t7_gemm_parallel_Float(int64_t m, int64_t n, int64_t k, double alpha, const float *a, int64_t a_row,
                            int64_t a_inner, const float *b, int64_t b_inner, int64_t b_column, double beta, float *c,
                            int64_t c_row);
void t7_gemm_parallel_Double(int64_t m, int64_t n, int64_t k, double alpha, const double *a, int64_t a_row,
                             int64_t a_inner, const double *b, int64_t b_inner, int64_t b_column, double beta,
                             double *c, int64_t c_row);

/* The products of `count` matrices, a_next, b_next and c_next elements apart; results that overlap are added in turn.
 */
void t7_gemm_batch_Float(int64_t count, int64_t m, int64_t n, int64_t k, double alpha, const float *a, int64_t a_next,
                         int64_t a_row, int64_t a_inner, const float *b, int64_t b_next, int64_t b_inner,
                         int64_t b_column, double beta, float *c, int64_t c_next, int64_t c_row);
void t7_gemm_batch_Double(int64_t count, int64_t m, int64_t n, int64_t k, double alpha, const double *a, int64_t a_next,
                          int64_t a_row, int64_t a_inner, const double *b, int64_t b_next, int64_t b_inner,
                          int64_t b_column, double beta, double *c, int64_t c_next, int64_t c_row);
#pragma GCC visibility pop
