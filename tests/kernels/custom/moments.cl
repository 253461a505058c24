/* mean and variance: a struct of 24 bytes */
#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define RH_CUSTOM          1
#define RH_MEMORY          float
#define RH_OPERAND_LIST(X) X(0, float, float)
#define RH_STRUCT          1
typedef struct {
  double n, mean, m2;
} rh_value;
#define RH_FIELDS(X) X(double, n) X(double, mean) X(double, m2)
static inline rh_value rh_struct_identity(void) {
  rh_value v = {0, 0, 0};
  return v;
}
static inline rh_value rh_struct_load(float x0, ulong i, const ulong *constants) {
  rh_value v = {1, x0, 0};
  return v;
}
static inline rh_value rh_struct_combine(rh_value a, rh_value b) {
  rh_value v;
  double d = b.mean - a.mean;
  v.n = a.n + b.n;
  v.mean = a.n == 0 ? b.mean : b.n == 0 ? a.mean : a.mean + d * b.n / v.n;
  v.m2 = a.n == 0 ? b.m2 : b.n == 0 ? a.m2 : a.m2 + b.m2 + d * d * a.n * b.n / v.n;
  return v;
}
