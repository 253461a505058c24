#include "by_code.h"
#include "../../core/base/alloc.h"
#include "../../core/cl/commands.h"
#include "../../core/cl/memory.h"
#include "complaint.h"
#include "custom.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PIECES = 256, MOST_COMPLAINT = 600 };

/* Runs of elements, one work-item each, and then the runs' values by one work-item. */
static const char source[] =
    "__kernel void rh_code_pieces(RH_OPERANDS_PARAMETERS, ulong index, ulong n, ulong length,\n"
    "                             __global rh_value *values) {\n"
    "  rh_operands p = RH_OPERANDS;\n"
    "  ulong piece = get_global_id(0), from = piece * length, end = min(from + length, n);\n"
    "  rh_value value = rh_identity();\n"
    "  p.first += index;\n"
    "  for (ulong i = from; i < end; i++) value = rh_combine(value, rh_load(p, i));\n"
    "  values[piece] = value;\n"
    "}\n"
    "__kernel void rh_code_join(__global rh_value *values, ulong n) {\n"
    "  rh_value value = rh_identity();\n"
    "  for (ulong i = 0; i < n; i++) value = rh_combine(value, values[i]);\n"
    "  values[0] = value;\n"
    "}\n";

typedef struct evaluator {
  const rh_custom *custom;
  rh_cl_session session; /* on the queue of who opened it */
  cl_program program;
  cl_kernel pieces, join;
  cl_mem values;
  rh_error failure;
} evaluator;

static rh_status join_values(evaluator *self, uint64_t n, void *value, rh_error *error) {
  cl_command_queue queue = self->session.queue;
  size_t one = 1;
  RH_CL_TRY(error, rh_cl_set(self->join, 0, sizeof(cl_mem), &self->values), "an argument");
  RH_CL_TRY(error, rh_cl_set(self->join, 1, sizeof n, &n), "an argument");
  RH_CL_TRY_IN(&self->session, error, rh_cl_launch(queue, self->join, one, one, NULL),
               "combining values");
  RH_CL_TRY_IN(
      &self->session, error,
      rh_cl_read(queue, self->values, CL_TRUE, 0, self->custom->op.value_size, value, NULL),
      "reading a value");
  return RH_OK;
}

static rh_status set_arguments(evaluator *self, const cl_mem *buffers, const void *constants,
                               uint64_t first, uint64_t n, uint64_t length, rh_error *error) {
  static const uint64_t none[RH_MOST_CONSTANT_WORDS];
  const uint64_t numbers[] = {first, n, length}, at = 0;
  cl_uint k = 0;
  for (uint32_t j = 0; j < self->custom->face.n_operands; j++) {
    RH_CL_TRY(error, rh_cl_set(self->pieces, k++, sizeof(cl_mem), &buffers[j]), "an argument");
    RH_CL_TRY(error, rh_cl_set(self->pieces, k++, sizeof at, &at), "an argument");
  }
  RH_CL_TRY(
      error,
      rh_cl_set(self->pieces, k++, self->custom->op.constants_size, constants ? constants : none),
      "an argument");
  for (int j = 0; j < 3; j++)
    RH_CL_TRY(error, rh_cl_set(self->pieces, k++, sizeof(uint64_t), &numbers[j]), "an argument");
  RH_CL_TRY(error, rh_cl_set(self->pieces, k, sizeof(cl_mem), &self->values), "an argument");
  return RH_OK;
}

static rh_status reduce_copies(evaluator *self, const cl_mem *buffers, const void *constants,
                               uint64_t first, uint64_t n, void *value, rh_error *error) {
  uint64_t length = (n + MOST_PIECES - 1) / MOST_PIECES;
  size_t pieces = (size_t)((n + length - 1) / length), one = 1;
  RH_TRY(set_arguments(self, buffers, constants, first, n, length, error));
  RH_CL_TRY_IN(&self->session, error,
               rh_cl_launch(self->session.queue, self->pieces, pieces, one, NULL),
               "evaluating the operator");
  return join_values(self, pieces, value, error);
}

static rh_status reduce_arrays(evaluator *self, const rh_arrays *arrays, uint64_t first, uint64_t n,
                               void *value, rh_error *error) {
  cl_mem buffers[RH_MOST_OPERANDS] = {NULL};
  rh_status status = RH_OK;
  for (uint32_t k = 0; k < self->custom->face.n_operands && status == RH_OK; k++) {
    uint64_t size = rh_type_size(self->custom->operands[k].type);
    const char *from = (const char *)arrays->operands[k] + first * size;
    status = rh_cl_buffer(&self->session, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, n * size,
                          (void *)(uintptr_t)from, "copying an operand", &buffers[k], error);
  }
  if (status == RH_OK)
    status = reduce_copies(self, buffers, arrays->constants, first, n, value, error);
  for (uint32_t k = 0; k < self->custom->face.n_operands; k++) rh_cl_release_buffer(buffers[k]);
  return status;
}

