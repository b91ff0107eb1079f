#include <stdint.h>
#pragma GCC visibility push(default)
/* Batch normalization of `images` with `planes` of `area` elements, of Floats or doubles. With `train` the statistics
   are those of the batch: they go to `save_mean` and `save_std`, one over the standard deviation, and with momentum to
   the running ones; else they are the running ones. weight and bias are null together. Backward reads x and g, the
   gradient of the output; it writes r, and adds gradients times scale to grad_weight and grad_bias; each of the three
   may be null. */
typedef struct {
    const void *x, *g, *weight, *bias;
    void *y, *r, *grad_weight, *grad_bias, *save_mean, *save_std, *running_mean, *running_var;
    double images, planes, area, eps, momentum, scale;
    int32_t train;
} t7_batch_norm;

void t7_batch_norm_forward_Float(const t7_batch_norm *call);
void t7_batch_norm_forward_Double(const t7_batch_norm *call);
void t7_batch_norm_backward_Float(const t7_batch_norm *call);
void t7_batch_norm_backward_Double(const t7_batch_norm *call);
#pragma GCC visibility pop
