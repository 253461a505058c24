/* Operations on typed operands: C's conversions, but for what is weak. */
#include "../../core/base/vocabulary.h"
#include "number.h"

#include <math.h>
#include <string.h>

static const rh_node *at(const rh_exprs *exprs, uint32_t node) {
  return &exprs->nodes[node];
}

static int is_float(rh_type type) {
  return type == RH_TYPE_f32 || type == RH_TYPE_f64;
}

/* ---- Literals and constants ---- */

rh_reason rh_graph_literal(rh_exprs *exprs, rh_expr_value value, rh_type type, uint32_t *made) {
  rh_node node = {.kind = RH_NODE_LITERAL, .type = type, .is_weak = type == 0};
  if (type)
    node.value = rh_number_as(value, type, RH_AS_CAST);
  else
    memcpy(&node.value, &value.as, sizeof node.value);
  if (node.is_weak)
    node.type = value.is_float ? RH_TYPE_f64 : value.is_large ? RH_TYPE_u64 : RH_TYPE_i64;
  return rh_graph_add(exprs, &node, made);
}

rh_expr_value rh_graph_value(const rh_exprs *exprs, uint32_t node) {
  const rh_node *weak = at(exprs, node);
  rh_expr_value value = {.is_float = weak->type == RH_TYPE_f64,
                         .is_large = weak->type == RH_TYPE_u64};
  if (weak->kind == RH_NODE_CONSTANT) return exprs->values[weak->number];
  memcpy(&value.as, &weak->value, sizeof value.as);
  return value;
}

/* The slot of a constant as a type. */
static rh_reason take_slot(rh_exprs *exprs, uint32_t constant, rh_type type, rh_as as,
                           uint32_t *made) {
  rh_node node = {.kind = RH_NODE_CONSTANT, .type = type, .number = constant, .as = as};
  uint32_t k = 0;
  while (k < exprs->n_slots && (exprs->slots[k].constant != constant ||
                                exprs->slots[k].type != type || exprs->slots[k].as != as))
    k++;
  if (k == RH_EXPR_MOST_SLOTS) return "too many constants";
  if (k == exprs->n_slots) exprs->slots[exprs->n_slots++] = (rh_expr_slot){constant, type, as};
  node.slot = k;
  return rh_graph_add(exprs, &node, made);
}

rh_reason rh_graph_count(rh_exprs *exprs, uint32_t *made) {
  return take_slot(exprs, RH_EXPR_COUNT, RH_TYPE_u64, RH_AS_NEAREST, made);
}

static rh_reason strengthen(rh_exprs *exprs, uint32_t node, rh_type type, rh_as as,
                            uint32_t *made) {
  if (at(exprs, node)->kind == RH_NODE_CONSTANT)
    return take_slot(exprs, at(exprs, node)->number, type, as, made);
  rh_node literal = {.kind = RH_NODE_LITERAL, .type = type};
  literal.value = rh_number_as(rh_graph_value(exprs, node), type, as);
  return rh_graph_add(exprs, &literal, made);
}

/* The least type that holds a number and what has `type`; 0: there is none. */
static rh_type beside(rh_expr_value value, rh_type type) {
  if (value.is_float && !is_float(type)) return RH_TYPE_f64;
  if (rh_number_fits(value, type)) return type;
  if (type == RH_TYPE_f32) return RH_TYPE_f64;
  if (value.is_large) return rh_type_is_signed(type) ? 0 : RH_TYPE_u64;
  return type == RH_TYPE_u64 ? 0 : RH_TYPE_i64;
}

rh_reason rh_graph_settle(rh_exprs *exprs, uint32_t node, uint32_t *made) {
  const rh_node *weak = at(exprs, node);
  *made = node;
  if (!weak->is_weak) return NULL;
  rh_type type = weak->type;
  if (type == RH_TYPE_i64 && weak->kind == RH_NODE_LITERAL &&
      rh_number_fits(rh_graph_value(exprs, node), RH_TYPE_i32))
    type = RH_TYPE_i32;
  return strengthen(exprs, node, type, RH_AS_NEAREST, made);
}

/* ---- Conversions ---- */

static rh_reason not_held(rh_type type) {
  switch (type) {
  case RH_TYPE_i32: return "the number does not fit in i32, whose place this is";
  case RH_TYPE_u32: return "the number does not fit in u32, whose place this is";
  case RH_TYPE_i64: return "the number does not fit in i64; cast what it meets, as in (u64)x";
  case RH_TYPE_u64: return "u64 has no negative numbers; cast what it meets, as in (i64)x";
  default: return "the number does not fit in f32, whose place this is";
  }
}

