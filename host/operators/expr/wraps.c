/* Where integers wrap: places of operations, the ranges of their operands, and what shows it. */
#include "internal.h"

/* ---- Places ---- */

static uint32_t no_memory(rh_exprs *exprs) {
  return rh_graph_refuse(exprs, "no memory for an expression");
}

uint32_t rh_graph_keep_text(rh_exprs *exprs, const char *what, const char *text) {
  if (RH_ROOM(&exprs->texts, exprs->n_texts, "", NULL) != RH_OK) return no_memory(exprs);
  rh_kept_text *new = &exprs->texts[exprs->n_texts++];
  *new = (rh_kept_text){strdup(what), strdup(text)};
  return new->what &&new->text ? exprs->n_texts - 1 : no_memory(exprs);
}

void rh_graph_keep_place(rh_exprs *exprs, const rh_kept_place *place) {
  if (RH_ROOM(&exprs->places, exprs->n_places, "", NULL) != RH_OK) no_memory(exprs);
  else exprs->places[exprs->n_places++] = *place;
}

void rh_graph_forget_places(rh_exprs *exprs) {
  for (uint32_t k = 0; k < exprs->n_texts; k++) {
    free(exprs->texts[k].what);
    free(exprs->texts[k].text);
  }
  free(exprs->texts);
  free(exprs->places);
}

int rh_graph_may_wrap(const rh_node *node) {
  if (rh_type_is_float(node->type) || node->is_weak) return 0;
  int is_unsigned = !rh_type_is_signed(node->type);
  switch (node->kind) {
  case RH_NODE_NEGATE: return is_unsigned;
  case RH_NODE_SUBTRACT: return is_unsigned || node->type == RH_TYPE_i32;
  case RH_NODE_ADD:
  case RH_NODE_MULTIPLY: return rh_type_size(node->type) == sizeof(uint32_t);
  default: return 0;
  }
}

/* ---- The numbers that an integer may be ---- */

__extension__ typedef __int128 wide;

typedef struct range {
  wide low, high;
} range;

static range all_of(rh_type type) {
  int bits = 8 * (int)rh_type_size(type), is_signed = rh_type_is_signed(type);
  wide most = ((wide)1 << (bits - is_signed)) - 1;
  return (range){is_signed ? -most - 1 : 0, most};
}

static int holds(rh_type type, range a) {
  range all = all_of(type);
  return !rh_type_is_float(type) && a.low >= all.low && a.high <= all.high;
}

static wide least(wide a, wide b) { return b < a ? b : a; }

static wide most(wide a, wide b) { return b > a ? b : a; }

static range number(rh_type type, rh_scalar value) {
  wide number = type == RH_TYPE_i32   ? (wide)value.i32
                : type == RH_TYPE_u32 ? (wide)value.u32
                : type == RH_TYPE_i64 ? (wide)value.i64
                                      : (wide)value.u64;
  return (range){number, number};
}

static range product(range a, range b, range all) {
  wide high;
  if (a.low >= 0 && b.low >= 0)
    return __builtin_mul_overflow(a.high, b.high, &high) ? all : (range){a.low * b.low, high};
  wide p = a.low * b.low, q = a.low * b.high, r = a.high * b.low, s = a.high * b.high;
  return (range){least(least(p, q), least(r, s)), most(most(p, q), most(r, s))};
}

/* The operands are not negative; a division by 0 gives 0. */
static range part(rh_node_kind kind, rh_type type, range a, range b) {
  int shift = (int)(b.low & (8 * (wide)rh_type_size(type) - 1));
  switch (kind) {
  case RH_NODE_DIVIDE:
    return b.low > 0 ? (range){a.low / b.high, a.high / b.low} : (range){0, a.high};
  case RH_NODE_REMAINDER: return (range){0, least(a.high, most(b.high - 1, 0))};
  case RH_NODE_RIGHT:
    return b.low == b.high ? (range){a.low >> shift, a.high >> shift} : (range){0, a.high};
  default: return (range){0, least(a.high, b.high)}; /* AND */
  }
}

static range converted(const rh_node *node, rh_type type, range a) {
  int is_kept = !rh_type_is_float(node->kind == RH_NODE_CAST ? node->of : type) && holds(type, a);
  return is_kept ? a : all_of(type);
}

