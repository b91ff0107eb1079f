#include <stdint.h>
#pragma GCC visibility push(default)
/* Conversions between colour spaces, of images of Floats, doubles and bytes. CIELAB is of Floats and doubles alone. */
enum { T7_RGB2HSL, T7_RGB2HSV, T7_HSL2RGB, T7_HSV2RGB, T7_RGB2LAB, T7_LAB2RGB, T7_RGB2NRGB };

/* Converts `count` pixels of three planes of as many elements. */
void t7_convert_colours(int32_t type, int32_t conversion, char *to, const char *from, int64_t count);
#pragma GCC visibility pop