static rh_reason convert(rh_exprs *exprs, uint32_t from, rh_type type, rh_as as, uint32_t *made) {
  rh_node node = {.kind = RH_NODE_CAST, .type = type, .of = at(exprs, from)->type};
  *made = from;
  if (at(exprs, from)->is_weak) {
    int loses = at(exprs, from)->type == RH_TYPE_f64 && !is_float(type);
    if (!loses && as == RH_AS_NEAREST && !rh_number_fits(rh_graph_value(exprs, from), type))
      return not_held(type);
    if (!loses) return strengthen(exprs, from, type, as, made);
    rh_reason reason = rh_graph_settle(exprs, from, &from);
    if (reason) return reason;
    node.of = at(exprs, from)->type;
  }
  if (at(exprs, from)->type == type) return NULL;
  node.args[0] = from;
  return rh_graph_add(exprs, &node, made);
}

rh_reason rh_graph_convert(rh_exprs *exprs, uint32_t from, rh_type type, uint32_t *made) {
  return convert(exprs, from, type, RH_AS_NEAREST, made);
}

static rh_type computed_as(rh_type type) {
  if (type == RH_TYPE_f16) return RH_TYPE_f32;
  return rh_type_size(type) < 4 ? RH_TYPE_i32 : type;
}

/* A float saturates at the ends of the smaller type. */
static rh_reason saturate(rh_exprs *exprs, uint32_t from, rh_type type, uint32_t *made) {
  int bits = 8 * (int)rh_type_size(type), is_signed = rh_type_is_signed(type);
  rh_expr_value least = {.as = {.i = is_signed ? -(1 << (bits - 1)) : 0}};
  rh_expr_value most = {.as = {.i = (1 << (bits - is_signed)) - 1}};
  uint32_t low, high, is_below;
  rh_reason reason = rh_graph_literal(exprs, least, RH_TYPE_i32, &low);
  if (!reason) reason = rh_graph_literal(exprs, most, RH_TYPE_i32, &high);
  if (!reason) reason = rh_graph_binary(exprs, RH_NODE_LESS, from, low, &is_below);
  if (!reason) reason = rh_graph_choose(exprs, is_below, low, from, &from);
  if (!reason) reason = rh_graph_binary(exprs, RH_NODE_LESS, high, from, &is_below);
  return reason ? reason : rh_graph_choose(exprs, is_below, high, from, made);
}

rh_reason rh_graph_cast(rh_exprs *exprs, uint32_t from, rh_type type, uint32_t *made) {
  rh_type computed = computed_as(type);
  rh_reason reason = NULL;
  if (type != RH_TYPE_f16 && computed != type) reason = rh_graph_settle(exprs, from, &from);
  if (reason) return reason;
  int was_float = is_float(at(exprs, from)->type);
  reason = convert(exprs, from, computed, RH_AS_CAST, made);
  if (reason || computed == type) return reason;
  if (was_float && type != RH_TYPE_f16) return saturate(exprs, *made, type, made);
  rh_node node = {.kind = RH_NODE_NARROW, .type = computed, .of = type, .args = {*made}};
  return rh_graph_add(exprs, &node, made);
}

/* The usual arithmetic conversions, of types that are computed with. */
static rh_type common(rh_type a, rh_type b) {
  if (a == RH_TYPE_f64 || b == RH_TYPE_f64) return RH_TYPE_f64;
  if (a == RH_TYPE_f32 || b == RH_TYPE_f32) return RH_TYPE_f32;
  if (a == RH_TYPE_u64 || b == RH_TYPE_u64) return RH_TYPE_u64;
  if (a == RH_TYPE_i64 || b == RH_TYPE_i64) return RH_TYPE_i64;
  return a == RH_TYPE_u32 || b == RH_TYPE_u32 ? RH_TYPE_u32 : RH_TYPE_i32;
}

/* Two operands of one type. */
/* wraps: sums, products and bits are those modulo 2^64 of the operands, whatever their signs. */
static rh_reason meet_number(rh_exprs *exprs, uint32_t *number, rh_type type, int wraps) {
  rh_expr_value value = rh_graph_value(exprs, *number);
  rh_type wanted = beside(value, type);
  if (!wanted && !wraps) return not_held(value.is_large ? RH_TYPE_i64 : RH_TYPE_u64);
  if (!wanted) wanted = RH_TYPE_u64;
  int is_any = wraps && !is_float(wanted) && rh_type_size(wanted) == sizeof(uint64_t);
  return strengthen(exprs, *number, wanted, is_any ? RH_AS_CAST : RH_AS_NEAREST, number);
}

