/* C's expressions by recursive descent; each rule makes nodes of the graph. */
#include "../../core/base/error.h"
#include "../../core/base/vocabulary.h"
#include "excerpt.h"
#include "graph.h"

#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct parser {
  rh_exprs *exprs;
  const char *text, *at, *what;
  uint32_t depth;
  uint32_t kept; /* the text's number among those that are kept, and 1; 0: it is not kept */
  rh_error *error;
} parser;

/* ---- Errors ---- */

static rh_status fail_at(const parser *p, const char *place, const char *reason) {
  char excerpt[RH_EXCERPT_BYTES];
  rh_excerpt(excerpt, p->text, strlen(p->text), (size_t)(place - p->text));
  return rh_fail(p->error, RH_E_USAGE, "%s: %s%s", p->what, reason, excerpt);
}

static rh_status check(const parser *p, const char *place, rh_reason reason) {
  return reason ? fail_at(p, place, reason) : RH_OK;
}

/* "expected X after 'Y'", where Y is what stands before. */
static rh_status expected(const parser *p, const char *what) {
  char reason[160], is[16] = "";
  if (*p->at == 0)
    snprintf(reason, sizeof reason, "expected %s, and the text ends", what);
  else {
    snprintf(is, sizeof is, isprint((unsigned char)*p->at) ? "'%c'" : "byte 0x%02x",
             (unsigned char)*p->at);
    snprintf(reason, sizeof reason, "expected %s, not %s", what, is);
  }
  return fail_at(p, p->at, reason);
}

/* ---- Tokens ---- */

static void skip_space(parser *p) {
  while (isspace((unsigned char)*p->at)) p->at++;
}

/* Takes an operator that no longer one begins with; `but` are characters that must not follow. */
static int take_sign(parser *p, const char *sign, const char *but) {
  size_t length = strlen(sign);
  skip_space(p);
  if (strncmp(p->at, sign, length) != 0) return 0;
  if (p->at[length] && strchr(but, p->at[length])) return 0;
  p->at += length;
  return 1;
}

static int begins_name(char c) {
  return isalpha((unsigned char)c) || c == '_';
}

static size_t name_length(const char *at) {
  size_t length = 0;
  while (begins_name(at[length]) || isdigit((unsigned char)at[length])) length++;
  return length;
}

static int is_word(const char *name, size_t length, const char *word) {
  return strlen(word) == length && memcmp(name, word, length) == 0;
}

/* ---- Numbers ---- */

static int is_hexadecimal(const char *at) {
  return at[0] == '0' && (at[1] == 'x' || at[1] == 'X');
}

static rh_status integer(parser *p, const char *from, uint32_t *made) {
  char *end;
  errno = 0;
  uint64_t value = strtoull(from, &end, is_hexadecimal(from) ? 16 : 10);
  if (errno) return fail_at(p, from, "the integer does not fit in 64 bits");
  if (is_hexadecimal(from) && end == from + 1)
    return fail_at(p, end, "a hexadecimal number has no digits");
  if (*from == '0' && isdigit((unsigned char)from[1]))
    return fail_at(p, from,
                   "an integer that begins with 0 is octal in C; write it without, or as "
                   "0x10");
  int is_unsigned = 0, is_long = 0;
  for (; *end && strchr("uUlL", *end); end++) {
    is_unsigned |= *end == 'u' || *end == 'U';
    is_long |= *end == 'l' || *end == 'L';
  }
  if (begins_name(*end) || isdigit((unsigned char)*end))
    return fail_at(p, end, "no such suffix of an integer");
  int is_large = value > INT64_MAX;
  if (is_large && is_long) is_unsigned = 1;
  rh_type type = 0;
  if (is_unsigned)
    type = is_long || value > UINT32_MAX ? RH_TYPE_u64 : RH_TYPE_u32;
  else if (is_long)
    type = RH_TYPE_i64;
  p->at = end;
  return check(p, from,
               rh_graph_literal(p->exprs,
                                (rh_expr_value){.as = {.i = (int64_t)value}, .is_large = is_large},
                                type, made));
}

/* strtod() with the C locale's point, whatever the thread's locale. */
static double read_double(const char *from, char **end) {
  locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  double value = c ? strtod_l(from, end, c) : strtod(from, end);
  if (c) freelocale(c);
  return value;
}

