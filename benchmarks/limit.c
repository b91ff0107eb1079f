// What two threads of C take for the rows of limit.py, half each: element-wise work on 1000 x 1000 doubles with vector
// instructions, copies of rows, sorting of rows, and solving 200 equations by the library of LAPACK that is the first
// argument. What is smaller, and one long row, is done by one. The second thread waits in a loop, so that handing over costs next to nothing.
// Prints: name <tab> nanoseconds, the best of 5.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <immintrin.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { COUNT = 1000 * 1000, SIDE = 1000, ORDER = 200, TURNS = 128, RUNS = 5 };

typedef void work_t(long, long);

// New results are written to this number of blocks in turn, as those between two collections are.
enum { BLOCKS = 2 };

static double *a, *b, *r, *blocks[BLOCKS];
static work_t *work;
static atomic_int offered, done;

#define EACH(name, value)                                                              \
    static void name(long first, long last)                                            \
    {                                                                                  \
        const __m256d number = _mm256_set1_pd(1.0000001);                              \
        (void)number;                                                                  \
        for (long i = first; i < last; i += 4) _mm256_storeu_pd(r + i, value);         \
    }

#define AT(x) _mm256_loadu_pd(x + i)
EACH(multiply, _mm256_mul_pd(AT(a), AT(b)))
EACH(scale, _mm256_mul_pd(AT(r), number))
EACH(square, _mm256_mul_pd(AT(a), AT(a)))
EACH(add, _mm256_add_pd(AT(r), AT(a)))
EACH(twice, _mm256_mul_pd(AT(a), number))
EACH(fill, number)

// Every second row of a, as a part of the elements says.
static void rows(long first, long last)
{
    for (long i = first / SIDE / 2; i < last / SIDE / 2; i++) memcpy(r + i * SIDE, a + 2 * i * SIDE, SIDE * sizeof *a);
}

typedef void factor_t(const int *, const int *, double *, const int *, int *, int *);
typedef void solve_t(const char *, const int *, const int *, const double *, const int *, const int *, double *,
                     const int *, int *);

static factor_t *factor;
static solve_t *solve;
static double general[ORDER * ORDER], factors[ORDER * ORDER], solution[ORDER * ORDER];
static int pivots[ORDER];
static const int order = ORDER;

// One thread does this before the columns of the solution are shared.
static void factorize(void)
{
    int info;
    memcpy(factors, general, sizeof factors);
    memcpy(solution, general, sizeof solution);
    factor(&order, &order, factors, &order, pivots, &info);
}

static void columns(long first, long last)
{
    int from = first * ORDER / COUNT, count = last * ORDER / COUNT - from, info;
    solve("N", &order, &count, factors, &order, pivots, solution + from * ORDER, &order, &info);
}

static void *second(void *unused)
{
    for (int seen = 0;;) {
        int job = atomic_load(&offered);
        if (job == seen) { _mm_pause(); continue; }
        seen = job;
        work(COUNT / 2, COUNT);
        atomic_store(&done, job);
    }
    return unused;
}

// Small new results on one thread, into as many blocks in turn as are made between two collections: NEW_BYTES.
enum { NEW_BYTES = 24 << 20, NEW_COUNT = 20 * NEW_BYTES / 8 };

typedef void small_t(double *, long);

#define SMALL(name, value)                                                             \
    static void name(double *to, long count)                                           \
    {                                                                                  \
        const __m256d number = _mm256_set1_pd(2);                                      \
        (void)number;                                                                  \
        for (long i = 0; i < count; i += 4) _mm256_storeu_pd(to + i, value);           \
    }

SMALL(small_sum, _mm256_add_pd(AT(a), AT(b)))
SMALL(small_twice, _mm256_mul_pd(AT(a), number))
static void small_zeros(double *to, long count) { memset(to, 0, count * sizeof *to); }
static void small_copy(double *to, long count) { memcpy(to, a, count * sizeof *to); }

// The exchanges of the original's sort, which decide the positions of equal elements: quicksort by the median of three,
// parts of up to ten elements by insertion. Each element is exchanged with its position.
#define SWAP(i, j)                                                                     \
    do {                                                                               \
        float v = x[i]; int q = p[i];                                                  \
        x[i] = x[j], p[i] = p[j], x[j] = v, p[j] = q;                                  \
    } while (0)

static void parts(float *x, int *p, int left, int right)
{
    while (right - left >= 10) {
        int i = left + 1, j = right;
        SWAP((left + right) / 2, i);
        if (x[i] > x[right]) SWAP(i, right);
        if (x[left] > x[right]) SWAP(left, right);
        if (x[i] > x[left]) SWAP(i, left);
        float pivot = x[left];
        for (;;) {
            while (x[++i] < pivot) {}
            while (x[--j] > pivot) {}
            if (j < i) break;
            SWAP(i, j);
        }
        SWAP(left, j);
        parts(x, p, i, right);
        right = j - 1;
    }
}

