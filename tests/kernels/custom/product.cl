/* 2x2 matrices over words, which do not commute: a struct of 16 bytes, of two operands */
#define RH_CUSTOM          1
#define RH_MEMORY          uint
#define RH_OPERAND_LIST(X) X(0, uint, uint) X(1, uchar, uchar)
#define RH_HAS_OPERANDS    1
#define RH_CONSTANT_WORDS  1
#define RH_STRUCT          1
typedef struct {
  uint a, b, c, d;
} rh_value;
static inline rh_value rh_struct_identity(void) {
  rh_value v = {1, 0, 0, 1};
  return v;
}
static inline rh_value rh_struct_load(uint x0, uchar x1, ulong i, const ulong *constants) {
  rh_value v = {x0, x1, 1, (uint)i};
  return v;
}
static inline rh_value rh_struct_combine(rh_value x, rh_value y) {
  rh_value v = {x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c,
                x.c * y.b + x.d * y.d};
  return v;
}
