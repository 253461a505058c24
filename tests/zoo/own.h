/* right.h for operators of users: several operands, constants, and values of any size.  One
 * work-group, as there. */
#ifndef ZOO_OWN_H
#define ZOO_OWN_H
#define RH_PLUGIN_MIN_HOST_MINOR 2

#include "right.h"

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

static inline rh_status own_launch(const right *self, const rh_run *run, uint64_t n) {
  return rh_launch(self->host, self->kernel, "right", self->group, self->group, RH_OPERANDS_OF(run),
                   RH_U64(run->first), RH_U64(n), RH_LOCAL(self->local_bytes),
                   RH_BUFFER(run->result), RH_U64(run->result_index));
}

static inline rh_status own_run(void *instance, const rh_run *run) {
  const right *self = instance;
  if (run->n > self->max_n)
    return self->host->fail(self->host, RH_E_INVALID, 0, "more elements than it was set up for");
  return own_launch(self, run, run->n);
}

#define OWN_BUT(name_, ...)                                                                        \
  RIGHT_BUT(name_, .extension = rh_serves_any, .run = own_run, __VA_ARGS__)

#endif
