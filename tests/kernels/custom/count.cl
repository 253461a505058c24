/* sum of x > t: a constant */
#pragma OPENCL FP_CONTRACT OFF
#define RH_CUSTOM          1
#define RH_MEMORY          int
#define RH_OPERAND_LIST(X) X(0, int, int)
#define RH_HAS_OPERANDS    1
#define RH_CONSTANT_WORDS  1
#define RH_OP_sum          1
#define RH_TYPE_i32        1
#define RH_MAP             1
static inline int rh_map(int x0, ulong i, const ulong *constants) {
  return x0 > as_long(constants[0]);
}
