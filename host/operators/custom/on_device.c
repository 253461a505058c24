#include "custom.h"

/* A work-item of rh_runs combines a run of elements, and one of rh_join the runs of an order.
 * Orders differ in the length of their runs. */
static const char source[] =
    "ulong rh_length(ulong length, ulong order) {\n"
    "  return length + order + order * length / 16;\n"
    "}\n"
    "__kernel void rh_runs(RH_OPERANDS_PARAMETERS, ulong index, ulong n, ulong length,\n"
    "                      ulong runs, __global rh_value *values) {\n"
    "  rh_operands p = RH_OPERANDS;\n"
    "  ulong id = get_global_id(0), order = id / runs, one = rh_length(length, order);\n"
    "  ulong from = (id - order * runs) * one, end = min(from + one, n);\n"
    "  rh_value value = rh_identity();\n"
    "#ifdef RH_HAS_OPERANDS\n"
    "  p.first += index;\n"
    "#endif\n"
    "  for (ulong i = from; i < end; i++) value = rh_combine(value, rh_load(p, i));\n"
    "  values[id] = value;\n"
    "}\n"
    "__kernel void rh_join(__global rh_value *values, ulong n, ulong length, ulong runs,\n"
    "                      ulong to) {\n"
    "  ulong order = get_global_id(0), one = rh_length(length, order), from = order * runs;\n"
    "  rh_value value = rh_identity();\n"
    "  for (ulong i = 0; i * one < n; i++) value = rh_combine(value, values[from + i]);\n"
    "  values[to + order] = value;\n"
    "}\n";

/* How n elements are divided.  The first order has `runs` runs of `length` elements; the others
 * have longer ones, and fewer. */
typedef struct cut {
  uint64_t n, length, runs, orders;
} cut;

struct rh_on_device {
  const rh_custom *custom;
  rh_cl_session session; /* on the queue of who opened it */
  cl_program program;
  cl_kernel runs, join;
  cl_mem values;
  rh_error failure;
};

static rh_status build(rh_on_device *self, uint64_t most, rh_text *log, rh_error *error) {
  const char *options =
      self->session.device->divides_exactly ? "-cl-fp32-correctly-rounded-divide-sqrt" : "";
  RH_FREED(char) prelude = self->custom->face.calls->prelude(&self->custom->face);
  if (!prelude) return rh_fail(error, RH_E_NOMEM, "no memory for a program's source");
  self->session.build_log = log;
  rh_status status =
      rh_cl_program(&self->session, "operator.cl", prelude, source, options, &self->program, error);
  self->session.build_log = NULL;
  RH_TRY(status);
  RH_TRY(rh_cl_kernel(self->program, "rh_runs", &self->runs, error));
  RH_TRY(rh_cl_kernel(self->program, "rh_join", &self->join, error));
  return rh_cl_buffer(&self->session, CL_MEM_READ_WRITE, most * self->custom->op.value_size, NULL,
                      "allocating values", &self->values, error);
}

rh_status rh_on_device_create(rh_on_device **made, const rh_custom *custom,
                              const rh_cl_session *session, uint64_t most, rh_text *log,
                              rh_error *error) {
  RH_TRY(RH_NEW(made, 1, "an operator", error));
  rh_on_device *self = *made;
  self->custom = custom;
  rh_status status = rh_cl_session_init(&self->session, session->device, session->queue,
                                        session->cache, session->reporter, error);
  if (status == RH_OK) status = build(self, most, log, error);
  if (status == RH_OK) return RH_OK;
  rh_on_device_destroy(self);
  *made = NULL;
  return status;
}

void rh_on_device_destroy(rh_on_device *self) {
  if (!self) return;
  rh_cl_release_buffer(self->values);
  rh_cl_release_kernel(self->runs);
  rh_cl_release_kernel(self->join);
  rh_cl_release_program(self->program);
  rh_cl_session_finish(&self->session);
  free(self);
}

static rh_status read_values(rh_on_device *self, uint64_t first, uint64_t n, void *values,
                             rh_error *error) {
  uint64_t size = self->custom->op.value_size;
  RH_CL_TRY_IN(
      &self->session, error,
      rh_cl_read(self->session.queue, self->values, CL_TRUE, first * size, n * size, values, NULL),
      "reading values");
  return RH_OK;
}

static rh_status set(cl_kernel kernel, cl_uint *k, size_t size, const void *argument,
                     rh_error *error) {
  RH_CL_TRY(error, rh_cl_set(kernel, (*k)++, size, argument), "an argument");
  return RH_OK;
}