enum { ROW = 100, ROWS = 1000 };

static float unsorted[COUNT], sorted[COUNT];
static int positions[COUNT];

static void sort(float *x, int *p, const float *from, int count)
{
    for (int i = 0; i < count; i++) x[i] = from[i], p[i] = i + 1;
    parts(x, p, 0, count - 1);
    for (int i = 1; i < count; i++)
        for (int j = i; j > 0 && x[j - 1] > x[j]; j--) SWAP(j, j - 1);
}

static void sort_rows(long first, long last)
{
    for (long i = first * ROWS / COUNT; i < last * ROWS / COUNT; i++)
        sort(sorted + i * ROW, positions + i * ROW, unsorted + i * ROW, ROW);
}

static void draw(int kinds)
{
    for (int i = 0; i < COUNT; i++) unsorted[i] = rand() % kinds;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e9 + t.tv_nsec;
}

static double best_of(work_t *f)
{
    double best = 1e18;
    work = f;
    for (int run = 0; run < RUNS; run++) {
        double start = now();
        for (int turn = 0; turn < TURNS; turn++) {
            if (f == twice || f == fill || f == rows) r = blocks[turn % BLOCKS];
            if (f == columns) factorize();
            int job = atomic_load(&offered) + 1;
            atomic_store(&offered, job);
            f(0, COUNT / 2);
            while (atomic_load(&done) != job) _mm_pause();
        }
        double spent = (now() - start) / TURNS;
        if (spent < best) best = spent;
    }
    return best;
}

static double best_of_small(small_t *f, long count)
{
    static double memory[NEW_BYTES / 8];
    const long blocks = NEW_BYTES / 8 / count, turns = NEW_COUNT / count;
    double best = 1e18;
    for (int run = 0; run < RUNS; run++) {
        double start = now();
        for (long turn = 0; turn < turns; turn++) f(memory + turn % blocks * count, count);
        double spent = (now() - start) / turns;
        if (spent < best) best = spent;
    }
    return best;
}

static double best_of_sort(void)
{
    double best = 1e18;
    for (int run = 0; run < RUNS; run++) {
        double start = now();
        sort(sorted, positions, unsorted, COUNT);
        double spent = now() - start;
        if (spent < best) best = spent;
    }
    return best;
}

int main(int count, char **arguments)
{
    void *library = count > 1 ? dlopen(arguments[1], RTLD_NOW) : NULL;
    if (!library || !(factor = (factor_t *)dlsym(library, "scipy_dgetrf_"))
        || !(solve = (solve_t *)dlsym(library, "scipy_dgetrs_"))) {
        fprintf(stderr, "usage: limit <libscipy_openblas...so>\n");
        return 1;
    }
    for (int i = 0; i < ORDER * ORDER; i++) general[i] = rand() / (double)RAND_MAX;
    double **all[] = {&a, &b, &blocks[0], &blocks[1]};
    for (int k = 0; k < 4; k++) {
        *all[k] = aligned_alloc(64, COUNT * sizeof(double));
        for (long i = 0; i < COUNT; i++) (*all[k])[i] = 1;
    }
    r = blocks[0];
    pthread_t thread;
    pthread_create(&thread, NULL, second, NULL);
    printf("r:cmul(a, b)\t%.0f\n", best_of(multiply));
    printf("r:mul(1.0000001)\t%.0f\n", best_of(scale));
    printf("torch.pow(r, a, 2)\t%.0f\n", best_of(square));
    printf("r:add(a)\t%.0f\n", best_of(add));
    printf("a * 2\t%.0f\n", best_of(twice));
    printf("torch.Tensor(1000, 1000):fill(1)\t%.0f\n", best_of(fill));
    printf("a:index(1, k) of 500 rows\t%.0f\n", best_of(rows));
    printf("a + b of 100x100\t%.0f\n", best_of_small(small_sum, 10000));
    printf("a * 2 of 100x100\t%.0f\n", best_of_small(small_twice, 10000));
    printf("torch.zeros(100, 100)\t%.0f\n", best_of_small(small_zeros, 10000));
    printf("x:clone() of 32x32\t%.0f\n", best_of_small(small_copy, 1024));
    draw(10);
    printf("a:sort(2) 1000x100, ten values\t%.0f\n", best_of(sort_rows));
    draw(1 << 24);
    printf("a:sort() of 10^6 floats\t%.0f\n", best_of_sort());
    printf("torch.gesv(g, g) 200x200\t%.0f\n", best_of(columns));
}
