#include "internal.h"

static uint32_t arity_of(const rh_node *node) {
#define RH_X(name, operands, types, traits) [RH_NODE_##name] = operands,
  static const uint32_t arity[] = {RH_NODE_LIST(RH_X)};
#undef RH_X
  return node->kind == RH_NODE_CALL ? node->function->n_args : arity[node->kind];
}

/* Has it the same value for all elements? */
static int is_same(const rh_node *node) {
  return node->kind == RH_NODE_LITERAL || node->kind == RH_NODE_CONSTANT;
}

/* ---- Creating ---- */

static const char what[] = "an expression"; /* there may be no memory for it */

rh_status rh_exprs_create(rh_exprs **made, const rh_operand *variables, uint32_t n_variables,
                          const rh_let *constants, uint32_t n_constants, int has_index,
                          rh_error *error) {
  RH_FREED(rh_exprs) exprs = NULL;
  *made = NULL;
  RH_TRY(RH_NEW(&exprs, 1, what, error));
  RH_TRY(RH_ROOM(&exprs->nodes, 0, what, error));
  *exprs->nodes = (rh_node){.kind = RH_NODE_LITERAL}; /* what is refused has a number, too */
  exprs->n_variables = n_variables;
  exprs->n_constants = n_constants;
  exprs->has_index = has_index;
  for (uint32_t k = 0; k < n_variables; k++) exprs->variables[k] = variables[k];
  for (uint32_t k = 0; k < n_constants; k++) exprs->constants[k] = constants[k];
  *made = exprs;
  exprs = NULL;
  return RH_OK;
}

void rh_exprs_destroy(rh_exprs *exprs) {
  if (!exprs) return;
  for (uint32_t k = 0; k < exprs->n_texts; k++) {
    free(exprs->texts[k].what);
    free(exprs->texts[k].text);
  }
  free(exprs->texts);
  free(exprs->nodes);
  free(exprs->order);
  free(exprs);
}

/* ---- Nodes ---- */

static int same(const rh_node *a, const rh_node *b) {
  return a->kind == b->kind && a->type == b->type && a->of == b->of && a->number == b->number &&
         a->function == b->function && a->is_weak == b->is_weak && a->slot == b->slot &&
         memcmp(a->args, b->args, sizeof a->args) == 0 &&
         memcmp(&a->value, &b->value, sizeof a->value) == 0;
}

/* The latest node like this, or n_nodes: there is none.  More would make long texts slow. */
static uint32_t find(const rh_exprs *exprs, const rh_node *node) {
  enum { LATEST = 256 };
  uint32_t n = exprs->n_nodes, least = n > LATEST ? n - LATEST : 0;
  for (uint32_t k = n; k > least; k--)
    if (same(&exprs->nodes[k - 1], node)) return k - 1;
  return n;
}

uint32_t rh_graph_add(rh_exprs *exprs, const rh_node *node) {
  uint32_t made = find(exprs, node);
  if (exprs->reason) return 0;
  if (made < exprs->n_nodes) return made;
  if (exprs->n_nodes == RH_EXPR_MOST_NODES)
    return rh_graph_refuse(exprs, "too long: more than 4096 operations");
  if (RH_ROOM(&exprs->nodes, exprs->n_nodes, "", NULL) != RH_OK)
    return rh_graph_refuse(exprs, "no memory for an expression");
  rh_node *new = &exprs->nodes[exprs->n_nodes];
  *new = *node;
  new->arity = arity_of(node);
  rh_eval_known(exprs, new);
  rh_graph_find_facts(exprs->nodes, new);
  return exprs->n_nodes++;
}

/* ---- Values of constants ---- */

/* An f64 beside integers of 64 bits is none that is compared with them as an integer. */
static int may_become(const rh_expr_slot *slot, rh_expr_value value) {
  if (slot->as == RH_AS_APART)
    return fabsl(value.x) < RH_NUMBER_WIDE || !rh_number_is_whole(value.x);
  return slot->as != RH_AS_NEAREST || rh_number_fits(value, slot->type);
}

