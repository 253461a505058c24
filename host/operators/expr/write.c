/* Expressions as OpenCL C.  It is written from the graph: each node is a constant of its own, so
 * that nothing is evaluated twice and precedence does not matter. */
#include "internal.h"

#include "expressions.cl.h"

/* ---- What a compiler may find out ----
 *
 * Compilers draw wrong conclusions from some of it, which is hidden from them. */
enum {
  VALUE = 1,    /* the value: of integers by single bits, as of `n | -1` and `u < 0` */
  IS_NAN = 2,   /* of a float: that it is NaN */
  SIGN = 4,     /* of a float: its sign */
  CHOICE = 8,   /* that it is one of a few values, and which they are */
  WHOLE = 16,   /* that the float was converted from an integer */
  IS_ZERO = 32, /* that the float, made of literals alone, is 0 or -0 */
  READ = 64     /* nothing: an element, a constant or an index */
};

/* any, all: the facts of any operand, and of all of them. */
static uint32_t known_of_operation(const rh_node *node, uint32_t any, uint32_t all) {
  uint32_t facts = (any & (IS_NAN | SIGN)) | (all & (VALUE | CHOICE));
  int multiplies = node->kind == RH_NODE_MULTIPLY || node->kind == RH_NODE_DIVIDE;
  if (!rh_type_is_float(node->type)) facts |= VALUE;
  if (rh_node_compares(node->kind)) facts |= CHOICE;
  if (multiplies && node->args[0] == node->args[1]) facts |= SIGN;
  if (node->arity == 1) facts |= any & WHOLE;
  return facts & VALUE ? facts | IS_NAN : facts;
}

/* Elements and constants have either sign, and so have their sums, and products of two of them. */
static uint32_t known_of_kind(const rh_node *node, const uint32_t *of) {
  uint32_t any = 0, all = UINT32_MAX;
  for (uint32_t j = 0; j < node->arity; j++) {
    any |= of[node->args[j]];
    all &= of[node->args[j]];
  }
  switch (node->kind) {
  case RH_NODE_LITERAL:
    return VALUE | SIGN | CHOICE |
           (isfinite(rh_number_at(node->type, &node->value, 0)) ? 0 : IS_NAN);
  case RH_NODE_CONSTANT:
  case RH_NODE_VARIABLE:
  case RH_NODE_INDEX: return READ;
  case RH_NODE_CAST:
    return (any & (VALUE | IS_NAN | SIGN | CHOICE | WHOLE)) |
           (rh_type_is_float(node->of) ? 0 : SIGN | WHOLE);
  case RH_NODE_BITS: return SIGN | (any & (VALUE | IS_NAN | CHOICE)) | (any & VALUE ? IS_NAN : 0);
  case RH_NODE_CALL:
    return SIGN | (any & (VALUE | IS_NAN)) | (any & VALUE ? IS_NAN : 0) | (all & CHOICE);
  case RH_NODE_CHOOSE: /* fmin(x, -inf) is known, and its condition need not be */
    return SIGN | (any & (VALUE | IS_NAN | WHOLE)) |
           (of[node->args[1]] & of[node->args[2]] & CHOICE);
  default: return known_of_operation(node, any, all);
  }
}

/* of: the facts of all nodes before this one. */
static uint32_t known_of(const rh_node *node, const uint32_t *of) {
  uint32_t facts = known_of_kind(node, of);
  if (!rh_type_is_float(node->type)) return facts & (VALUE | CHOICE | READ);
  if (node->is_known && rh_number_at(node->type, &node->known, 0) == 0) facts |= IS_ZERO;
  return facts;
}

/* ---- The text ---- */

void rh_exprs_write_helpers(rh_text *to) {
  rh_text_add(to, "#line 1 \"expressions.cl\"\n");
  rh_text_append(to, (const char *)expressions_cl, sizeof expressions_cl - 1);
}

/* Texts of operations: $a, $b and $c are the operands, $t the node's type and $o the type `of`, $m
 * the bits that a shift counts by, $f the function, $i the index, $k the constants, $s the slot, $x
 * the value in hexadecimal digits. */
enum { FLOAT, SIGNED, UNSIGNED, CLASSES };
#define SAME(text)                                                                                 \
  { text, text, text }
