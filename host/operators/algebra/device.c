#include "device.h"
#include "../../core/base/alloc.h"
#include "../../core/base/random.h"
#include "../../core/cl/commands.h"
#include "../../core/cl/memory.h"
#include "../../core/cl/status.h"
#include "../../core/operation/result.h"
#include "sides.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRIPLES = 100000, ELEMENTS = 3 * TRIPLES };

/* Work-item t combines elements 3t, 3t+1 and 3t+2. */
static const char source[] =
    "__kernel void triples(RH_OPERANDS_PARAMETERS, ulong n, __global rh_value *values) {\n"
    "  rh_operands input = rh_operands_at(RH_OPERANDS, 0);\n"
    "  ulong t = get_global_id(0);\n"
    "  if (t < n) values[t] = rh_combine(rh_combine(rh_load(input, 3 * t),\n"
    "    rh_load(input, 3 * t + 1)), rh_load(input, 3 * t + 2));\n"
    "}\n";

typedef struct comparison {
  const rh_custom *self;
  rh_cl_session *session;
  uint64_t constants[RH_EXPR_MOST_SLOTS];
  unsigned char *elements[RH_MOST_OPERANDS];
  cl_mem buffers[RH_MOST_OPERANDS], values;
  cl_program program;
  cl_kernel kernel;
  unsigned char *got;
} comparison;

static uint64_t element(rh_type type, uint64_t random) {
  int is_float = rh_type_is_float(type);
  if (is_float && random % 8 == 0)
    return rh_element_bits(type, (double)(int)(random >> 32 & 7) - 3);
  if (is_float)
    return rh_element_bits(type, ldexp((double)(int32_t)(random >> 32), (int)(random % 48) - 48));
  return random >> (random % 64);
}

static rh_status make_elements(comparison *c, rh_error *error) {
  uint64_t seed = 7;
  for (uint32_t k = 0; k < c->self->face.n_operands; k++) {
    rh_type type = c->self->operands[k].type;
    uint32_t size = rh_type_size(type);
    RH_TRY(rh_alloc(&c->elements[k], (size_t)ELEMENTS * size, 1, "examining an operator", error));
    for (uint64_t i = 0; i < ELEMENTS; i++) {
      uint64_t bits = element(type, rh_random_next(&seed));
      memcpy(c->elements[k] + i * size, &bits, size);
    }
    RH_TRY(rh_cl_buffer(c->session, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                        (uint64_t)ELEMENTS * size, c->elements[k], "allocating elements",
                        &c->buffers[k], error));
  }
  return RH_OK;
}

static rh_status build(comparison *c, rh_error *error) {
  char *prelude = c->self->face.calls->prelude(&c->self->face);
  if (!prelude) return rh_fail(error, RH_E_NOMEM, "no memory for a program's source");
  const char *options =
      c->session->device->divides_exactly ? "-cl-fp32-correctly-rounded-divide-sqrt" : "";
  rh_status status =
      rh_cl_program(c->session, "triples", prelude, source, options, &c->program, error);
  free(prelude);
  RH_TRY(status);
  return rh_cl_kernel(c->program, "triples", &c->kernel, error);
}

static rh_status set_arguments(comparison *c, rh_error *error) {
  const rh_custom *self = c->self;
  const uint64_t n = TRIPLES, at = 0;
  cl_uint k = 0;
  cl_int code = CL_SUCCESS;
  int expands = rh_custom_has_operands(self);
  for (uint32_t j = 0; j < self->face.n_operands && code == CL_SUCCESS; j++) {
    code = rh_cl_set(c->kernel, k++, sizeof(cl_mem), &c->buffers[j]);
    if (expands && code == CL_SUCCESS) code = rh_cl_set(c->kernel, k++, sizeof at, &at);
  }
  if (expands && code == CL_SUCCESS)
    code = rh_cl_set(c->kernel, k++, self->op.constants_size, c->constants);
  if (code == CL_SUCCESS) code = rh_cl_set(c->kernel, k++, sizeof n, &n);
  if (code == CL_SUCCESS) code = rh_cl_set(c->kernel, k, sizeof(cl_mem), &c->values);
  RH_CL_TRY(error, code, "setting an argument");
  return RH_OK;
}

static rh_status launch(comparison *c, rh_error *error) {
  size_t bytes = (size_t)TRIPLES * c->self->op.value_size, global = TRIPLES;
  RH_TRY(rh_cl_buffer(c->session, CL_MEM_READ_WRITE, bytes, NULL, "allocating values", &c->values,
                      error));
  RH_TRY(set_arguments(c, error));
  RH_TRY(rh_alloc(&c->got, bytes, 1, "examining an operator", error));
  RH_CL_TRY(error, rh_cl_launch(c->session->queue, c->kernel, global, 0, NULL), "enqueueing");
  RH_CL_TRY(error, rh_cl_read(c->session->queue, c->values, CL_TRUE, 0, bytes, c->got, NULL),
            "reading values");
  return RH_OK;
}

