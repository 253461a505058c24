#include "partial.h"

enum { FIRST_CAPACITY = 64, ALIGNMENT = 16, MANY = 1 << 10 /* values */ };

void rh_fold_init(rh_fold *fold, const rh_op *op, uint32_t n_values, uint64_t unit) {
  uint32_t stride = (op->value_size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  *fold = (rh_fold){.op = op, .n_values = n_values, .stride = stride, .unit = unit};
}

void rh_fold_finish(rh_fold *fold) {
  free(fold->nodes);
  free(fold->values);
  *fold = (rh_fold){0};
}

static size_t node_bytes(const rh_fold *fold) { return (size_t)fold->n_values * fold->stride; }

unsigned char *rh_fold_values(const rh_fold *fold, uint32_t k) {
  return fold->values + k * node_bytes(fold);
}

/* How many of n structs, of `size` bytes and in the order of their first members, numbers, have one
 * below `first`. */
static uint32_t count_before(const void *list, uint32_t n, size_t size, uint64_t first) {
  uint32_t low = 0, high = n;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    uint64_t found;
    memcpy(&found, (const char *)list + middle * size, sizeof found);
    if (found < first) low = middle + 1;
    else high = middle;
  }
  return low;
}

static uint32_t place_of(const rh_fold *fold, uint64_t unit) {
  return count_before(fold->nodes, fold->n, sizeof *fold->nodes, unit);
}

static rh_status say_overlap(uint64_t element, rh_error *error) {
  return rh_fail(error, RH_E_INVALID, "the parts of a reduction overlap: element %llu is in two",
                 (unsigned long long)element);
}

static rh_status make_room(rh_fold *fold, rh_error *error) {
  if (fold->n < fold->capacity) return RH_OK;
  uint32_t first = fold->n_values < MANY ? FIRST_CAPACITY : 2;
  uint32_t capacity = fold->capacity ? 2 * fold->capacity : first;
  rh_fold_node *nodes = realloc(fold->nodes, capacity * sizeof *nodes);
  if (nodes) fold->nodes = nodes;
  unsigned char *values = nodes ? aligned_alloc(ALIGNMENT, capacity * node_bytes(fold)) : NULL;
  if (!values) return rh_fail(error, RH_E_NOMEM, "no memory for the parts of a reduction");
  if (fold->n) memcpy(values, fold->values, fold->n * node_bytes(fold));
  free(fold->values);
  fold->values = values;
  fold->capacity = capacity;
  return RH_OK;
}

static int are_neighbours(const rh_fold_node *left, const rh_fold_node *right) {
  return left->level == right->level && (left->first >> left->level) % 2 == 0 &&
         rh_fold_last(left) + 1 == right->first;
}

/* Moves the nodes from `from` on to `to` and on. */
static void move(rh_fold *fold, uint32_t from, uint32_t to) {
  uint32_t count = fold->n - from;
  memmove(&fold->nodes[to], &fold->nodes[from], count * sizeof *fold->nodes);
  memmove(rh_fold_values(fold, to), rh_fold_values(fold, from), count * node_bytes(fold));
  fold->n = to + count;
}

/* Combines the node at `at` with a neighbour, and what becomes of it with the next one. */
static void merge(rh_fold *fold, uint32_t at) {
  rh_fold_node *nodes = fold->nodes;
  for (;;) {
    if (at > 0 && are_neighbours(&nodes[at - 1], &nodes[at])) at--;
    else if (at + 1 >= fold->n || !are_neighbours(&nodes[at], &nodes[at + 1])) return;
    for (uint32_t k = 0; k < fold->n_values; k++)
      rh_op_combine(fold->op, rh_fold_values(fold, at) + (size_t)k * fold->stride,
                    rh_fold_values(fold, at + 1) + (size_t)k * fold->stride);
    nodes[at].level++;
    move(fold, at + 2, at + 1);
  }
}

/* An indexed operator counts from a part's first element, which has the index `base` in the whole.
 * Values of other operators, and the identity, stay as they are. */
static void rebase(const rh_op *op, void *value, uint64_t base) {
  enum { INDEX_AT = 8 }; /* of {key, index} */
  uint64_t index;
  if (!(op->flags & RH_OP_INDEXED)) return;
  memcpy(&index, (char *)value + INDEX_AT, sizeof index);
  if (index == UINT64_MAX) return; /* of no element */
  index += base;
  memcpy((char *)value + INDEX_AT, &index, sizeof index);
}

