/* C's expressions by recursive descent; each rule makes a node of the graph and returns it.  After
 * a mistake the text counts as read, so that every rule ends. */
#include "internal.h"

typedef struct parser {
  rh_exprs *exprs;
  const char *text, *at, *what;
  uint32_t depth;
  uint32_t kept; /* the text's number among those that are kept, and 1; 0: it is not kept */
  rh_status status;
  rh_error *error;
} parser;

/* ---- Errors ---- */

/* Only the first mistake counts. */
static uint32_t fail_at(parser *p, const char *place, const char *reason) {
  char excerpt[RH_EXCERPT_BYTES];
  if (p->status != RH_OK) return 0;
  rh_excerpt(excerpt, p->text, strlen(p->text), (size_t)(place - p->text));
  p->status = rh_fail(p->error, RH_E_USAGE, "%s: %s%s", p->what, reason, excerpt);
  p->at += strlen(p->at);
  return rh_graph_refuse(p->exprs, "a mistake in the text");
}

/* A node that was to be made, or why it was not, with its place. */
static uint32_t check(parser *p, const char *place, uint32_t node) {
  return p->exprs->reason ? fail_at(p, place, p->exprs->reason) : node;
}

/* "expected X after 'Y'", where Y is what stands before. */
static uint32_t expected(parser *p, const char *what) {
  char reason[160], is[16];
  unsigned char c = (unsigned char)*p->at;
  snprintf(is, sizeof is, isprint(c) ? "not '%c'" : "not byte 0x%02x", c);
  snprintf(reason, sizeof reason, "expected %s, %s", what, c ? is : "and the text ends");
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

static int begins_name(char c) { return isalpha((unsigned char)c) || c == '_'; }

static size_t name_length(const char *at) {
  size_t length = 0;
  while (begins_name(at[length]) || isdigit((unsigned char)at[length])) length++;
  return length;
}

static int is_word(const char *name, size_t length, const char *word) {
  return strlen(word) == length && memcmp(name, word, length) == 0;
}

/* ---- Numbers ---- */

static int is_hexadecimal(const char *at) { return at[0] == '0' && (at[1] == 'x' || at[1] == 'X'); }

static uint32_t integer(parser *p, const char *from) {
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
  rh_type type = is_long ? RH_TYPE_i64 : 0;
  if (is_unsigned || (value > INT64_MAX && is_long))
    type = is_long || value > UINT32_MAX ? RH_TYPE_u64 : RH_TYPE_u32;
  p->at = end;
  return check(p, from, rh_graph_literal(p->exprs, (rh_expr_value){.x = value}, type));
}

static uint32_t number(parser *p) {
  const char *from = p->at, *digits = from;
  const char *set = is_hexadecimal(from) ? "0123456789abcdefABCDEFxX" : "0123456789";
  digits += strspn(digits, set);
  if (!*digits || !strchr(is_hexadecimal(from) ? ".pP" : ".eEfF", *digits)) return integer(p, from);
  char *end;
  double value;
  if (rh_read_decimal(from, &end, &value) != 0) return fail_at(p, from, "no memory for a number");
  rh_type type = 0;
  if (*end == 'f' || *end == 'F') {
    type = RH_TYPE_f32;
    end++;
  }
  if (tolower((unsigned char)*end) == (is_hexadecimal(from) ? 'p' : 'e'))
    return fail_at(p, end, "an exponent has no digits");
  if (begins_name(*end) || isdigit((unsigned char)*end) || *end == '.')
    return fail_at(p, end, "no such suffix of a number");
  if (isinf(value)) return fail_at(p, from, "the number does not fit in f64");
  p->at = end;
  return check(p, from, rh_graph_literal(p->exprs, (rh_expr_value){1, value}, type));
}

/* ---- Types of casts ---- */

const char *rh_expr_type_name(rh_type type) {
  static const char *const names[] = {"",     "char", "uchar", "short", "ushort", "int",
                                      "uint", "long", "ulong", "half",  "float",  "double"};
  return names[type];
}

static rh_type type_named(const char *name, size_t length) {
  for (rh_type type = 1; type <= RH_N_TYPES; type++)
    if (is_word(name, length, rh_type_name(type)) || is_word(name, length, rh_expr_type_name(type)))
      return type;
  return 0;
}

/* "(TYPE)"; 0: something else. */
static rh_type take_cast(parser *p) {
  static const char space[] = " \t\n\v\f\r";
  const char *at = p->at + 1 + strspn(p->at + 1, space);
  size_t length = name_length(at);
  rh_type type = type_named(at, length);
  at += length + strspn(at + length, space);
  if (!type || *at != ')') return 0;
  p->at = at + 1;
  return type;
}

/* ---- Places ---- */

static uint32_t column(const parser *p, const char *place) { return (uint32_t)(place - p->text); }

static void keep_text(parser *p) {
  rh_exprs *exprs = p->exprs;
  rh_kept_text kept = {strdup(p->what), strdup(p->text)};
  if (kept.what && kept.text && RH_ROOM(&exprs->texts, exprs->n_texts, "", NULL) == RH_OK) {
    exprs->texts[exprs->n_texts] = kept;
    p->kept = ++exprs->n_texts;
    return;
  }
  free(kept.what);
  free(kept.text);
  rh_graph_refuse(exprs, "no memory for an expression");
}

/* Keeps where the operation stands that was just read, if it is a new one of integers that may
 * wrap: a sum, difference, product or negation. */
static void keep_place(parser *p, const char *begin, const char *sign, uint32_t made) {
  rh_node *node = &p->exprs->nodes[made];
  int is_sum = rh_node_has(node->kind, RH_MODULAR) && rh_node_has(node->kind, RH_ROUNDS);
  if (p->status != RH_OK || made + 1 != p->exprs->n_nodes || node->is_weak ||
      rh_type_is_float(node->type) || !(is_sum || node->kind == RH_NODE_NEGATE))
    return;
  if (p->kept == 0) keep_text(p);
  node->place =
      (rh_kept_place){p->kept - 1, column(p, begin), column(p, sign), column(p, p->at), 0};
  check(p, sign, made);
}

/* ---- Names ---- */

static uint32_t choice(parser *p);
static uint32_t whole(parser *p);

/* A text in which nodes are called a, b, c and d. */
static uint32_t whole_of(parser *p, const uint32_t nodes[RH_EXPR_MOST_ARGS]) {
  rh_exprs *exprs = p->exprs;
  for (uint32_t k = 0; k < RH_EXPR_MOST_ARGS; k++)
    exprs->lets[exprs->n_lets++] = (rh_let_node){{"abcd"[k]}, nodes[k]};
  uint32_t made = whole(p);
  exprs->n_lets -= RH_EXPR_MOST_ARGS;
  return made;
}

static uint32_t make_call(rh_exprs *exprs, const rh_function *function, uint32_t *args) {
  parser p = {.exprs = exprs, .text = function->text, .at = function->text, .what = ""};
  uint32_t made = function->make ? function->make(exprs, function, args) : 0;
  return function->text ? whole_of(&p, args) : made;
}

static uint32_t call(parser *p, const char *name, size_t length) {
  static const char *const reasons[] = {"", "the function takes one argument",
                                        "the function takes two arguments",
                                        "the function takes three arguments"};
  uint32_t args[RH_EXPR_MOST_ARGS] = {0}, n = 0;
  char text[RH_EXPR_NAME_BYTES + 32];
  if (!take_sign(p, ")", "")) {
    do {
      uint32_t arg = choice(p);
      if (n < RH_EXPR_MOST_ARGS) args[n] = arg;
      n++;
    } while (take_sign(p, ",", ""));
    if (!take_sign(p, ")", "")) return expected(p, "',' or ')'");
  }
  const rh_function *function = rh_function_find(name, length);
  if (function) {
    uint32_t made = n == function->n_args ? make_call(p->exprs, function, args)
                                          : rh_graph_refuse(p->exprs, reasons[function->n_args]);
    p->exprs->nodes[made].place.is_argument = 1;
    return check(p, name, made);
  }
  snprintf(text, sizeof text, "unknown function '%.*s'", length < 60 ? (int)length : 60, name);
  return fail_at(p, name, text);
}

static uint32_t variable(parser *p, uint32_t number) {
  rh_type of = p->exprs->variables[number].type;
  rh_type type = of == RH_TYPE_f16 ? RH_TYPE_f32 : rh_type_size(of) < 4 ? RH_TYPE_i32 : of;
  rh_node node = {.kind = RH_NODE_VARIABLE, .type = type, .of = of, .number = number};
  return rh_graph_add(p->exprs, &node);
}

static uint32_t unknown_name(parser *p, const char *name, size_t length) {
  char text[RH_EXPR_NAME_BYTES + 256], known[160] = "";
  size_t used = 0;
  const rh_exprs *exprs = p->exprs;
  for (uint32_t k = 0; k < exprs->n_variables + exprs->n_constants && used < sizeof known; k++)
    used +=
        (size_t)snprintf(known + used, sizeof known - used, "%s%s", k ? ", " : "",
                         k < exprs->n_variables ? exprs->variables[k].name
                                                : exprs->constants[k - exprs->n_variables].name);
  const char *more = !exprs->has_index ? used ? "" : "none" : used ? ", i, n" : "i, n";
  snprintf(text, sizeof text, "unknown name '%.*s'; known: %s%s", length < 60 ? (int)length : 60,
           name, known, more);
  return fail_at(p, name, text);
}

/* A name without parentheses behind it. */
static uint32_t plain_name(parser *p, const char *name, size_t length) {
  rh_exprs *exprs = p->exprs;
  rh_node index = {.kind = RH_NODE_INDEX, .type = RH_TYPE_u64};
  rh_expr_value infinity = {1, (long double)INFINITY}, nan = {1, (long double)NAN};
  for (uint32_t k = exprs->n_lets; k > 0; k--)
    if (is_word(name, length, exprs->lets[k - 1].name)) return exprs->lets[k - 1].node;
  for (uint32_t k = 0; k < exprs->n_variables; k++)
    if (is_word(name, length, exprs->variables[k].name)) return variable(p, k);
  for (uint32_t k = 0; k < exprs->n_constants; k++)
    if (is_word(name, length, exprs->constants[k].name)) {
      rh_node node = {.kind = RH_NODE_CONSTANT, .number = k, .is_weak = 1};
      node.type = rh_number_type(exprs->constants[k].value);
      return rh_graph_add(exprs, &node);
    }
  if (exprs->has_index && is_word(name, length, "i")) return rh_graph_add(exprs, &index);
  if (exprs->has_index && is_word(name, length, "n")) return rh_graph_count(exprs);
  if (is_word(name, length, "inf")) return rh_graph_literal(exprs, infinity, 0);
  if (is_word(name, length, "nan")) return rh_graph_literal(exprs, nan, 0);
  return unknown_name(p, name, length);
}

static uint32_t name_of(parser *p) {
  const char *name = p->at;
  size_t length = name_length(name);
  p->at += length;
  if (take_sign(p, "(", "")) return call(p, name, length);
  if (name[length] == '.') length += 1 + name_length(name + length + 1);
  p->at = name + length;
  return check(p, name, plain_name(p, name, length));
}

/* ---- Rules ---- */

static uint32_t primary(parser *p) {
  skip_space(p);
  if (isdigit((unsigned char)*p->at) || (*p->at == '.' && isdigit((unsigned char)p->at[1])))
    return number(p);
  if (begins_name(*p->at)) return name_of(p);
  if (!take_sign(p, "(", "")) return expected(p, "an operand");
  uint32_t made = choice(p);
  return take_sign(p, ")", "") ? made : expected(p, "')'");
}

static uint32_t unary(parser *p) {
  skip_space(p);
  const char *place = p->at;
  if (p->depth == RH_EXPR_MOST_DEPTH) return fail_at(p, place, "nested more than 200 deep");
  p->depth++;
  rh_type type = *place == '(' ? take_cast(p) : 0;
  char sign = type == 0 && *place && strchr("+-~!", *place) ? *p->at++ : 0;
  uint32_t made = type || sign ? unary(p) : primary(p);
  if (type) made = rh_graph_cast(p->exprs, made, type);
  if (sign == '-') made = rh_graph_unary(p->exprs, RH_NODE_NEGATE, made);
  if (sign == '~') made = rh_graph_unary(p->exprs, RH_NODE_INVERT, made);
  if (sign == '!') made = rh_graph_not(p->exprs, made);
  made = check(p, place, made);
  if (sign == '-') keep_place(p, place, place, made);
  p->depth--;
  return made;
}

/* Binary operators by falling precedence, C's table; `but`: see take_sign(). */
typedef struct binary_row {
  const char *sign, *but;
  int level;
  int kind;
  int exchanged; /* a > b is b < a */
} binary_row;
enum { LOGICAL_AND = 1000, LOGICAL_OR };
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

/* One that binds as strongly as this level, or more. */
static const binary_row *take_binary(parser *p, int level) {
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
    if (rows[k].level >= level && take_sign(p, rows[k].sign, rows[k].but)) return &rows[k];
  return NULL;
}

static uint32_t combine(rh_exprs *exprs, const binary_row *row, uint32_t a, uint32_t b) {
  if (row->kind == LOGICAL_AND || row->kind == LOGICAL_OR)
    return rh_graph_logical(exprs, row->kind == LOGICAL_AND, a, b);
  return rh_graph_binary(exprs, (rh_node_kind)row->kind, row->exchanged ? b : a,
                         row->exchanged ? a : b);
}

static uint32_t binary(parser *p, int level) {
  skip_space(p);
  const char *begin = p->at;
  uint32_t made = unary(p);
  for (;;) {
    skip_space(p);
    const char *place = p->at;
    const binary_row *row = take_binary(p, level);
    if (!row) return made;
    uint32_t other = binary(p, row->level + 1);
    made = check(p, place, combine(p->exprs, row, made, other));
    keep_place(p, begin, place, made);
  }
}

static uint32_t choice(parser *p) {
  if (p->depth == RH_EXPR_MOST_DEPTH) return fail_at(p, p->at, "nested more than 200 deep");
  p->depth++;
  uint32_t made = binary(p, 0);
  skip_space(p);
  const char *place = p->at;
  if (take_sign(p, "?", "")) {
    uint32_t yes = choice(p);
    if (!take_sign(p, ":", "")) return expected(p, "':'");
    made = check(p, place, rh_graph_choose(p->exprs, made, yes, choice(p)));
  }
  p->depth--;
  return made;
}

/* ---- Entry points ---- */

static parser begin(rh_exprs *exprs, const char *text, const char *what, rh_error *error) {
  parser p = {.exprs = exprs, .text = text, .at = text, .what = what, .error = error};
  exprs->reason = NULL;
  if (strlen(text) > RH_EXPR_MOST_BYTES) {
    p.status = rh_fail(error, RH_E_USAGE, "%s: longer than 65536 bytes", what);
    rh_graph_refuse(exprs, "too long");
    p.at += strlen(text);
  }
  return p;
}

/* The only expression of the text. */
static uint32_t whole(parser *p) {
  uint32_t made = choice(p);
  skip_space(p);
  return *p->at == 0 ? made : expected(p, "an operator");
}

rh_status rh_exprs_let(rh_exprs *exprs, const char *name, const char *text, const char *what,
                       rh_error *error) {
  parser p = begin(exprs, text, what, error);
  if (exprs->n_lets == RH_EXPR_MOST_LETS)
    return rh_fail(error, RH_E_USAGE, "%s: more than %d names", what, RH_EXPR_MOST_LETS);
  rh_let_node *let = &exprs->lets[exprs->n_lets];
  let->node = whole(&p);
  snprintf(let->name, sizeof let->name, "%s", name);
  if (p.status == RH_OK) exprs->n_lets++;
  return p.status;
}

static rh_status assign_rooms(parser *p, const char *place) {
  if (rh_graph_assign_rooms(p->exprs) != 0)
    fail_at(p, place, "needs more than 64 intermediate results at the same time");
  return p->status;
}

static rh_status add_output(parser *p, const char *place, uint32_t node, rh_type type) {
  rh_exprs *exprs = p->exprs;
  if (exprs->n_outputs == RH_EXPR_MOST_OUTPUTS) fail_at(p, place, "more than 32 expressions");
  node = type ? rh_graph_convert(exprs, node, type) : rh_graph_settle(exprs, node);
  check(p, place, node);
  if (p->status != RH_OK) return p->status;
  exprs->outputs[exprs->n_outputs++] = node;
  if (assign_rooms(p, place) != RH_OK) exprs->n_outputs--;
  return p->status;
}

rh_status rh_exprs_output(rh_exprs *exprs, const char *text, rh_type type, const char *what,
                          rh_error *error) {
  parser p = begin(exprs, text, what, error);
  return add_output(&p, text, whole(&p), type);
}

rh_status rh_exprs_output_of(rh_exprs *exprs, const char *text, const uint32_t variables[4],
                             rh_type type, const char *what, rh_error *error) {
  parser p = begin(exprs, text, what, error);
  uint32_t nodes[RH_EXPR_MOST_ARGS];
  for (uint32_t k = 0; k < RH_EXPR_MOST_ARGS; k++) nodes[k] = variable(&p, variables[k]);
  return add_output(&p, text, whole_of(&p, nodes), type);
}

rh_status rh_exprs_outputs(rh_exprs *exprs, const char *text, const char *what, rh_error *error) {
  parser p = begin(exprs, text, what, error);
  do {
    skip_space(&p);
    const char *place = p.at;
    RH_TRY(add_output(&p, place, choice(&p), 0));
  } while (take_sign(&p, ",", ""));
  if (*p.at) expected(&p, "an operator");
  return p.status;
}

rh_status rh_exprs_where(rh_exprs *exprs, const char *condition, const void *const *values,
                         const char *what, rh_error *error) {
  parser p = begin(exprs, condition, what, error);
  uint32_t node = whole(&p);
  for (uint32_t k = 0; k < exprs->n_outputs && p.status == RH_OK; k++) {
    uint32_t *output = &exprs->outputs[k];
    rh_node otherwise = {.kind = RH_NODE_LITERAL, .type = exprs->nodes[*output].type};
    memcpy(&otherwise.value, values[k], rh_type_size(otherwise.type));
    *output = check(&p, condition,
                    rh_graph_choose(exprs, node, *output, rh_graph_add(exprs, &otherwise)));
  }
  return p.status == RH_OK ? assign_rooms(&p, condition) : p.status;
}
