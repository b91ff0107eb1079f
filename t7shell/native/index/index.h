#include <stdint.h>
#pragma GCC visibility push(default)
/* Indices count from 1, and are checked. Sizes are those of an element in bytes, types numbered as in
   torch.base.types. */

/* The position of the first of n indices that is not from `low` to `high`, which are not negative; n if all are. */
int64_t t7_find_outside(const int64_t *indices, int64_t n, int64_t low, int64_t high);

/* Between values[j * values_row + k * values_step] and
   indexed[j * indexed_row + k * step + (indices[j * index_row + k] - 1) * stride], for `rows` rows of `count`. */
void t7_gather(int32_t size, void *values, int64_t values_row, int64_t values_step, const void *indexed,
               int64_t indexed_row, int64_t step, const int64_t *indices, int64_t index_row, int64_t stride,
               int64_t count, int64_t rows);
void t7_scatter(int32_t size, const void *values, int64_t values_row, int64_t values_step, void *indexed,
                int64_t indexed_row, int64_t step, const int64_t *indices, int64_t index_row, int64_t stride,
                int64_t count, int64_t rows);
void t7_scatter_add(int32_t type, const void *values, int64_t values_row, int64_t values_step, void *indexed,
                    int64_t indexed_row, int64_t step, const int64_t *indices, int64_t index_row, int64_t stride,
                    int64_t count, int64_t rows);

/* Slices of contiguous elements, `count` of each of `outer` parts of `size` slices: copied from their indices, to them,
   or added there. */
void t7_gather_slices(void *to, const void *from, int64_t bytes, int64_t outer, int64_t size, const int64_t *indices,
                      int64_t count);
void t7_scatter_slices(void *to, const void *from, int64_t bytes, int64_t outer, int64_t size, const int64_t *indices,
                       int64_t count);
void t7_add_slices(int32_t type, void *to, const void *from, int64_t inner, int64_t outer, int64_t size,
                   const int64_t *indices, int64_t count);

/* How many of n bytes are 1; -1 if some are neither 0 nor 1. */
int64_t t7_count_ones(const uint8_t *mask, int64_t n);
/* The elements whose byte is 1, in order, and one more; the elements there, from `from` in order, or a value. */
void t7_masked_select(int32_t size, void *to, const void *from, const uint8_t *mask, int64_t n);
void t7_masked_copy(int32_t size, void *to, const void *from, const uint8_t *mask, int64_t n);
void t7_masked_fill(int32_t size, void *to, const void *value, const uint8_t *mask, int64_t n);
/* to[k] = x[k * x_step] where the byte is not 0, else y[k * y_step]. */
void t7_where(int32_t size, void *to, const uint8_t *mask, const void *x, int64_t x_step, const void *y, int64_t y_step,
              int64_t n);

/* The positions, from 0, of elements that are not 0, and space for one more; their number. */
int64_t t7_nonzero(int32_t type, int64_t *positions, const void *x, int64_t n);
/* Ascending positions become those of rows of `size`; to[k * step] the index in the row. */
void t7_split_positions(int64_t *to, int64_t step, int64_t *positions, int64_t n, int64_t size);
#pragma GCC visibility pop
