/* Losses of classes. */
#include "nn/classes.h"
#include "vectors.h"

double t7_find_invalid_class(double n, const int64_t *target, double classes, double ignored) {
    for (int64_t i = 0; i < (int64_t)n; i++)
        if (!(target[i] >= 1 && target[i] <= classes) && target[i] != ignored) return (double)i;
    return -1;
}

enum { BLOCK = 256 }; /* losses that are computed before they are added up */

#define BODY "nn/classes_body.h"
#include "for_floating_types.h"
