/* Operations on typed operands: C's conversions, but for what is weak. */
#include "internal.h"

static const rh_node *at(const rh_exprs *exprs, uint32_t node) { return &exprs->nodes[node]; }

static rh_type type_of(const rh_exprs *exprs, uint32_t node) { return exprs->nodes[node].type; }

static int is_weak(const rh_exprs *exprs, uint32_t node) { return exprs->nodes[node].is_weak; }

/* ---- Literals and constants ---- */

uint32_t rh_graph_literal(rh_exprs *exprs, rh_expr_value value, rh_type type) {
  rh_node node = {.kind = RH_NODE_LITERAL, .type = type, .is_weak = type == 0};
  if (node.is_weak) node.type = rh_number_type(value);
  node.value = rh_number_as(value, node.type, RH_AS_CAST);
  return rh_graph_add(exprs, &node);
}

rh_expr_value rh_graph_value(const rh_exprs *exprs, uint32_t node) {
  const rh_node *weak = at(exprs, node);
  if (weak->kind == RH_NODE_CONSTANT) return exprs->constants[weak->number].value;
  if (weak->type == RH_TYPE_f64) return (rh_expr_value){1, (long double)weak->value.f64};
  return (rh_expr_value){.x = weak->type == RH_TYPE_u64 ? (long double)weak->value.u64
                                                        : (long double)weak->value.i64};
}

/* The slot of a constant as a type. */
static uint32_t take_slot(rh_exprs *exprs, uint32_t constant, rh_type type, rh_as as) {
  rh_node node = {.kind = RH_NODE_CONSTANT, .type = type, .number = constant};
  uint32_t k = 0;
  while (k < exprs->n_slots && (exprs->slots[k].constant != constant ||
                                exprs->slots[k].type != type || exprs->slots[k].as != as))
    k++;
  if (k == RH_EXPR_MOST_SLOTS) return rh_graph_refuse(exprs, "too many constants");
  if (k == exprs->n_slots) exprs->slots[exprs->n_slots++] = (rh_expr_slot){constant, type, as};
  node.slot = k;
  return rh_graph_add(exprs, &node);
}

uint32_t rh_graph_count(rh_exprs *exprs) {
  return take_slot(exprs, RH_EXPR_COUNT, RH_TYPE_u64, RH_AS_NEAREST);
}

static uint32_t strengthen(rh_exprs *exprs, uint32_t node, rh_type type, rh_as as) {
  if (at(exprs, node)->kind == RH_NODE_CONSTANT)
    return take_slot(exprs, at(exprs, node)->number, type, as);
  rh_node literal = {.kind = RH_NODE_LITERAL, .type = type};
  literal.value = rh_number_as(rh_graph_value(exprs, node), type, as);
  return rh_graph_add(exprs, &literal);
}

/* The least type that holds a number and what has `type`; 0: there is none. */
static rh_type beside(rh_expr_value value, rh_type type) {
  if (value.is_float && !rh_type_is_float(type)) return RH_TYPE_f64;
  if (rh_number_fits(value, type)) return type;
  if (type == RH_TYPE_f32) return RH_TYPE_f64;
  if (value.x > INT64_MAX) return rh_type_is_signed(type) ? 0 : RH_TYPE_u64;
  return type == RH_TYPE_u64 ? 0 : RH_TYPE_i64;
}

uint32_t rh_graph_settle(rh_exprs *exprs, uint32_t node) {
  const rh_node *weak = at(exprs, node);
  if (!weak->is_weak) return node;
  rh_type type = weak->type;
  if (type == RH_TYPE_i64 && weak->kind == RH_NODE_LITERAL &&
      rh_number_fits(rh_graph_value(exprs, node), RH_TYPE_i32))
    type = RH_TYPE_i32;
  return strengthen(exprs, node, type, RH_AS_NEAREST);
}

/* ---- Conversions ---- */