/* Signed integers wrap as unsigned ones do. */
#define WRAPS(operator)                                                                            \
  { "$a " operator" $b", "($t)((u$t)$a " operator" (u$t)$b)", "$a " operator" $b" }
static const char *const texts[][CLASSES] = {
    [RH_NODE_INDEX] = SAME("$i"),
    [RH_NODE_NEGATE] = {"-$a", "($t)((u$t)0 - (u$t)$a)", "-$a"},
    [RH_NODE_INVERT] = SAME("~$a"),
    [RH_NODE_ADD] = WRAPS("+"),
    [RH_NODE_SUBTRACT] = WRAPS("-"),
    [RH_NODE_MULTIPLY] = WRAPS("*"),
    [RH_NODE_DIVIDE] = {"$a / $b", "rh_divide_$t($a, $b)", "rh_divide_$t($a, $b)"},
    [RH_NODE_REMAINDER] = SAME("rh_remainder_$t($a, $b)"),
    [RH_NODE_LEFT] = {"", "as_$t(as_u$t($a) << ($b & $m))", "as_$t(as_$t($a) << ($b & $m))"},
    [RH_NODE_RIGHT] = SAME("$a >> ($b & $m)"),
    [RH_NODE_AND] = SAME("$a & $b"),
    [RH_NODE_OR] = SAME("$a | $b"),
    [RH_NODE_XOR] = SAME("$a ^ $b"),
    [RH_NODE_LESS] = SAME("$a < $b"),
    [RH_NODE_AT_MOST] = SAME("$a <= $b"),
    [RH_NODE_EQUAL] = SAME("$a == $b"),
    [RH_NODE_UNEQUAL] = SAME("$a != $b"),
    [RH_NODE_CHOOSE] = SAME("$a ? $b : $c"),
};

/* A float is written by its bits: a decimal number may be read as another one. */
static const char *const literals[] = {
    [RH_TYPE_f32] = "as_float(0x$xu)", [RH_TYPE_f64] = "as_double(0x$xul)",
    [RH_TYPE_i32] = "as_int(0x$xu)",   [RH_TYPE_u32] = "0x$xu",
    [RH_TYPE_i64] = "as_long(0x$xul)", [RH_TYPE_u64] = "0x$xul"};

/* OpenCL C has NaN saturate to 0, but NVIDIA's driver 580 gives the least number of 64 bits.  It
 * also takes the integer that a float was for what the float becomes, without a limit. */
static const char *text_of_cast(const rh_node *node, uint32_t a) {
  if (node->of == RH_TYPE_u32 && node->type == RH_TYPE_f32) return "rh_float_of_uint($a)";
  if (!rh_type_is_float(node->of) || rh_type_is_float(node->type)) return "($t)$a";
  return a & WHOLE ? "$a != $a ? 0 : convert_$t_sat_rtz(rh_hidden_$o($a))"
                   : "$a != $a ? 0 : convert_$t_sat_rtz(($a))";
}

/* PoCL's compiler makes any number of the exp() or ceil() of a NaN that it knows, and leaves out a
 * whole kernel that has such a pow(). */
static const char *text_of_nan(const rh_node *node) {
  if (node->arity == 1) return "$a != $a ? $a : ";
  if (rh_node_calls(node, "fmod")) return "$a != $a || $b != $b ? $a + $b : ";
  if (rh_node_calls(node, "pow"))
    return "$a != $a || $b != $b ? ($a == 1 || $b == 0 ? ($t)1 : $a + $b) : ";
  return "";
}

/* PoCL's compiler makes NaN of the rint() of a large constant.  Large floats are whole numbers.
 * NVIDIA's driver 580 gives NaN for the asinh() of a -0 that it knows. */
static const char *text_of_call(const rh_node *node, uint32_t a) {
  static const char *const calls[] = {"", "$f($a)", "$f($a, $b)", "$f($a, $b, $c)"};
  if (rh_node_calls(node, "rint"))
    return node->type == RH_TYPE_f32 ? "fabs($a) < 0x1p23f ? rint($a) : $a"
                                     : "fabs($a) < 0x1p52 ? rint($a) : $a";
  return node->arity == 1 && a & CHOICE ? "$f(rh_hidden_$t($a))" : calls[node->arity];
}

