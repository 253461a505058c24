/* Operations on typed operands: C's conversions, but for what is weak. */
#include "../base/vocabulary.h"
#include "graph.h"

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
  rh_node node = {.kind = RH_NODE_LITERAL, .type = type};
  switch (type) {
  case RH_TYPE_i32: node.value.i32 = (int32_t)value.as.i; break;
  case RH_TYPE_u32: node.value.u32 = (uint32_t)value.as.i; break;
  case RH_TYPE_i64:
  case RH_TYPE_u64: node.value.i64 = value.as.i; break;
  case RH_TYPE_f32: node.value.f32 = value.is_float ? (float)value.as.f : (float)value.as.i; break;
  case RH_TYPE_f64: node.value.f64 = value.is_float ? value.as.f : (double)value.as.i; break;
  default:
    node.type = value.is_float ? RH_TYPE_f64 : RH_TYPE_i64;
    node.is_weak = 1;
    memcpy(&node.value, &value.as, sizeof node.value);
  }
  return rh_graph_add(exprs, &node, made);
}

static rh_expr_value value_of(const rh_node *weak) {
  rh_expr_value value = {.is_float = weak->type == RH_TYPE_f64};
  memcpy(&value.as, &weak->value, sizeof value.as);
  return value;
}

/* The slot of a constant as a type. */
static rh_reason take_slot(rh_exprs *exprs, uint32_t constant, rh_type type, uint32_t *made) {
  rh_node node = {.kind = RH_NODE_CONSTANT, .type = type, .number = constant};
  uint32_t k = 0;
  while (k < exprs->n_slots &&
         (exprs->slots[k].constant != constant || exprs->slots[k].type != type))
    k++;
  if (k == RH_EXPR_MOST_SLOTS) return "too many constants";
  if (k == exprs->n_slots) exprs->slots[exprs->n_slots++] = (rh_expr_slot){constant, type};
  node.slot = k;
  return rh_graph_add(exprs, &node, made);
}

rh_reason rh_graph_count(rh_exprs *exprs, uint32_t *made) {
  return take_slot(exprs, RH_EXPR_COUNT, RH_TYPE_u64, made);
}

static int fits(int64_t value, rh_type type) {
  switch (type) {
  case RH_TYPE_i32: return value >= INT32_MIN && value <= INT32_MAX;
  case RH_TYPE_u32: return value >= 0 && value <= UINT32_MAX;
  case RH_TYPE_u64: return value >= 0;
  default: return 1;
  }
}

/* A weak operand as `type`. */
static rh_reason strengthen(rh_exprs *exprs, uint32_t node, rh_type type, uint32_t *made) {
  if (at(exprs, node)->kind == RH_NODE_CONSTANT)
    return take_slot(exprs, at(exprs, node)->number, type, made);
  return rh_graph_literal(exprs, value_of(at(exprs, node)), type, made);
}

/* What a weak operand becomes beside an operand of `type`. */
static rh_type beside(const rh_node *weak, rh_type type) {
  if (weak->type == RH_TYPE_f64) return is_float(type) ? type : RH_TYPE_f64;
  if (is_float(type) || weak->kind == RH_NODE_CONSTANT || fits(weak->value.i64, type)) return type;
  return fits(weak->value.i64, RH_TYPE_i32) ? RH_TYPE_i32 : RH_TYPE_i64;
}

rh_reason rh_graph_settle(rh_exprs *exprs, uint32_t node, uint32_t *made) {
  const rh_node *weak = at(exprs, node);
  *made = node;
  if (!weak->is_weak) return NULL;
  rh_type type = weak->type;
  if (type == RH_TYPE_i64 && weak->kind == RH_NODE_LITERAL && fits(weak->value.i64, RH_TYPE_i32))
    type = RH_TYPE_i32;
  return strengthen(exprs, node, type, made);
}

/* ---- Conversions ---- */