static uint32_t not_held(rh_exprs *exprs, rh_type type) {
  static const char *const reasons[] = {
      [RH_TYPE_i32] = "the number does not fit in i32, whose place this is",
      [RH_TYPE_u32] = "the number does not fit in u32, whose place this is",
      [RH_TYPE_i64] = "the number does not fit in i64; cast what it meets, as in (u64)x",
      [RH_TYPE_u64] = "u64 has no negative numbers; cast what it meets, as in (i64)x",
      [RH_TYPE_f32] = "the number does not fit in f32, whose place this is"};
  return rh_graph_refuse(exprs, reasons[type]);
}

static uint32_t convert(rh_exprs *exprs, uint32_t from, rh_type type, rh_as as) {
  if (is_weak(exprs, from)) {
    int loses = type_of(exprs, from) == RH_TYPE_f64 && !rh_type_is_float(type);
    if (!loses && as == RH_AS_NEAREST && !rh_number_fits(rh_graph_value(exprs, from), type))
      return not_held(exprs, type);
    if (!loses) return strengthen(exprs, from, type, as);
    from = rh_graph_settle(exprs, from);
  }
  rh_type of = type_of(exprs, from);
  rh_node node = {.kind = RH_NODE_CAST, .type = type, .of = of, .args = {from}};
  return of == type ? from : rh_graph_add(exprs, &node);
}

uint32_t rh_graph_convert(rh_exprs *exprs, uint32_t from, rh_type type) {
  return convert(exprs, from, type, RH_AS_NEAREST);
}

static rh_type computed_as(rh_type type) {
  if (type == RH_TYPE_f16) return RH_TYPE_f32;
  return rh_type_size(type) < 4 ? RH_TYPE_i32 : type;
}

/* A float saturates at the ends of the smaller type. */
static uint32_t saturate(rh_exprs *exprs, uint32_t from, rh_type type) {
  int bits = 8 * (int)rh_type_size(type), is_signed = rh_type_is_signed(type);
  rh_expr_value least = {.x = is_signed ? -(1 << (bits - 1)) : 0};
  rh_expr_value most = {.x = (1 << (bits - is_signed)) - 1};
  uint32_t low = rh_graph_literal(exprs, least, RH_TYPE_i32);
  uint32_t high = rh_graph_literal(exprs, most, RH_TYPE_i32);
  uint32_t is_below = rh_graph_binary(exprs, RH_NODE_LESS, from, low);
  from = rh_graph_choose(exprs, is_below, low, from);
  uint32_t is_above = rh_graph_binary(exprs, RH_NODE_LESS, high, from);
  return rh_graph_choose(exprs, is_above, high, from);
}

uint32_t rh_graph_cast(rh_exprs *exprs, uint32_t from, rh_type type) {
  rh_type computed = computed_as(type);
  if (type != RH_TYPE_f16 && computed != type) from = rh_graph_settle(exprs, from);
  int was_float = rh_type_is_float(type_of(exprs, from));
  uint32_t made = convert(exprs, from, computed, RH_AS_CAST);
  if (computed == type) return made;
  if (was_float && type != RH_TYPE_f16) return saturate(exprs, made, type);
  rh_node node = {.kind = RH_NODE_NARROW, .type = computed, .of = type, .args = {made}};
  return rh_graph_add(exprs, &node);
}

/* The usual arithmetic conversions, of types that are computed with. */
static rh_type common(rh_type a, rh_type b) {
  static const rh_type falling[] = {RH_TYPE_f64, RH_TYPE_f32, RH_TYPE_u64, RH_TYPE_i64,
                                    RH_TYPE_u32};
  for (size_t k = 0; k < sizeof falling / sizeof *falling; k++)
    if (a == falling[k] || b == falling[k]) return falling[k];
  return RH_TYPE_i32;
}