static rh_status number(parser *p, uint32_t *made) {
  const char *from = p->at, *digits = from;
  const char *set = is_hexadecimal(from) ? "0123456789abcdefABCDEFxX" : "0123456789";
  digits += strspn(digits, set);
  int is_float = *digits == '.' || (is_hexadecimal(from) ? *digits == 'p' || *digits == 'P'
                                                         : *digits == 'e' || *digits == 'E' ||
                                                               *digits == 'f' || *digits == 'F');
  if (!is_float) return integer(p, from, made);
  char *end;
  rh_expr_value value = {.is_float = 1, .as = {.f = read_double(from, &end)}};
  rh_type type = 0;
  if (*end == 'f' || *end == 'F') {
    type = RH_TYPE_f32;
    end++;
  }
  if (tolower((unsigned char)*end) == (is_hexadecimal(from) ? 'p' : 'e'))
    return fail_at(p, end, "an exponent has no digits");
  if (begins_name(*end) || isdigit((unsigned char)*end) || *end == '.')
    return fail_at(p, end, "no such suffix of a number");
  if (isinf(value.as.f)) return fail_at(p, from, "the number does not fit in f64");
  p->at = end;
  return check(p, from, rh_graph_literal(p->exprs, value, type, made));
}

/* ---- Types of casts ---- */

static rh_type type_named(const char *name, size_t length) {
  static const struct {
    const char *name;
    rh_type type;
  } of_c[] = {{"char", RH_TYPE_i8},    {"uchar", RH_TYPE_u8},  {"short", RH_TYPE_i16},
              {"ushort", RH_TYPE_u16}, {"int", RH_TYPE_i32},   {"uint", RH_TYPE_u32},
              {"long", RH_TYPE_i64},   {"ulong", RH_TYPE_u64}, {"half", RH_TYPE_f16},
              {"float", RH_TYPE_f32},  {"double", RH_TYPE_f64}};
  char own[8] = "";
  if (length < sizeof own) memcpy(own, name, length);
  if (*own && rh_type_from_name(own)) return rh_type_from_name(own);
  for (size_t k = 0; k < sizeof of_c / sizeof *of_c; k++)
    if (is_word(name, length, of_c[k].name)) return of_c[k].type;
  return 0;
}

/* "(TYPE)"; 0: something else. */
static rh_type take_cast(parser *p) {
  const char *at = p->at + 1;
  while (isspace((unsigned char)*at)) at++;
  size_t length = name_length(at);
  rh_type type = type_named(at, length);
  at += length;
  while (isspace((unsigned char)*at)) at++;
  if (!type || *at != ')') return 0;
  p->at = at + 1;
  return type;
}

/* ---- Places ---- */

static uint32_t column(const parser *p, const char *place) {
  return (uint32_t)(place - p->text);
}

/* Places since `first` whose operation is an operand of this one, of the same type, become this
 * one's; one of 32 bits only if it is the first operand, for it is by a cast there that all of it
 * gets wider. */
static void extend_places(parser *p, uint32_t first, const char *begin, uint32_t made) {
  const rh_node *node = &p->exprs->nodes[made];
  int is_modular = node->kind == RH_NODE_ADD || node->kind == RH_NODE_SUBTRACT ||
                   node->kind == RH_NODE_MULTIPLY || node->kind == RH_NODE_NEGATE;
  for (uint32_t k = first; is_modular && k < p->exprs->n_places; k++) {
    rh_kept_place *place = &p->exprs->places[k];
    int is_operand =
        node->args[0] == place->all || (node->arity > 1 && node->args[1] == place->all);
    int is_first = place->begin == column(p, begin) || node->type == RH_TYPE_u64;
    if (!is_operand || !is_first || p->exprs->nodes[place->all].type != node->type) continue;
    place->all = made;
    place->begin = column(p, begin);
    place->end = column(p, p->at);
  }
}

/* A function's value is not that of its argument. */
static void close_places(parser *p, uint32_t first) {
  for (uint32_t k = first; k < p->exprs->n_places; k++) p->exprs->places[k].all = UINT32_MAX;
}

/* Keeps where the operation stands that was just read, if it may wrap and is a new one. */
static rh_status keep_place(parser *p, uint32_t first, const char *begin, const char *sign,
                            uint32_t made) {
  int is_new = made + 1 == p->exprs->n_nodes;
  extend_places(p, first, begin, made);
  if (!is_new || !rh_graph_may_wrap(&p->exprs->nodes[made])) return RH_OK;
  if (p->kept == 0) {
    RH_TRY(check(p, sign, rh_graph_keep_text(p->exprs, p->what, p->text, &p->kept)));
    p->kept++;
  }
  return check(p, sign,
               rh_graph_keep_place(p->exprs, &(rh_kept_place){.node = made,
                                                              .all = made,
                                                              .text = p->kept - 1,
                                                              .begin = column(p, begin),
                                                              .sign = column(p, sign),
                                                              .end = column(p, p->at)}));
}

