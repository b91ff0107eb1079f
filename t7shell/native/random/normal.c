/* Normal numbers. Box and Muller: two uniform numbers x and y make two normal ones, rho cos(2 pi x) and rho sin(2 pi x)
   with rho = sqrt(-2 log(1 - y)). See docs/decisions/0015-normal-distribution.md. Sines and cosines are those of the C
   library to the last bit, but most are computed here: an angle is a multiple of a 1024th turn, whose sine and cosine
   are in a table of double-double numbers, plus a rest, for which short series suffice. The rounding error of their sum
   tells whether the C library, with errors below 0.53 ulp, rounds in the same way; where it may not, for one number in
   nine, it is called after a first pass without branches. */
#include "random/normal.h"
#include "maths/basic.h"
#include "parallel_for.h"
#include "types.h"
#include <stdatomic.h>

enum {
    PARTS = 1024, /* of a turn */
    QUARTER = PARTS / 4,
    BLOCK = 256,          /* pairs that are computed together */
    MIN_TABLE_PAIRS = 32, /* the C library computes all of fewer pairs */
    BATCH = 2048          /* pairs that are drawn together */
};
static const double TWO_PI = 6.283185307179586, NS_PER_PAIR = 20;

/* Sines of the multiples of a 1024th turn up to 5/4 and their low parts; cosines are a quarter turn later. */
static double sines[PARTS + QUARTER + 1][2];
static int library_agrees;

INLINE void dd_add(double a, double a_rest, double b, double b_rest, double *to) {
    double rest, s = two_sum_d(a, b, &rest);
    to[0] = two_sum_d(s, rest + (a_rest + b_rest), to + 1);
}

INLINE void dd_multiply(double a, double a_rest, double b, double b_rest, double *to) {
    double rest, p = two_product_d(a, b, &rest);
    to[0] = two_sum_d(p, rest + (a * b_rest + a_rest * b), to + 1);
}

static void make_table(void) {
    static const double S = 0.006135884649154475, S_REST = 9.054525748247493e-20;
    static const double C = 0.9999811752826011, C_REST = 3.3568103522895585e-17;
    double s[2] = {0, 0}, c[2] = {1, 0}, p[2], q[2], t[2], u[2];
    for (int i = 0; i <= PARTS + QUARTER; i++) {
        sines[i][0] = s[0], sines[i][1] = s[1];
        dd_multiply(s[0], s[1], C, C_REST, p), dd_multiply(c[0], c[1], S, S_REST, q);
        dd_multiply(c[0], c[1], C, C_REST, t), dd_multiply(s[0], s[1], S, S_REST, u);
        dd_add(p[0], p[1], q[0], q[1], s), dd_add(t[0], t[1], -u[0], -u[1], c);
    }
}

/* The sine and cosine of x turns, and whether their rounding errors are near half an ulp. STEP and REST are 2 pi /
   1024: products of the first with integers up to 1024 are exact. Half an ulp and 0.03 are FACTOR times half an ulp;
   MARGIN bounds the errors made here. */
INLINE void sincos_of_turns(double x, double *sine, double *cosine, int64_t *no_sine, int64_t *no_cosine) {
    const double STEP = 0.006135923151539657, REST = 2.9076357345650872e-15, FACTOR = 1.0638, MARGIN = 1e-18;
    double part = __builtin_floor(x * PARTS + 0.5), r = (TWO_PI * x - part * STEP) - part * REST;
    const double *row = sines[(int32_t)part];
    double s = row[0], s_rest = row[1], c = row[2 * QUARTER], c_rest = row[2 * QUARTER + 1], r2 = r * r;
    double p = r + r * r2 * (r2 * (1.0 / 120) - 1.0 / 6);
    double q = r2 * (r2 * (1.0 / 24 - r2 * (1.0 / 720)) - 0.5);
    double t = c * p + (s * q + (s_rest + c_rest * r)), u = c * q - s * p + (c_rest - s_rest * r);
    double v = s + t, w = c + u, v_size = abs_d(v), w_size = abs_d(w);
    *sine = v, *cosine = w;
    *no_sine = v_size - (v_size - (abs_d((s - v) + t) * FACTOR + MARGIN)) > 0;
    *no_cosine = w_size - (w_size - (abs_d((c - w) + u) * FACTOR + MARGIN)) > 0;
}

/* The normal numbers of n pairs of uniform ones. */
static void by_library(const double *uniform, double *z, int64_t n) {
    for (int64_t i = 0; i < 2 * n; i += 2) {
        double angle = TWO_PI * uniform[i], rho = sqrt(-2 * log(1 - uniform[i + 1]));
        z[i] = rho * cos(angle), z[i + 1] = rho * sin(angle);
    }
}

