/* Calls of element-wise kernels for vectors and rows, on all cores. */
#include "elementwise.h"
#include "blocks.h"
#include "parallel_for.h"

enum {
    UNIT = 64,          /* chunks of elements begin at multiples of it */
    NS_PER_CALL = 8,    /* of a kernel */
    MIN_ROWS = 8,       /* fewer rows are divided by columns */
    BLOCK_SIZE = 32768, /* elements of a total that are added up by one core */
    ROW_BLOCKS = 8,     /* of the rows of column sums */
    PARTIAL_SUMS = 16,
    MIN_PARALLEL_NS = 4000, /* what repays a second core */
};

/* Whether writing the result cannot change elements that other chunks read: both are the same elements, or apart. */
static int is_apart(const t7_call *c, int64_t count) {
    int last = c->operands - 1;
    const char *z = c->begin[last];
    int64_t step = c->step[last];
    if (step <= 0) return 0;
    for (int k = 0; k < last; k++) {
        const char *x = c->begin[k];
        if (x == z && c->step[k] == step) continue;
        if (!(x + c->step[k] * count <= z || z + step * count <= x)) return 0;
    }
    return 1;
}

static void elements(void *data, int64_t from, int64_t to) {
    const t7_call *c = data;
    char *at[T7_OPERANDS];
    int64_t count = to - from;
    for (int k = 0; k < c->operands; k++) at[k] = c->begin[k] + from * c->step[k];
    c->kernel(at, &count, c->step, (void *)c->numbers);
}

void t7_run(t7_call *c, int64_t count) {
    double nanoseconds = count * c->work;
    if (nanoseconds < MIN_PARALLEL_NS || !is_apart(c, count)) {
        elements(c, 0, count);
    } else {
        t7_parallel_for(elements, c, count, UNIT, nanoseconds);
    }
}

/* The operands and numbers of a row. */
typedef struct {
    char *at[T7_OPERANDS];
    void *numbers[5];
} t7_row;

static void set_row(t7_row *r, const t7_call *c, int64_t row, int64_t column) {
    for (int k = 0; k < c->operands; k++) r->at[k] = c->begin[k] + row * c->row[k] + column * c->step[k];
    for (int k = 0; k < 4; k++) r->numbers[k] = (char *)c->numbers[k] + row * c->number_row[k];
    r->numbers[4] = c->numbers[4];
}

static void next_row(t7_row *r, const t7_call *c) {
    for (int k = 0; k < c->operands; k++) r->at[k] += c->row[k];
    for (int k = 0; k < 4; k++) r->numbers[k] = (char *)r->numbers[k] + c->number_row[k];
}

static void rows(void *data, int64_t from, int64_t to) {
    const t7_call *c = data;
    t7_row r;
    set_row(&r, c, from, 0);
    for (int64_t i = from; i < to; i++, next_row(&r, c)) c->kernel(r.at, &c->columns, c->step, r.numbers);
}

static void columns(void *data, int64_t from, int64_t to) {
    const t7_call *c = data;
    t7_row r;
    int64_t count = to - from;
    for (int64_t i = 0; i < c->rows; i++) {
        set_row(&r, c, i, from);
        c->kernel(r.at, &count, c->step, r.numbers);
    }
}

static double nanoseconds_of(const t7_call *c, int64_t row_count) {
    return row_count * (NS_PER_CALL + c->columns * c->work);
}

void t7_run_rows(t7_call *c) {
    if (c->rows < MIN_ROWS && c->columns > c->rows) {
        t7_parallel_for(columns, c, c->columns, UNIT, nanoseconds_of(c, c->rows));
    } else {
        t7_parallel_for(rows, c, c->rows, 1, nanoseconds_of(c, c->rows));
    }
}

/* Element k of results of `size` bytes each, a constant where this is inlined. */
INLINE double result_at(const char *results, int64_t k, const int size) {
    return size == 4 ? (double)((const float *)results)[k] : ((const double *)results)[k];
}

