/* What the strategies that break the canonical order have in common: two launches, in which each
 * work-item makes the node of a tile, and one combines the nodes.  Right, unless one replaces
 * how a tile's lanes are folded, or how the nodes meet:
 *
 *     CANONICAL_BUT(name, "what is wrong", CANONICAL_NODE, "how");
 *
 * Serves only what the order decides. */
#ifndef ZOO_CANONICAL_H
#define ZOO_CANONICAL_H

#include "right.h"

#include <redhost/canonical.h>

/* The node of tile t of the n elements from p on. */
#define CANONICAL_NODE "node = rh_tile_fold(0, rh_tile_load(p, n, t, false));\n"
/* Of `tiles` nodes. */
#define CANONICAL_TREE                                                                             \
  "rh_sequence s;\n"                                                                               \
  "rh_sequence_begin(&s);\n"                                                                       \
  "for (uint t = 0; t < tiles; t++) rh_sequence_add(&s, nodes[t]);\n"                              \
  "all = rh_sequence_value(&s);\n"

#define CANONICAL_KERNELS(node, tree)                                                              \
  "__kernel void tiles(__global const rh_element *input, ulong first, ulong n,\n"                  \
  "                    __global rh_value *nodes) {\n"                                              \
  "  __global const rh_element *p = input + first;\n  ulong t = get_global_id(0);\n"               \
  "  rh_value node;\n" node "  nodes[t] = node;\n}\n"                                              \
  "__kernel void finish(__global const rh_value *nodes, uint tiles, __global rh_value *result,\n"  \
  "                     ulong at) {\n  rh_value all;\n" tree "  result[at] = all;\n}\n"

typedef struct canonical {
  const rh_host *host;
  struct _cl_kernel *tiles, *finish;
  struct _cl_mem *nodes;
  uint64_t tile;
} canonical;

static inline uint64_t canonical_tiles(const rh_problem *problem, uint64_t n) {
  uint64_t tiles = rh_divide_up(n, rh_canonical_tile(problem->op));
  return tiles ? tiles : 1;
}

static inline rh_status canonical_query(const rh_problem *problem, const int64_t *values,
                                        rh_answer *answer) {
  const rh_op *op = problem->op;
  (void)values;
  RH_TRY(right_knows(problem, answer));
  if (!(op->flags & RH_OP_COMMUTATIVE) || op->flags & RH_OP_EXACT)
    return rh_decline(answer, RH_WHY_OP, "%s has the same bits in every order", op->name);
  answer->launches = 2;
  answer->scratch_bytes = canonical_tiles(problem, problem->max_n) * op->value_size;
  answer->score = 1000;
  return rh_fit_scratch(problem, answer);
}

static inline rh_status canonical_setup(const rh_host *host, const rh_problem *problem,
                                        const char *source, void **instance) {
  canonical *self = host->alloc(host, sizeof *self);
  rh_answer answer = {0};
  struct _cl_program *program;
  if (!self) return RH_E_NOMEM;
  *instance = self;
  self->host = host;
  self->tile = rh_canonical_tile(problem->op);
  if (canonical_query(problem, NULL, &answer) != RH_OK)
    return host->fail(host, RH_DECLINED, 0, answer.reason);
  RH_TRY(host->build(host, "canonical.cl", source, "-DRH_CANONICAL -DRH_TEAM=1 -DRH_WIDTH=4",
                     &program));
  RH_TRY(host->kernel(host, program, "tiles", &self->tiles, NULL));
  RH_TRY(host->kernel(host, program, "finish", &self->finish, NULL));
  return host->scratch(host, answer.scratch_bytes, &self->nodes);
}

static inline rh_status canonical_run(void *instance, const rh_run *run) {
  const canonical *self = instance;
  uint64_t tiles = rh_divide_up(run->n, self->tile);
  if (tiles)
    RH_TRY(rh_launch(self->host, self->tiles, "tiles", tiles, 1, RH_BUFFER(run->input),
                     RH_U64(run->first), RH_U64(run->n), RH_BUFFER(self->nodes)));
  return rh_launch(self->host, self->finish, "finish", 1, 1, RH_BUFFER(self->nodes),
                   RH_U32((uint32_t)tiles), RH_BUFFER(run->result), RH_U64(run->result_index));
}

#define CANONICAL_BUT(name_, summary_, node, tree)                                                 \
  SETUP(name_) {                                                                                   \
    return canonical_setup(host, problem, CANONICAL_KERNELS(node, tree), instance);                \
  }                                                                                                \
  RIGHT_BUT(name_, .summary = summary_, .promises = RH_CANONICAL_ORDER,                            \
            .determinism = RH_BITS_SAME_EVERYWHERE, .query = canonical_query,                      \
            .setup = name_##_setup, .run = canonical_run)

#endif