rh_status rh_fold_add(rh_fold *fold, const rh_fold_node *node, const void *values, uint64_t apart,
                      uint64_t base, rh_error *error) {
  uint32_t at = place_of(fold, node->first);
  if (at > 0 && rh_fold_last(&fold->nodes[at - 1]) >= node->first)
    return say_overlap(node->first * fold->unit, error);
  if (at < fold->n && fold->nodes[at].first <= rh_fold_last(node))
    return say_overlap(fold->nodes[at].first * fold->unit, error);
  RH_TRY(make_room(fold, error));
  move(fold, at, at + 1);
  memset(rh_fold_values(fold, at), 0, node_bytes(fold));
  for (uint32_t k = 0; k < fold->n_values; k++) {
    unsigned char *to = rh_fold_values(fold, at) + (size_t)k * fold->stride;
    memcpy(to, (const char *)values + k * apart, fold->op->value_size);
    rebase(fold->op, to, base);
  }
  fold->nodes[at] = *node;
  merge(fold, at);
  return RH_OK;
}

/* Without a gap, levels fall from node to node: the last one goes up until it meets a neighbour. */
rh_status rh_fold_value(const rh_fold *fold, uint32_t which, void *value, rh_error *error) {
  _Alignas(16) unsigned char left[RH_ANY_VALUE_BYTES], whole[RH_ANY_VALUE_BYTES];
  const rh_op *op = fold->op;
  uint64_t units = 0;
  for (uint32_t k = 0; k < fold->n; k++) {
    if (fold->nodes[k].first != units)
      return rh_fail(error, RH_E_INVALID,
                     "a part of a reduction is missing: element %llu is in none",
                     (unsigned long long)(units * fold->unit));
    units = rh_fold_last(&fold->nodes[k]) + 1;
  }
  memcpy(whole, op->identity, op->value_size);
  for (uint32_t k = fold->n; k-- > 0;) {
    memcpy(left, rh_fold_values(fold, k) + (size_t)which * fold->stride, op->value_size);
    if (k + 1 < fold->n) rh_op_combine(op, left, whole);
    memcpy(whole, left, op->value_size);
  }
  memcpy(value, whole, op->value_size);
  return RH_OK;
}

/* ---- Edges ---- */

static uint64_t operand_bytes(const rh_job_spec *job, uint32_t k, uint64_t n) {
  return n * rh_type_size(job->operation.op->operands[k].type);
}

static uint64_t padded(uint64_t bytes) { return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT; }

uint64_t rh_edge_bytes(const rh_job_spec *job, uint64_t n) {
  uint64_t bytes = 0;
  for (uint32_t k = 0; k < job->operation.op->n_operands; k++)
    bytes += padded(operand_bytes(job, k, n));
  return bytes;
}

void rh_edge_operands(const rh_partial *partial, const rh_edge *edge, const void **operands) {
  const unsigned char *at = edge->bytes;
  for (uint32_t k = 0; k < partial->job->operation.op->n_operands; k++) {
    operands[k] = at;
    at += padded(operand_bytes(partial->job, k, edge->n));
  }
}

static rh_status create(rh_edge *edge, const rh_job_spec *job, uint64_t first, uint64_t n,
                        rh_error *error) {
  uint64_t bytes = rh_edge_bytes(job, n);
  *edge = (rh_edge){first, n, aligned_alloc(ALIGNMENT, bytes)};
  if (!edge->bytes) return rh_fail(error, RH_E_NOMEM, "no memory for the elements of a tile");
  memset(edge->bytes, 0, bytes);
  return RH_OK;
}

/* Copies n elements, of which the first is number `at` of the edge. */
static void put(const rh_partial *partial, const rh_edge *edge, uint64_t at, uint64_t n,
                const void *const *from) {
  const void *to[RH_MOST_OPERANDS];
  rh_edge_operands(partial, edge, to);
  for (uint32_t k = 0; k < partial->job->operation.op->n_operands; k++)
    memcpy((unsigned char *)(uintptr_t)to[k] + operand_bytes(partial->job, k, at), from[k],
           operand_bytes(partial->job, k, n));
}

