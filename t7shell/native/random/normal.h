#include "random/twister.h"
#pragma GCC visibility push(default)
/* What an element is of a normal number z of mean 0 and deviation 1: z, z * b + a, or exp(z * b + a). */
enum { T7_STANDARD, T7_NORMAL, T7_LOG_NORMAL };

/* Sets `count` elements of Floats or doubles (`type`), `step` elements apart; the next number alone. The generator has
   been seeded. */
void t7_normal_fill(t7_generator *g, int32_t type, int32_t kind, char *to, int64_t step, int64_t count, double a,
                    double b);
double t7_normal_number(t7_generator *g, int32_t kind, double a, double b);
#pragma GCC visibility pop
