#include <stdint.h>
#pragma GCC visibility push(default)
/* Losses of classes, which are counted from 1. Scores x are `count` times `classes` planes of `step` elements; targets
   are checked, and those equal to `ignored` do not count. Weights of classes may be null. */

/* The number of the first of n targets that is neither a class nor ignored; -1 where there is none. */
double t7_find_invalid_class(double n, const int64_t *target, double classes, double ignored);

/* Minus the sum of the targets' scores by weight, and in *total the sum of the weights; and the gradient of the loss
   over a divisor. */
double t7_class_loss_Float(double count, double classes, double step, const float *x, const int64_t *target,
                           const float *weights, double ignored, double *total);
double t7_class_loss_Double(double count, double classes, double step, const double *x, const int64_t *target,
                            const double *weights, double ignored, double *total);
void t7_class_gradient_Float(double count, double classes, double step, const int64_t *target, const float *weights,
                             double ignored, double divisor, float *r);
void t7_class_gradient_Double(double count, double classes, double step, const int64_t *target, const double *weights,
                              double ignored, double divisor, double *r);

/* The sum of (margin - x[target] + x[j])^p where that is positive, for the other classes j and p = 1 or 2; and its
   gradient times a factor. */
double t7_class_margins_Float(double count, double classes, const float *x, const int64_t *target, double p,
                              double margin, const float *weights);
double t7_class_margins_Double(double count, double classes, const double *x, const int64_t *target, double p,
                               double margin, const double *weights);
void t7_class_margins_gradient_Float(double count, double classes, const float *x, const int64_t *target, double p,
                                     double margin, const float *weights, double factor, float *r);
void t7_class_margins_gradient_Double(double count, double classes, const double *x, const int64_t *target, double p,
                                      double margin, const double *weights, double factor, double *r);

/* The same for rows of several targets, which end with a 0 or the row: the elements of `marks` become 1 for targets. */
double t7_label_margins_Float(double count, double classes, const float *x, const int64_t *target, float *marks);
double t7_label_margins_Double(double count, double classes, const double *x, const int64_t *target, double *marks);
void t7_label_margins_gradient_Float(double count, double classes, const float *x, const int64_t *target, double factor,
                                     float *marks, float *r);
void t7_label_margins_gradient_Double(double count, double classes, const double *x, const int64_t *target,
                                      double factor, double *marks, double *r);
#pragma GCC visibility pop