static void by_table(const double *uniform, double *z, int64_t n) {
    double rho[BLOCK];
    int64_t unsure[2 * BLOCK];
    for (int64_t i = 0; i < n; i++) rho[i] = log(1 - uniform[2 * i + 1]);
    INDEPENDENT
    for (int64_t i = 0; i < n; i++) {
        double sine, cosine, r = __builtin_sqrt(-2 * rho[i]);
        sincos_of_turns(uniform[2 * i], &sine, &cosine, unsure + 2 * i + 1, unsure + 2 * i);
        rho[i] = r, z[2 * i] = r * cosine, z[2 * i + 1] = r * sine;
    }
    /* A list without branches, which would be taken at random. */
    int64_t list[2 * BLOCK], count = 0;
    for (int64_t i = 0; i < 2 * n; i++) {
        list[count] = i;
        count += unsure[i];
    }
    for (int64_t k = 0; k < count; k++) {
        int64_t i = list[k];
        double angle = TWO_PI * uniform[i & ~1];
        z[i] = rho[i / 2] * (i & 1 ? sin(angle) : cos(angle));
    }
}

/* Whether the C library in use rounds as expected, by 4096 angles. */
static int check_library(void) {
    double uniform[2 * BLOCK], z[2 * BLOCK], expected[2 * BLOCK];
    for (int k = 0; k < 16; k++) {
        for (int i = 0; i < BLOCK; i++) {
            uniform[2 * i] = (uint32_t)(k * BLOCK + i) * 2654435769u * 0x1p-32;
            uniform[2 * i + 1] = 0.3934693402873666;
        }
        by_table(uniform, z, BLOCK);
        by_library(uniform, expected, BLOCK);
        if (memcmp(z, expected, sizeof z)) return 0;
    }
    return 1;
}

static void prepare(void) {
    static atomic_int prepared;
    static atomic_flag busy = ATOMIC_FLAG_INIT;
    if (atomic_load_explicit(&prepared, memory_order_acquire)) return;
    while (atomic_flag_test_and_set(&busy)) {}
    if (!atomic_load(&prepared)) {
        make_table();
        library_agrees = check_library();
        atomic_store_explicit(&prepared, 1, memory_order_release);
    }
    atomic_flag_clear(&busy);
}

typedef struct {
    const double *uniform;
    char *to;
    int64_t step;
    double a, b;
    int32_t type, kind;
} fill;

INLINE double transform(int32_t kind, double z, double a, double b) {
    if (kind == T7_STANDARD) return z;
    return kind == T7_NORMAL ? z * b + a : exp(z * b + a);
}

static void store_pairs(const fill *p, double *z, int64_t first, int64_t n) {
    if (p->kind != T7_STANDARD) {
        for (int64_t i = 0; i < n; i++) z[i] = z[i] * p->b + p->a;
    }
    if (p->kind == T7_LOG_NORMAL) {
        for (int64_t i = 0; i < n; i++) z[i] = exp(z[i]);
    }
    if (p->type == FLOAT) {
        float *to = (float *)p->to + first * p->step;
        for (int64_t i = 0; i < n; i++) to[i * p->step] = (float)z[i];
    } else {
        double *to = (double *)p->to + first * p->step;
        for (int64_t i = 0; i < n; i++) to[i * p->step] = z[i];
    }
}

static void run_pairs(void *data, int64_t from, int64_t to) {
    const fill *p = data;
    double z[2 * BLOCK];
    for (int64_t i = from; i < to; i += BLOCK) {
        int64_t n = min_i(to - i, BLOCK);
        (library_agrees && to - from >= MIN_TABLE_PAIRS ? by_table : by_library)(p->uniform + 2 * i, z, n);
        store_pairs(p, z, 2 * i, 2 * n);
    }
}

INLINE double uniform(t7_generator *g) {
    if (g->left > 1) {
        g->left--;
        return g->unit[g->next++];
    }
    double x;
    t7_twister_draw(g, &x, 1);
    return x;
}

static double next_number(t7_generator *g) {
    if (g->normal_valid) {
        g->normal_valid = 0;
        return g->normal_rho * sin(TWO_PI * g->normal_x);
    }
    g->normal_x = uniform(g), g->normal_y = uniform(g);
    g->normal_rho = sqrt(-2 * log(1 - g->normal_y)), g->normal_valid = 1;
    return g->normal_rho * cos(TWO_PI * g->normal_x);
}

double t7_normal_number(t7_generator *g, int32_t kind, double a, double b) {
    return transform(kind, next_number(g), a, b);
}

void t7_normal_fill(t7_generator *g, int32_t type, int32_t kind, char *to, int64_t step, int64_t count, double a,
                    double b) {
    double numbers[2 * BATCH];
    fill p = {numbers, to, step, a, b, type, kind};
    const int64_t by = step * type_size(type);
    double z;
    if (count > 0 && g->normal_valid) {
        z = next_number(g);
        store_pairs(&p, &z, 0, 1);
        p.to += by, count--;
    }
    if (count > 1) prepare();
    for (int64_t n; count > 1; count -= 2 * n) {
        n = min_i(count / 2, BATCH);
        t7_twister_draw(g, numbers, 2 * n);
        t7_parallel_for(run_pairs, &p, n, MIN_TABLE_PAIRS, NS_PER_PAIR * n);
        g->normal_x = numbers[2 * n - 2], g->normal_y = numbers[2 * n - 1];
        g->normal_rho = sqrt(-2 * log(1 - g->normal_y));
        p.to += 2 * n * by;
    }
    if (count > 0) {
        z = next_number(g);
        store_pairs(&p, &z, 0, 1);
    }
}