static range of_kind(const rh_node *node, const range *args) {
  range a = args[0], b = args[1], all = all_of(node->type);
  if (rh_node_compares(node->kind)) return (range){0, 1};
  switch (node->kind) {
  case RH_NODE_LITERAL: return number(node->type, node->value);
  case RH_NODE_VARIABLE: return all_of(node->of);
  case RH_NODE_CAST: return converted(node, node->type, a);
  case RH_NODE_NARROW: return converted(node, node->of, a);
  case RH_NODE_NEGATE: return (range){-a.high, -a.low};
  case RH_NODE_ADD: return (range){a.low + b.low, a.high + b.high};
  case RH_NODE_SUBTRACT: return (range){a.low - b.high, a.high - b.low};
  case RH_NODE_MULTIPLY: return product(a, b, all);
  case RH_NODE_DIVIDE:
  case RH_NODE_REMAINDER:
  case RH_NODE_RIGHT:
  case RH_NODE_AND: return a.low >= 0 && b.low >= 0 ? part(node->kind, node->type, a, b) : all;
  case RH_NODE_OR:
    return a.low >= 0 && b.low >= 0 && a.high <= 1 && b.high <= 1 ? (range){0, 1} : all;
  case RH_NODE_CHOOSE: return (range){least(b.low, args[2].low), most(b.high, args[2].high)};
  default: return all;
  }
}

static range of_node(const rh_exprs *exprs, const rh_node *node, const range *ranges, uint64_t n) {
  range args[3] = {{0, 0}, {0, 0}, {0, 0}};
  if (rh_type_is_float(node->type)) return args[0];
  if (node->kind == RH_NODE_INDEX) return (range){0, (wide)n - 1};
  if (node->kind == RH_NODE_CONSTANT && node->number == RH_EXPR_COUNT) return (range){n, n};
  if (node->kind == RH_NODE_CONSTANT)
    return number(node->type, rh_number_as(exprs->values[node->number], node->type, node->as));
  for (uint32_t j = 0; j < node->arity; j++) args[j] = ranges[node->args[j]];
  range own = of_kind(node, args);
  return holds(node->type, own) ? own : all_of(node->type);
}

/* malloc'ed; null if out of memory. */
static range *find_ranges(const rh_exprs *exprs, uint64_t n) {
  range *ranges = calloc(exprs->n_nodes + 1, sizeof *ranges);
  for (uint32_t k = 0; ranges && k < exprs->n_nodes; k++)
    ranges[k] = of_node(exprs, &exprs->nodes[k], ranges, n);
  return ranges;
}

int rh_exprs_sum_fits(const rh_exprs *exprs, uint32_t output, uint64_t n) {
  range *ranges = find_ranges(exprs, n);
  if (!ranges) return 0;
  uint32_t node = exprs->outputs[output];
  range all = all_of(exprs->nodes[node].type), one = ranges[node];
  wide size = most(-one.low, one.high), room = one.high >= -one.low ? all.high : -all.low;
  free(ranges);
  return size == 0 || (wide)n <= room / size;
}

/* ---- Which of two is the lesser one ---- */

typedef struct search {
  const rh_exprs *exprs;
  range *ranges;
  unsigned char *sees;
} search;

enum { DEEPEST = 6 };

static const rh_node *at(const search *s, uint32_t node) { return &s->exprs->nodes[node]; }

/* Without conversions that change no value. */
static uint32_t plain(const search *s, uint32_t node) {
  while (at(s, node)->kind == RH_NODE_CAST && !rh_type_is_float(at(s, node)->of) &&
         holds(at(s, node)->type, s->ranges[at(s, node)->args[0]]))
    node = at(s, node)->args[0];
  return node;
}

static int is_same(const search *s, uint32_t a, uint32_t b) { return plain(s, a) == plain(s, b); }

/* min(p, q) if is_least, else max(p, q). */
static int is_extreme(const search *s, const rh_node *node, int is_least) {
  const rh_node *condition = at(s, node->args[0]);
  if (condition->kind != RH_NODE_LESS && condition->kind != RH_NODE_AT_MOST) return 0;
  return is_same(s, condition->args[!is_least], node->args[1]) &&
         is_same(s, condition->args[is_least], node->args[2]);
}

