#pragma once
#include "elementwise.h"
#pragma GCC visibility push(default)
/* The kernel that converts elements between types of these names; null where there is none. */
t7_kernel *t7_find_conversion(const char *to, const char *from);

/* On all cores: copies bytes; fills `total` bytes with their first 32; copies slices of `bytes` bytes by indices from 1
   on. Source and target do not overlap. */
void t7_move(char *to, const char *from, int64_t bytes);
void t7_fill(char *first, int64_t total);
void t7_copy_slices(char *to, const char *from, const int64_t *indices, int64_t bytes, int64_t count);

/* A loop nest that copies elements of `size` bytes, the innermost loop first; steps are in bytes. */
typedef struct {
    char *to, *from;
    int64_t size, loops, count[4], to_step[4], from_step[4];
} t7_nest;

/* Copies in any order, on all cores if iterations of the outermost loop write to different memory. */
void t7_copy_nest(const t7_nest *nest, int shared);
#pragma GCC visibility pop
