#include <stdint.h>
#pragma GCC visibility push(default)
/* Rows of n elements. Equal elements are in the order of Torch7's quicksort and quickselect; NaN is the largest, zeros
   are equal. Types are numbered as in torch.base.types; indices count from 1. The functions return 0 without
   memory. */

/* Rows in order, with their indices. */
int32_t t7_sort_rows(int32_t type, int32_t descending, void *values, int64_t *indices, const void *x, int64_t rows,
                     int64_t n);
/* Of each row the element of rank k, from 0; and the most frequent one: the last of the first longest run of the sorted
   row. */
int32_t t7_kth_rows(int32_t type, void *values, int64_t *indices, const void *x, int64_t rows, int64_t n, int64_t k);
int32_t t7_mode_rows(int32_t type, void *values, int64_t *indices, const void *x, int64_t rows, int64_t n);
/* The k smallest, or largest, of each row, sorted or in any order: few of them are sorted in any case. */
int32_t t7_topk_rows(int32_t type, int32_t largest, int32_t sorted, void *values, int64_t *indices, const void *x,
                     int64_t rows, int64_t n, int64_t k);
#pragma GCC visibility pop