/* Adds elements to partial sums: the i-th one to that of i modulo PARTIAL_SUMS, of which n is a multiple. */
INLINE void add_to_partial_sums(double *sums, const char *x, int64_t n, const int size) {
    double s[PARTIAL_SUMS];
    memcpy(s, sums, sizeof s);
    for (int64_t i = 0; i < n; i += PARTIAL_SUMS) {
        for (int k = 0; k < PARTIAL_SUMS; k++) s[k] += result_at(x, i + k, size);
    }
    memcpy(sums, s, sizeof s);
}

/* The sum of a kernel's results for `count` elements. */
static double total(const t7_call *c, char **begin, void **numbers, int64_t count) {
    _Alignas(64) char results[BLOCK * 8];
    double sums[PARTIAL_SUMS];
    char *at[T7_OPERANDS];
    int64_t steps[T7_OPERANDS];
    int last = c->operands - 1, size = c->sizes[last];
    memcpy(at, begin, sizeof at);
    memcpy(steps, c->step, sizeof steps);
    at[last] = results;
    steps[last] = size;
    for (int k = 0; k < PARTIAL_SUMS; k++) sums[k] = 0;
    for (int64_t i = 0; i < count; i += BLOCK) {
        int64_t n = min_i(count - i, BLOCK), padded = ceil_div(n, PARTIAL_SUMS) * PARTIAL_SUMS;
        if (i > 0) {
            for (int k = 0; k < last; k++) at[k] += BLOCK * steps[k];
        }
        c->kernel(at, &n, steps, numbers);
        /* Zeros change no sum. */
        memset(results + n * size, 0, (padded - n) * size);
        if (size == 4) {
            add_to_partial_sums(sums, results, padded, 4);
        } else {
            add_to_partial_sums(sums, results, padded, 8);
        }
    }
    for (int width = PARTIAL_SUMS / 2; width > 0; width /= 2) {
        for (int k = 0; k < width; k++) sums[k] += sums[k + width];
    }
    return sums[0];
}

/* A call with the memory of its sums. */
typedef struct {
    t7_call *call;
    double *totals;
    int64_t count;
} t7_sums;

static void row_sums(void *data, int64_t from, int64_t to) {
    const t7_sums *s = data;
    t7_row r;
    set_row(&r, s->call, from, 0);
    for (int64_t i = from; i < to; i++, next_row(&r, s->call)) {
        s->totals[i] = total(s->call, r.at, r.numbers, s->call->columns);
    }
}

void t7_sum_rows(t7_call *c, double *totals) {
    t7_sums s = {c, totals, 0};
    t7_parallel_for(row_sums, &s, c->rows, 1, nanoseconds_of(c, c->rows));
}

static void block_sums(void *data, int64_t from, int64_t to) {
    const t7_sums *s = data;
    const t7_call *c = s->call;
    for (int64_t i = from; i < to; i++) {
        char *at[T7_OPERANDS];
        int64_t first = i * BLOCK_SIZE, count = min_i(s->count - first, BLOCK_SIZE);
        for (int k = 0; k < c->operands; k++) at[k] = c->begin[k] + first * c->step[k];
        s->totals[i] = total(c, at, (void **)c->numbers, count);
    }
}

void t7_sum_all(t7_call *c, int64_t count, double *result) {
    enum { MAX_BLOCKS = 256 };
    if (count <= BLOCK_SIZE) {
        *result = total(c, c->begin, c->numbers, count);
        return;
    }
    double sum = 0, totals[MAX_BLOCKS];
    t7_call part = *c;
    for (int64_t from = 0; from < count; from += MAX_BLOCKS * (int64_t)BLOCK_SIZE) {
        int64_t n = min_i(count - from, MAX_BLOCKS * (int64_t)BLOCK_SIZE);
        int64_t blocks = ceil_div(n, BLOCK_SIZE);
        for (int k = 0; k < c->operands; k++) part.begin[k] = c->begin[k] + from * c->step[k];
        t7_sums s = {&part, totals, n};
        t7_parallel_for(block_sums, &s, blocks, 1, n * c->work);
        for (int64_t i = 0; i < blocks; i++) sum += totals[i];
    }
    *result = sum;
}

