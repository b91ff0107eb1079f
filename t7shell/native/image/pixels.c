/* Pixels of pictures and planes of images. See docs/decisions/0022-pixels-of-pictures.md. */
#include "image/pixels.h"
#include "maths/integers.h"
#include "parallel_for.h"
#include "types.h"

enum { UNIT = 1024, BLOCK = 1024 }; /* pixels */
static const double ELEMENT = 0.5;  /* nanoseconds */

typedef struct {
    char *to;
    const char *from;
    int64_t count;
    int32_t kind;
} job;

#define T double
#define OF_BYTE(v) ((v) / 255.0)
#define OF_DEEP(v) ((v) / 65535.0)
#define OF_FLOAT(v) (v)
#define STEPS(v) ((uint8_t)(int32_t)(((v) > 0 ? (v) < 1 ? (v) : 1 : 0) * 255 + 1e-9))
#define NAME(f) f##_Double
#include "image/pixels_body.h"

#define T float
#define OF_BYTE(v) ((float)(v) / 255.0f)
#define OF_DEEP(v) ((T)((v) / 65535.0))
#define OF_FLOAT(v) (v)
#define STEPS(v) ((uint8_t)(int32_t)(((v) > 0 ? (v) < 1 ? (v) : 1 : 0) * 255 + 3e-5f))
#define NAME(f) f##_Float
#include "image/pixels_body.h"

#define T uint8_t
#define OF_BYTE(v) (v)
#define OF_DEEP(v) ((T)((v) >> 8))
#define OF_FLOAT(v) ((T)whole_d((v) * 255))
#define STEPS(v) (v)
#define NAME(f) f##_Byte
#include "image/pixels_body.h"

#define OF_TYPE(type, f) ((type) == DOUBLE ? f##_Double : (type) == FLOAT ? f##_Float : f##_Byte)

void t7_pixels_to_planes(int32_t type, int32_t kind, char *to, const char *from, int64_t count) {
    job j = {to, from, count, kind};
    t7_parallel_for(OF_TYPE(type, to_planes), &j, count, UNIT, ELEMENT * count * (kind > 4 ? 1 : kind));
}

void t7_planes_to_pixels(int32_t type, int32_t planes, char *to, const char *from, int64_t count) {
    job j = {to, from, count, planes};
    t7_parallel_for(OF_TYPE(type, to_pixels), &j, count, UNIT, ELEMENT * count * planes);
}
