/* Macros for a body that is included once per floating-point type: here for doubles. The body is included next. */
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
#define T double
#define V vec_d
#define LANES (VECTOR / 8)
#define NAME(f) f##_Double
#define load load_vd
#define masked_load masked_load_vd
#define masked_store masked_store_vd
#define store store_vd
#define add_wide add_wide_vd
#define max_v max_vd
#define splat splat_vd
#define fma_v fma_vd
#define fma_1 fma_d
