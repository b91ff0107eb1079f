/* Systems of equations and inverses by the factors of getrf, on several threads. BLAS computes them; a column, or a row
   of the inverse, has the same bits in any part. */
#include "base.h"
#include "parallel_for.h"
#include "linalg/lu.h"

typedef void trsm(const char *side, const char *uplo, const char *transpose, const char *diagonal, const int32_t *m,
                  const int32_t *n, const void *alpha, const void *a, const int32_t *lda, void *b, const int32_t *ldb);
typedef void laswp(const int32_t *n, void *a, const int32_t *lda, const int32_t *first, const int32_t *last,
                   const int32_t *pivots, const int32_t *step);

enum { PART = 32 }; /* columns of a part at least: BLAS packs the whole triangle for each */

typedef struct {
    const t7_lu_routines *routines;
    int32_t n;
    const void *factors;
    const int32_t *pivots;
    char *x;
} job;

static const double one_d = 1;
static const float one_f = 1;

static void triangular(const job *p, char side, char uplo, char diagonal, int32_t m, int32_t n, char *x) {
    const void *one = p->routines->size == 8 ? (const void *)&one_d : (const void *)&one_f;
    ((trsm *)p->routines->trsm)(&side, &uplo, "N", &diagonal, &m, &n, one, p->factors, &p->n, x, &p->n);
}

static void solve_columns(void *data, int64_t from, int64_t to) {
    const job *p = data;
    int32_t columns = (int32_t)(to - from), one = 1;
    char *x = p->x + from * p->n * p->routines->size;
    ((laswp *)p->routines->laswp)(&columns, x, &p->n, &one, &p->n, p->pivots, &one);
    triangular(p, 'L', 'L', 'U', p->n, columns, x);
    triangular(p, 'L', 'U', 'N', p->n, columns, x);
}

/* Columns of the inverse of U, which is zero below its diagonal. */
static void invert_upper(void *data, int64_t from, int64_t to) {
    const job *p = data;
    triangular(p, 'L', 'U', 'N', (int32_t)to, (int32_t)(to - from), p->x + from * p->n * p->routines->size);
}

/* Rows of X for X L = inverse of U. */
static void invert_lower(void *data, int64_t from, int64_t to) {
    const job *p = data;
    triangular(p, 'R', 'L', 'U', (int32_t)(to - from), p->n, p->x + from * p->routines->size);
}

void t7_lu_solve(const t7_lu_routines *routines, int32_t n, const void *factors, const int32_t *pivots, void *x,
                 int32_t columns, double nanoseconds) {
    job p = {routines, n, factors, pivots, x};
    t7_parallel_for(solve_columns, &p, columns, PART, nanoseconds);
}

void t7_lu_invert(const t7_lu_routines *routines, int32_t n, const void *factors, void *x, double nanoseconds) {
    job p = {routines, n, factors, NULL, x};
    t7_parallel_for(invert_upper, &p, n, PART, nanoseconds / 4);
    t7_parallel_for(invert_lower, &p, n, PART, nanoseconds * 3 / 4);
}
