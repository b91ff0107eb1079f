#pragma once
#include <stdint.h>
#pragma GCC visibility push(default)
/* A kernel has the arguments of NumPy's inner loops: where the operands begin, the result last; how many elements there
   are; the steps of operands in bytes; and the addresses of its numbers v, u, t and s, and of the record of
   t7_run_steps. */
typedef void t7_kernel(char **operands, const int64_t *count, const int64_t *steps, void *numbers);

/* The kernel of a program of the rows for the element type of that name, and nanoseconds for an element; null for
   programs that were not known when the library was built. */
t7_kernel *t7_find_program(const char *type, const char *text, double *work);

enum { T7_OPERANDS = 8, T7_STEPS = 24 };

/* A call of a kernel for elements or rows, whose operands have steps in bytes. Numbers of rows have a step,
   too: their addresses change from row to row. */
typedef struct {
    t7_kernel *kernel;
    void *numbers[5];
    double work;
    int32_t operands, sizes[T7_OPERANDS];
    char *begin[T7_OPERANDS];
    int64_t step[T7_OPERANDS], row[T7_OPERANDS], number_row[4];
    int64_t columns, rows;
} t7_call;

/* All of `count` elements; of `columns` elements in each of `rows` rows. */
void t7_run(t7_call *call, int64_t count);
void t7_run_rows(t7_call *call);

/* Sums of the results of a program of Floats (size 4) or doubles: of each row into doubles at `totals`; of all
   elements; of each column. The order of additions follows from sizes alone. */
void t7_sum_rows(t7_call *call, double *totals);
void t7_sum_all(t7_call *call, int64_t count, double *total);
void t7_sum_columns(t7_call *call, double *totals);

/* A program of several kernels, in blocks, by the kernel t7_run_steps. Registers are the operands of the call, one of
   its numbers by index from 1 on, a constant at an address, or scratch of `size` bytes an element. A step may have
   numbers of its own, and write into any operand. */
typedef struct {
    t7_kernel *kernel;
    void *numbers[5];
    int32_t operands[4], count;
} t7_step;
typedef struct {
    int32_t operands, registers, count, size[T7_STEPS], number[T7_STEPS];
    void *constant[T7_STEPS];
    t7_step steps[T7_STEPS];
} t7_steps;
t7_kernel t7_run_steps;
#pragma GCC visibility pop
