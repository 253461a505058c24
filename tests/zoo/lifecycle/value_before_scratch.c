/* V63: writes one value before its scratch memory. */
#include "../right.h"

/* The partial values of all work-items, and one extra. */
static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  static const char source[] =
      RIGHT_KERNEL(WALK, STORE) "__kernel void note(__global rh_value *notes, int last) {\n"
                                "  for (int k = 0; k < last; k++) notes[k] = rh_identity();\n"
                                "  notes[-1] = rh_identity();\n}\n";
  struct _cl_program *program;
  struct _cl_kernel *note;
  struct _cl_mem *notes;
  (void)values;
  RH_TRY(right_begin(host, problem, instance));
  right *self = *instance;
  void **own = host->alloc(host, 2 * sizeof *own);
  if (!own) return RH_E_NOMEM;
  RH_TRY(host->build(host, "right.cl", source, "", &program));
  RH_TRY(rh_group_kernel(host, program, "right", self->group, &self->kernel));
  RH_TRY(host->kernel(host, program, "note", &note, NULL));
  RH_TRY(host->scratch(host, (uint64_t)RIGHT_GROUP * problem->op->value_size, &notes));
  own[0] = note;
  own[1] = notes;
  self->own = own;
  return RH_OK;
}

static rh_status run(void *instance, const rh_run *run) {
  const right *self = instance;
  void **own = self->own;
  int32_t last = RIGHT_GROUP;
  rh_arg args[] = {{RH_ARG_BUFFER, sizeof own[1], &own[1]}, {RH_ARG_VALUE, sizeof last, &last}};
  RH_TRY(self->host->launch(self->host, own[0], 1, 1, args, 2, "note"));
  return right_run(instance, run);
}

RIGHT_BUT("value_before_scratch", .summary = "a value before its scratch memory", .setup = setup,
          .run = run);
