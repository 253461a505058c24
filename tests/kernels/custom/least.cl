/* the least byte: a struct of 4 bytes */
#define RH_CUSTOM          1
#define RH_MEMORY          uchar
#define RH_OPERAND_LIST(X) X(0, uchar, uchar)
#define RH_STRUCT          1
typedef struct {
  uint least;
} rh_value;
static inline rh_value rh_struct_identity(void) {
  rh_value v = {0xffffffffu};
  return v;
}
static inline rh_value rh_struct_load(uchar x0, ulong i, const ulong *constants) {
  rh_value v = {x0};
  return v;
}
static inline rh_value rh_struct_combine(rh_value a, rh_value b) {
  return a.least <= b.least ? a : b;
}
