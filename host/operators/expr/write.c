/* Expressions as OpenCL C.  It is written from the graph: each node is a constant of its own, so
 * that nothing is evaluated twice and precedence does not matter. */
#include "../../core/base/vocabulary.h"
#include "expressions.cl.h"
#include "graph.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- What a compiler may find out ----
 *
 * Compilers draw wrong conclusions from some of it, which is hidden from them.  Each field is 0 or
 * 1; 1: it may find out. */

typedef struct known {
  unsigned char value;    /* the value: of integers by single bits, as of `n | -1` and `u < 0` */
  unsigned char nan;      /* that it is NaN */
  unsigned char sign;     /* of a float: its sign */
  unsigned char choice;   /* that it is one of a few values, and which they are */
  unsigned char is_whole; /* that the float was converted from an integer */
  unsigned char is_zero;  /* that the float, made of literals alone, is 0 or -0 */
  unsigned char is_read;  /* nothing: an element, a constant or an index */
} known;

static int knows_value(const rh_node *node, const known *of) {
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

static int knows_nan(const rh_node *node, int knows_value, const known *of) {
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
static int knows_sign(const rh_node *node, const known *of) {
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

static int is_whole(const rh_node *node, const known *of) {
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
static int is_choice(const rh_node *node, const known *of) {
  int all = 1;
  if (node->kind == RH_NODE_LITERAL) return 1;
  if (node->kind >= RH_NODE_LESS && node->kind <= RH_NODE_UNEQUAL) return 1;
  if (node->kind == RH_NODE_CHOOSE) return of[node->args[1]].choice && of[node->args[2]].choice;
  for (uint32_t j = 0; j < node->arity; j++) all &= of[node->args[j]].choice;
  return node->arity && all;
}

/* of: the facts of all nodes before this one. */
static known known_of(const rh_node *node, const known *of) {
  known is = {.value = (unsigned char)knows_value(node, of)};
  is.nan = (unsigned char)knows_nan(node, is.value, of);
  is.is_read = (unsigned char)is_read(node);
  is.sign = (unsigned char)(rh_type_is_float(node->type) && knows_sign(node, of));
  is.is_whole = (unsigned char)(rh_type_is_float(node->type) && is_whole(node, of));
  is.is_zero = (unsigned char)is_zero(node);
  is.choice = (unsigned char)is_choice(node, of);
  return is;
}

/* ---- The text ---- */

void rh_exprs_write_helpers(rh_text *to) {
  rh_text_add(to, "#line 1 \"expressions.cl\"\n");
  rh_text_append(to, (const char *)expressions_cl, sizeof expressions_cl - 1);
}

/* A float is written by its bits: a decimal number may be read as another one. */
static void write_literal(const rh_node *node, rh_text *to) {
  switch (node->type) {
  case RH_TYPE_f32: rh_text_add(to, "as_float(0x%" PRIx32 "u)", node->value.u32); return;
  case RH_TYPE_f64: rh_text_add(to, "as_double(0x%" PRIx64 "ul)", node->value.u64); return;
  case RH_TYPE_i32: rh_text_add(to, "as_int(0x%" PRIx32 "u)", node->value.u32); return;
  case RH_TYPE_u32: rh_text_add(to, "0x%" PRIx32 "u", node->value.u32); return;
  case RH_TYPE_i64: rh_text_add(to, "as_long(0x%" PRIx64 "ul)", node->value.u64); return;
  default: rh_text_add(to, "0x%" PRIx64 "ul", node->value.u64);
  }
}

static void write_constant(const rh_node *node, const char *constants, rh_text *to) {
  const char *type = rh_expr_type_name(node->type);
  if (rh_type_size(node->type) == sizeof(uint64_t))
    rh_text_add(to, "as_%s(%s[%u])", type, constants, node->slot);
  else
    rh_text_add(to, "as_%s((uint)%s[%u])", type, constants, node->slot);
}

/* OpenCL C has NaN saturate to 0, but NVIDIA's driver 580 gives the least number of 64 bits.  It
 * also takes the integer that a float was for what the float becomes, without a limit. */
static void write_cast(const rh_node *node, const char *a, int is_whole, rh_text *to) {
  const char *type = rh_expr_type_name(node->type);
  if (node->of == RH_TYPE_u32 && node->type == RH_TYPE_f32)
    rh_text_add(to, "rh_float_of_uint(%s)", a);
  else if (rh_type_is_float(node->of) && !rh_type_is_float(node->type))
    rh_text_add(to, "%s != %s ? 0 : convert_%s_sat_rtz(%s%s(%s))", a, a, type,
                is_whole ? "rh_hidden_" : "", is_whole ? rh_expr_type_name(node->of) : "", a);
  else
    rh_text_add(to, "(%s)%s", type, a);
}

/* NVIDIA's driver 580 takes the bits of (float)(a > b) for the integer, and the float that has the
 * bits of a > b for the number. */
static void write_bits(const rh_node *node, const char *a, int is_read, rh_text *to) {
  if (rh_type_is_float(node->type) == rh_type_is_float(node->of) || is_read)
    rh_text_add(to, "as_%s(%s)", rh_expr_type_name(node->type), a);
  else
    rh_text_add(to, "as_%s(rh_hidden_%s(%s))", rh_expr_type_name(node->type),
                rh_expr_type_name(node->of), a);
}

/* -(float)(a > b) is -0 where a > b does not hold, but not with NVIDIA's driver 580. */
static void write_negation(const rh_node *node, const char *a, int of_choice, rh_text *to) {
  const char *type = rh_expr_type_name(node->type);
  if (rh_type_is_float(node->type) && of_choice)
    rh_text_add(to, "-rh_hidden_%s(%s)", type, a);
  else if (rh_type_is_float(node->type) || !rh_type_is_signed(node->type))
    rh_text_add(to, "-%s", a);
  else
    rh_text_add(to, "(%s)((u%s)0 - (u%s)%s)", type, type, type, a);
}

/* Signed integers wrap as unsigned ones do. */
static void write_arithmetic(const rh_node *node, const char *operator, const char * a,
                             const char *b, rh_text *to) {
  const char *type = rh_expr_type_name(node->type);
  if (rh_type_is_float(node->type) || !rh_type_is_signed(node->type))
    rh_text_add(to, "%s %s %s", a, operator, b);
  else
    rh_text_add(to, "(%s)((u%s)%s %s (u%s)%s)", type, type, a, operator, type, b);
}

/* NVIDIA's driver 580 takes x / -0.0 for no less than 0 where x is not. */
static void write_division(const rh_node *node, const char *a, const char *b, int by_zero,
                           rh_text *to) {
  const char *type = rh_expr_type_name(node->type);
  if (!rh_type_is_float(node->type))
    rh_text_add(to, "rh_divide_%s(%s, %s)", type, a, b);
  else if (by_zero)
    rh_text_add(to, "%s / rh_hidden_%s(%s)", a, type, b);
  else
    rh_text_add(to, "%s / %s", a, b);
}

static void write_order(const rh_node *node, const char *a, const char *b, const known *of,
                        rh_text *to) {
  int at_most = node->kind == RH_NODE_AT_MOST;
  if (of[node->args[0]].sign && of[node->args[1]].sign)
    rh_text_add(to, "rh_%s_%s(%s, %s)", at_most ? "at_most" : "less", rh_expr_type_name(node->of),
                a, b);
  else
    rh_text_add(to, "%s %s %s", a, at_most ? "<=" : "<", b);
}

static void write_binary(const rh_node *node, const char *a, const char *b, rh_text *to) {
  const char *type = rh_expr_type_name(node->type);
  int bits = 8 * (int)rh_type_size(node->type) - 1;
  switch (node->kind) {
  case RH_NODE_ADD: write_arithmetic(node, "+", a, b, to); return;
  case RH_NODE_SUBTRACT: write_arithmetic(node, "-", a, b, to); return;
  case RH_NODE_MULTIPLY: write_arithmetic(node, "*", a, b, to); return;
  case RH_NODE_REMAINDER: rh_text_add(to, "rh_remainder_%s(%s, %s)", type, a, b); return;
  case RH_NODE_LEFT:
    rh_text_add(to, "as_%s(as_%s%s(%s) << (%s & %d))", type,
                rh_type_is_signed(node->type) ? "u" : "", type, a, b, bits);
    return;
  case RH_NODE_RIGHT: rh_text_add(to, "%s >> (%s & %d)", a, b, bits); return;
  case RH_NODE_AND: rh_text_add(to, "%s & %s", a, b); return;
  case RH_NODE_OR: rh_text_add(to, "%s | %s", a, b); return;
  case RH_NODE_XOR: rh_text_add(to, "%s ^ %s", a, b); return;
  case RH_NODE_EQUAL: rh_text_add(to, "%s == %s", a, b); return;
  default: rh_text_add(to, "%s != %s", a, b);
  }
}

/* PoCL's compiler makes NaN of the rint() of a large constant.  Large floats are whole numbers. */
static void write_rint(const rh_node *node, const char *a, rh_text *to) {
  const char *whole = node->type == RH_TYPE_f32 ? "0x1p23f" : "0x1p52";
  rh_text_add(to, "fabs(%s) < %s ? rint(%s) : %s", a, whole, a, a);
}

/* PoCL's compiler makes any number of the exp() or ceil() of a NaN that it knows, and leaves out a
 * whole kernel that has such a pow(). */
static void write_of_nan(const rh_node *node, rh_expr_name *args, rh_text *to) {
  const char *a = args[0], *b = args[1], *type = rh_expr_type_name(node->type);
  if (node->function->n_args == 1)
    rh_text_add(to, "%s != %s ? %s : ", a, a, a);
  else if (rh_node_calls(node, "fmod"))
    rh_text_add(to, "%s != %s || %s != %s ? %s + %s : ", a, a, b, b, a, b);
  else if (rh_node_calls(node, "pow"))
    rh_text_add(to, "%s != %s || %s != %s ? (%s == 1 || %s == 0 ? (%s)1 : %s + %s) : ", a, a, b, b,
                a, b, type, a, b);
}

/* NVIDIA's driver 580 gives NaN for the asinh() of a -0 that it knows. */
static void write_call(const rh_node *node, rh_expr_name *args, const known *of, rh_text *to) {
  int of_nan = 0;
  if (rh_node_calls(node, "rint")) {
    write_rint(node, args[0], to);
    return;
  }
  for (uint32_t j = 0; j < node->arity; j++) of_nan |= of[node->args[j]].nan;
  if (of_nan) write_of_nan(node, args, to);
  rh_text_add(to, "%s(", node->function->name);
  for (uint32_t j = 0; j < node->function->n_args; j++)
    if (of[node->args[j]].choice && node->function->n_args == 1)
      rh_text_add(to, "rh_hidden_%s(%s)", rh_expr_type_name(node->type), args[j]);
    else
      rh_text_add(to, "%s%s", j ? ", " : "", args[j]);
  rh_text_add(to, ")");
}

static void write_narrow(const rh_node *node, const char *a, rh_text *to) {
  if (node->of == RH_TYPE_f16)
    rh_text_add(to, "rh_round_half(%s)", a);
  else
    rh_text_add(to, "(int)(%s)%s", rh_expr_type_name(node->of), a);
}

static void write_value(const rh_node *node, rh_expr_name *args, const known *of, const char *index,
                        const char *constants, rh_text *to) {
  const char *a = args[0], *b = args[1];
  switch (node->kind) {
  case RH_NODE_LITERAL: write_literal(node, to); return;
  case RH_NODE_CONSTANT: write_constant(node, constants, to); return;
  case RH_NODE_INDEX: rh_text_add(to, "%s", index); return;
  case RH_NODE_CAST: write_cast(node, a, of[node->args[0]].is_whole, to); return;
  case RH_NODE_NARROW: write_narrow(node, a, to); return;
  case RH_NODE_BITS: write_bits(node, a, of[node->args[0]].is_read, to); return;
  case RH_NODE_NEGATE: write_negation(node, a, of[node->args[0]].choice, to); return;
  case RH_NODE_INVERT: rh_text_add(to, "~%s", a); return;
  case RH_NODE_CHOOSE: rh_text_add(to, "%s ? %s : %s", a, b, args[2]); return;
  case RH_NODE_CALL: write_call(node, args, of, to); return;
  case RH_NODE_DIVIDE: write_division(node, a, b, of[node->args[1]].is_zero, to); return;
  case RH_NODE_LESS:
  case RH_NODE_AT_MOST: write_order(node, a, b, of, to); return;
  default: write_binary(node, a, b, to);
  }
}

static void name_node(uint32_t k, const char *prefix, rh_expr_name name) {
  snprintf(name, RH_EXPR_NAME_BYTES, "%s%u", prefix, k);
}

void rh_exprs_write(const rh_exprs *exprs, rh_text *to, const rh_expr_name *variables,
                    const char *index, const char *constants, const char *prefix,
                    rh_expr_name *outputs) {
  rh_expr_name args[3], own;
  known facts[exprs->n_nodes + 1];
  for (uint32_t k = 0; k < exprs->n_nodes; k++) {
    const rh_node *node = &exprs->nodes[k];
    facts[k] = known_of(node, facts);
    if (!node->is_live) continue;
    for (uint32_t j = 0; j < node->arity; j++) name_node(node->args[j], prefix, args[j]);
    name_node(k, prefix, own);
    rh_text_add(to, "const %s %s = ", rh_expr_type_name(node->type), own);
    if (node->kind == RH_NODE_VARIABLE)
      rh_text_add(to, "%s", variables[node->number]);
    else
      write_value(node, args, facts, index, constants, to);
    rh_text_add(to, ";\n");
  }
  for (uint32_t j = 0; j < exprs->n_outputs; j++) name_node(exprs->outputs[j], prefix, outputs[j]);
}
