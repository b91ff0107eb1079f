/* Images of other sizes and geometries: outputs are weighted sums of inputs. */
#include "image/sampling.h"
#include "base.h"
#include "image/positions.h"
#include "parallel_for.h"
#include "types.h"

enum {
    BLOCK = 512, /* sums that are added to row by row */
    LINES = 8,   /* rows of a chunk of samples are multiples of this */
};
/* Nanoseconds for a tap of planned rows; for reading a tap at a computed position, and for the position. */
static const double TAP = 0.8, READ = 1, POSITION = 4;

typedef struct {
    char *to;
    const char *from;
    int64_t height, width, rows, columns;
    const int32_t *row_at, *column_at;
} nearest;

#define T double
#define SUM double
#define ROUND(v) (v)
#define NAME(f) f##_Double
#include "image/sampling_body.h"

#define T float
#define SUM float
#define ROUND(v) ((float)(v))
#define NAME(f) f##_Float
#include "image/sampling_body.h"

/* NaN becomes 0. */
static inline uint8_t byte_of(float v) { return (uint8_t)(v + 0.5F > 0 ? v + 0.5F < 255 ? v + 0.5F : 255 : 0); }
#define T uint8_t
#define SUM float
#define ROUND(v) byte_of(v)
#define NAME(f) f##_Byte
#include "image/sampling_body.h"

#define OF_TYPE(type, f) ((type) == DOUBLE ? f##_Double : (type) == FLOAT ? f##_Float : f##_Byte)

void t7_sample_along(int32_t type, const t7_taps *t, int64_t rows) {
    t7_parallel_for(OF_TYPE(type, along), (void *)t, rows, 1, TAP * rows * t->width * (t->taps + 1));
}

void t7_sample_across(int32_t type, const t7_taps *t, int64_t rows) {
    t7_parallel_for(OF_TYPE(type, across), (void *)t, rows, 1, TAP * rows * t->width * (t->taps + 1));
}

void t7_sample_nearest(int32_t type, char *to, const char *from, int64_t planes, int64_t height, int64_t width,
                       int64_t rows, int64_t columns, const int32_t *row_at, const int32_t *column_at) {
    nearest n = {to, from, height, width, rows, columns, row_at, column_at};
    t7_parallel_for(OF_TYPE(type, nearest_rows), &n, planes * rows, 1, READ * planes * rows * columns);
}

void t7_sample(int32_t type, const t7_sampling *s) {
    double taps = (double)s->to_height * s->to_width * t7_taps_of(s->mode);
    t7_parallel_for(OF_TYPE(type, sampled_rows), (void *)s, s->to_height, LINES, taps * (POSITION + s->planes * READ));
}