/* wraps: sums, products and bits are those modulo 2^64 of the operands, whatever their signs. */
static uint32_t meet_number(rh_exprs *exprs, uint32_t number, rh_type type, int wraps) {
  rh_expr_value value = rh_graph_value(exprs, number);
  rh_type wanted = beside(value, type);
  if (!wanted && !wraps) return not_held(exprs, value.x > 0 ? RH_TYPE_i64 : RH_TYPE_u64);
  if (!wanted) wanted = RH_TYPE_u64;
  int is_any = wraps && !rh_type_is_float(wanted) && rh_type_size(wanted) == sizeof(uint64_t);
  return strengthen(exprs, number, wanted, is_any ? RH_AS_CAST : RH_AS_NEAREST);
}

/* Two operands of one type. */
static void meet(rh_exprs *exprs, uint32_t *a, uint32_t *b, int wraps) {
  if (is_weak(exprs, *a) && is_weak(exprs, *b)) {
    *a = rh_graph_settle(exprs, *a);
    *b = rh_graph_settle(exprs, *b);
  } else if (is_weak(exprs, *a)) {
    *a = meet_number(exprs, *a, type_of(exprs, *b), wraps);
  } else if (is_weak(exprs, *b)) {
    *b = meet_number(exprs, *b, type_of(exprs, *a), wraps);
  }
  rh_type type = common(type_of(exprs, *a), type_of(exprs, *b));
  *a = rh_graph_convert(exprs, *a, type);
  *b = rh_graph_convert(exprs, *b, type);
}

/* ---- Operators ---- */

static uint32_t only_integers(rh_exprs *exprs) {
  return rh_graph_refuse(exprs, "an operator of integers has a float as its operand");
}

/* A result that does not fit in 64 bits stays outside of them if it is rounded. */
static uint32_t integer(rh_exprs *exprs, long double x) {
  if (rh_number_is_whole(x)) return rh_graph_literal(exprs, (rh_expr_value){.x = x}, 0);
  return rh_graph_refuse(exprs, "the integer does not fit in 64 bits");
}

static int is_weak_literal(const rh_node *node) {
  return node->is_weak && node->kind == RH_NODE_LITERAL;
}

/* A negative literal stays weak. */
static uint32_t negate(rh_exprs *exprs, uint32_t node) {
  rh_expr_value value = rh_graph_value(exprs, node);
  if (!value.is_float) return integer(exprs, 0 - value.x);
  return rh_graph_literal(exprs, (rh_expr_value){1, -value.x}, 0);
}

uint32_t rh_graph_unary(rh_exprs *exprs, rh_node_kind kind, uint32_t node) {
  if (kind == RH_NODE_NEGATE && is_weak_literal(at(exprs, node))) return negate(exprs, node);
  node = rh_graph_settle(exprs, node);
  rh_type type = type_of(exprs, node);
  if (kind == RH_NODE_INVERT && rh_type_is_float(type)) return only_integers(exprs);
  rh_node added = {.kind = kind, .type = type, .args = {node}};
  return rh_graph_add(exprs, &added);
}

static int folds(const rh_exprs *exprs, rh_node_kind kind, uint32_t a, uint32_t b) {
  if (!is_weak_literal(at(exprs, a)) || !is_weak_literal(at(exprs, b))) return 0;
  int has_float = type_of(exprs, a) == RH_TYPE_f64 || type_of(exprs, b) == RH_TYPE_f64;
  return kind == RH_NODE_ADD || kind == RH_NODE_SUBTRACT || kind == RH_NODE_MULTIPLY ||
         (kind == RH_NODE_DIVIDE && has_float);
}

