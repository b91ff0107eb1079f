/* Macros for a body that is included once per floating-point type: here for floats. The body is included next. */
#undef T
#undef V
#undef LANES
#undef NAME
#undef load
#undef masked_load
#undef masked_store
#undef store
#undef add_wide
#undef max_v
#undef splat
#undef fma_v
#undef fma_1
#define T float
#define V vec_f
#define LANES (VECTOR / 4)
#define NAME(f) f##_Float
#define load load_vf
#define masked_load masked_load_vf
#define masked_store masked_store_vf
#define store store_vf
#define add_wide add_wide_vf
#define max_v max_vf
#define splat splat_vf
#define fma_v fma_vf
#define fma_1 fma_f