/* Is b <= a, as far as their forms tell? */
static int is_at_most(const search *s, uint32_t b, uint32_t a, int depth) {
  b = plain(s, b);
  a = plain(s, a);
  if (a == b || s->ranges[b].high <= s->ranges[a].low) return 1;
  if (depth == 0) return 0;
  const rh_node *less = at(s, b), *more = at(s, a);
  for (int k = 0; k < 2;
       k++) { /* of either that is a choice, both have to be, or one of an extreme */
    const rh_node *choice = k ? more : less;
    if (choice->kind != RH_NODE_CHOOSE) continue;
    int n = 0;
    for (int j = 1; j < 3; j++)
      n += k ? is_at_most(s, b, choice->args[j], depth - 1)
             : is_at_most(s, choice->args[j], a, depth - 1);
    if (n >= (is_extreme(s, choice, !k) ? 1 : 2)) return 1;
  }
  int is_part = less->kind == RH_NODE_DIVIDE || less->kind == RH_NODE_REMAINDER ||
                less->kind == RH_NODE_RIGHT || less->kind == RH_NODE_AND;
  if (!is_part || s->ranges[less->args[0]].low < 0 || s->ranges[less->args[1]].low < 0) return 0;
  return is_at_most(s, less->args[0], a, depth - 1) ||
         (less->kind == RH_NODE_AND && is_at_most(s, less->args[1], a, depth - 1));
}

static int is_zero(const search *s, uint32_t node) {
  return s->ranges[node].low == 0 && s->ranges[node].high == 0;
}

/* Is b <= a where the condition holds, or where it does not? */
static int implies(const search *s, uint32_t condition, int holds_there, uint32_t b, uint32_t a,
                   int depth) {
  const rh_node *node = at(s, condition);
  uint32_t p = node->args[0], q = node->args[1];
  int is_order = node->kind == RH_NODE_LESS || node->kind == RH_NODE_AT_MOST;
  int is_equality = node->kind == RH_NODE_EQUAL || node->kind == RH_NODE_UNEQUAL;
  if (depth == 0) return 0;
  if (node->kind == (holds_there ? RH_NODE_AND : RH_NODE_OR))
    return implies(s, p, holds_there, b, a, depth - 1) ||
           implies(s, q, holds_there, b, a, depth - 1);
  if ((!is_order && !is_equality) || rh_type_is_float(node->of)) return 0;
  if (is_equality) { /* of a truth and 0, or of a number that is not 0 and so at least 1 */
    int is_other = (node->kind == RH_NODE_UNEQUAL) == holds_there;
    if (!is_zero(s, q)) return 0;
    if (is_other && s->ranges[p].low >= 0 && s->ranges[b].high <= 1 && is_same(s, p, a)) return 1;
    return implies(s, p, is_other, b, a, depth - 1);
  }
  int is_strict = (node->kind == RH_NODE_LESS) == holds_there;
  uint32_t low = holds_there ? p : q, high = holds_there ? q : p;
  int is_below =
      is_at_most(s, b, low, DEEPEST) || (is_strict && s->ranges[b].high <= s->ranges[low].low + 1);
  return is_below && is_at_most(s, high, a, DEEPEST);
}

/* ---- Where it shows ---- */

enum { WRAPPED = 1, SPOILED = 2 }; /* modulo 2^bits it is right; it is another number */

typedef enum purpose { DIFFERENCE, NARROW } purpose;

/* Is operand j chosen only where the difference does not wrap? */
static int is_guarded(const search *s, const rh_node *by, uint32_t j, const rh_node *of) {
  return by->kind == RH_NODE_CHOOSE && j > 0 && of->kind == RH_NODE_SUBTRACT &&
         implies(s, by->args[0], j == 1, of->args[1], of->args[0], DEEPEST);
}

/* Is the result right, whether operand j wrapped or not? */
static int heals(const search *s, purpose why, const rh_node *by, uint32_t j) {
  range other = s->ranges[by->args[j == 0]];
  switch (by->kind) {
  case RH_NODE_AND: return other.low >= 0 && other.high < all_of(by->type).high / 2;
  case RH_NODE_NARROW:
  case RH_NODE_BITS: return 1;
  case RH_NODE_EQUAL:
  case RH_NODE_UNEQUAL: return why == DIFFERENCE;
  case RH_NODE_MULTIPLY: return why == DIFFERENCE && by->args[0] == by->args[1];
  case RH_NODE_CAST:
    return why == DIFFERENCE && !rh_type_is_float(by->type) && rh_type_is_signed(by->type) &&
           rh_type_size(by->type) <= rh_type_size(by->of);
  default: return 0;
  }
}

