#include "base.h"

static const struct {
  const char *name;
  uint32_t bytes;
} types[RH_N_TYPES + 1] = {
#define RH_X(name, number, bytes) [number] = {#name, bytes},
    RH_TYPE_LIST(RH_X)
#undef RH_X
};

const char *rh_type_name(rh_type type) { return type <= RH_N_TYPES ? types[type].name : NULL; }

uint32_t rh_type_size(rh_type type) { return type <= RH_N_TYPES ? types[type].bytes : 0; }

rh_type rh_type_from_name(const char *name) {
  rh_type type = RH_N_TYPES;
  while (type > 0 && strcmp(types[type].name, name) != 0) type--;
  return type;
}

int rh_type_is_signed(rh_type type) {
  return type == RH_TYPE_i8 || type == RH_TYPE_i16 || type == RH_TYPE_i32 || type == RH_TYPE_i64 ||
         rh_type_is_float(type);
}

static const struct {
  const char *name;
  uint32_t flags;
} ops[RH_N_OPS + 1] = {
#define RH_X(name, number, flags) [number] = {#name, flags},
    RH_OP_LIST(RH_X)
#undef RH_X
};

const char *rh_op_name(uint32_t op) { return op <= RH_N_OPS ? ops[op].name : NULL; }

uint32_t rh_op_from_name(const char *name) {
  uint32_t op = RH_N_OPS;
  while (op > 0 && strcmp(ops[op].name, name) != 0) op--;
  return op;
}

uint32_t rh_op_flags(uint32_t op, rh_type type) {
  if (op > RH_N_OPS) return 0;
  int is_whole = rh_op_is_arithmetic(op) && !rh_type_is_float(type);
  return ops[op].flags | (is_whole ? RH_OP_EXACT : 0);
}

static int is_of_bits(uint32_t op) { return op == RH_OP_and || op == RH_OP_or || op == RH_OP_xor; }

int rh_op_rounds(uint32_t op, rh_type type) {
  uint32_t flags = rh_op_flags(op, type);
  return (flags & RH_OP_COMMUTATIVE) && !(flags & RH_OP_EXACT);
}

int rh_op_rounds_once(uint64_t promises, uint32_t op, rh_type type) {
  return promises & RH_ROUNDS_ONCE && (op == RH_OP_sum || op == RH_OP_asum) &&
         rh_type_is_float(type);
}

int rh_op_is_defined(uint32_t op, rh_type type) {
  if (!rh_op_name(op) || !rh_type_name(type)) return 0;
  if (op == RH_OP_affine) return type == RH_TYPE_u64;
  return !(is_of_bits(op) && rh_type_is_float(type));
}

const char *rh_op_domain(uint32_t op) {
  if (op == RH_OP_affine) return "u64";
  return is_of_bits(op) ? "integers" : "every type";
}

const char *rh_op_names(void) {
#define RH_X(name, number, flags) " " #name
  static const char names[] = RH_OP_LIST(RH_X);
#undef RH_X
  return names + 1;
}

static rh_type to_unsigned(rh_type type) {
  switch (type) {
  case RH_TYPE_i8: return RH_TYPE_u8;
  case RH_TYPE_i16: return RH_TYPE_u16;
  case RH_TYPE_i32: return RH_TYPE_u32;
  case RH_TYPE_i64: return RH_TYPE_u64;
  default: return type;
  }
}

rh_type rh_op_result_type(uint32_t op, rh_type type) {
  if (rh_type_is_float(type))
    return rh_op_is_arithmetic(op) && type == RH_TYPE_f16 ? RH_TYPE_f32 : type;
  int is_of_magnitudes = op == RH_OP_asum || op == RH_OP_amax || op == RH_OP_argamax;
  if (is_of_magnitudes) type = to_unsigned(type);
  if (!rh_op_is_arithmetic(op)) return type;
  return rh_type_is_signed(type) ? RH_TYPE_i64 : RH_TYPE_u64;
}

const char *rh_why_code(uint32_t why) {
  switch (why) {
#define RH_X(name, number, code)                                                                   \
  case number: return code;
    RH_WHY_LIST(RH_X)
#undef RH_X
  default: return "unknown";
  }
}

static const char *const determinisms[] = {"no", "run-to-run", "launch-to-launch",
                                           "device-to-device"};

const char *rh_determinism_name(uint32_t determinism) {
  return determinism <= RH_BITS_SAME_EVERYWHERE ? determinisms[determinism] : "unknown";
}

#define RH_X(name, number, text) #name,
static const char *const lengths[] = {RH_LENGTHS_LIST(RH_X)};
#undef RH_X

const char *rh_lengths_name(uint32_t kind) {
  return kind >= 1 && kind <= RH_N_LENGTHS ? lengths[kind - 1] : NULL;
}

uint32_t rh_lengths_from_name(const char *name) {
  uint32_t kind = RH_N_LENGTHS;
  while (kind > 0 && strcmp(lengths[kind - 1], name) != 0) kind--;
  return kind;
}