/* NVIDIA's driver 580
 * - takes the bits of (float)(a > b) for the integer, and the float that has the bits of a > b for
 *   the number;
 * - has no -0 where -(float)(a > b) is one because a > b does not hold;
 * - takes x / -0.0 for no less than 0 where x is not. */
static const char *text_of(const rh_node *node, const uint32_t *of) {
  uint32_t a = of[node->args[0]], b = of[node->args[1]];
  int is_float = rh_type_is_float(node->type);
  switch (node->kind) {
  case RH_NODE_LITERAL: return literals[node->type];
  case RH_NODE_CONSTANT:
    return rh_type_size(node->type) == sizeof(uint64_t) ? "as_$t($k[$s])" : "as_$t((uint)$k[$s])";
  case RH_NODE_CAST: return text_of_cast(node, a);
  case RH_NODE_NARROW: return node->of == RH_TYPE_f16 ? "rh_round_half($a)" : "(int)($o)$a";
  case RH_NODE_BITS:
    return is_float == rh_type_is_float(node->of) || a & READ ? "as_$t($a)"
                                                              : "as_$t(rh_hidden_$o($a))";
  case RH_NODE_CALL: return text_of_call(node, a);
  case RH_NODE_NEGATE:
    if (is_float && a & CHOICE) return "-rh_hidden_$t($a)";
    break;
  case RH_NODE_DIVIDE:
    if (is_float && b & IS_ZERO) return "$a / rh_hidden_$t($b)";
    break;
  case RH_NODE_LESS:
  case RH_NODE_AT_MOST:
    if (!(a & b & SIGN)) break;
    return node->kind == RH_NODE_LESS ? "rh_less_$o($a, $b)" : "rh_at_most_$o($a, $b)";
  default: break;
  }
  return texts[node->kind][is_float ? FLOAT : rh_type_is_signed(node->type) ? SIGNED : UNSIGNED];
}

typedef struct names {
  const char *index, *constants, *prefix;
} names;

static void expand(const rh_node *node, const char *text, const names *by, rh_text *to) {
  for (; *text; text++) {
    switch (*text == '$' ? *++text : 0) {
    case 0: rh_text_append(to, text, 1); break;
    case 't': rh_text_add(to, "%s", rh_expr_type_name(node->type)); break;
    case 'o': rh_text_add(to, "%s", rh_expr_type_name(node->of)); break;
    case 'm': rh_text_add(to, "%u", 8 * rh_type_size(node->type) - 1); break;
    case 'f': rh_text_add(to, "%s", node->function->name); break;
    case 'i': rh_text_add(to, "%s", by->index); break;
    case 'k': rh_text_add(to, "%s", by->constants); break;
    case 's': rh_text_add(to, "%u", node->slot); break;
    case 'x': rh_text_add(to, "%" PRIx64, node->value.u64); break;
    default: rh_text_add(to, "%s%u", by->prefix, node->args[*text - 'a']);
    }
  }
}

void rh_exprs_write(const rh_exprs *exprs, rh_text *to, const rh_expr_name *variables,
                    const char *index, const char *constants, const char *prefix,
                    rh_expr_name *outputs) {
  const names by = {index, constants, prefix};
  uint32_t facts[exprs->n_nodes + 1];
  for (uint32_t k = 0; k < exprs->n_nodes; k++) {
    const rh_node *node = &exprs->nodes[k];
    uint32_t of_nan = 0;
    facts[k] = known_of(node, facts);
    if (!node->is_live) continue;
    rh_text_add(to, "const %s %s%u = ", rh_expr_type_name(node->type), prefix, k);
    for (uint32_t j = 0; j < node->arity; j++) of_nan |= facts[node->args[j]] & IS_NAN;
    if (node->kind == RH_NODE_CALL && of_nan && !rh_node_calls(node, "rint"))
      expand(node, text_of_nan(node), &by, to);
    if (node->kind == RH_NODE_VARIABLE) rh_text_add(to, "%s", variables[node->number]);
    else expand(node, text_of(node, facts), &by, to);
    rh_text_add(to, ";\n");
  }
  for (uint32_t j = 0; j < exprs->n_outputs; j++)
    snprintf(outputs[j], RH_EXPR_NAME_BYTES, "%s%u", prefix, exprs->outputs[j]);
}
