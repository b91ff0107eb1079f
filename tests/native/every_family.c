/* Calls kernels of every family with numbers from a seed and prints the bits of their results as one number for each
   call: levels, processors and compilers are compared by these lines, and sanitizers watch the calls. Standard input
   has a line for each element-wise program: type, size of results, operands ('q' for bytes), text. */
#include "copy.h"
#include "elementwise.h"
#include "index/index.h"
#include "linalg/cross.h"
#include "linalg/gemm.h"
#include "linalg/integer_products.h"
#include "linalg/vector_products.h"
#include "nn/convolution.h"
#include "nn/padding.h"
#include "nn/pooling.h"
#include "nn/row_convolution.h"
#include "parallel_for.h"
#include "random/twister.h"
#include "reduce/bins.h"
#include "reduce/equal.h"
#include "reduce/minmax.h"
#include "reduce/reduce.h"
#include "reduce/scan.h"
#include "sort/sort.h"
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TYPES = 8, DOUBLE = 1, FLOAT = 2 };
static const char *const names[TYPES] = {"", "Double", "Float", "Long", "Byte", "Int", "Char", "Short"};
static const int sizes[TYPES] = {0, 8, 4, 8, 1, 4, 1, 2};

static uint64_t state = 1;

static uint64_t next(void) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return state * 0x2545F4914F6CDD1Du;
}

/* Sums of multiples of 2^-20, without a function of C's library. */
static double fraction(void) { return (double)(int64_t)(next() >> 40) / (1 << 20) - 8; }

static int type_of(const char *name) {
    for (int t = 1; t < TYPES; t++)
        if (!strcmp(names[t], name)) return t;
    exit(2);
}

/* n elements of a type in memory of exactly that size: fractions of all magnitudes if `wild`; no integer is zero. */
static void *elements(int type, int64_t n, int wild) {
    static const double scales[] = {1, 1, 1, 0x1p-30, 0x1p8, 0x1p40, 0x1p-140, 0x1p125, 0};
    char *x = malloc(n * sizes[type] + 1);
    for (int64_t i = 0; i < n; i++) {
        uint64_t bits = next() | 1;
        double d = fraction() * (wild ? scales[next() % 9] : 1);
        float f = (float)d;
        const void *value = type == DOUBLE ? (void *)&d : type == FLOAT ? (void *)&f : (void *)&bits;
        memcpy(x + i * sizes[type], value, sizes[type]);
    }
    return x;
}

/* Prints a result: all NaNs are one. */
static void print(const char *name, int type, const void *x, int64_t n) {
    uint64_t sum = 14695981039346656037u;
    for (int64_t i = 0; i < n; i++) {
        const unsigned char *at = (const unsigned char *)x + i * sizes[type];
        double d = 0;
        float f = 0;
        if (type == DOUBLE) memcpy(&d, at, 8);
        if (type == FLOAT) memcpy(&f, at, 4);
        for (int k = 0; k < sizes[type]; k++) sum = (sum ^ (d != d || f != f ? 0 : at[k])) * 1099511628211u;
    }
    printf("%s %s %016llx\n", names[type], name, (unsigned long long)sum);
}

