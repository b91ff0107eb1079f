#include <stdint.h>
#pragma GCC visibility push(default)
/* The sizes of a convolution between images and maps of time, height and width. An image is the side that windows move
   over: the input of a convolution, the output of a transposed one. `planes` of an image and `outputs`, planes of the
   map, count those of one group; group g has the planes g * planes and on. Weights are laid out as outputs x groups x
   planes x kernel, biases of maps as outputs x groups. Whole numbers are doubles, which Lua reads as they are. */
typedef struct {
    double images, groups, planes, outputs;
    double image[3], kernel[3], stride[3], pad[3], dilation[3], map[3];
} t7_conv_shape;

/* Bytes of scratch memory that each of the next three may use, for elements of `size` bytes. */
double t7_conv_scratch(const t7_conv_shape *shape, double size);

/* map = weight * image + bias; bias may be null. */
void t7_conv_forward_Float(const t7_conv_shape *shape, const float *image, const float *weight, const float *bias,
                           float *map, void *scratch);
void t7_conv_forward_Double(const t7_conv_shape *shape, const double *image, const double *weight, const double *bias,
                            double *map, void *scratch);

/* image = the transposed convolution of the map with weight, + bias of a plane. */
void t7_conv_back_Float(const t7_conv_shape *shape, const float *map, const float *weight, const float *bias,
                        float *image, void *scratch);
void t7_conv_back_Double(const t7_conv_shape *shape, const double *map, const double *weight, const double *bias,
                         double *image, void *scratch);

/* weight += scale * the sums over pixels of map times what a weight reads of the image. */
void t7_conv_weights_Float(const t7_conv_shape *shape, const float *image, const float *map, double scale,
                           float *weight, void *scratch);
void t7_conv_weights_Double(const t7_conv_shape *shape, const double *image, const double *map, double scale,
                            double *weight, void *scratch);

/* bias += scale * the sums of the map's planes, over all images. */
void t7_conv_biases_Float(const t7_conv_shape *shape, const float *map, double scale, float *bias);
void t7_conv_biases_Double(const t7_conv_shape *shape, const double *map, double scale, double *bias);

/* Columns of one image of planes: a row of the map's size for each element of the kernel of each plane. */
void t7_unfold_Float(const t7_conv_shape *shape, const float *image, float *columns);
void t7_unfold_Double(const t7_conv_shape *shape, const double *image, double *columns);

/* image = the sums of the columns' elements that unfold reads from each pixel. */
void t7_fold_Float(const t7_conv_shape *shape, const float *columns, float *image);
void t7_fold_Double(const t7_conv_shape *shape, const double *columns, double *image);
#pragma GCC visibility pop