static uint32_t fold(rh_exprs *exprs, rh_node_kind kind, uint32_t a, uint32_t b) {
  rh_expr_value x = rh_graph_value(exprs, a), y = rh_graph_value(exprs, b);
  if (!x.is_float && !y.is_float)
    return integer(exprs, kind == RH_NODE_ADD        ? x.x + y.x
                          : kind == RH_NODE_SUBTRACT ? x.x - y.x
                                                     : 0 + x.x * y.x);
  double left = (double)x.x, right = (double)y.x;
  double value = kind == RH_NODE_ADD        ? left + right
                 : kind == RH_NODE_SUBTRACT ? left - right
                 : kind == RH_NODE_MULTIPLY ? left * right
                                            : left / right;
  return rh_graph_literal(exprs, (rh_expr_value){1, (long double)value}, 0);
}

/* The type of a shift is that of its first operand. */
static uint32_t shift(rh_exprs *exprs, rh_node_kind kind, uint32_t a, uint32_t b) {
  a = rh_graph_settle(exprs, a);
  b = rh_graph_settle(exprs, b);
  rh_type type = type_of(exprs, a);
  if (rh_type_is_float(type) || rh_type_is_float(type_of(exprs, b))) return only_integers(exprs);
  rh_node node = {.kind = kind, .type = type, .args = {a, rh_graph_convert(exprs, b, RH_TYPE_u32)}};
  return rh_graph_add(exprs, &node);
}

/* ---- Comparisons: those of numbers, as far as integers and numbers without a type go ---- */

/* A number beside floats of `type` becomes this, so that each of them compares with it as with the
 * number itself.  is_left: the number is. */
static rh_as as_float(rh_node_kind kind, int is_left) {
  if (kind == RH_NODE_LESS) return is_left ? RH_AS_BELOW : RH_AS_ABOVE;
  if (kind == RH_NODE_AT_MOST) return is_left ? RH_AS_ABOVE : RH_AS_BELOW;
  return RH_AS_EQUAL;
}

/* A number beside integers of `type`: as the least type that holds it and them, or else only it. */
static uint32_t take_integer(rh_exprs *exprs, uint32_t node, rh_type type) {
  rh_expr_value value = rh_graph_value(exprs, node);
  int is_wide = rh_number_is_whole(value.x) && fabsl(value.x) >= RH_NUMBER_WIDE;
  if (value.is_float && !(is_wide && rh_type_size(type) == sizeof(uint64_t)))
    return strengthen(exprs, node, RH_TYPE_f64, RH_AS_APART);
  value.is_float = 0;
  rh_type wanted = beside(value, type);
  return strengthen(exprs, node, wanted ? wanted : rh_number_type(value), RH_AS_NEAREST);
}

static uint32_t take_number(rh_exprs *exprs, rh_node_kind kind, uint32_t number, uint32_t other,
                            int is_left) {
  rh_type type = type_of(exprs, other);
  if (!is_weak(exprs, number)) return number;
  if (is_weak(exprs, other)) return rh_graph_settle(exprs, number);
  if (rh_type_is_float(type)) return strengthen(exprs, number, type, as_float(kind, is_left));
  return take_integer(exprs, number, type);
}

/* The type in which both are compared; 0: none holds both. */
static rh_type type_for(rh_type a, rh_type b) {
  int is_signed_a = rh_type_is_signed(a), is_signed_b = rh_type_is_signed(b);
  if (rh_type_is_float(a) || rh_type_is_float(b) || is_signed_a == is_signed_b) return common(a, b);
  rh_type without = is_signed_a ? b : a;
  return without == RH_TYPE_u64 ? 0 : RH_TYPE_i64;
}

static uint32_t compare(rh_exprs *exprs, rh_node_kind kind, rh_type type, uint32_t a, uint32_t b) {
  rh_node node = {.kind = kind, .type = RH_TYPE_i32, .of = type};
  node.args[0] = rh_graph_convert(exprs, a, type);
  node.args[1] = rh_graph_convert(exprs, b, type);
  return rh_graph_add(exprs, &node);
}