/* Contiguous, with steps, and in place; counts around the lengths of vectors. */
static void run_program(const char *name, int result, const char *operands, const char *text) {
    static const int64_t counts[] = {1, 15, 16, 17, 300, 1003};
    double work;
    int type = type_of(name), inputs = (int)strlen(operands);
    t7_kernel *kernel = t7_find_program(name, text, &work);
    if (!kernel) {
        printf("%s %s is missing\n", name, text);
        return;
    }
    void *numbers[5] = {0};
    for (int k = 0; k < 4; k++) numbers[k] = elements(type, 1, 0);
    for (int c = 0; c < 6; c++) {
        int64_t n = counts[c];
        for (int step = 1; step <= 3; step += 2) {
            char *at[T7_OPERANDS];
            int64_t by[T7_OPERANDS];
            for (int k = 0; k < inputs; k++) {
                int of = operands[k] == 'q' ? 4 : type;
                at[k] = elements(of, n * step, c > 2);
                if (operands[k] == 'q')
                    for (int64_t i = 0; i < n * step; i++) at[k][i] &= 1;
                by[k] = sizes[of] * step;
            }
            char *z = calloc(n * step, sizes[result]);
            at[inputs] = z, by[inputs] = sizes[result] * step;
            kernel(at, &n, by, numbers);
            print(text, result, z, n * step);
            if (result == type && operands[0] != 'q') {
                at[inputs] = at[0], by[inputs] = by[0];
                kernel(at, &n, by, numbers);
                print(text, result, at[0], n * step);
            }
            for (int k = 0; k < inputs; k++) free(at[k]);
            free(z);
        }
    }
    for (int k = 0; k < 4; k++) free(numbers[k]);
}

static void conversions(void) {
    for (int to = 1; to < TYPES; to++)
        for (int from = 1; from < TYPES; from++) {
            if (to == from) continue;
            int64_t n = 1003, by[2] = {sizes[from], sizes[to]};
            char *x = elements(from, n, 1), *z = malloc(n * sizes[to]), *at[2] = {x, z};
            t7_find_conversion(names[to], names[from])(at, &n, by, NULL);
            print(names[from], to, z, n);
            free(x), free(z);
        }
}

static void reductions(void) {
    for (int type = 1; type < TYPES; type++)
        for (int how = T7_SUM; how <= (type <= FLOAT ? T7_STD : T7_PRODUCT); how++)
            for (int64_t n = 1; n < 3000; n = n * 3 + 1) {
                double p = how == T7_POWER_SUM_ROOT ? 3 : n;
                int64_t rows = 7;
                char *x = elements(type, rows * n, 0), *z = malloc(rows * n * sizes[type]);
                t7_reduce_along(type, how, p, z, x, 1, 0, n, 1, rows, n);
                print("reduced rows", type, z, rows);
                t7_reduce_along(type, how, p, z, x, 1, 0, rows, n, n, 1);
                print("reduced columns", type, z, n);
                double all = t7_reduce_all(type, how, p, x, rows * n);
                print("reduced", DOUBLE, &all, 1);
                if (how <= T7_PRODUCT) {
                    t7_scan(type, how == T7_PRODUCT, z, 0, 1, n, x, 0, 1, n, 1, n, rows);
                    print("running rows", type, z, rows * n);
                    t7_scan(type, how == T7_PRODUCT, z, 0, n, 1, x, 0, n, 1, 1, rows, n);
                    print("running columns", type, z, rows * n);
                }
                free(x), free(z);
            }
    for (int type = DOUBLE; type <= FLOAT; type++) {
        int64_t n = 70001;
        char *x = elements(type, n, 0);
        double all = t7_reduce_all(type, T7_SUM, 0, x, n);
        print("sum of pieces", DOUBLE, &all, 1);
        char *bins = calloc(50, sizes[type]), *squares = malloc(20 * 30 * sizes[type]);
        t7_count_bins(type, bins, x, n, 50, -8, 8);
        print("bins", type, bins, 50);
        char *equals = malloc(n * sizes[type]);
        memcpy(equals, x, n * sizes[type]);
        double equal = t7_are_equal(type, x, equals, n) + 2 * t7_are_equal(type, x, equals + sizes[type], n - 1);
        print("equal", DOUBLE, &equal, 1);
        t7_cross(type, equals, 0, 1, 3, x, 0, 1, 3, x + sizes[type], 0, 1, 3, 1, n / 3 - 1);
        print("cross", type, equals, (n / 3 - 1) * 3);
        free(equals);
        t7_match_rows(type, squares, x, x, 20, 30, 37, 2);
        print("distances", type, squares, 20 * 30);
        free(x), free(bins), free(squares);
    }
}

