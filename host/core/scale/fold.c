#include "fold.h"
#include "../base/error.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_LEVEL = 63, FIRST_CAPACITY = 64 };

struct rh_fold_node {
  uint64_t index;
  uint32_t level;
  _Alignas(16) unsigned char value[RH_ANY_VALUE_BYTES];
};

void rh_fold_init(rh_fold *fold, const rh_op *op) {
  *fold = (rh_fold){.op = op};
}

void rh_fold_finish(rh_fold *fold) {
  free(fold->nodes);
  *fold = (rh_fold){0};
}

/* ---- Where nodes stand ---- */

static uint64_t first_of(const rh_fold_node *node) {
  return node->index << node->level;
}

/* Inclusive, because the end may be 2^64. */
static uint64_t last_of(const rh_fold_node *node) {
  return first_of(node) + ((UINT64_C(1) << node->level) - 1);
}

/* The number of nodes that begin before the unit. */
static uint32_t place_of(const rh_fold *fold, uint64_t unit) {
  uint32_t low = 0, high = fold->n;
  /* In index order it is behind all others. */
  if (high && first_of(&fold->nodes[high - 1]) < unit) return high;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (first_of(&fold->nodes[middle]) < unit)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static rh_status check_free(const rh_fold *fold, const rh_fold_node *node, uint32_t at,
                            rh_error *error) {
  int meets_left = at > 0 && last_of(&fold->nodes[at - 1]) >= first_of(node);
  int meets_right = at < fold->n && first_of(&fold->nodes[at]) <= last_of(node);
  if (!meets_left && !meets_right) return RH_OK;
  return rh_fail(error, RH_E_INVALID, "the parts of a reduction overlap: unit %llu is in two",
                 (unsigned long long)(meets_left ? first_of(node) : first_of(&fold->nodes[at])));
}

static rh_status make_room(rh_fold *fold, rh_error *error) {
  if (fold->n < fold->capacity) return RH_OK;
  uint32_t capacity = fold->capacity ? 2 * fold->capacity : FIRST_CAPACITY;
  rh_fold_node *nodes = aligned_alloc(_Alignof(rh_fold_node), capacity * sizeof *nodes);
  if (!nodes) return rh_fail(error, RH_E_NOMEM, "no memory for the parts of a reduction");
  if (fold->n) memcpy(nodes, fold->nodes, fold->n * sizeof *nodes);
  free(fold->nodes);
  fold->nodes = nodes;
  fold->capacity = capacity;
  return RH_OK;
}

/* ---- Combining ---- */

static int are_neighbours(const rh_fold_node *left, const rh_fold_node *right) {
  return left->level == right->level && left->index % 2 == 0 && left->index + 1 == right->index;
}

/* Combines the node at `at` with a neighbour, and what becomes of it with the next one. */
static void merge(rh_fold *fold, uint32_t at) {
  rh_fold_node *nodes = fold->nodes;
  for (;;) {
    if (at > 0 && are_neighbours(&nodes[at - 1], &nodes[at]))
      at--;
    else if (at + 1 >= fold->n || !are_neighbours(&nodes[at], &nodes[at + 1]))
      return;
    rh_op_combine(fold->op, nodes[at].value, nodes[at + 1].value);
    nodes[at].index /= 2;
    nodes[at].level++;
    fold->n--;
    memmove(&nodes[at + 1], &nodes[at + 2], (fold->n - at - 1) * sizeof *nodes);
  }
}

rh_status rh_fold_add(rh_fold *fold, uint32_t level, uint64_t index, const void *value,
                      rh_error *error) {
  if (level > MOST_LEVEL || index > UINT64_MAX >> level)
    return rh_fail(error, RH_E_INVALID, "part %llu of level %u is beyond 2^64 units",
                   (unsigned long long)index, level);
  rh_fold_node node = {.index = index, .level = level};
  uint32_t at = place_of(fold, first_of(&node));
  RH_TRY(check_free(fold, &node, at, error));
  RH_TRY(make_room(fold, error));
  memcpy(node.value, value, fold->op->value_size);
  memmove(&fold->nodes[at + 1], &fold->nodes[at], (fold->n - at) * sizeof node);
  fold->nodes[at] = node;
  fold->n++;
  merge(fold, at);
  return RH_OK;
}

/* ---- The whole ---- */

/* The number of nodes from the first unit on that leave no gap. */
static uint32_t without_gap(const rh_fold *fold, uint64_t *units) {
  uint32_t k = 0;
  *units = 0;
  for (; k < fold->n && first_of(&fold->nodes[k]) == *units; k++)
    *units = last_of(&fold->nodes[k]) + 1;
  return k;
}

uint64_t rh_fold_units(const rh_fold *fold) {
  uint64_t units;
  without_gap(fold, &units);
  return units;
}

/* Without a gap, levels fall from node to node: the last one goes up until it meets a neighbour. */
rh_status rh_fold_value(const rh_fold *fold, void *value, rh_error *error) {
  rh_fold_node whole, left;
  uint64_t units;
  if (without_gap(fold, &units) < fold->n)
    return rh_fail(error, RH_E_INVALID, "a part of a reduction is missing: unit %llu is in none",
                   (unsigned long long)units);
  memcpy(whole.value, fold->op->identity, fold->op->value_size);
  if (fold->n) whole = fold->nodes[fold->n - 1];
  for (uint32_t k = fold->n; k-- > 1;) {
    left = fold->nodes[k - 1];
    rh_op_combine(fold->op, left.value, whole.value);
    whole = left;
  }
  memcpy(value, whole.value, fold->op->value_size);
  return RH_OK;
}

/* ---- As bytes ---- */

/* A machine of the other byte order reads another number. */
static const uint32_t mark = 0x52484631;

typedef struct head {
  uint32_t mark, value_size, n, zero;
} head;

typedef struct node_head {
  uint64_t index;
  uint32_t level, zero;
} node_head;

uint64_t rh_fold_bytes(const rh_fold *fold) {
  return sizeof(head) + fold->n * (sizeof(node_head) + fold->op->value_size);
}

void rh_fold_write(const rh_fold *fold, void *bytes) {
  unsigned char *at = bytes;
  const head first = {mark, fold->op->value_size, fold->n, 0};
  memcpy(at, &first, sizeof first);
  at += sizeof first;
  for (uint32_t k = 0; k < fold->n; k++) {
    const rh_fold_node *node = &fold->nodes[k];
    const node_head each = {node->index, node->level, 0};
    memcpy(at, &each, sizeof each);
    memcpy(at + sizeof each, node->value, first.value_size);
    at += sizeof each + first.value_size;
  }
}

static rh_status check_head(const rh_fold *fold, const head *first, uint64_t size,
                            rh_error *error) {
  if (first->mark != mark)
    return rh_fail(error, RH_E_INVALID,
                   "the parts of a reduction are not as this redhost writes them: all processes "
                   "must run the same version, on machines of one byte order");
  if (first->value_size != fold->op->value_size)
    return rh_fail(error, RH_E_INVALID,
                   "the parts of a reduction have values of %u bytes instead of %u: all processes "
                   "must reduce by the same operator",
                   first->value_size, fold->op->value_size);
  if (size != sizeof *first + first->n * (sizeof(node_head) + (uint64_t)first->value_size))
    return rh_fail(error, RH_E_INVALID, "the parts of a reduction are cut short or damaged");
  return RH_OK;
}

rh_status rh_fold_read(rh_fold *fold, const void *bytes, uint64_t size, rh_error *error) {
  const unsigned char *at = bytes;
  head first = {0};
  if (size < sizeof first)
    return rh_fail(error, RH_E_INVALID, "the parts of a reduction are cut short or damaged");
  memcpy(&first, at, sizeof first);
  RH_TRY(check_head(fold, &first, size, error));
  at += sizeof first;
  for (uint32_t k = 0; k < first.n; k++) {
    node_head each;
    memcpy(&each, at, sizeof each);
    RH_TRY(rh_fold_add(fold, each.level, each.index, at + sizeof each, error));
    at += sizeof each + first.value_size;
  }
  return RH_OK;
}

/* ---- Parts of any extent ---- */

uint32_t rh_fold_level(uint64_t first, uint64_t units, uint32_t most) {
  uint32_t level = 63u - (uint32_t)__builtin_clzll(units);
  uint32_t alignment = first ? (uint32_t)__builtin_ctzll(first) : MOST_LEVEL;
  if (alignment < level) level = alignment;
  return level < most ? level : most;
}

void rh_fold_rebase(const rh_op *op, void *value, uint64_t base) {
  enum { INDEX_AT = 8 }; /* of {key, index} */
  uint64_t index;
  if (!(op->flags & RH_OP_INDEXED)) return;
  memcpy(&index, (char *)value + INDEX_AT, sizeof index);
  if (index == UINT64_MAX) return; /* of no element */
  index += base;
  memcpy((char *)value + INDEX_AT, &index, sizeof index);
}