rh_status rh_exprs_check_constants(const rh_exprs *exprs, const rh_expr_value *values,
                                   rh_error *error) {
  char text[32];
  for (uint32_t k = 0; k < exprs->n_slots; k++) {
    const rh_expr_slot *slot = &exprs->slots[k];
    if (slot->constant == RH_EXPR_COUNT || may_become(slot, values[slot->constant])) continue;
    const rh_expr_value *value = &values[slot->constant];
    snprintf(text, sizeof text, value->is_float ? "%.17Lg" : "%.0Lf", value->x);
    return rh_fail(error, RH_E_USAGE,
                   "constant %s: its first value made it %s, which does not hold %s; prepare with "
                   "a value of this size",
                   exprs->constants[slot->constant].name, rh_type_name(slot->type), text);
  }
  return RH_OK;
}

void rh_exprs_set_constants(rh_exprs *exprs, const rh_expr_value *values) {
  for (uint32_t k = 0; k < exprs->n_constants; k++) exprs->constants[k].value = values[k];
}

void rh_exprs_bind(const rh_exprs *exprs, uint64_t n, void *constants) {
  rh_scalar *to = constants;
  for (uint32_t k = 0; k < exprs->n_slots; k++) {
    const rh_expr_slot *slot = &exprs->slots[k];
    if (slot->constant == RH_EXPR_COUNT) to[k] = (rh_scalar){.u64 = n};
    else to[k] = rh_number_as(exprs->constants[slot->constant].value, slot->type, slot->as);
  }
}

/* ---- Rooms ---- */

/* Marks outputs and all that they need, and the last node that reads each.  A node that is the same
 * for all elements is kept. */
static void find_live(rh_exprs *exprs) {
  for (uint32_t k = 0; k < exprs->n_nodes; k++) {
    rh_node *node = &exprs->nodes[k];
    node->is_live = 0;
    node->output = node->room = -1;
    node->last = is_same(node) ? UINT32_MAX : 0;
  }
  for (uint32_t j = exprs->n_outputs; j > 0; j--) {
    rh_node *node = &exprs->nodes[exprs->outputs[j - 1]];
    node->is_live = 1;
    node->output = (int32_t)j - 1;
    node->last = UINT32_MAX;
  }
  for (uint32_t k = exprs->n_nodes; k-- > 0;)
    for (uint32_t j = 0; exprs->nodes[k].is_live && j < exprs->nodes[k].arity; j++) {
      rh_node *read = &exprs->nodes[exprs->nodes[k].args[j]];
      read->is_live = 1;
      if (read->last == 0) read->last = k;
    }
}

static void free_rooms(const rh_exprs *exprs, uint32_t k, uint32_t *taken_by) {
  for (uint32_t room = 0; room < exprs->rooms; room++)
    if (taken_by[room] != UINT32_MAX && exprs->nodes[taken_by[room]].last == k)
      taken_by[room] = UINT32_MAX;
}

/* 0 if there is none left. */
static int take_room(rh_exprs *exprs, uint32_t k, uint32_t *taken_by) {
  uint32_t room = 0;
  while (room < exprs->rooms && taken_by[room] != UINT32_MAX) room++;
  if (room == RH_EXPR_MOST_LIVE) return 0;
  if (room == exprs->rooms) exprs->rooms++;
  taken_by[room] = k;
  exprs->nodes[k].room = (int32_t)room;
  return 1;
}

/* The turn of each live node; what is the same for all elements comes first, because it is written
 * once and kept. */
static int take_rooms(rh_exprs *exprs) {
  uint32_t taken_by[RH_EXPR_MOST_LIVE];
  for (uint32_t j = 0; j < 2 * exprs->n_nodes; j++) {
    uint32_t k = j % exprs->n_nodes, turn = j / exprs->n_nodes;
    rh_node *node = &exprs->nodes[k];
    int is_kept = is_same(node) && node->output < 0;
    if (node->is_live && is_kept == (turn == 0)) {
      /* An output's array is its own room, and a variable's where it is computed with as it is. */
      int is_own = node->kind == RH_NODE_VARIABLE ? node->of == node->type : node->output >= 0;
      if (!is_own && !take_room(exprs, k, taken_by)) return 0;
      exprs->order[exprs->n_order++] = k;
      exprs->n_kept += (uint32_t)is_kept;
    }
    if (turn == 1) free_rooms(exprs, k, taken_by);
  }
  return 1;
}

int rh_graph_assign_rooms(rh_exprs *exprs) {
  free(exprs->order);
  exprs->order = calloc(exprs->n_nodes + 1, sizeof *exprs->order);
  exprs->rooms = exprs->n_kept = exprs->n_order = 0;
  find_live(exprs);
  return exprs->order && take_rooms(exprs) ? 0 : -1;
}