/* ---- Names ---- */

static rh_status choice(parser *p, uint32_t *made);

static rh_status call(parser *p, const char *name, size_t length, uint32_t *made) {
  uint32_t args[3], n = 0, first = p->exprs->n_places;
  rh_reason reason = NULL;
  if (!take_sign(p, ")", "")) {
    do {
      uint32_t arg;
      RH_TRY(choice(p, &arg));
      if (n < 3) args[n] = arg;
      n++;
    } while (take_sign(p, ",", ""));
    if (!take_sign(p, ")", "")) return expected(p, "',' or ')'");
  }
  close_places(p, first);
  if (rh_graph_call_named(p->exprs, name, length, args, n, made, &reason))
    return check(p, name, reason);
  char text[RH_EXPR_NAME_BYTES + 32];
  snprintf(text, sizeof text, "unknown function '%.*s'", length < 60 ? (int)length : 60, name);
  return fail_at(p, name, text);
}

static int find(const char *name, size_t length, char (*names)[RH_EXPR_NAME_BYTES], uint32_t n,
                uint32_t *found) {
  for (uint32_t k = 0; k < n; k++)
    if (is_word(name, length, names[k])) {
      *found = k;
      return 1;
    }
  return 0;
}

static rh_status variable(parser *p, const char *name, uint32_t number, uint32_t *made) {
  rh_type of = p->exprs->types[number];
  rh_type type = of == RH_TYPE_f16 ? RH_TYPE_f32 : rh_type_size(of) < 4 ? RH_TYPE_i32 : of;
  rh_node node = {.kind = RH_NODE_VARIABLE, .type = type, .of = of, .number = number};
  return check(p, name, rh_graph_add(p->exprs, &node, made));
}

static rh_status constant(parser *p, const char *name, uint32_t number, uint32_t *made) {
  rh_expr_value value = p->exprs->values[number];
  rh_node node = {.kind = RH_NODE_CONSTANT,
                  .type = value.is_float   ? RH_TYPE_f64
                          : value.is_large ? RH_TYPE_u64
                                           : RH_TYPE_i64,
                  .number = number,
                  .is_weak = 1};
  return check(p, name, rh_graph_add(p->exprs, &node, made));
}

static rh_status unknown_name(const parser *p, const char *name, size_t length) {
  char text[RH_EXPR_NAME_BYTES + 256], known[160] = "";
  size_t used = 0;
  const rh_exprs *exprs = p->exprs;
  for (uint32_t k = 0; k < exprs->n_variables + exprs->n_constants && used < sizeof known; k++)
    used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", k ? ", " : "",
                             k < exprs->n_variables ? exprs->variables[k]
                                                    : exprs->constants[k - exprs->n_variables]);
  const char *more = !exprs->has_index ? used ? "" : "none" : used ? ", i, n" : "i, n";
  snprintf(text, sizeof text, "unknown name '%.*s'; known: %s%s", length < 60 ? (int)length : 60,
           name, known, more);
  return fail_at(p, name, text);
}

static rh_status name_of(parser *p, uint32_t *made) {
  const char *name = p->at;
  size_t length = name_length(name);
  uint32_t number;
  const rh_exprs *exprs = p->exprs;
  p->at += length;
  if (take_sign(p, "(", "")) return call(p, name, length, made);
  p->at = name + length;
  if (*p->at == '.') length += 1 + name_length(p->at + 1);
  p->at = name + length;
  for (uint32_t k = exprs->n_lets; k > 0; k--)
    if (is_word(name, length, exprs->lets[k - 1].name)) {
      *made = exprs->lets[k - 1].node;
      return RH_OK;
    }
  if (find(name, length, exprs->variables, exprs->n_variables, &number))
    return variable(p, name, number, made);
  if (find(name, length, exprs->constants, exprs->n_constants, &number))
    return constant(p, name, number, made);
  rh_node index = {.kind = RH_NODE_INDEX, .type = RH_TYPE_u64};
  if (exprs->has_index && is_word(name, length, "i"))
    return check(p, name, rh_graph_add(p->exprs, &index, made));
  if (exprs->has_index && is_word(name, length, "n"))
    return check(p, name, rh_graph_count(p->exprs, made));
  int is_inf = is_word(name, length, "inf"), is_nan = is_word(name, length, "nan");
  if (!is_inf && !is_nan) return unknown_name(p, name, length);
  rh_expr_value value = {.is_float = 1, .as = {.f = is_inf ? (double)INFINITY : (double)NAN}};
  return check(p, name, rh_graph_literal(p->exprs, value, 0, made));
}