static rh_reason meet(rh_exprs *exprs, uint32_t *a, uint32_t *b, int wraps) {
  rh_reason reason = NULL;
  if (at(exprs, *a)->is_weak && at(exprs, *b)->is_weak) {
    reason = rh_graph_settle(exprs, *a, a);
    if (!reason) reason = rh_graph_settle(exprs, *b, b);
  } else if (at(exprs, *a)->is_weak) {
    reason = meet_number(exprs, a, at(exprs, *b)->type, wraps);
  } else if (at(exprs, *b)->is_weak) {
    reason = meet_number(exprs, b, at(exprs, *a)->type, wraps);
  }
  if (reason) return reason;
  rh_type type = common(at(exprs, *a)->type, at(exprs, *b)->type);
  reason = rh_graph_convert(exprs, *a, type, a);
  return reason ? reason : rh_graph_convert(exprs, *b, type, b);
}

/* ---- Operators ---- */

static rh_reason only_integers(void) {
  return "an operator of integers has a float as its operand";
}

static rh_reason no_room(void) {
  return "the integer does not fit in 64 bits";
}

/* It holds integers of up to 64 bits, and what becomes of two. */
__extension__ typedef __int128 wide;

static wide wide_of(rh_expr_value value) {
  return value.is_large ? (wide)(uint64_t)value.as.i : (wide)value.as.i;
}

static rh_reason narrow(rh_exprs *exprs, wide number, uint32_t *made) {
  if (number < INT64_MIN || number > (wide)UINT64_MAX) return no_room();
  rh_expr_value value = {.as = {.i = (int64_t)(uint64_t)number}, .is_large = number > INT64_MAX};
  return rh_graph_literal(exprs, value, 0, made);
}

static int is_weak_literal(const rh_node *node) {
  return node->is_weak && node->kind == RH_NODE_LITERAL;
}

/* A negative literal stays weak. */
static rh_reason negate(rh_exprs *exprs, uint32_t node, uint32_t *made) {
  rh_expr_value value = rh_graph_value(exprs, node);
  if (!value.is_float) return narrow(exprs, -wide_of(value), made);
  value.as.f = -value.as.f;
  return rh_graph_literal(exprs, value, 0, made);
}

rh_reason rh_graph_unary(rh_exprs *exprs, rh_node_kind kind, uint32_t node, uint32_t *made) {
  if (kind == RH_NODE_NEGATE && is_weak_literal(at(exprs, node))) return negate(exprs, node, made);
  rh_reason reason = rh_graph_settle(exprs, node, &node);
  if (reason) return reason;
  if (kind == RH_NODE_INVERT && is_float(at(exprs, node)->type)) return only_integers();
  rh_node added = {.kind = kind, .type = at(exprs, node)->type, .args = {node}};
  return rh_graph_add(exprs, &added, made);
}

static int is_zero(const rh_node *node) {
  return node->is_known && !is_float(node->type) && node->known.u64 == 0;
}

static int folds(const rh_exprs *exprs, rh_node_kind kind, uint32_t a, uint32_t b) {
  if (!is_weak_literal(at(exprs, a)) || !is_weak_literal(at(exprs, b))) return 0;
  int has_float = at(exprs, a)->type == RH_TYPE_f64 || at(exprs, b)->type == RH_TYPE_f64;
  return kind == RH_NODE_ADD || kind == RH_NODE_SUBTRACT || kind == RH_NODE_MULTIPLY ||
         (kind == RH_NODE_DIVIDE && has_float);
}

static rh_reason fold_integers(rh_exprs *exprs, rh_node_kind kind, wide a, wide b, uint32_t *made) {
  wide product;
  if (kind == RH_NODE_ADD) return narrow(exprs, a + b, made);
  if (kind == RH_NODE_SUBTRACT) return narrow(exprs, a - b, made);
  return __builtin_mul_overflow(a, b, &product) ? no_room() : narrow(exprs, product, made);
}

