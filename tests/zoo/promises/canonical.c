/* V65: faults of the canonical order. */
#include "../right.h"

#include <redhost/canonical.h>

/* What the strategies that break the canonical order have in common: two launches, in which each
 * work-item makes the node of a tile, and one combines the nodes.  Right, unless one replaces
 * how a tile's lanes are folded, or how the nodes meet:
 *
 *     CANONICAL_BUT(name, "what is wrong", CANONICAL_NODE, "how");
 *
 * Serves only what the order decides. */

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

static uint64_t canonical_tiles(const rh_problem *problem, uint64_t n) {
  uint64_t tiles = rh_divide_up(n, rh_canonical_tile(problem->op));
  return tiles ? tiles : 1;
}

static rh_status canonical_query(const rh_problem *problem, const int64_t *values,
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

static rh_status canonical_setup(const rh_host *host, const rh_problem *problem, const char *source,
                                 void **instance) {
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

static rh_status canonical_run(void *instance, const rh_run *run) {
  const canonical *self = instance;
  uint64_t tiles = rh_divide_up(run->n, self->tile);
  if (tiles)
    RH_TRY(rh_launch(self->host, self->tiles, "tiles", tiles, 1, RH_BUFFER(run->input),
                     RH_U64(run->first), RH_U64(run->n), RH_BUFFER(self->nodes)));
  return rh_launch(self->host, self->finish, "finish", 1, 1, RH_BUFFER(self->nodes),
                   RH_U32((uint32_t)tiles), RH_BUFFER(run->result), RH_U64(run->result_index));
}

#define CANONICAL_BUT(name_, summary_, node, tree)                                                 \
  SETUP(name_) { return canonical_setup(host, problem, CANONICAL_KERNELS(node, tree), instance); } \
  RIGHT_BUT(name_, .summary = summary_, .promises = RH_CANONICAL_ORDER,                            \
            .determinism = RH_BITS_SAME_EVERYWHERE, .query = canonical_query,                      \
            .setup = name_##_setup, .run = canonical_run)

CANONICAL_BUT(identity_plus_zero, "V65: fills its last tile with 0, and not -0",
              CANONICAL_NODE "#if defined(RH_OP_sum) && defined(RH_IS_FLOAT)\n"
                             "if (n % RH_TILE > RH_ROW && (t + 1) * RH_TILE > n) node = node + 0;\n"
                             "#endif\n",
              CANONICAL_TREE);

CANONICAL_BUT(
    lanes_swapped, "V65: lanes 1 and 2 change places",
    "rh_value lanes[4];\n"
    "rh_vector_lanes(rh_tile_load(p, n, t, false), lanes);\n"
    "node = rh_combine(rh_combine(lanes[0], lanes[1]), rh_combine(lanes[2], lanes[3]));\n",
    CANONICAL_TREE);

CANONICAL_BUT(order_by_groups, "V65: each group strides over the tiles", CANONICAL_NODE,
              "uint groups = min(64u, tiles / 4 + 1);\n"
              "rh_sequence s;\n"
              "rh_sequence_begin(&s);\n"
              "for (uint g = 0; g < groups; g++) {\n"
              "  rh_sequence own;\n"
              "  rh_sequence_begin(&own);\n"
              "  for (uint t = g; t < tiles; t += groups) rh_sequence_add(&own, nodes[t]);\n"
              "  rh_sequence_add(&s, rh_sequence_value(&own));\n"
              "}\n"
              "all = rh_sequence_value(&s);\n");

/* Nothing is wrong with it: the measure of those that break the canonical order. */
CANONICAL_BUT(right_canonical, "keeps the canonical order", CANONICAL_NODE, CANONICAL_TREE);

CANONICAL_BUT(tail_from_the_left, "V65: the last nodes meet from the left", CANONICAL_NODE,
              "rh_sequence s;\n"
              "rh_sequence_begin(&s);\n"
              "for (uint t = 0; t < tiles; t++) rh_sequence_add(&s, nodes[t]);\n"
              "all = rh_identity();\n"
              "for (int k = 47; k >= 0; k--)\n"
              "  if (s.count >> k & 1) all = rh_combine(all, s.nodes[k]);\n");

CANONICAL_BUT(tree_not_aligned, "V65: three shares of tiles, each of them a tree", CANONICAL_NODE,
              "uint share = (tiles + 2) / 3;\n"
              "all = rh_identity();\n"
              "for (uint begin = 0; begin < tiles; begin += share) {\n"
              "  rh_sequence s;\n"
              "  rh_sequence_begin(&s);\n"
              "  for (uint t = begin; t < min(begin + share, tiles); t++)\n"
              "    rh_sequence_add(&s, nodes[t]);\n"
              "  all = rh_combine(all, rh_sequence_value(&s));\n"
              "}\n");

RIGHT_PLUGIN;