static void orders(void) {
    for (int type = 1; type < TYPES; type++)
        for (int64_t n = 1; n < 2000; n = n * 2 + 3) {
            int64_t rows = 5;
            char *x = elements(type, rows * n, n != 509), *z = malloc(rows * n * sizes[type]);
            int64_t *indices = malloc(rows * n * sizeof *indices);
            t7_sort_rows(type, n & 1, z, indices, x, rows, n);
            print("sorted", type, z, rows * n), print("sorted", 3, indices, rows * n);
            t7_kth_rows(type, z, indices, x, rows, n, n / 2);
            print("median", type, z, rows), print("median", 3, indices, rows);
            t7_mode_rows(type, z, indices, x, rows, n);
            print("mode", type, z, rows), print("mode", 3, indices, rows);
            t7_topk_rows(type, 1, 1, z, indices, x, rows, n, n / 2 + 1);
            print("best", type, z, rows * (n / 2 + 1)), print("best", 3, indices, rows * (n / 2 + 1));
            t7_minmax_along(type, 1, z, indices, x, 1, 0, n, 1, rows, n);
            print("largest", type, z, rows), print("largest", 3, indices, rows);
            t7_minmax_along(type, 0, z, indices, x, 1, 0, rows, n, n, 1);
            print("smallest", type, z, n), print("smallest", 3, indices, n);
            free(x), free(z), free(indices);
        }
    for (int type = 1; type < TYPES; type++) {
        int64_t n = 70001, *indices = malloc(n * sizeof *indices);
        char *x = elements(type, n, 1), *z = malloc(n * sizes[type]);
        t7_sort_rows(type, 0, z, indices, x, 1, n);
        print("sorted long row", type, z, n), print("sorted long row", 3, indices, n);
        free(x), free(z), free(indices);
    }
}

