#include "vocabulary.h"

#include <stdio.h>
#include <string.h>

const char *rh_type_name(rh_type type) {
  switch (type) {
#define RH_X(name, number, bytes)                                                                  \
  case number: return #name;
    RH_TYPE_LIST(RH_X)
#undef RH_X
  default: return NULL;
  }
}

uint32_t rh_type_size(rh_type type) {
  switch (type) {
#define RH_X(name, number, bytes)                                                                  \
  case number: return bytes;
    RH_TYPE_LIST(RH_X)
#undef RH_X
  default: return 0;
  }
}

rh_type rh_type_from_name(const char *name) {
#define RH_X(known, number, bytes)                                                                 \
  if (strcmp(name, #known) == 0) return number;
  RH_TYPE_LIST(RH_X)
#undef RH_X
  return 0;
}

int rh_type_is_signed(rh_type type) {
  return type == RH_TYPE_i8 || type == RH_TYPE_i16 || type == RH_TYPE_i32 || type == RH_TYPE_i64 ||
         rh_type_is_float(type);
}

const char *rh_op_name(uint32_t op) {
  switch (op) {
#define RH_X(name, number, flags)                                                                  \
  case number: return #name;
    RH_OP_LIST(RH_X)
#undef RH_X
  default: return NULL;
  }
}

uint32_t rh_op_from_name(const char *name) {
#define RH_X(known, number, flags)                                                                 \
  if (strcmp(name, #known) == 0) return number;
  RH_OP_LIST(RH_X)
#undef RH_X
  return 0;
}

typedef struct synonyms {
  const char *names, *instead; /* "|mean|avg|" */
} synonyms;

static const char *instead_of(const char *name, const synonyms *table, size_t n) {
  char wanted[64];
  if (strchr(name, '|') || snprintf(wanted, sizeof wanted, "|%s|", name) >= (int)sizeof wanted)
    return NULL;
  for (size_t k = 0; k < n; k++)
    if (strstr(table[k].names, wanted)) return table[k].instead;
  return NULL;
}

/* Names in C, NumPy, Rust and OpenCL. */
const char *rh_type_instead(const char *name) {
  static const synonyms table[] = {
      {"|bool|bool_|_Bool|boolean|b1|?|", "use u8, of bytes that are 0 or 1"},
      {"|int8|int8_t|char|schar|byte|i1|", "use i8"},
      {"|uint8|uint8_t|uchar|ubyte|u1|", "use u8"},
      {"|int16|int16_t|short|i2|<i2|", "use i16"},
      {"|uint16|uint16_t|ushort|u2|<u2|", "use u16"},
      {"|int32|int32_t|int|intc|i4|<i4|", "use i32"},
      {"|uint32|uint32_t|uint|unsigned|uintc|u4|<u4|", "use u32"},
      {"|int64|int64_t|long|longlong|<i8|", "use i64"},
      {"|uint64|uint64_t|ulong|ulonglong|size_t|<u8|", "use u64"},
      {"|float16|half|f2|<f2|", "use f16"},
      {"|float32|single|f4|<f4|", "use f32"},
      {"|float64|double|f8|<f8|", "use f64"},
      {"|float|", "use f32 for C's float and f64 for Python's"},
      {"|>i2|>u2|>f2|>i4|>u4|>f4|>i8|>u8|>f8|",
       "raw data are in this machine's byte order; a .npy file may have either"},
  };
  return instead_of(name, table, sizeof table / sizeof *table);
}

/* Names in NumPy, CUB, BLAS, MPI and SQL.  "use NAME" names an operator that is built in or comes
 * with redhost. */
const char *rh_op_instead(const char *name) {
  static const synonyms table[] = {
      {"|avg|average|", "use mean"},
      {"|weighted_mean|weighted_average|", "use wmean, of the elements and their weights"},
      {"|add|plus|total|fsum|accumulate|", "use sum"},
      {"|multiply|mul|product|", "use prod"},
      {"|minimum|fmin|amin|", "use min; of floats a NaN wins"},
      {"|maximum|fmax|", "use max; of floats a NaN wins"},
      {"|nansum|", "use sum, where !isnan(x)"},
      {"|nanprod|", "use prod, where !isnan(x)"},
      {"|nanmin|", "use min, where !isnan(x)"},
      {"|nanmax|", "use max, where !isnan(x)"},
      {"|nanargmin|", "use argmin, where !isnan(x)"},
      {"|nanargmax|", "use argmax, where !isnan(x)"},
      {"|nanmean|", "use mean, where !isnan(x)"},
      {"|minloc|iamin|arg_min|", "use argmin"},
      {"|maxloc|arg_max|", "use argmax"},
      {"|iamax|isamax|idamax|", "use argamax, which counts from 0"},
      {"|extrema|aminmax|", "use minmax"},
      {"|range|spread|", "use ptp"},
      {"|logical_or|lor|any_of|", "use any"},
      {"|logical_and|land|all_of|", "use all"},
      {"|bitwise_and|bit_and|band|", "use and"},
      {"|bitwise_or|bit_or|bor|", "use or"},
      {"|bitwise_xor|bit_xor|bxor|parity|", "use xor"},
      {"|logical_xor|lxor|", "use xor; the elements have to be 0 or 1"},
      {"|count_nonzero|count_if|nnz|", "use count"},
      {"|norm|nrm2|snrm2|dnrm2|l2|l2norm|euclidean|", "use norm2"},
      {"|l1|l1norm|norm1|sasum|dasum|", "use asum"},
      {"|linf|norminf|absmax|", "use amax"},
      {"|inner|vdot|sdot|ddot|inner_product|", "use dot, of two operands"},
      {"|sumsq|sumsquares|sum_of_squares|", "use sum, of the map x*x"},
      {"|std|stddev|nanstd|", "use meanvar; the root of its variance, which divides by n"},
      {"|var|variance|nanvar|", "use meanvar; its variance divides by n"},
      {"|cosine_similarity|", "use cosine, of two operands"},
      {"|root_mean_square|quadratic_mean|", "use rms"},
      {"|log_sum_exp|logaddexp|lse|", "use logsumexp"},
      {"|cumsum|cumprod|scan|prefix_sum|inclusive_scan|exclusive_scan|",
       "redhost makes one value of all elements, and no scans; the last element of cumsum is sum"},
      {"|median|nanmedian|percentile|quantile|mode|sort|unique|",
       "redhost reduces in one pass, and neither sorts nor selects"},
      {"|histogram|bincount|",
       "redhost makes no tables; one bin is sum, of the map x >= 0 && x < 1"},
  };
  return instead_of(name, table, sizeof table / sizeof *table);
}

uint32_t rh_op_flags(uint32_t op, rh_type type) {
  uint32_t of_op = 0;
  switch (op) {
#define RH_X(name, number, flags)                                                                  \
  case number: of_op = flags; break;
    RH_OP_LIST(RH_X)
#undef RH_X
  default: return 0;
  }
  if (rh_op_is_arithmetic(op) && !rh_type_is_float(type)) of_op |= RH_OP_EXACT;
  return of_op;
}

static int is_of_bits(uint32_t op) {
  return op == RH_OP_and || op == RH_OP_or || op == RH_OP_xor;
}

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

static int is_of_magnitudes(uint32_t op) {
  return op == RH_OP_asum || op == RH_OP_amax || op == RH_OP_argamax;
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
  if (is_of_magnitudes(op)) type = to_unsigned(type);
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

uint32_t rh_determinism_from_name(const char *name) {
  for (uint32_t k = 0; k <= RH_BITS_SAME_EVERYWHERE; k++)
    if (strcmp(determinisms[k], name) == 0) return k;
  return UINT32_MAX;
}

#define RH_X(name, number, text) #name,
static const char *const lengths[] = {RH_LENGTHS_LIST(RH_X)};
#undef RH_X
#define RH_X(name, number, text) " " #name
const char *const rh_lengths_names = RH_LENGTHS_LIST(RH_X);
#undef RH_X

const char *rh_lengths_name(uint32_t kind) {
  return kind >= 1 && kind <= RH_N_LENGTHS ? lengths[kind - 1] : NULL;
}

uint32_t rh_lengths_from_name(const char *name) {
  uint32_t kind = RH_N_LENGTHS;
  while (kind > 0 && strcmp(lengths[kind - 1], name) != 0) kind--;
  return kind;
}