void rh_edges_drop(rh_partial *partial, uint32_t k) {
  free(partial->edges[k].bytes);
  partial->n_edges--;
  memmove(&partial->edges[k], &partial->edges[k + 1],
          (partial->n_edges - k) * sizeof *partial->edges);
}

static uint32_t place_of_edge(const rh_partial *partial, uint64_t element) {
  return count_before(partial->edges, partial->n_edges, sizeof *partial->edges, element);
}

rh_status rh_edges_check_free(const rh_partial *partial, uint64_t first, uint64_t n,
                              rh_error *error) {
  uint32_t at = place_of_edge(partial, first);
  const rh_edge *edges = partial->edges;
  if (at > 0 && edges[at - 1].first + edges[at - 1].n > first) return say_overlap(first, error);
  if (at < partial->n_edges && edges[at].first - first < n)
    return say_overlap(edges[at].first, error);
  return RH_OK;
}

/* Are edge k and the next one neighbours in a tile? */
static int are_one(const rh_partial *partial, uint32_t k) {
  const rh_edge *one = &partial->edges[k];
  uint64_t unit = partial->fold.unit;
  return k + 1 < partial->n_edges && one->first + one->n == one[1].first &&
         one->first / unit == one[1].first / unit;
}

static rh_status join(rh_partial *partial, uint32_t k, rh_error *error) {
  const void *operands[RH_MOST_OPERANDS];
  rh_edge one = partial->edges[k], next = partial->edges[k + 1], both;
  RH_TRY(create(&both, partial->job, one.first, one.n + next.n, error));
  rh_edge_operands(partial, &one, operands);
  put(partial, &both, 0, one.n, operands);
  rh_edge_operands(partial, &next, operands);
  put(partial, &both, one.n, next.n, operands);
  rh_edges_drop(partial, k + 1);
  free(one.bytes);
  partial->edges[k] = both;
  return RH_OK;
}

/* n elements of one tile. */
static rh_status add_piece(rh_partial *partial, uint64_t first, uint64_t n,
                           const void *const *operands, rh_error *error) {
  const rh_fold *fold = &partial->fold;
  uint64_t unit = first / fold->unit;
  uint32_t node = place_of(fold, unit);
  RH_TRY(rh_edges_check_free(partial, first, n, error));
  if ((node < fold->n && fold->nodes[node].first == unit) ||
      (node > 0 && rh_fold_last(&fold->nodes[node - 1]) >= unit))
    return say_overlap(first, error);
  RH_TRY(RH_ROOM(&partial->edges, partial->n_edges, "the edges of a part", error));
  uint32_t at = place_of_edge(partial, first);
  rh_edge edge;
  RH_TRY(create(&edge, partial->job, first, n, error));
  put(partial, &edge, 0, n, operands);
  memmove(&partial->edges[at + 1], &partial->edges[at],
          (partial->n_edges - at) * sizeof *partial->edges);
  partial->edges[at] = edge;
  partial->n_edges++;
  if (are_one(partial, at)) RH_TRY(join(partial, at, error));
  return at > 0 && are_one(partial, at - 1) ? join(partial, at - 1, error) : RH_OK;
}

rh_status rh_say_end(uint64_t element, rh_error *error) {
  return rh_fail(error, RH_E_INVALID,
                 "the parts are of one whole that ends before element %llu, and of one that goes "
                 "on",
                 (unsigned long long)element);
}

rh_status rh_partial_add_edge(rh_partial *partial, uint64_t first, uint64_t n,
                              const void *const *operands, rh_error *error) {
  const void *at[RH_MOST_OPERANDS];
  uint64_t unit = partial->fold.unit;
  if (n > partial->whole_n || first > partial->whole_n - n)
    return rh_say_end(partial->whole_n, error);
  for (uint64_t done = 0; done < n;) {
    uint64_t left = unit - (first + done) % unit;
    if (left > n - done) left = n - done;
    for (uint32_t k = 0; k < partial->job->operation.op->n_operands; k++)
      at[k] = (const char *)operands[k] + operand_bytes(partial->job, k, done);
    RH_TRY(add_piece(partial, first + done, left, at, error));
    done += left;
  }
  return RH_OK;
}
