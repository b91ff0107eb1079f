/* Pixels of pictures and planes of images. See docs/decisions/0022-pixels-of-pictures.md. */
#include "image/pixels.h"
#include "maths/integers.h"
#include "parallel_for.h"
#include "types.h"

enum { UNIT = 1024, BLOCK = 1024 }; /* pixels */
static const double NS_PER_ELEMENT = 0.5;

typedef struct {
    char *to;
    const char *from;
    int64_t count;
    int32_t kind;
} job;

/* By type: elements of the values of pixels, and an element in steps of 255. */
INLINE double of_byte_Double(uint8_t v) { return v / 255.0; }
INLINE float of_byte_Float(uint8_t v) { return (float)v / 255.0f; }
INLINE uint8_t of_byte_Byte(uint8_t v) { return v; }
INLINE double of_deep_Double(int32_t v) { return v / 65535.0; }
INLINE float of_deep_Float(int32_t v) { return (float)(v / 65535.0); }
INLINE uint8_t of_deep_Byte(int32_t v) { return (uint8_t)(v >> 8); }
INLINE double of_float_Double(float v) { return v; }
INLINE float of_float_Float(float v) { return v; }
INLINE uint8_t of_float_Byte(float v) { return (uint8_t)double_to_long(v * 255); }
INLINE uint8_t steps_Double(double v) { return (uint8_t)(int32_t)((v > 0 ? v < 1 ? v : 1 : 0) * 255 + 1e-9); }
INLINE uint8_t steps_Float(float v) { return (uint8_t)(int32_t)((v > 0 ? v < 1 ? v : 1 : 0) * 255 + 3e-5f); }
INLINE uint8_t steps_Byte(uint8_t v) { return v; }

#define BODY "image/pixels_body.h"
#include "image/for_image_types.h"

void t7_pixels_to_planes(int32_t type, int32_t kind, char *to, const char *from, int64_t count) {
    job j = {to, from, count, kind};
    static t7_chunk *const by_type[] = {FOR_IMAGE_TYPES(to_planes)};
    t7_parallel_for(by_type[type], &j, count, UNIT, NS_PER_ELEMENT * count * (kind > 4 ? 1 : kind));
}

void t7_planes_to_pixels(int32_t type, int32_t planes, char *to, const char *from, int64_t count) {
    job j = {to, from, count, planes};
    static t7_chunk *const by_type[] = {FOR_IMAGE_TYPES(to_pixels)};
    t7_parallel_for(by_type[type], &j, count, UNIT, NS_PER_ELEMENT * count * planes);
}