/* One is signed and the other a u64: where the signed one is negative, it is the lesser one. */
static uint32_t compare_apart(rh_exprs *exprs, rh_node_kind kind, uint32_t a, uint32_t b) {
  int is_left = rh_type_is_signed(type_of(exprs, a));
  int holds = kind == RH_NODE_UNEQUAL || (is_left && kind != RH_NODE_EQUAL);
  uint32_t with_sign = is_left ? a : b;
  rh_type type = type_of(exprs, with_sign);
  uint32_t zero = rh_graph_literal(exprs, (rh_expr_value){0}, type);
  rh_node node = {.kind = holds ? RH_NODE_OR : RH_NODE_AND, .type = RH_TYPE_i32};
  node.args[0] = holds ? compare(exprs, RH_NODE_LESS, type, with_sign, zero)
                       : compare(exprs, RH_NODE_AT_MOST, type, zero, with_sign);
  node.args[1] = compare(exprs, kind, RH_TYPE_u64, a, b);
  return rh_graph_add(exprs, &node);
}

static uint32_t compare_numbers(rh_exprs *exprs, rh_node_kind kind, uint32_t a, uint32_t b) {
  uint32_t left = take_number(exprs, kind, a, b, 1), right = take_number(exprs, kind, b, a, 0);
  rh_type type = type_for(type_of(exprs, left), type_of(exprs, right));
  return type ? compare(exprs, kind, type, left, right) : compare_apart(exprs, kind, left, right);
}

/* ---- Operators of two operands ---- */

uint32_t rh_graph_binary(rh_exprs *exprs, rh_node_kind kind, uint32_t a, uint32_t b) {
  int divides = kind == RH_NODE_DIVIDE || kind == RH_NODE_REMAINDER;
  if (kind == RH_NODE_LEFT || kind == RH_NODE_RIGHT) return shift(exprs, kind, a, b);
  if (rh_node_compares(kind)) return compare_numbers(exprs, kind, a, b);
  if (folds(exprs, kind, a, b)) return fold(exprs, kind, a, b);
  meet(exprs, &a, &b, !divides);
  rh_type type = type_of(exprs, a);
  if (kind == RH_NODE_REMAINDER && rh_type_is_float(type))
    return rh_graph_refuse(exprs, "% is of integers; of floats it is fmod(a, b)");
  if (kind >= RH_NODE_AND && kind <= RH_NODE_XOR && rh_type_is_float(type))
    return only_integers(exprs);
  if (divides && !rh_type_is_float(type) && at(exprs, b)->is_known && !at(exprs, b)->known.u64)
    return rh_graph_refuse(exprs, "a division of integers by 0");
  rh_node node = {.kind = kind, .type = type, .args = {a, b}};
  return rh_graph_add(exprs, &node);
}

/* x != 0 */
static uint32_t truth(rh_exprs *exprs, uint32_t a, int is_true) {
  a = rh_graph_settle(exprs, a);
  if (is_true && rh_node_compares(at(exprs, a)->kind)) return a;
  uint32_t zero = rh_graph_literal(exprs, (rh_expr_value){0}, type_of(exprs, a));
  return rh_graph_binary(exprs, is_true ? RH_NODE_UNEQUAL : RH_NODE_EQUAL, a, zero);
}

uint32_t rh_graph_not(rh_exprs *exprs, uint32_t a) { return truth(exprs, a, 0); }

uint32_t rh_graph_logical(rh_exprs *exprs, int is_and, uint32_t a, uint32_t b) {
  a = truth(exprs, a, 1);
  b = truth(exprs, b, 1);
  return rh_graph_binary(exprs, is_and ? RH_NODE_AND : RH_NODE_OR, a, b);
}

uint32_t rh_graph_choose(rh_exprs *exprs, uint32_t condition, uint32_t a, uint32_t b) {
  condition = truth(exprs, condition, 1);
  meet(exprs, &a, &b, 0);
  rh_node node = {.kind = RH_NODE_CHOOSE, .type = type_of(exprs, a), .args = {condition, a, b}};
  return rh_graph_add(exprs, &node);
}
