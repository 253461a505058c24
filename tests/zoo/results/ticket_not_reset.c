/* V32: the last group to arrive finishes; the ticket that identifies it is reset only before the
 * first run. */
#include "../right.h"

static const char source[] =
    "__kernel void ticket_not_reset(__global const rh_element *input, ulong first, ulong n,\n"
    "    __local rh_value *scratch, __global rh_value *partials, volatile __global uint *ticket,\n"
    "    __global rh_value *result, ulong at) {\n"
    "  input += first;\n"
    "  rh_value mine = rh_identity();\n"
    "  for (ulong i = get_global_id(0); i < n; i += get_global_size(0))\n"
    "    mine = rh_combine(mine, rh_load(input, i));\n"
    "  rh_value all = rh_group_tree(scratch, mine);\n"
    "  if (get_local_id(0) != 0) return;\n"
    "  partials[get_group_id(0)] = all;\n"
    "  mem_fence(CLK_GLOBAL_MEM_FENCE);\n"
    "  if (atomic_inc(ticket) != get_num_groups(0) - 1) return;\n"
    "  all = rh_identity();\n"
    "  for (uint k = 0; k < get_num_groups(0); k++) all = rh_combine(all, partials[k]);\n"
    "  result[at] = all;\n"
    "}\n";

enum { GROUP = 16, GROUPS = 2 };

typedef struct ticket_not_reset {
  const rh_host *host;
  struct _cl_kernel *kernel;
  struct _cl_mem *partials, *ticket;
  uint64_t local_bytes;
  int started;
} ticket_not_reset;

QUERY(ticket_not_reset) {
  answer->launches = 1;
  answer->local_bytes = GROUP * problem->op->value_size;
  answer->scratch_bytes = GROUPS * problem->op->value_size + sizeof(uint32_t);
  answer->depth = rh_divide_up(problem->max_n, GROUP * GROUPS) + rh_log2_up(GROUP) + GROUPS;
  return RH_OK;
}

SETUP(ticket_not_reset) {
  ticket_not_reset *self = host->alloc(host, sizeof *self);
  struct _cl_program *program;
  if (!self) return RH_E_NOMEM;
  *instance = self;
  self->host = host;
  self->local_bytes = GROUP * problem->op->value_size;
  RH_TRY(host->build(host, "ticket_not_reset.cl", source, "", &program));
  RH_TRY(rh_group_kernel(host, program, "ticket_not_reset", GROUP, &self->kernel));
  RH_TRY(host->scratch(host, GROUPS * problem->op->value_size, &self->partials));
  return host->scratch(host, sizeof(uint32_t), &self->ticket);
}

BUT_RUN(ticket_not_reset, .summary = "the ticket is not reset for the second run",
        .query = ticket_not_reset_query, .setup = ticket_not_reset_setup) {
  static const uint32_t zero;
  ticket_not_reset *self = instance;
  if (!self->started) RH_TRY(self->host->fill(self->host, self->ticket, 0, &zero, sizeof zero, 1));
  self->started = 1;
  return rh_launch(self->host, self->kernel, "groups", GROUP * GROUPS, GROUP, RH_BUFFER(run->input),
                   RH_U64(run->first), RH_U64(run->n), RH_LOCAL(self->local_bytes),
                   RH_BUFFER(self->partials), RH_BUFFER(self->ticket), RH_BUFFER(run->result),
                   RH_U64(run->result_index));
}

RIGHT_PLUGIN;