#define PRODUCTS(T, c, type)                                                                                           \
    static void products_##T(int64_t m, int64_t n, int64_t k) {                                                        \
        c *a = elements(type, m * k, 0), *b = elements(type, k * n, 0), *to = elements(type, m * n, 0);                \
        t7_gemm_parallel_##T(m, n, k, 0.5, a, k, 1, b, n, 1, 2, to, n);                                                \
        print("product", type, to, m * n);                                                                             \
        t7_gemm_##T(m, n, k, 1, a, 1, m, b, 1, k, 0, to, n);                                                           \
        print("transposed product", type, to, m * n);                                                                  \
        t7_gemv_##T(m, k, 1.5, a, k, 1, b, 0.5, to, 1);                                                                \
        print("matrix and vector", type, to, m);                                                                       \
        t7_gemv_##T(m, k, 1.5, a, 1, m, b, 0, to, 1);                                                                  \
        print("columns and vector", type, to, m);                                                                      \
        t7_ger_##T(m, n, 3, a, 1, b, 1, to, n);                                                                        \
        print("outer product", type, to, m * n);                                                                       \
        double dot = t7_dot_##T(m < n ? m : n, a, k, b, k);                                                            \
        print("dot", DOUBLE, &dot, 1);                                                                                 \
        free(a), free(b), free(to);                                                                                    \
    }                                                                                                                  \
                                                                                                                       \
    static void convolution_##T(t7_conv_shape s) {                                                                     \
        int64_t image = s.images * s.groups * s.planes, map = s.images * s.groups * s.outputs, taps = 1;               \
        for (int d = 0; d < 3; d++) image *= s.image[d], map *= s.map[d], taps *= s.kernel[d];                         \
        int64_t weights = s.outputs * s.groups * s.planes * taps, biases = s.outputs * s.groups;                       \
        c *x = elements(type, image, 0), *y = elements(type, map, 0), *w = elements(type, weights, 0);                 \
        c *bias = elements(type, biases, 0);                                                                           \
        char *room = malloc(t7_conv_scratch(&s, sizeof(c)));                                                           \
        t7_conv_weights_##T(&s, x, y, 0.5, w, room);                                                                   \
        print("weights of a convolution", type, w, weights);                                                           \
        t7_conv_biases_##T(&s, y, 0.5, bias);                                                                          \
        print("biases of a convolution", type, bias, biases);                                                          \
        t7_conv_forward_##T(&s, x, w, bias, y, room);                                                                  \
        print("convolution", type, y, map);                                                                            \
        t7_conv_back_##T(&s, y, w, NULL, x, room);                                                                     \
        print("convolution back", type, x, image);                                                                     \
        free(x), free(y), free(w), free(bias), free(room);                                                             \
    }                                                                                                                  \
                                                                                                                       \
    static void layers_##T(void) {                                                                                     \
        c *x = elements(type, 6 * 17 * 19, 0), *y = malloc(6 * 17 * 19 * sizeof(c));                                   \
        int64_t *index = malloc(6 * 17 * 19 * sizeof *index);                                                          \
        static const double windows[][3] = {{3, 2, 1}, {2, 2, 0}, {3, 1, 1}, {1, 2, 0}, {3, 3, 0}};                    \
        for (int i = 0; i < 5; i++) {                                                                                  \
            double kernel = windows[i][0], step = windows[i][1], pad = windows[i][2];                                  \
            double height = floor((17 + 2 * pad - kernel) / step) + 1,                                                 \
                   width = floor((19 + 2 * pad - kernel) / step) + 1;                                                  \
            t7_pooling p = {                                                                                           \
                6, {1, 17, 19}, {1, kernel, kernel}, {1, step, step}, {0, pad, pad}, {1, 1, 1}, {1, height, width}, 0, \
                2};                                                                                                    \
            int results = 6 * (int)(height * width);                                                                   \
            t7_max_pool_##T(&p, x, y, index);                                                                          \
            print("largest of windows", type, y, results), print("largest of windows", 3, index, results);             \
            t7_max_pool_back_##T(&p, y, index, x);                                                                     \
            print("largest of windows back", type, x, 6 * 17 * 19);                                                    \
            t7_average_pool_##T(&p, x, y);                                                                             \
            print("means of windows", type, y, results);                                                               \
            t7_average_pool_back_##T(&p, y, x);                                                                        \
            print("means of windows back", type, x, 6 * 17 * 19);                                                      \
        }                                                                                                              \
        free(x), free(y), free(index);                                                                                 \
        for (int w = 5; w <= 19; w += 14) {                                                                            \
            int32_t none = 0, row[6], column[21];                                                                      \
            for (int k = 0; k < 6; k++) row[k] = k < 1 ? 0 : k > 4 ? 3 : k - 1;                                        \
            for (int k = 0; k < w + 2; k++) column[k] = k < 1 ? 1 : k > w ? w - 2 : k - 1;                             \
            t7_padding p = {23, {1, 4, w}, {1, 6, w + 2}, 1, w + 1, {&none, row, column}};                             \
            c *planes = elements(type, 23 * 4 * w, 0), *padded = malloc(23 * 6 * (w + 2) * sizeof(c));                 \
            t7_pad_##T(&p, planes, padded);                                                                            \
            print("padded planes", type, padded, 23 * 6 * (w + 2));                                                    \
            t7_pad_backward_##T(&p, padded, planes);                                                                   \
            print("padded planes back", type, planes, 23 * 4 * w);                                                     \
            free(planes), free(padded);                                                                                \
        }                                                                                                              \
        t7_row_shape s = {3, 40, 21, 5, 1, 36};                                                                        \
        c *f = elements(type, 3 * 40 * 21, 0), *w = elements(type, 21 * 5, 0), *g = malloc(3 * 36 * 21 * sizeof(c));   \
        t7_rows_forward_##T(&s, f, w, NULL, g);                                                                        \
        print("rows", type, g, 3 * 36 * 21);                                                                           \
        t7_rows_back_##T(&s, g, w, f);                                                                                 \
        print("rows back", type, f, 3 * 40 * 21);                                                                      \
        t7_rows_weights_##T(&s, f, g, 0.5, w);                                                                         \
        print("weights of rows", type, w, 21 * 5);                                                                     \
        free(f), free(w), free(g);                                                                                     \
    }
