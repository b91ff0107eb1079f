#include <stdint.h>
#pragma GCC visibility push(default)
/* Pixels of pictures as Pillow has them, the values of a pixel side by side, and planes of images of Floats, doubles or
   bytes. Kinds of pixels: 1 to 4 are bytes of that number of planes, where three take the memory of four; whole numbers
   of 16 bits, and floats, are of one plane. */
enum { T7_16_BIT_PIXELS = 5, T7_FLOAT_PIXELS };

/* Writes `count` pixels to planes: fractions of white, or bytes. */
void t7_pixels_to_planes(int32_t type, int32_t kind, char *to, const char *from, int64_t count);

/* Writes pixels of 1 to 4 planes: bytes, or fractions of white in steps of 255, rounded down; what is beyond them is
   black or white, and NaN is black. Bytes that were divided by 255 are recovered exactly. */
void t7_planes_to_pixels(int32_t type, int32_t planes, char *to, const char *from, int64_t count);
#pragma GCC visibility pop