/* Only the first failure is kept. */
static void reduce(void *device, const rh_arrays *arrays, uint64_t first, uint64_t n, void *value) {
  evaluator *self = device;
  if (self->failure.status == RH_OK && n > 0)
    reduce_arrays(self, arrays, first, n, value, &self->failure);
}

static void combine(void *device, void *a, const void *b) {
  evaluator *self = device;
  uint32_t size = self->custom->op.value_size;
  unsigned char both[2 * RH_ANY_VALUE_BYTES];
  if (self->failure.status != RH_OK) return;
  memcpy(both, a, size);
  memcpy(both + size, b, size);
  cl_int code = rh_cl_write(self->session.queue, self->values, CL_TRUE, 0, 2 * size, both, NULL);
  if (code != CL_SUCCESS)
    rh_cl_fail(&self->failure, code, "writing values");
  else
    join_values(self, 2, a, &self->failure);
}

static void destroy(void *device) {
  evaluator *self = device;
  rh_cl_release_buffer(self->values);
  rh_cl_release_kernel(self->pieces);
  rh_cl_release_kernel(self->join);
  rh_cl_release_program(self->program);
  rh_cl_session_finish(&self->session);
  free(self);
}

static void explain(const evaluator *self, const char *log, rh_error *error) {
  char complaint[MOST_COMPLAINT], before[sizeof error->message];
  if (!error) return;
  snprintf(before, sizeof before, "%s", error->message);
  int has_one = rh_code_complaint(log, self->custom->code->text, complaint, sizeof complaint);
  rh_fail(error, RH_E_FILE, "operator %s does not compile: %.600s", self->custom->op.name,
          has_one ? complaint : before);
}

static rh_status build(evaluator *self, rh_error *error) {
  char *prelude = self->custom->face.calls->prelude(&self->custom->face);
  rh_text log = {0};
  self->session.build_log = &log;
  if (!prelude) return rh_fail(error, RH_E_NOMEM, "no memory for a program's source");
  rh_status status =
      rh_cl_program(&self->session, "operator.cl", prelude, source, "", &self->program, error);
  if (status == RH_E_BUILD) {
    explain(self, rh_text_get(&log), error);
    status = RH_E_FILE;
  }
  self->session.build_log = NULL;
  rh_text_finish(&log);
  free(prelude);
  RH_TRY(status);
  RH_TRY(rh_cl_kernel(self->program, "rh_code_pieces", &self->pieces, error));
  RH_TRY(rh_cl_kernel(self->program, "rh_code_join", &self->join, error));
  return rh_cl_buffer(&self->session, CL_MEM_READ_WRITE,
                      (uint64_t)MOST_PIECES * self->custom->op.value_size, NULL,
                      "allocating values", &self->values, error);
}

rh_status rh_by_code_open(const rh_operator *op, rh_cl_session *session, rh_error *error) {
  const rh_custom *custom = rh_custom_of(op);
  if (!op->is_code || custom->code->device) return RH_OK;
  evaluator *self;
  RH_TRY(RH_NEW(&self, 1, "an operator", error));
  self->custom = custom;
  rh_status status = rh_cl_session_adopt(&self->session, session->device, session->queue,
                                         session->cache, session->reporter, error);
  if (status == RH_OK) status = build(self, error);
  if (status == RH_OK) status = join_values(self, 0, custom->code->identity, error);
  if (status != RH_OK) {
    destroy(self);
    return status;
  }
  custom->code->reduce = reduce;
  custom->code->combine = combine;
  custom->code->destroy = destroy;
  custom->code->device = self;
  return RH_OK;
}

rh_status rh_by_code_prepare(const rh_operator *op, rh_context *context, rh_error *error) {
  rh_cl_session *session;
  if (!op->is_code || rh_custom_of(op)->code->device) return RH_OK;
  RH_TRY(rh_context_session(context, &session, error));
  return rh_by_code_open(op, session, error);
}

rh_status rh_by_code_status(const rh_operator *op, rh_error *error) {
  if (!op->is_code) return RH_OK;
  const evaluator *self = rh_custom_of(op)->code->device;
  if (!self)
    return rh_fail(error, RH_E_INTERNAL, "operator %s has no device to be evaluated on",
                   op->abi->name);
  if (self->failure.status == RH_OK) return RH_OK;
  if (error) *error = self->failure;
  return self->failure.status;
}

const char *rh_by_code_decline(const rh_operator *op, const rh_strategy *strategy,
                               const rh_answer *answer) {
  if (!op->is_code) return NULL;
  if (strategy->device_kinds == RH_DEVICE_HOST)
    return "it runs on the host, and the operator is OpenCL C, which runs on devices";
  if (answer->finishes_on_host)
    return "it finishes on the host, and the operator is OpenCL C, which runs on devices";
  return NULL;
}
