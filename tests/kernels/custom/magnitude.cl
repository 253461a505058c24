/* argmin of 3 - |x|: one operand of i16, and no more, as for plugins of 1.0 */
#pragma OPENCL FP_CONTRACT OFF
#define RH_CUSTOM          1
#define RH_MEMORY          short
#define RH_OPERAND_LIST(X) X(0, short, short)
#define RH_OP_argmin       1
#define RH_TYPE_i32        1
#define RH_MAP             1
static inline int rh_map(short x0, ulong i, const ulong *constants) {
  return 3 - (x0 < 0 ? -(int)x0 : x0);
}
