#include "algebra.h"

enum { TRIPLES = 100000, ELEMENTS = 3 * TRIPLES };

static uint64_t element(rh_type type, uint64_t random) {
  int is_float = rh_type_is_float(type);
  if (is_float && random % 8 == 0)
    return rh_element_bits(type, (double)(int)(random >> 32 & 7) - 3);
  if (is_float)
    return rh_element_bits(type, ldexp((double)(int32_t)(random >> 32), (int)(random % 48) - 48));
  return random >> (random % 64);
}

/* Those of every operand, one after the other, with room for 8 bytes each. */
static void make_elements(const rh_custom *self, unsigned char *to, rh_arrays *arrays) {
  uint64_t seed = 7;
  for (uint32_t k = 0; k < self->face.n_operands; k++, to += ELEMENTS * sizeof(uint64_t)) {
    rh_type type = self->operands[k].type;
    for (uint64_t i = 0; i < ELEMENTS; i++) {
      uint64_t bits = element(type, rh_random_next(&seed));
      memcpy(to + i * rh_type_size(type), &bits, rh_type_size(type));
    }
    arrays->operands[k] = to;
  }
}

static rh_status evaluate(const rh_custom *self, const rh_arrays *arrays,
                          const rh_cl_session *session, unsigned char *got, rh_error *error) {
  rh_on_device *device;
  RH_TRY(rh_on_device_create(&device, self, session, TRIPLES, NULL, error));
  rh_status status = rh_on_device_runs(device, arrays, 0, ELEMENTS, 3, got, error);
  rh_on_device_destroy(device);
  return status;
}

/* From the identity on, as on the device. */
static void host_value(const rh_custom *self, const rh_arrays *arrays, uint64_t triple,
                       unsigned char *value) {
  _Alignas(16) unsigned char next[RH_ANY_VALUE_BYTES] = {0};
  const void *input = self->op.n_operands ? (const void *)arrays : arrays->operands[0];
  memcpy(value, self->op.identity, self->op.value_size);
  for (uint64_t k = 0; k < 3; k++) {
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

static int is_exact_in(const rh_exprs *exprs) {
  return !exprs || !(rh_exprs_facts(exprs, RH_EXPRS_ALL) & RH_EXPR_ERRS);
}

static void compare(const rh_custom *self, const rh_arrays *arrays, const unsigned char *got,
                    const char *name, rh_algebra_device *device) {
  _Alignas(16) unsigned char value[RH_ANY_VALUE_BYTES];
  int is_exact = is_exact_in(self->load) && is_exact_in(self->combine);
  uint32_t wrong = 0;
  for (uint64_t t = 0; t < TRIPLES; t++) {
    memset(value, 0, sizeof value);
    host_value(self, arrays, t, value);
    wrong += !agree(self, value, got + t * self->op.value_size, is_exact);
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

rh_status rh_algebra_compare(const rh_custom *self, rh_cl_session *session,
                             rh_algebra_device *device, rh_error *error) {
  static const char what[] = "examining an operator";
  uint64_t constants[RH_EXPR_MOST_SLOTS];
  rh_arrays arrays = {.constants = constants};
  RH_FREED(unsigned char) elements = NULL;
  RH_FREED(unsigned char) got = NULL;
  *device = (rh_algebra_device){0};
  if (self->code) return RH_OK; /* there is nothing to compare it with */
  /* Each run holds a sum of inexact maps to a bound of its own. */
  if (!self->face.is_struct && !is_exact_in(self->load)) return RH_OK;
  if (self->face.uses_f64 && !(session->device->about.features & RH_FP64)) return RH_OK;
  RH_TRY(rh_alloc(&elements, self->face.n_operands * (uint64_t)ELEMENTS, 8, what, error));
  RH_TRY(rh_alloc(&got, TRIPLES, self->op.value_size, what, error));
  self->face.calls->bind(&self->face, RH_CASES_N, constants);
  make_elements(self, elements, &arrays);
  RH_TRY(evaluate(self, &arrays, session, got, error));
  compare(self, &arrays, got, session->device->name, device);
  return RH_OK;
}
