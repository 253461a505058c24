/* two_stage_float4, reading `more` per mille of the vectors a second time: a regression of known
 * size on a device.  Only for operators that may take an element twice. */
#include <redhost/kit.h>

static const char source[] =
    "__kernel void slowed_device(__global const rh_element *input, ulong first, ulong n,\n"
    "                            ulong again, __local rh_value *scratch,\n"
    "                            __global rh_value *partials) {\n"
    "  input += first;\n"
    "  ulong head = min(rh_vector_head(input), n), vectors = (n - head) / RH_WIDTH;\n"
    "  ulong all_reads = vectors + vectors / 1000 * again;\n"
    "  rh_vector lanes = rh_vector_identity();\n"
    "  for (ulong v = get_global_id(0); v < all_reads; v += get_global_size(0)) {\n"
    "    ulong at = v < vectors ? v : v - vectors;\n"
    "    lanes = rh_vector_combine(lanes, rh_vector_load(input, head + at * RH_WIDTH));\n"
    "  }\n"
    "  rh_value mine = rh_vector_fold(lanes);\n"
    "  ulong inside = vectors * RH_WIDTH;\n"
    "  for (ulong i = get_global_id(0); i < n - inside; i += get_global_size(0))\n"
    "    mine = rh_combine(mine, rh_load(input, i < head ? i : i + inside));\n"
    "  rh_value all = rh_group_tree(scratch, mine);\n"
    "  if (get_local_id(0) == 0) partials[get_group_id(0)] = all;\n"
    "}\n";

typedef struct slowed_device {
  const rh_host *host;
  struct _cl_kernel *kernel;
  uint64_t group, groups, local_bytes, more;
  rh_finish finish;
} slowed_device;

static rh_status plan(const rh_problem *problem, slowed_device *self, rh_answer *answer) {
  uint32_t value_size = problem->op->value_size;
  uint32_t op = problem->op->id;
  if (op != RH_OP_min && op != RH_OP_max && op != RH_OP_and && op != RH_OP_or)
    return rh_decline(answer, RH_WHY_OP, "it takes elements twice, so only min, max, and, or");
  RH_TRY(rh_fit_group(problem, "group", 0, 256, value_size, &self->group, answer));
  self->local_bytes = self->group * value_size;
  self->groups = problem->device->compute_units * UINT64_C(4);
  answer->launches = 1;
  rh_finish_query(answer, problem, self->groups, 1);
  return RH_OK;
}

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  slowed_device shape;
  (void)values;
  return plan(problem, &shape, answer);
}

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  slowed_device *self = host->alloc(host, sizeof *self);
  struct _cl_program *program;
  rh_answer answer = {0};
  if (!self) return RH_E_NOMEM;
  *instance = self;
  self->host = host;
  RH_TRY(plan(problem, self, &answer));
  self->more = (uint64_t)values[0];
  RH_TRY(host->build(host, "slowed_device.cl", source, "-DRH_FINISH -DRH_WIDTH=4", &program));
  RH_TRY(rh_group_kernel(host, program, "slowed_device", self->group, &self->kernel));
  return rh_finish_setup(&self->finish, host, problem, program, self->groups, 1);
}

static rh_status run(void *instance, const rh_run *run) {
  const slowed_device *self = instance;
  RH_TRY(rh_launch(self->host, self->kernel, "chunks", self->groups * self->group, self->group,
                   RH_BUFFER(run->input), RH_U64(run->first), RH_U64(run->n), RH_U64(self->more),
                   RH_LOCAL(self->local_bytes), RH_BUFFER(self->finish.partials)));
  return rh_finish_run(&self->finish, run);
}

static const rh_param params[] = {
    RH_NUMBER("more", 0, 0, 1000, "per mille of the vectors that are read a second time")};

static const rh_strategy strategy = {
    RH_STRATEGY_SIZE,
    .name = "slowed_device",
    .summary = "two_stage_float4, and some of it twice",
    .about = "For trying --compare on a device.",
    .version = "1.0",
    .author = "the redhost authors",
    .license = "MIT",
    .device_kinds = RH_DEVICE_ANY_CL,
    .determinism = RH_BITS_SAME_RUN,
    RH_PARAMS(params),
    .query = query,
    .setup = setup,
    .run = run,
};
RH_PLUGIN(&strategy);