/* Is the result right modulo 2^bits, if operand j is? */
static int is_modular(const rh_node *by, uint32_t j) {
  switch (by->kind) {
  case RH_NODE_LEFT: return j == 0;
  case RH_NODE_CHOOSE: return j > 0;
  case RH_NODE_CAST:
    return !rh_type_is_float(by->type) && rh_type_size(by->type) <= rh_type_size(by->of);
  default: return rh_node_has(by->kind, RH_MODULAR);
  }
}

/* Does one of the outputs seen show that node `of` wrapped?  s->sees has them, and is used up. */
static int is_seen(const search *s, purpose why, uint32_t of) {
  for (uint32_t k = s->exprs->n_nodes; k-- > of + 1;) {
    const rh_node *by = at(s, k);
    for (uint32_t j = 0; s->sees[k] && j < by->arity; j++) {
      if (why == DIFFERENCE && is_guarded(s, by, j, at(s, of))) continue;
      int sees_wrapped = is_modular(by, j) ? s->sees[k] & WRAPPED : s->sees[k] & SPOILED;
      if (sees_wrapped && !heals(s, why, by, j)) s->sees[by->args[j]] |= WRAPPED;
      s->sees[by->args[j]] |= s->sees[k] & SPOILED;
    }
  }
  return s->sees[of] & WRAPPED;
}

static int is_below_zero(const search *s, const rh_node *node) {
  if (rh_type_is_signed(node->type)) return 0;
  if (node->kind == RH_NODE_NEGATE) return s->ranges[node->args[0]].high > 0;
  return node->kind == RH_NODE_SUBTRACT && !is_at_most(s, node->args[1], node->args[0], DEEPEST);
}

static int is_narrow(const search *s, const rh_node *node) {
  const rh_node *a = at(s, node->args[0]), *b = at(s, node->args[1]);
  return node->arity == 2 && rh_type_size(node->type) == sizeof(uint32_t) &&
         a->kind != RH_NODE_LITERAL && b->kind != RH_NODE_LITERAL;
}

static rh_expr_place found_at(const rh_exprs *exprs, const rh_kept_place *place) {
  const rh_kept_text *text = &exprs->texts[place->text];
  uint32_t end = place->end;
  while (isspace((unsigned char)text->text[end - 1])) end--;
  return (rh_expr_place){text->what,  text->text, place->begin,
                         place->sign, end,        exprs->nodes[place->node].type};
}

static int find(const search *s, purpose why, uint32_t first, uint32_t end, rh_expr_place *found) {
  const rh_exprs *exprs = s->exprs;
  for (uint32_t k = 0; k < exprs->n_places; k++) {
    const rh_kept_place *place = &exprs->places[k];
    const rh_node *node = at(s, place->node);
    if (!(why == DIFFERENCE ? is_below_zero(s, node) : is_narrow(s, node))) continue;
    memset(s->sees, 0, exprs->n_nodes);
    for (uint32_t j = first; j < end; j++) s->sees[exprs->outputs[j]] = WRAPPED | SPOILED;
    if (!is_seen(s, why, place->node)) continue;
    *found = found_at(exprs, place);
    return 1;
  }
  return 0;
}

static int find_of(const rh_exprs *exprs, purpose why, uint32_t first, uint32_t end, uint64_t n,
                   rh_expr_place *found) {
  search s = {exprs, find_ranges(exprs, n), malloc(exprs->n_nodes + 1)};
  int is_found = s.ranges && s.sees && find(&s, why, first, end, found);
  free(s.ranges);
  free(s.sees);
  return is_found;
}

int rh_exprs_find_difference(const rh_exprs *exprs, uint64_t n, rh_expr_place *found) {
  return find_of(exprs, DIFFERENCE, 0, exprs->n_outputs, n, found);
}

int rh_exprs_find_narrow(const rh_exprs *exprs, uint32_t output, rh_expr_place *found) {
  return find_of(exprs, NARROW, output, output + 1, 1, found);
}