rh_reason rh_graph_convert(rh_exprs *exprs, uint32_t from, rh_type type, uint32_t *made) {
  rh_node node = {.kind = RH_NODE_CAST, .type = type, .of = at(exprs, from)->type};
  *made = from;
  if (at(exprs, from)->is_weak) {
    int loses = at(exprs, from)->type == RH_TYPE_f64 && !is_float(type);
    if (!loses) return strengthen(exprs, from, type, made);
    rh_reason reason = rh_graph_settle(exprs, from, &from);
    if (reason) return reason;
    node.of = at(exprs, from)->type;
  }
  if (at(exprs, from)->type == type) return NULL;
  node.args[0] = from;
  return rh_graph_add(exprs, &node, made);
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
  reason = rh_graph_convert(exprs, from, computed, made);
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
static rh_reason meet(rh_exprs *exprs, uint32_t *a, uint32_t *b) {
  rh_reason reason = NULL;
  if (at(exprs, *a)->is_weak && at(exprs, *b)->is_weak) {
    reason = rh_graph_settle(exprs, *a, a);
    if (!reason) reason = rh_graph_settle(exprs, *b, b);
  } else if (at(exprs, *a)->is_weak) {
    reason = strengthen(exprs, *a, beside(at(exprs, *a), at(exprs, *b)->type), a);
  } else if (at(exprs, *b)->is_weak) {
    reason = strengthen(exprs, *b, beside(at(exprs, *b), at(exprs, *a)->type), b);
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

/* A negative literal stays weak. */
static int fold_unary(const rh_node *node, rh_node_kind kind, rh_expr_value *value) {
  if (!node->is_weak || node->kind != RH_NODE_LITERAL || kind != RH_NODE_NEGATE) return 0;
  *value = value_of(node);
  if (value->is_float)
    value->as.f = -value->as.f;
  else
    value->as.i = (int64_t)(0 - (uint64_t)value->as.i);
  return 1;
}

rh_reason rh_graph_unary(rh_exprs *exprs, rh_node_kind kind, uint32_t node, uint32_t *made) {
  rh_expr_value value;
  if (fold_unary(at(exprs, node), kind, &value)) return rh_graph_literal(exprs, value, 0, made);
  rh_reason reason = rh_graph_settle(exprs, node, &node);
  if (reason) return reason;
  if (kind == RH_NODE_INVERT && is_float(at(exprs, node)->type)) return only_integers();
  rh_node added = {.kind = kind, .type = at(exprs, node)->type, .args = {node}};
  return rh_graph_add(exprs, &added, made);
}

static int is_zero(const rh_node *node) {
  return node->is_known && !is_float(node->type) && node->known.u64 == 0;
}

static int fold_binary(const rh_node *a, const rh_node *b, rh_node_kind kind,
                       rh_expr_value *value) {
  int is_arithmetic = kind == RH_NODE_ADD || kind == RH_NODE_SUBTRACT || kind == RH_NODE_MULTIPLY;
  if (!a->is_weak || !b->is_weak || a->kind != RH_NODE_LITERAL || b->kind != RH_NODE_LITERAL)
    return 0;
  rh_expr_value x = value_of(a), y = value_of(b);
  if (!x.is_float && !y.is_float) {
    *value = (rh_expr_value){0};
    if (kind == RH_NODE_ADD) return !__builtin_add_overflow(x.as.i, y.as.i, &value->as.i);
    if (kind == RH_NODE_SUBTRACT) return !__builtin_sub_overflow(x.as.i, y.as.i, &value->as.i);
    return kind == RH_NODE_MULTIPLY && !__builtin_mul_overflow(x.as.i, y.as.i, &value->as.i);
  }
  double left = x.is_float ? x.as.f : (double)x.as.i, right = y.is_float ? y.as.f : (double)y.as.i;
  if (!is_arithmetic && kind != RH_NODE_DIVIDE) return 0;
  value->is_float = 1;
  value->as.f = kind == RH_NODE_ADD        ? left + right
                : kind == RH_NODE_SUBTRACT ? left - right
                : kind == RH_NODE_MULTIPLY ? left * right
                                           : left / right;
  return 1;
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

static int compares(rh_node_kind kind) {
  return kind >= RH_NODE_LESS && kind <= RH_NODE_UNEQUAL;
}

rh_reason rh_graph_binary(rh_exprs *exprs, rh_node_kind kind, uint32_t a, uint32_t b,
                          uint32_t *made) {
  rh_expr_value value;
  if (kind == RH_NODE_LEFT || kind == RH_NODE_RIGHT) return shift(exprs, kind, a, b, made);
  if (fold_binary(at(exprs, a), at(exprs, b), kind, &value))
    return rh_graph_literal(exprs, value, 0, made);
  rh_reason reason = meet(exprs, &a, &b);
  if (reason) return reason;
  rh_type type = at(exprs, a)->type;
  int takes_integers = kind == RH_NODE_REMAINDER || (kind >= RH_NODE_AND && kind <= RH_NODE_XOR);
  if (takes_integers && is_float(type))
    return kind == RH_NODE_REMAINDER ? "% is of integers; of floats it is fmod(a, b)"
                                     : only_integers();
  if ((kind == RH_NODE_DIVIDE || kind == RH_NODE_REMAINDER) && is_zero(at(exprs, b)))
    return "a division of integers by 0";
  rh_node node = {.kind = kind, .type = type, .args = {a, b}};
  if (compares(kind)) {
    node.of = type;
    node.type = RH_TYPE_i32;
  }
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
  if (!reason) reason = meet(exprs, &a, &b);
  if (reason) return reason;
  rh_node node = {.kind = RH_NODE_CHOOSE, .type = at(exprs, a)->type, .args = {condition, a, b}};
  return rh_graph_add(exprs, &node, made);
}