/* values[k] = that of order k, op.value_size bytes apart. */
static rh_status join(rh_on_device *self, const cut *of, void *values, rh_error *error) {
  const uint64_t numbers[] = {of->n, of->length, of->runs, of->orders * of->runs};
  cl_uint k = 0;
  RH_TRY(set(self->join, &k, sizeof(cl_mem), &self->values, error));
  for (int j = 0; j < 4; j++) RH_TRY(set(self->join, &k, sizeof numbers[j], &numbers[j], error));
  RH_CL_TRY_IN(&self->session, error,
               rh_cl_launch(self->session.queue, self->join, of->orders, 1, NULL),
               "combining values");
  return read_values(self, of->orders * of->runs, of->orders, values, error);
}

static rh_status launch(rh_on_device *self, const cl_mem *buffers, const void *constants,
                        uint64_t first, const cut *of, rh_error *error) {
  const uint64_t numbers[] = {first, of->n, of->length, of->runs};
  static const uint64_t none[RH_MOST_CONSTANT_WORDS], at = 0;
  const rh_op *op = &self->custom->op;
  cl_uint k = 0;
  for (uint32_t j = 0; j < self->custom->face.n_operands; j++) {
    RH_TRY(set(self->runs, &k, sizeof(cl_mem), &buffers[j], error));
    if (op->n_operands) RH_TRY(set(self->runs, &k, sizeof at, &at, error));
  }
  if (op->n_operands)
    RH_TRY(set(self->runs, &k, op->constants_size, constants ? constants : none, error));
  for (int j = 0; j < 4; j++) RH_TRY(set(self->runs, &k, sizeof numbers[j], &numbers[j], error));
  RH_TRY(set(self->runs, &k, sizeof(cl_mem), &self->values, error));
  /* PoCL would choose another size of groups for each number of runs, and compile for each. */
  RH_CL_TRY_IN(&self->session, error,
               rh_cl_launch(self->session.queue, self->runs, of->orders * of->runs, 1, NULL),
               "evaluating the operator");
  return RH_OK;
}

/* Copies the operands.  The values stay on the device. */
static rh_status evaluate(rh_on_device *self, const rh_arrays *arrays, uint64_t first,
                          const cut *of, rh_error *error) {
  cl_mem buffers[RH_MOST_OPERANDS] = {NULL};
  rh_status status = RH_OK;
  for (uint32_t k = 0; k < self->custom->face.n_operands && status == RH_OK; k++) {
    uint64_t size = rh_type_size(self->custom->operands[k].type);
    const char *from = (const char *)arrays->operands[k] + first * size;
    status = rh_cl_buffer(&self->session, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, of->n * size,
                          (void *)(uintptr_t)from, "copying an operand", &buffers[k], error);
  }
  if (status == RH_OK) status = launch(self, buffers, arrays->constants, first, of, error);
  for (uint32_t k = 0; k < self->custom->face.n_operands; k++) rh_cl_release_buffer(buffers[k]);
  return status;
}

rh_status rh_on_device_runs(rh_on_device *self, const rh_arrays *arrays, uint64_t first, uint64_t n,
                            uint64_t length, void *values, rh_error *error) {
  const cut of = {n, length, (n + length - 1) / length, 1};
  RH_TRY(evaluate(self, arrays, first, &of, error));
  return read_values(self, 0, of.runs, values, error);
}

/* ---- Where only the first failure is kept ---- */

static int works(const rh_on_device *self) { return self && self->failure.status == RH_OK; }

void rh_on_device_reduce(rh_on_device *self, const rh_arrays *arrays, uint64_t first, uint64_t n,
                         uint32_t orders, void *values) {
  /* Each run is a chain of combinations, and so is joining them: about sqrt(n) runs of sqrt(n)
   * elements keep both short, and with them their rounding errors. */
  uint64_t least = n / RH_ON_DEVICE_RUNS + 1, root = (uint64_t)sqrt((double)n) + 1;
  cut of = {.n = n, .length = least > root ? least : root, .orders = orders};
  of.runs = (n + of.length - 1) / of.length;
  if (works(self) && (n == 0 || evaluate(self, arrays, first, &of, &self->failure) == RH_OK))
    join(self, &of, values, &self->failure);
}

void rh_on_device_combine(rh_on_device *self, void *a, const void *b) {
  static const cut two = {.n = 2, .length = 1, .runs = 2, .orders = 1};
  unsigned char both[2 * RH_ANY_VALUE_BYTES];
  if (!works(self)) return;
  uint32_t size = self->custom->op.value_size;
  memcpy(both, a, size);
  memcpy(both + size, b, size);
  cl_int code =
      rh_cl_write(self->session.queue, self->values, CL_TRUE, 0, 2 * (uint64_t)size, both, NULL);
  if (code != CL_SUCCESS) rh_cl_fail(&self->failure, code, "writing values");
  else join(self, &two, a, &self->failure);
}

rh_status rh_on_device_status(const rh_on_device *self, rh_error *error) {
  return rh_error_pass(error, self->failure.status, &self->failure);
}
