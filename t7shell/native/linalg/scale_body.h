/* The scale of a product's result, of one floating-point type. */

/* c = beta c: what a product with beta c leaves if its own scale or inner size is 0. As in BLAS, it reads no operand
   then, nor c where beta is 0. */
static void NAME(scale)(int64_t m, int64_t n, T beta, T *c, int64_t c_row) {
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) c[i * c_row + j] = beta == 0 ? 0 : c[i * c_row + j] * beta;
}
