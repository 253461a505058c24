/* Where integers wrap: the ranges of operations' operands, and what shows it. */
#include "internal.h"

/* ---- The numbers that an integer may be ---- */

/* The ranges for n elements are malloc'ed; null if out of memory. */
static rh_interval *find_ranges(const rh_exprs *exprs, uint64_t n) {
  rh_scalar constants[RH_EXPR_MOST_SLOTS];
  rh_interval *ranges = calloc(exprs->n_nodes + 1, sizeof *ranges);
  rh_exprs_bind(exprs, n, constants);
  if (ranges) rh_exprs_intervals(exprs, NULL, n, constants, ranges);
  return ranges;
}

int rh_exprs_sum_fits(const rh_exprs *exprs, uint32_t output, uint64_t n) {
  RH_FREED(rh_interval) ranges = find_ranges(exprs, n);
  if (!ranges) return 0;
  uint32_t node = exprs->outputs[output];
  rh_type type = exprs->nodes[node].type;
  rh_interval one = ranges[node];
  int bits = 8 * (int)rh_type_size(type) - rh_type_is_signed(type), is_below = one.high < -one.low;
  return (long double)n * (long double)fmax(-one.low, one.high) <= ldexpl(1, bits) - !is_below;
}

/* ---- Which of two is the lesser one ---- */

typedef struct search {
  const rh_exprs *exprs;
  rh_interval *ranges;
  unsigned char *sees;
} search;

enum { DEEPEST = 6 };

static const rh_node *at(const search *s, uint32_t node) { return &s->exprs->nodes[node]; }

static int holds(rh_type type, rh_interval a) {
  rh_interval all = rh_type_interval(type);
  return a.low >= all.low && a.high <= all.high;
}

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
  rh_interval other = s->ranges[by->args[j == 0]];
  switch (by->kind) {
  case RH_NODE_AND:
    return other.low >= 0 && other.high < trunc(rh_type_interval(by->type).high / 2);
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

/* Is node `part` an operand of node `all`, in the same text?  One of 32 bits only if it is the
 * first, for it is by a cast there that all of it gets wider. */
static int is_part(const rh_node *nodes, uint32_t part, uint32_t all) {
  const rh_kept_place *of = &nodes[part].place, *in = &nodes[all].place;
  return (nodes[all].args[0] == part || (nodes[all].arity > 1 && nodes[all].args[1] == part)) &&
         nodes[all].type == nodes[part].type && !of->is_argument && in->text == of->text &&
         in->end >= of->end &&
         (in->begin == of->begin || (in->begin < of->begin && nodes[all].type == RH_TYPE_u64));
}

/* With all sums and products of its type that the operation is a part of. */
static rh_expr_place found_at(const rh_exprs *exprs, uint32_t node) {
  const rh_kept_text *text = &exprs->texts[exprs->nodes[node].place.text];
  uint32_t all = node;
  for (uint32_t k = node + 1; k < exprs->n_nodes; k++)
    if (is_part(exprs->nodes, all, k)) all = k;
  uint32_t end = exprs->nodes[all].place.end;
  while (isspace((unsigned char)text->text[end - 1])) end--;
  return (rh_expr_place){text->what,
                         text->text,
                         exprs->nodes[all].place.begin,
                         exprs->nodes[node].place.sign,
                         end,
                         exprs->nodes[node].type};
}

static int find(const rh_exprs *exprs, purpose why, uint32_t first, uint32_t end, uint64_t n,
                rh_expr_place *found) {
  RH_FREED(rh_interval) ranges = find_ranges(exprs, n);
  RH_FREED(unsigned char) sees = malloc(exprs->n_nodes + 1);
  const search s = {exprs, ranges, sees};
  for (uint32_t k = 0; ranges && sees && k < exprs->n_nodes; k++) {
    const rh_node *node = at(&s, k);
    if (!node->is_live || !node->place.end) continue;
    if (!(why == DIFFERENCE ? is_below_zero(&s, node) : is_narrow(&s, node))) continue;
    memset(sees, 0, exprs->n_nodes);
    for (uint32_t j = first; j < end; j++) sees[exprs->outputs[j]] = WRAPPED | SPOILED;
    if (!is_seen(&s, why, k)) continue;
    *found = found_at(exprs, k);
    return 1;
  }
  return 0;
}

int rh_exprs_find_difference(const rh_exprs *exprs, uint64_t n, rh_expr_place *found) {
  return find(exprs, DIFFERENCE, 0, exprs->n_outputs, n, found);
}

int rh_exprs_find_narrow(const rh_exprs *exprs, uint32_t output, rh_expr_place *found) {
  return find(exprs, NARROW, output, output + 1, 1, found);
}
