/* V66 to V69: faults with operators of users only. */
#define RH_PLUGIN_MIN_HOST_MINOR 2
#include "../right.h"

/* right.h for operators of users: several operands, constants, and values of any size.  One
 * work-group, as there. */

/* The kernel, which reads what RH_ARG_OPERANDS hands over. */
#define OWN_KERNEL(body)                                                                           \
  "__kernel void right(RH_OPERANDS_PARAMETERS, ulong first, ulong n,\n"                            \
  "                    __local rh_value *scratch, __global rh_value *result, ulong at) {\n"        \
  "  rh_operands input = rh_operands_at(RH_OPERANDS, first);\n"                                    \
  "  ulong lid = get_local_id(0), size = get_local_size(0);\n"                                     \
  "  rh_value mine = rh_identity();\n  " body "\n"                                                 \
  "  rh_value all = rh_group_tree(scratch, mine);\n  " STORE "\n}\n"

/* The first work-item takes all elements, one after the other. */
#define IN_ORDER                                                                                   \
  "if (lid == 0) for (ulong i = 0; i < n; i++) mine = rh_combine(mine, rh_load(input, i));"

static rh_status own_launch(const right *self, const rh_run *run, uint64_t n) {
  return rh_launch(self->host, self->kernel, "right", self->group, self->group, RH_OPERANDS_OF(run),
                   RH_U64(run->first), RH_U64(n), RH_LOCAL(self->local_bytes),
                   RH_BUFFER(run->result), RH_U64(run->result_index));
}

static rh_status own_run(void *instance, const rh_run *run) {
  const right *self = instance;
  if (run->n > self->max_n)
    return self->host->fail(self->host, RH_E_INVALID, 0, "more elements than it was set up for");
  return own_launch(self, run, run->n);
}

#define OWN_BUT(name_, ...)                                                                        \
  RIGHT_BUT(name_, .extension = rh_serves_any, .run = own_run, __VA_ARGS__)

/* V67: of values above 16 bytes its last work-item's is lost. */
#define WALK_BUT_LAST                                                                              \
  "for (ulong i = lid; i < n && lid + 1 < size; i += size)"                                        \
  "  mine = rh_combine(mine, rh_load(input, i));"

SETUP(large_value_lost) {
  int is_large = problem->op->value_size > 16;
  return right_setup_of(host, problem, is_large ? OWN_KERNEL(WALK_BUT_LAST) : OWN_KERNEL(WALK),
                        instance);
}

OWN_BUT(large_value_lost, .summary = "loses elements of large values",
        .setup = large_value_lost_setup);

/* V68: keeps the order, but for values above 16 bytes, where the last element comes first. */
#define LAST_FIRST                                                                                 \
  "if (lid == 0 && n) mine = rh_load(input, n - 1);\n"                                             \
  "if (lid == 0) for (ulong i = 0; i + 1 < n; i++) mine = rh_combine(mine, rh_load(input, i));"

QUERY(large_values_turned) {
  RH_TRY(right_query(problem, values, answer));
  answer->depth = problem->max_n;
  return RH_OK;
}

SETUP(large_values_turned) {
  int is_large = problem->op->value_size > 16;
  return right_setup_of(host, problem, is_large ? OWN_KERNEL(LAST_FIRST) : OWN_KERNEL(IN_ORDER),
                        instance);
}

OWN_BUT(large_values_turned, .summary = "turns the order of large values",
        .promises = RH_KEEPS_ORDER, .query = large_values_turned_query,
        .setup = large_values_turned_setup);

/* V69: of values of 32 bytes the last element is lost: no other test has such values. */
SETUP(named_only) {
  RH_TRY(right_setup_of(host, problem, OWN_KERNEL(WALK), instance));
  ((right *)*instance)->own = problem->op->value_size == 32 ? *instance : NULL;
  return RH_OK;
}

RUN(named_only) {
  const right *self = instance;
  return own_launch(self, run, run->n - (self->own && run->n));
}

OWN_BUT(named_only, .summary = "loses an element of values of 32 bytes", .setup = named_only_setup,
        .run = named_only_run);

/* V66: reads several operands in fours, and leaves out the rest. */
SETUP(operands_by_four) { return right_setup_of(host, problem, OWN_KERNEL(WALK), instance); }

RUN(operands_by_four) {
  return own_launch(instance, run,
                    RH_HAS(rh_run, run, n_operands) && run->n_operands > 1 ? run->n / 4 * 4
                                                                           : run->n);
}

OWN_BUT(operands_by_four, .summary = "leaves out the rest of several operands",
        .setup = operands_by_four_setup, .run = operands_by_four_run);

/* Nothing is wrong with it: the measure of those that are wrong with operators of users only. */
SETUP(right_own) { return right_setup_of(host, problem, OWN_KERNEL(IN_ORDER), instance); }

OWN_BUT(right_own, .summary = "serves every operator, in order", .promises = RH_KEEPS_ORDER,
        .query = large_values_turned_query, .setup = right_own_setup);

RIGHT_PLUGIN;
