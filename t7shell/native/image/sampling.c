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
/* Taps of planned rows, and taps at computed positions. */
static const double NS_PER_TAP = 0.8, NS_PER_READ = 1, NS_PER_POSITION = 4;

typedef struct {
    char *to;
    const char *from;
    int64_t plane_step, row_step, step, rows, columns;
    const int32_t *row_at, *column_at;
} nearest;

/* The type in which the original computes elements. */
typedef double intermediate_Double;
typedef float intermediate_Float, intermediate_Byte;

/* An element of a sum; for bytes NaN becomes 0. */
INLINE double round_Double(double v) { return v; }
INLINE float round_Float(double v) { return (float)v; }
INLINE uint8_t round_Byte(float v) { return (uint8_t)(v + 0.5F > 0 ? v + 0.5F < 255 ? v + 0.5F : 255 : 0); }

#define BODY "image/sampling_body.h"
#include "image/for_image_types.h"

void t7_sample_along(int32_t type, const t7_taps *t, int64_t rows) {
    static t7_chunk *const by_type[] = {FOR_IMAGE_TYPES(along)};
    t7_parallel_for(by_type[type], (void *)t, rows, 1, NS_PER_TAP * rows * t->width * (t->taps + 1));
}

void t7_sample_across(int32_t type, const t7_taps *t, int64_t rows) {
    static t7_chunk *const by_type[] = {FOR_IMAGE_TYPES(across)};
    t7_parallel_for(by_type[type], (void *)t, rows, 1, NS_PER_TAP * rows * t->width * (t->taps + 1));
}

void t7_sample_nearest(int32_t type, char *to, const char *from, int64_t planes, int64_t plane_step, int64_t row_step,
                       int64_t step, int64_t rows, int64_t columns, const int32_t *row_at, const int32_t *column_at) {
    nearest n = {to, from, plane_step, row_step, step, rows, columns, row_at, column_at};
    static t7_chunk *const by_type[] = {FOR_IMAGE_TYPES(nearest_rows)};
    t7_parallel_for(by_type[type], &n, planes * rows, 1, NS_PER_READ * planes * rows * columns);
}

void t7_sample(int32_t type, const t7_sampling *s) {
    double taps = (double)s->to_height * s->to_width * t7_taps_of(s->mode);
    static t7_chunk *const by_type[] = {FOR_IMAGE_TYPES(sampled_rows)};
    t7_parallel_for(by_type[type], (void *)s, s->to_height, LINES, taps * (NS_PER_POSITION + s->planes * NS_PER_READ));
}
