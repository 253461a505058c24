/* What built-in operators are to others: fields of a struct, for several of them in one pass, and
 * under a condition, which leaves elements out. */
#include "internal.h"

/* Order keys, as kernels/prelude/operators.cl explains them. */
#define M RH_PART_ELEMENT
#define KEY(as, sign, most, nan)                                                                   \
  "isnan(" M ") ? " nan " : " as "(" M ") ^ (" as "(" M ") >> " sign " & " most ")"
#define KEY32(nan) KEY("as_int", "31", "0x7fffffff", nan)
#define KEY64(nan) KEY("as_long", "63", "0x7fffffffffffffff", nan)
#define LEAST32    "(i32)0x80000000u"
#define LEAST64    "(i64)0x8000000000000000u"
#define MOST32     "0x7fffffff"
#define MOST64     "0x7fffffffffffffff"
/* -0 and +0 are equal to argmin and argmax; the key of -0, and only that, is -1. */
#define FIRST(key) M " == 0 ? 0 : " key

static const char *key_of(uint32_t op, rh_type type) {
  int is_wide = type == RH_TYPE_f64;
  int is_magnitude = op == RH_OP_amax || op == RH_OP_argamax;
  if (!rh_type_is_float(type)) return is_magnitude ? "abs(" M ")" : M;
  switch (op) {
  case RH_OP_min: return is_wide ? KEY64(LEAST64) : KEY32(LEAST32);
  case RH_OP_argmin: return is_wide ? FIRST(KEY64(LEAST64)) : FIRST(KEY32(LEAST32));
  case RH_OP_max: return is_wide ? KEY64(MOST64) : KEY32(MOST32);
  case RH_OP_argmax: return is_wide ? FIRST(KEY64(MOST64)) : FIRST(KEY32(MOST32));
  default:
    return is_wide ? "isnan(" M ") ? " MOST64 " : as_long(" M ") & " MOST64
                   : "isnan(" M ") ? " MOST32 " : as_int(" M ") & " MOST32;
  }
}

static int is_least(uint32_t op) { return op == RH_OP_min || op == RH_OP_argmin; }

/* Keys are signed, but for unsigned integers and magnitudes of integers. */
static rh_type key_type(uint32_t op, rh_type type) {
  int is_magnitude = op == RH_OP_amax || op == RH_OP_argamax;
  int is_unsigned = !rh_type_is_float(type) && (is_magnitude || !rh_type_is_signed(type));
  if (rh_type_size(type) == sizeof(uint64_t)) return is_unsigned ? RH_TYPE_u64 : RH_TYPE_i64;
  return is_unsigned ? RH_TYPE_u32 : RH_TYPE_i32;
}

static const char *worst(uint32_t op, rh_type key) {
  static const char *const most[] = {[RH_TYPE_u64] = "0xffffffffffffffffu",
                                     [RH_TYPE_u32] = "0xffffffffu",
                                     [RH_TYPE_i64] = MOST64,
                                     [RH_TYPE_i32] = MOST32};
  if (is_least(op)) return most[key];
  return key == RH_TYPE_i64 ? LEAST64 : key == RH_TYPE_i32 ? LEAST32 : "0";
}

static uint32_t extreme(uint32_t op, rh_type type, rh_field_text fields[RH_MOST_PART_FIELDS]) {
  rh_type key = key_type(op, type);
  int least = is_least(op), is_indexed = (rh_op_flags(op, type) & RH_OP_INDEXED) != 0;
  fields[0] = (rh_field_text){is_indexed ? "_key" : "", key, key_of(op, type), worst(op, key),
                              least ? "min(a, b)" : "max(a, b)"};
  fields[1] = (rh_field_text){"_index", RH_TYPE_u64, "i", "0xffffffffffffffffu",
                              least ? "d < c || (d == c && b < a) ? b : a"
                                    : "d > c || (d == c && b < a) ? b : a"};
  return is_indexed ? 2 : 1;
}

uint32_t rh_part_fields(uint32_t op, rh_type type, rh_field_text fields[RH_MOST_PART_FIELDS]) {
  static const struct {
    uint32_t op;
    int of_floats;
    const char *load, *identity, *combine;
  } rows[] = {{RH_OP_sum, 1, M, "-0.0", "a + b"},
              {RH_OP_sum, 0, "(u64)" M, "0", "a + b"},
              {RH_OP_prod, 0, "(u64)" M, "1", "a * b"},
              {RH_OP_asum, 1, "fabs(" M ")", "0.0", "a + b"},
              {RH_OP_asum, 0, "abs((i64)" M ")", "0", "a + b"},
              {RH_OP_and, 0, M, "~0", "a & b"},
              {RH_OP_or, 0, M, "0", "a | b"},
              {RH_OP_xor, 0, M, "0", "a ^ b"}};
  int is_float = rh_type_is_float(type), is_sum = rh_op_is_arithmetic(op);
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    if (rows[k].op != op || rows[k].of_floats != is_float) continue;
    fields[0] = (rh_field_text){"", is_sum && !is_float ? RH_TYPE_u64 : type, rows[k].load,
                                rows[k].identity, rows[k].combine};
    if (op == RH_OP_asum && !rh_type_is_signed(type)) fields[0].load = "(u64)" M;
    return 1;
  }
  return is_sum || op == RH_OP_affine ? 0 : extreme(op, type, fields);
}

/* ---- Masks: the elements for which a condition is false ---- */

/* The operator's result of no elements, as an element. */
static uint64_t neutral_of(const rh_op *op, rh_type type) {
  rh_result none;
  uint64_t element = 0;
  rh_op_result(op->id, type, op->identity, &none);
  rh_element_store(type, &none.value, &element);
  return element;
}

int rh_custom_needs_count(const rh_definition *definition) {
  int has = 0;
  for (uint32_t k = 0; k < definition->n_results; k++)
    has |= rh_definition_mentions(definition->results[k].text, "n");
  return definition->where && has;
}

rh_status rh_custom_make_where(rh_custom *self, const rh_definition *definition, rh_error *error) {
  const void *values[RH_MOST_FIELDS];
  uint64_t element;
  const char *what = RH_WHAT(definition, "where", RH_ITEM_WHOLE);
  if (!definition->where) return RH_OK;
  self->face.is_masked = 1;
  if (self->code)
    return rh_fail(error, RH_E_USAGE, "%s: operator %s is in OpenCL C, whose rh_load() chooses",
                   what, definition->name);
  if (!self->face.is_struct) {
    if (self->face.base == RH_OP_affine)
      return rh_fail(error, RH_E_USAGE, "%s: %s takes all elements", what,
                     rh_op_name(self->face.base));
    element = neutral_of(rh_op_find(self->face.base, self->face.type), self->face.type);
    values[0] = &element;
  }
  for (uint32_t k = 0; k < self->n_fields; k++) values[k] = self->identity + self->fields[k].offset;
  return rh_exprs_where(self->load, definition->where, values, what, error);
}
