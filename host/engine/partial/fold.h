/* The values of data that were reduced in parts: chunks of a stream, on several devices, by several
 * processes.
 *
 * The tree of docs/inside/bits.md is aligned.  Data are counted in units, which are tiles or chunks
 * of 2^k tiles, as the caller likes; the last unit may be short.  A *node* (level, index) is the
 * value of units index * 2^level to (index + 1) * 2^level - 1, or of as many of them as there are:
 * what a strategy that promises RH_CANONICAL_ORDER returns for these elements as a reduction of
 * their own, before it becomes a result.  A fold takes nodes in any order of arrival, combines
 * neighbours as soon as both are there, the lower index on the left, and gives the value of the
 * whole, whose bits do not depend on how the data were divided.  This holds for operators that
 * round and for those that do not commute; of others, such as min, any strategy's values will do.
 *
 * A node may have several values of one operator, such as a strategy's and the exact one, each of
 * which is combined with its own kind.
 *
 * Nodes that arrive in index order leave at most 64 in memory.  In any other order, those stay that
 * wait for a neighbour: with d parts done at a time, about d more. */
#pragma once

#include <redhost/redhost.h>

typedef struct rh_fold_node {
  uint64_t index;
  uint32_t level;
} rh_fold_node;

/* Initialise with rh_fold_init(); zero-initialised may be finished.  [one thread at a time] */
typedef struct rh_fold {
  const rh_op *op;       /* the operator, built-in or the user's; borrowed */
  uint32_t n_values;     /* of a node */
  uint32_t stride;       /* bytes from one value to the next: a multiple of 16 */
  uint64_t unit;         /* elements, for messages */
  rh_fold_node *nodes;   /* that wait, in index order */
  unsigned char *values; /* theirs */
  uint32_t n, capacity;
} rh_fold;

/* The operator gives combine, identity and the value's size; it must outlive the fold. */
void rh_fold_init(rh_fold *fold, const rh_op *op, uint32_t n_values, uint64_t unit);
void rh_fold_finish(rh_fold *fold);

/* Adds a node, whose n_values values stand `stride` bytes apart and are copied.  level: below 64.
 * A node whose units are there already, or are more than 2^64, is RH_E_INVALID.  RH_E_NOMEM leaves
 * the fold as it was. */
rh_status rh_fold_add(rh_fold *fold, uint32_t level, uint64_t index, const void *values,
                      rh_error *error);

/* The first unit and the last one of node k. */
uint64_t rh_fold_first(const rh_fold *fold, uint32_t k);
uint64_t rh_fold_last(const rh_fold *fold, uint32_t k);
const void *rh_fold_values(const rh_fold *fold, uint32_t k);
/* Is the unit in a node? */
int rh_fold_has(const rh_fold *fold, uint64_t unit);

/* *value, of op->value_size bytes and aligned to 16: value number `which` of the whole; the
 * identity if there are no nodes.  The caller has added all; RH_E_INVALID names the first gap. */
rh_status rh_fold_value(const rh_fold *fold, uint32_t which, void *value, rh_error *error);

/* The largest aligned node that begins at unit `first`, is at most `units` long and of at most
 * level `most`: for a run of units that begins or ends anywhere.  units: at least 1. */
uint32_t rh_fold_level(uint64_t first, uint64_t units, uint32_t most);

/* An indexed operator counts from a part's first element: from here on the index of the value
 * counts from the whole's, where that element has the index `base`.  Values of other operators, and
 * the identity, stay as they are. */
void rh_fold_rebase(const rh_op *op, void *value, uint64_t base);