/* ---- Rules ---- */

static rh_status primary(parser *p, uint32_t *made) {
  skip_space(p);
  if (isdigit((unsigned char)*p->at) || (*p->at == '.' && isdigit((unsigned char)p->at[1])))
    return number(p, made);
  if (begins_name(*p->at)) return name_of(p, made);
  if (!take_sign(p, "(", "")) return expected(p, "an operand");
  RH_TRY(choice(p, made));
  return take_sign(p, ")", "") ? RH_OK : expected(p, "')'");
}

static rh_status unary(parser *p, uint32_t *made) {
  skip_space(p);
  const char *place = p->at;
  uint32_t first = p->exprs->n_places;
  rh_status status;
  if (p->depth == RH_EXPR_MOST_DEPTH) return fail_at(p, place, "nested more than 200 deep");
  p->depth++;
  rh_type type = *place == '(' ? take_cast(p) : 0;
  char sign = type == 0 && *place && strchr("+-~!", *place) ? *p->at++ : 0;
  if (!type && !sign) {
    status = primary(p, made);
  } else {
    status = unary(p, made);
    rh_reason reason = NULL;
    if (status != RH_OK) return status;
    if (type) reason = rh_graph_cast(p->exprs, *made, type, made);
    if (sign == '-') reason = rh_graph_unary(p->exprs, RH_NODE_NEGATE, *made, made);
    if (sign == '~') reason = rh_graph_unary(p->exprs, RH_NODE_INVERT, *made, made);
    if (sign == '!') reason = rh_graph_not(p->exprs, *made, made);
    status = check(p, place, reason);
    if (status == RH_OK && sign == '-') status = keep_place(p, first, place, place, *made);
  }
  p->depth--;
  return status;
}

/* Binary operators by falling precedence: C's table. */
typedef struct binary_row {
  const char *sign, *but;
  int level;
  int kind;
  int exchanged; /* a > b is b < a */
} binary_row;
enum { LOGICAL_AND = 1000, LOGICAL_OR, LEVELS = 10 };
static const binary_row rows[] = {
    {"*", "", 9, RH_NODE_MULTIPLY, 0},  {"/", "", 9, RH_NODE_DIVIDE, 0},
    {"%", "", 9, RH_NODE_REMAINDER, 0}, {"+", "", 8, RH_NODE_ADD, 0},
    {"-", "", 8, RH_NODE_SUBTRACT, 0},  {"<<", "", 7, RH_NODE_LEFT, 0},
    {">>", "", 7, RH_NODE_RIGHT, 0},    {"<=", "", 6, RH_NODE_AT_MOST, 0},
    {">=", "", 6, RH_NODE_AT_MOST, 1},  {"<", "<", 6, RH_NODE_LESS, 0},
    {">", ">", 6, RH_NODE_LESS, 1},     {"==", "", 5, RH_NODE_EQUAL, 0},
    {"!=", "", 5, RH_NODE_UNEQUAL, 0},  {"&", "&", 4, RH_NODE_AND, 0},
    {"^", "", 3, RH_NODE_XOR, 0},       {"|", "|", 2, RH_NODE_OR, 0},
    {"&&", "", 1, LOGICAL_AND, 0},      {"||", "", 0, LOGICAL_OR, 0}};

static const binary_row *take_binary(parser *p, int level) {
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
    if (rows[k].level == level && take_sign(p, rows[k].sign, rows[k].but)) return &rows[k];
  return NULL;
}

static rh_reason combine(rh_exprs *exprs, const binary_row *row, uint32_t a, uint32_t b,
                         uint32_t *made) {
  if (row->kind == LOGICAL_AND || row->kind == LOGICAL_OR)
    return rh_graph_logical(exprs, row->kind == LOGICAL_AND, a, b, made);
  return rh_graph_binary(exprs, (rh_node_kind)row->kind, row->exchanged ? b : a,
                         row->exchanged ? a : b, made);
}

static rh_status binary(parser *p, int level, uint32_t *made) {
  if (level == LEVELS) return unary(p, made);
  skip_space(p);
  const char *begin = p->at;
  uint32_t first = p->exprs->n_places;
  RH_TRY(binary(p, level + 1, made));
  for (;;) {
    uint32_t other;
    skip_space(p);
    const char *place = p->at;
    const binary_row *row = take_binary(p, level);
    if (!row) return RH_OK;
    RH_TRY(binary(p, level + 1, &other));
    RH_TRY(check(p, place, combine(p->exprs, row, *made, other, made)));
    RH_TRY(keep_place(p, first, begin, place, *made));
  }
}

