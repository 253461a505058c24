#include "known.h"

#include "../../core/base/vocabulary.h"

#include <math.h>

static int knows_value(const rh_node *node, const rh_known *of) {
  int all = 1, any = 0;
  for (uint32_t j = 0; j < node->arity; j++) {
    all &= of[node->args[j]].value;
    any |= of[node->args[j]].value;
  }
  switch (node->kind) {
  case RH_NODE_LITERAL: return 1;
  case RH_NODE_CONSTANT:
  case RH_NODE_VARIABLE:
  case RH_NODE_INDEX: return 0;
  case RH_NODE_CAST:
  case RH_NODE_BITS: return all;
  case RH_NODE_CHOOSE: /* fmin(x, -inf) is known, and its condition need not be */
  case RH_NODE_CALL: return any;
  default: return all || !rh_type_is_float(node->type);
  }
}

static int knows_nan(const rh_node *node, int knows_value, const rh_known *of) {
  int any = 0;
  if (!rh_type_is_float(node->type)) return 0;
  for (uint32_t j = 0; j < node->arity; j++) any |= of[node->args[j]].nan;
  switch (node->kind) {
  case RH_NODE_LITERAL:
    return node->type == RH_TYPE_f32 ? !isfinite(node->value.f32) : !isfinite(node->value.f64);
  case RH_NODE_CAST:
  case RH_NODE_CHOOSE: return any;
  default: return any || knows_value;
  }
}

static int is_read(const rh_node *node) {
  return node->kind == RH_NODE_VARIABLE || node->kind == RH_NODE_CONSTANT ||
         node->kind == RH_NODE_INDEX;
}

/* Elements and constants have either sign, and so have their sums, and products of two of them. */
static int knows_sign(const rh_node *node, const rh_known *of) {
  const uint32_t *args = node->args;
  switch (node->kind) {
  case RH_NODE_VARIABLE:
  case RH_NODE_CONSTANT: return 0;
  case RH_NODE_CAST: return !rh_type_is_float(node->of) || of[args[0]].sign;
  case RH_NODE_NEGATE:
  case RH_NODE_NARROW: return of[args[0]].sign;
  case RH_NODE_ADD:
  case RH_NODE_SUBTRACT: return of[args[0]].sign || of[args[1]].sign;
  case RH_NODE_MULTIPLY:
  case RH_NODE_DIVIDE: return args[0] == args[1] || of[args[0]].sign || of[args[1]].sign;
  default: return 1;
  }
}

static int is_whole(const rh_node *node, const rh_known *of) {
  switch (node->kind) {
  case RH_NODE_CAST: return !rh_type_is_float(node->of) || of[node->args[0]].is_whole;
  case RH_NODE_CHOOSE: return of[node->args[1]].is_whole || of[node->args[2]].is_whole;
  case RH_NODE_NEGATE:
  case RH_NODE_NARROW: return of[node->args[0]].is_whole;
  default: return 0;
  }
}

static int is_zero(const rh_node *node) {
  rh_scalar value = node->kind == RH_NODE_LITERAL ? node->value : node->known;
  if (node->kind != RH_NODE_LITERAL && !node->is_known) return 0;
  return node->type == RH_TYPE_f32 ? value.f32 == 0 : node->type == RH_TYPE_f64 && value.f64 == 0;
}

/* It takes what is done to a choice to both values of it. */
static int is_choice(const rh_node *node, const rh_known *of) {
  int all = 1;
  if (node->kind == RH_NODE_LITERAL) return 1;
  if (node->kind >= RH_NODE_LESS && node->kind <= RH_NODE_UNEQUAL) return 1;
  if (node->kind == RH_NODE_CHOOSE) return of[node->args[1]].choice && of[node->args[2]].choice;
  for (uint32_t j = 0; j < node->arity; j++) all &= of[node->args[j]].choice;
  return node->arity && all;
}

rh_known rh_node_known(const rh_node *node, const rh_known *of) {
  rh_known known = {.value = (unsigned char)knows_value(node, of)};
  known.nan = (unsigned char)knows_nan(node, known.value, of);
  known.is_read = (unsigned char)is_read(node);
  known.sign = (unsigned char)(rh_type_is_float(node->type) && knows_sign(node, of));
  known.is_whole = (unsigned char)(rh_type_is_float(node->type) && is_whole(node, of));
  known.is_zero = (unsigned char)is_zero(node);
  known.choice = (unsigned char)is_choice(node, of);
  return known;
}
