/* sum of x*y: two operands of f32 */
#pragma OPENCL FP_CONTRACT OFF
#define RH_CUSTOM          1
#define RH_MEMORY          float
#define RH_OPERAND_LIST(X) X(0, float, float) X(1, float, float)
#define RH_HAS_OPERANDS    1
#define RH_CONSTANT_WORDS  1
#define RH_OP_sum          1
#define RH_TYPE_f32        1
#define RH_MAP             1
static inline float rh_map(float x0, float x1, ulong i, const ulong *constants) {
  return x0 * x1;
}