static rh_status choice(parser *p, uint32_t *made) {
  uint32_t yes, no;
  if (p->depth == RH_EXPR_MOST_DEPTH) return fail_at(p, p->at, "nested more than 200 deep");
  p->depth++;
  RH_TRY(binary(p, 0, made));
  skip_space(p);
  const char *place = p->at;
  if (take_sign(p, "?", "")) {
    RH_TRY(choice(p, &yes));
    if (!take_sign(p, ":", "")) return expected(p, "':'");
    RH_TRY(choice(p, &no));
    RH_TRY(check(p, place, rh_graph_choose(p->exprs, *made, yes, no, made)));
  }
  p->depth--;
  return RH_OK;
}

/* ---- Entry points ---- */

static rh_status begin(parser *p, rh_exprs *exprs, const char *text, const char *what,
                       rh_error *error) {
  *p = (parser){.exprs = exprs, .text = text, .at = text, .what = what, .error = error};
  if (strlen(text) > RH_EXPR_MOST_BYTES)
    return rh_fail(error, RH_E_USAGE, "%s: longer than 65536 bytes", what);
  return RH_OK;
}

static rh_status end(parser *p) {
  skip_space(p);
  return *p->at == 0 ? RH_OK : expected(p, "an operator");
}

rh_status rh_exprs_let(rh_exprs *exprs, const char *name, const char *text, const char *what,
                       rh_error *error) {
  parser p;
  uint32_t node;
  RH_TRY(begin(&p, exprs, text, what, error));
  if (exprs->n_lets == RH_EXPR_MOST_LETS)
    return rh_fail(error, RH_E_USAGE, "%s: more than %d names", what, RH_EXPR_MOST_LETS);
  RH_TRY(choice(&p, &node));
  RH_TRY(end(&p));
  rh_let_node *let = &exprs->lets[exprs->n_lets++];
  snprintf(let->name, sizeof let->name, "%s", name);
  let->node = node;
  return RH_OK;
}

static rh_status add_output(parser *p, const char *place, uint32_t node, rh_type type) {
  rh_exprs *exprs = p->exprs;
  if (exprs->n_outputs == RH_EXPR_MOST_OUTPUTS)
    return fail_at(p, place, "more than 32 expressions");
  RH_TRY(check(p, place,
               type ? rh_graph_convert(exprs, node, type, &node)
                    : rh_graph_settle(exprs, node, &node)));
  exprs->outputs[exprs->n_outputs++] = node;
  if (rh_graph_assign_rooms(exprs) == 0) return RH_OK;
  exprs->n_outputs--;
  return fail_at(p, place, "needs more than 64 intermediate results at the same time");
}

rh_status rh_exprs_output(rh_exprs *exprs, const char *text, rh_type type, const char *what,
                          rh_error *error) {
  parser p;
  uint32_t node;
  RH_TRY(begin(&p, exprs, text, what, error));
  RH_TRY(choice(&p, &node));
  RH_TRY(end(&p));
  return add_output(&p, text, node, type);
}

rh_status rh_exprs_outputs(rh_exprs *exprs, const char *text, const char *what, rh_error *error) {
  parser p;
  uint32_t node;
  RH_TRY(begin(&p, exprs, text, what, error));
  do {
    skip_space(&p);
    const char *place = p.at;
    RH_TRY(choice(&p, &node));
    RH_TRY(add_output(&p, place, node, 0));
  } while (take_sign(&p, ",", ""));
  return end(&p);
}

static rh_status choose_where(parser *p, uint32_t condition, uint32_t output, const void *value) {
  rh_exprs *exprs = p->exprs;
  uint32_t *node = &exprs->outputs[output], other;
  rh_node literal = {.kind = RH_NODE_LITERAL, .type = exprs->nodes[*node].type};
  memcpy(&literal.value, value, rh_type_size(literal.type));
  RH_TRY(check(p, p->text, rh_graph_add(exprs, &literal, &other)));
  return check(p, p->text, rh_graph_choose(exprs, condition, *node, other, node));
}

rh_status rh_exprs_where(rh_exprs *exprs, const char *condition, const void *const *values,
                         const char *what, rh_error *error) {
  parser p;
  uint32_t node;
  RH_TRY(begin(&p, exprs, condition, what, error));
  RH_TRY(choice(&p, &node));
  RH_TRY(end(&p));
  for (uint32_t k = 0; k < exprs->n_outputs; k++) RH_TRY(choose_where(&p, node, k, values[k]));
  if (rh_graph_assign_rooms(exprs) == 0) return RH_OK;
  return fail_at(&p, condition, "needs more than 64 intermediate results at the same time");
}