static rh_reason fold(rh_exprs *exprs, rh_node_kind kind, uint32_t a, uint32_t b, uint32_t *made) {
  rh_expr_value x = rh_graph_value(exprs, a), y = rh_graph_value(exprs, b);
  if (!x.is_float && !y.is_float) return fold_integers(exprs, kind, wide_of(x), wide_of(y), made);
  double left = rh_number_as(x, RH_TYPE_f64, RH_AS_NEAREST).f64;
  double right = rh_number_as(y, RH_TYPE_f64, RH_AS_NEAREST).f64;
  rh_expr_value value = {.is_float = 1};
  value.as.f = kind == RH_NODE_ADD        ? left + right
               : kind == RH_NODE_SUBTRACT ? left - right
               : kind == RH_NODE_MULTIPLY ? left * right
                                          : left / right;
  return rh_graph_literal(exprs, value, 0, made);
}

/* The type of a shift is that of its first operand. */
static rh_reason shift(rh_exprs *exprs, rh_node_kind kind, uint32_t a, uint32_t b, uint32_t *made) {
  rh_reason reason = rh_graph_settle(exprs, a, &a);
  if (!reason) reason = rh_graph_settle(exprs, b, &b);
  if (reason) return reason;
  if (is_float(at(exprs, a)->type) || is_float(at(exprs, b)->type)) return only_integers();
  if ((reason = rh_graph_convert(exprs, b, RH_TYPE_u32, &b))) return reason;
  rh_node node = {.kind = kind, .type = at(exprs, a)->type, .args = {a, b}};
  return rh_graph_add(exprs, &node, made);
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
static rh_reason take_integer(rh_exprs *exprs, uint32_t node, rh_type type, uint32_t *made) {
  rh_expr_value value = rh_graph_value(exprs, node), whole;
  int is_whole = !value.is_float || rh_number_whole(value.as.f, &whole);
  int is_wide = value.is_float && fabs(value.as.f) >= RH_NUMBER_WIDE;
  if (value.is_float && !(is_whole && is_wide && rh_type_size(type) == sizeof(uint64_t)))
    return strengthen(exprs, node, RH_TYPE_f64, RH_AS_APART, made);
  if (value.is_float) value = whole;
  rh_type wanted = beside(value, type);
  if (!wanted) wanted = value.is_large ? RH_TYPE_u64 : RH_TYPE_i64;
  return strengthen(exprs, node, wanted, RH_AS_NEAREST, made);
}

static rh_reason take_number(rh_exprs *exprs, rh_node_kind kind, uint32_t *number, uint32_t other,
                             int is_left) {
  rh_type type = at(exprs, other)->type;
  if (is_float(type)) return strengthen(exprs, *number, type, as_float(kind, is_left), number);
  return take_integer(exprs, *number, type, number);
}

static rh_reason take_numbers(rh_exprs *exprs, rh_node_kind kind, uint32_t *a, uint32_t *b) {
  rh_reason reason = NULL;
  if (at(exprs, *a)->is_weak && at(exprs, *b)->is_weak) {
    reason = rh_graph_settle(exprs, *a, a);
    return reason ? reason : rh_graph_settle(exprs, *b, b);
  }
  if (at(exprs, *a)->is_weak) reason = take_number(exprs, kind, a, *b, 1);
  if (!reason && at(exprs, *b)->is_weak) reason = take_number(exprs, kind, b, *a, 0);
  return reason;
}

/* The type in which both are compared; 0: none holds both. */
static rh_type type_for(rh_type a, rh_type b) {
  int is_signed_a = rh_type_is_signed(a), is_signed_b = rh_type_is_signed(b);
  if (is_float(a) || is_float(b) || is_signed_a == is_signed_b) return common(a, b);
  rh_type without = is_signed_a ? b : a;
  return without == RH_TYPE_u64 ? 0 : RH_TYPE_i64;
}

static rh_reason compare(rh_exprs *exprs, rh_node_kind kind, rh_type type, uint32_t a, uint32_t b,
                         uint32_t *made) {
  rh_reason reason = rh_graph_convert(exprs, a, type, &a);
  if (!reason) reason = rh_graph_convert(exprs, b, type, &b);
  rh_node node = {.kind = kind, .type = RH_TYPE_i32, .of = type, .args = {a, b}};
  return reason ? reason : rh_graph_add(exprs, &node, made);
}

/* One is signed and the other a u64: where the signed one is negative, it is the lesser one. */
static rh_reason compare_apart(rh_exprs *exprs, rh_node_kind kind, uint32_t a, uint32_t b,
                               uint32_t *made) {
  int is_left = rh_type_is_signed(at(exprs, a)->type);
  int holds = kind == RH_NODE_UNEQUAL || (is_left && kind != RH_NODE_EQUAL);
  uint32_t zero, side, rest, with_sign = is_left ? a : b;
  rh_type type = at(exprs, with_sign)->type;
  rh_reason reason = rh_graph_literal(exprs, (rh_expr_value){0}, type, &zero);
  if (!reason)
    reason = holds ? compare(exprs, RH_NODE_LESS, type, with_sign, zero, &side)
                   : compare(exprs, RH_NODE_AT_MOST, type, zero, with_sign, &side);
  if (!reason) reason = compare(exprs, kind, RH_TYPE_u64, a, b, &rest);
  if (reason) return reason;
  rh_node node = {.kind = holds ? RH_NODE_OR : RH_NODE_AND, .type = RH_TYPE_i32};
  node.args[0] = side;
  node.args[1] = rest;
  return rh_graph_add(exprs, &node, made);
}

static rh_reason compare_numbers(rh_exprs *exprs, rh_node_kind kind, uint32_t a, uint32_t b,
                                 uint32_t *made) {
  rh_reason reason = take_numbers(exprs, kind, &a, &b);
  if (reason) return reason;
  rh_type type = type_for(at(exprs, a)->type, at(exprs, b)->type);
  return type ? compare(exprs, kind, type, a, b, made) : compare_apart(exprs, kind, a, b, made);
}

/* ---- Operators of two operands ---- */

static int compares(rh_node_kind kind) {
  return kind >= RH_NODE_LESS && kind <= RH_NODE_UNEQUAL;
}

rh_reason rh_graph_binary(rh_exprs *exprs, rh_node_kind kind, uint32_t a, uint32_t b,
                          uint32_t *made) {
  if (kind == RH_NODE_LEFT || kind == RH_NODE_RIGHT) return shift(exprs, kind, a, b, made);
  if (compares(kind)) return compare_numbers(exprs, kind, a, b, made);
  if (folds(exprs, kind, a, b)) return fold(exprs, kind, a, b, made);
  rh_reason reason = meet(exprs, &a, &b, kind != RH_NODE_DIVIDE && kind != RH_NODE_REMAINDER);
  if (reason) return reason;
  rh_type type = at(exprs, a)->type;
  int takes_integers = kind == RH_NODE_REMAINDER || (kind >= RH_NODE_AND && kind <= RH_NODE_XOR);
  if (takes_integers && is_float(type))
    return kind == RH_NODE_REMAINDER ? "% is of integers; of floats it is fmod(a, b)"
                                     : only_integers();
  if ((kind == RH_NODE_DIVIDE || kind == RH_NODE_REMAINDER) && is_zero(at(exprs, b)))
    return "a division of integers by 0";
  rh_node node = {.kind = kind, .type = type, .args = {a, b}};
  return rh_graph_add(exprs, &node, made);
}

/* x != 0 */
static rh_reason truth(rh_exprs *exprs, uint32_t a, int is_true, uint32_t *made) {
  uint32_t zero;
  rh_reason reason = rh_graph_settle(exprs, a, &a);
  if (reason) return reason;
  const rh_node *node = at(exprs, a);
  if (is_true && node->kind >= RH_NODE_LESS && node->kind <= RH_NODE_UNEQUAL) {
    *made = a;
    return NULL;
  }
  if ((reason = rh_graph_literal(exprs, (rh_expr_value){0}, node->type, &zero))) return reason;
  return rh_graph_binary(exprs, is_true ? RH_NODE_UNEQUAL : RH_NODE_EQUAL, a, zero, made);
}

rh_reason rh_graph_not(rh_exprs *exprs, uint32_t a, uint32_t *made) {
  return truth(exprs, a, 0, made);
}

rh_reason rh_graph_logical(rh_exprs *exprs, int is_and, uint32_t a, uint32_t b, uint32_t *made) {
  rh_reason reason = truth(exprs, a, 1, &a);
  if (!reason) reason = truth(exprs, b, 1, &b);
  return reason ? reason : rh_graph_binary(exprs, is_and ? RH_NODE_AND : RH_NODE_OR, a, b, made);
}

rh_reason rh_graph_choose(rh_exprs *exprs, uint32_t condition, uint32_t a, uint32_t b,
                          uint32_t *made) {
  rh_reason reason = truth(exprs, condition, 1, &condition);
  if (!reason) reason = meet(exprs, &a, &b, 0);
  if (reason) return reason;
  rh_node node = {.kind = RH_NODE_CHOOSE, .type = at(exprs, a)->type, .args = {condition, a, b}};
  return rh_graph_add(exprs, &node, made);
}
