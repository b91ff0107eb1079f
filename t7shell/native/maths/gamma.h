/* The logarithm of the absolute value of the gamma function, by the C library: the only function whose last digits
   depend on the system. */
#pragma once
#include "base.h"

INLINE double gammaln_d(double x) { return lgamma(x); }
INLINE float gammaln_f(float x) { return (float)lgamma((double)x); }
