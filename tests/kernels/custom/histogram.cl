/* how often each of 16 residues of x + i + c occurs, and where last: a struct of 128 bytes, with
 * the index and a constant */
#define RH_CUSTOM          1
#define RH_MEMORY          ulong
#define RH_OPERAND_LIST(X) X(0, ulong, ulong)
#define RH_HAS_OPERANDS    1
#define RH_CONSTANT_WORDS  2
#define RH_STRUCT          1
typedef struct {
  uint count[16], last[16];
} rh_value;
static inline rh_value rh_struct_identity(void) {
  rh_value v;
  for (int k = 0; k < 16; k++) v.count[k] = v.last[k] = 0;
  return v;
}
static inline rh_value rh_struct_load(ulong x0, ulong i, const ulong *constants) {
  rh_value v = rh_struct_identity();
  int bin = (int)((x0 + i + constants[1]) % 16);
  v.count[bin] = 1;
  v.last[bin] = (uint)i + 1;
  return v;
}
static inline rh_value rh_struct_combine(rh_value a, rh_value b) {
  for (int k = 0; k < 16; k++) {
    a.count[k] += b.count[k];
    a.last[k] = max(a.last[k], b.last[k]);
  }
  return a;
}
