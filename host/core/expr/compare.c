/* Comparisons are those of numbers, as far as integers and numbers without a type go: -1 is below
 * every unsigned number, and 4294967296 above every u32. */
#include "../base/vocabulary.h"
#include "number.h"

#include <math.h>

static const rh_node *at(const rh_exprs *exprs, uint32_t node) {
  return &exprs->nodes[node];
}

/* What a number beside floats of `type` is there, so that each of them compares with it as with the
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
    return rh_graph_strengthen(exprs, node, RH_TYPE_f64, RH_AS_APART, made);
  if (value.is_float) value = whole;
  rh_type wanted = rh_graph_beside(value, type);
  if (!wanted) wanted = value.is_large ? RH_TYPE_u64 : RH_TYPE_i64;
  return rh_graph_strengthen(exprs, node, wanted, RH_AS_NEAREST, made);
}

static rh_reason take(rh_exprs *exprs, rh_node_kind kind, uint32_t *number, uint32_t other,
                      int is_left) {
  rh_type type = at(exprs, other)->type;
  if (rh_type_is_float(type))
    return rh_graph_strengthen(exprs, *number, type, as_float(kind, is_left), number);
  return take_integer(exprs, *number, type, number);
}

static rh_reason take_numbers(rh_exprs *exprs, rh_node_kind kind, uint32_t *a, uint32_t *b) {
  rh_reason reason = NULL;
  if (at(exprs, *a)->is_weak && at(exprs, *b)->is_weak) {
    reason = rh_graph_settle(exprs, *a, a);
    return reason ? reason : rh_graph_settle(exprs, *b, b);
  }
  if (at(exprs, *a)->is_weak) reason = take(exprs, kind, a, *b, 1);
  if (!reason && at(exprs, *b)->is_weak) reason = take(exprs, kind, b, *a, 0);
  return reason;
}

/* The type in which both are compared; 0: none holds both. */
static rh_type type_for(rh_type a, rh_type b) {
  int is_signed_a = rh_type_is_signed(a), is_signed_b = rh_type_is_signed(b);
  if (rh_type_is_float(a) || rh_type_is_float(b) || is_signed_a == is_signed_b)
    return rh_graph_common(a, b);
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

rh_reason rh_graph_compare(rh_exprs *exprs, rh_node_kind kind, uint32_t a, uint32_t b,
                           uint32_t *made) {
  rh_reason reason = take_numbers(exprs, kind, &a, &b);
  if (reason) return reason;
  rh_type type = type_for(at(exprs, a)->type, at(exprs, b)->type);
  return type ? compare(exprs, kind, type, a, b, made) : compare_apart(exprs, kind, a, b, made);
}