/* Adds the results of some rows to the sums of columns from `from` to `to` - 1. */
static void add_rows(const t7_call *c, double *sums, int64_t first, int64_t end, int64_t from, int64_t to) {
    _Alignas(64) char results[BLOCK * 8];
    int64_t steps[T7_OPERANDS];
    int last = c->operands - 1;
    memcpy(steps, c->step, sizeof steps);
    steps[last] = c->sizes[last];
    for (int64_t j = from; j < to; j += BLOCK) {
        int64_t n = min_i(to - j, BLOCK);
        for (int64_t i = first; i < end; i++) {
            t7_row r;
            set_row(&r, c, i, j);
            r.at[last] = results;
            c->kernel(r.at, &n, steps, r.numbers);
            if (c->sizes[last] == 4) {
                for (int64_t k = 0; k < n; k++) sums[j + k] += result_at(results, k, 4);
            } else {
                for (int64_t k = 0; k < n; k++) sums[j + k] += result_at(results, k, 8);
            }
        }
    }
}

static void column_sums(void *data, int64_t from, int64_t to) {
    const t7_sums *s = data;
    memset(s->totals + from, 0, (to - from) * sizeof(double));
    add_rows(s->call, s->totals, 0, s->call->rows, from, to);
}

/* Blocks of rows have sums of their own. */
static void row_blocks(void *data, int64_t from, int64_t to) {
    const t7_sums *s = data;
    const t7_call *c = s->call;
    for (int64_t i = from; i < to; i++) {
        int64_t end = min_i((i + 1) * s->count, c->rows);
        double *sums = s->totals + i * c->columns;
        memset(sums, 0, c->columns * sizeof(double));
        add_rows(c, sums, i * s->count, end, 0, c->columns);
    }
}

void t7_sum_columns(t7_call *c, double *totals) {
    enum { MIN_BLOCKED_ROWS = 64, MAX_BLOCKED_COLUMNS = 1024 };
    t7_sums s = {c, totals, 0};
    if (c->rows < MIN_BLOCKED_ROWS || c->columns > MAX_BLOCKED_COLUMNS) {
        t7_parallel_for(column_sums, &s, c->columns, BLOCK, nanoseconds_of(c, c->rows));
        return;
    }
    double blocks[ROW_BLOCKS * MAX_BLOCKED_COLUMNS];
    s.totals = blocks;
    s.count = ceil_div(c->rows, ROW_BLOCKS);
    int64_t count = ceil_div(c->rows, s.count);
    t7_parallel_for(row_blocks, &s, count, 1, nanoseconds_of(c, c->rows));
    memcpy(totals, blocks, c->columns * sizeof(double));
    for (int64_t i = 1; i < count; i++) {
        for (int64_t j = 0; j < c->columns; j++) totals[j] += blocks[i * c->columns + j];
    }
}

void t7_run_steps(char **operands, const int64_t *count, const int64_t *steps, void *numbers) {
    const t7_steps *p = ((void **)numbers)[4];
    _Alignas(64) char scratch[T7_STEPS][BLOCK * 8];
    for (int64_t i = 0; i < *count; i += BLOCK) {
        int64_t n = min_i(*count - i, BLOCK);
        for (int k = 0; k < p->count; k++) {
            const t7_step *step = p->steps + k;
            char *at[4];
            int64_t by[4];
            for (int j = 0; j < step->count; j++) {
                int r = step->operands[j];
                if (r < p->operands) {
                    at[j] = operands[r] + i * steps[r];
                    by[j] = steps[r];
                } else if (p->number[r] || p->constant[r]) {
                    at[j] = p->number[r] ? ((void **)numbers)[p->number[r] - 1] : p->constant[r];
                    by[j] = 0;
                } else {
                    at[j] = scratch[r];
                    by[j] = p->size[r];
                }
            }
            step->kernel(at, &n, by, (void *)step->numbers);
        }
    }
}
