/* the least and the greatest: a struct of 8 bytes, and no more than one operand */
#define RH_CUSTOM 1
#define RH_MEMORY short
#define RH_OPERAND_LIST(X) X(0, short, short)
#define RH_STRUCT 1
typedef struct {
  int least, greatest;
} rh_value;
#define RH_FIELDS(X) X(int, least) X(int, greatest)
static inline rh_value rh_struct_identity(void) {
  rh_value v = {0x7fffffff, -0x7fffffff};
  return v;
}
static inline rh_value rh_struct_load(short x0, ulong i, const ulong *constants) {
  rh_value v = {x0, x0};
  return v;
}
static inline rh_value rh_struct_combine(rh_value a, rh_value b) {
  rh_value v = {min(a.least, b.least), max(a.greatest, b.greatest)};
  return v;
}
