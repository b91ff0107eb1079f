#include <stdint.h>
#pragma GCC visibility push(default)
/* BLAS's trsm and LAPACK's laswp for elements of `size` bytes, 4 or 8, whose matrices are column by column. */
typedef struct {
    void *trsm, *laswp;
    int32_t size;
} t7_lu_routines;

/* Solves A X = B by the factors of A, of order n: x is B and becomes X. Columns are divided between threads. */
void t7_lu_solve(const t7_lu_routines *routines, int32_t n, const void *factors, const int32_t *pivots, void *x,
                 int32_t columns, double nanoseconds);

/* x, which is the identity, becomes the inverse of U and then that of L U, without the exchanges of its columns. */
void t7_lu_invert(const t7_lu_routines *routines, int32_t n, const void *factors, void *x, double nanoseconds);
#pragma GCC visibility pop