static void host_value(const comparison *c, uint64_t triple, unsigned char *value) {
  const rh_custom *self = c->self;
  _Alignas(16) unsigned char next[RH_ANY_VALUE_BYTES];
  rh_arrays arrays = {.constants = c->constants};
  for (uint32_t k = 0; k < self->face.n_operands; k++) arrays.operands[k] = c->elements[k];
  const void *input = rh_custom_has_operands(self) ? (const void *)&arrays : c->elements[0];
  rh_op_load(&self->op, value, input, 3 * triple);
  for (uint64_t k = 1; k < 3; k++) {
    memset(next, 0, sizeof next);
    rh_op_load(&self->op, next, input, 3 * triple + k);
    rh_op_combine(&self->op, value, next);
  }
}

static int is_close(double x, double y, double scale, rh_type type) {
  if (isnan(x) || isnan(y) || x == y) return (isnan(x) && isnan(y)) || x == y;
  return fabs(x - y) <= scale * (type == RH_TYPE_f64 ? 1e-10 : 1e-3);
}

/* NaN has many bits; where functions are not the same everywhere, results may be close only, and
 * of a number that overflows nothing is known. */
static int agree_built_in(const rh_custom *self, const unsigned char *x, const unsigned char *y) {
  rh_result a = {0}, b = {0};
  rh_op_result(self->face.base, self->face.type, x, &a);
  rh_op_result(self->face.base, self->face.type, y, &b);
  int is_nan = rh_type_is_float(a.type) && isnan(a.value.f) && isnan(b.value.f);
  return a.index == b.index && (is_nan || a.value.u == b.value.u);
}

static int agree(const rh_custom *self, const unsigned char *x, const unsigned char *y,
                 int is_exact) {
  double scale = 1;
  if (!self->face.is_struct) return agree_built_in(self, x, y);
  for (uint32_t f = 0; f < self->n_fields; f++) {
    double size = fabs(rh_field_number(&self->fields[f], x));
    if (rh_type_is_float(self->fields[f].type) && !isfinite(size) && !is_exact) return 1;
    if (isfinite(size) && size > scale) scale = size;
  }
  for (uint32_t f = 0; f < self->n_fields; f++) {
    const rh_operator_field *field = &self->fields[f];
    double a = rh_field_number(field, x), b = rh_field_number(field, y);
    int same = memcmp(x + field->offset, y + field->offset, rh_type_size(field->type)) == 0;
    if (same || (isnan(a) && isnan(b))) continue;
    if (is_exact || !is_close(a, b, scale, field->type)) return 0;
  }
  return 1;
}

static void compare(const comparison *c, rh_algebra_device *device) {
  _Alignas(16) unsigned char value[RH_ANY_VALUE_BYTES];
  const rh_custom *self = c->self;
  const char *name = c->session->device->name;
  int is_exact =
      rh_exprs_is_exact(self->load) && (!self->face.is_struct || rh_exprs_is_exact(self->combine));
  uint32_t wrong = 0;
  for (uint64_t t = 0; t < TRIPLES; t++) {
    memset(value, 0, sizeof value);
    host_value(c, t, value);
    wrong += !agree(self, value, c->got + t * self->op.value_size, is_exact);
  }
  device->n = TRIPLES;
  device->is_wrong = wrong > 0;
  if (wrong)
    snprintf(device->text, sizeof device->text, "%u of %d triples differ from the host's on %.120s",
             wrong, TRIPLES, name);
  else
    snprintf(device->text, sizeof device->text, "%s the host's in %d triples on %.120s",
             is_exact ? "equal to" : "close to", TRIPLES, name);
}

static void release(comparison *c) {
  for (uint32_t k = 0; k < RH_MOST_OPERANDS; k++) {
    free(c->elements[k]);
    rh_cl_release_buffer(c->buffers[k]);
  }
  rh_cl_release_buffer(c->values);
  rh_cl_release_kernel(c->kernel);
  rh_cl_release_program(c->program);
  free(c->got);
}

rh_status rh_algebra_compare(const rh_custom *self, rh_cl_session *session,
                             rh_algebra_device *device, rh_error *error) {
  comparison c = {.self = self, .session = session};
  *device = (rh_algebra_device){0};
  if (self->code) return RH_OK; /* there is nothing to compare it with */
  /* Each run holds a sum of inexact maps to a bound of its own. */
  if (!self->face.is_struct && !rh_exprs_is_exact(self->load)) return RH_OK;
  if (rh_custom_uses_f64(self) && !(session->device->about.features & RH_FP64)) return RH_OK;
  self->face.calls->bind(&self->face, RH_CASES_N, c.constants);
  rh_status status = make_elements(&c, error);
  if (status == RH_OK) status = build(&c, error);
  if (status == RH_OK) status = launch(&c, error);
  if (status == RH_OK) compare(&c, device);
  rh_cl_finish(session->queue);
  release(&c);
  return status;
}