PRODUCTS(Float, float, FLOAT)
PRODUCTS(Double, double, DOUBLE)

#define INTEGER_PRODUCTS(T, c, type)                                                                                   \
    {                                                                                                                  \
        c *a = elements(type, 9 * 33, 0), *b = elements(type, 33 * 21, 0), *to = elements(type, 9 * 21, 0);            \
        t7_gemm_##T(9, 21, 33, 2, a, 33, 1, b, 21, 3, to, 21, 1);                                                      \
        print("product", type, to, 9 * 21);                                                                            \
        t7_gemm_##T(9, 1, 33, 2, a, 33, 1, b, 21, 1, to, 1, 1);                                                        \
        t7_gemm_##T(9, 1, 33, 2, a, 1, 9, b, 1, 0, to + 9, 1, 1);                                                      \
        t7_gemm_##T(9, 19, 1, 2, a, 1, 1, b, 1, 3, to + 18, 19, 1);                                                    \
        print("products with vectors", type, to, 9 * 21);                                                              \
        t7_cross(type, to, 0, 1, 3, a, 0, 1, 3, b, 0, 60, 1, 1, 60);                                                   \
        print("cross", type, to, 180);                                                                                 \
        int64_t dot = t7_dot_##T(99, a, 2, b, 3);                                                                      \
        print("dot", 3, &dot, 1);                                                                                      \
        free(a), free(b), free(to);                                                                                    \
    }

static void products(void) {
    for (int64_t n = 1; n < 400; n = n * 2 + 1) {
        products_Float(n, n / 2 + 3, n + 5), products_Double(n, n / 2 + 3, n + 5);
    }
    products_Float(411, 260, 20), products_Double(411, 260, 20);
    INTEGER_PRODUCTS(Byte, uint8_t, 4)
    INTEGER_PRODUCTS(Char, int8_t, 6)
    INTEGER_PRODUCTS(Short, int16_t, 7)
    INTEGER_PRODUCTS(Int, int32_t, 5)
    INTEGER_PRODUCTS(Long, int64_t, 3)
}

static void layers(void) {
    static const t7_conv_shape shapes[] = {
        {2, 1, 3, 20, {1, 13, 17}, {1, 3, 3}, {1, 1, 1}, {0, 1, 1}, {1, 1, 1}, {1, 13, 17}},
        {2, 2, 4, 3, {1, 14, 15}, {1, 5, 5}, {1, 2, 2}, {0, 2, 2}, {1, 1, 1}, {1, 7, 8}},
        {3, 1, 17, 33, {1, 9, 9}, {1, 1, 1}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}, {1, 9, 9}},
        {2, 1, 2, 9, {6, 10, 11}, {3, 3, 3}, {1, 1, 1}, {1, 1, 1}, {1, 2, 2}, {6, 8, 9}},
    };
    for (int i = 0; i < 4; i++) convolution_Float(shapes[i]), convolution_Double(shapes[i]);
    layers_Float(), layers_Double();
}

static void numbers(void) {
    uint32_t word[624], bits[624];
    double unit[624];
    t7_twister_seed(word, 12345);
    for (int i = 0; i < 3; i++) t7_twister_twist(word);
    t7_twister_temper(word, bits, unit);
    print("random bits", 5, bits, 624), print("random numbers", DOUBLE, unit, 624);
}

int main(void) {
    char line[1000], type[20], operands[10], text[900];
    int result;
    t7_set_max_threads(2);
    t7_set_threads(2);
    while (fgets(line, sizeof line, stdin))
        if (sscanf(line, "%19s %d %9s %899[^\n]", type, &result, operands, text) == 4)
            run_program(type, result, operands, text);
    conversions(), reductions(), orders(), products(), layers(), numbers();
    return 0;
}
