#include "algebra.h"

enum { TRIPLES = 100000, ELEMENTS = 3 * TRIPLES };

typedef struct comparison {
  const rh_custom *self;
  uint64_t constants[RH_EXPR_MOST_SLOTS];
  unsigned char *elements[RH_MOST_OPERANDS];
  rh_arrays arrays; /* of these */
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
    c->arrays.operands[k] = c->elements[k];
  }
  return RH_OK;
}

static rh_status evaluate(comparison *c, const rh_cl_session *session, rh_error *error) {
  rh_on_device *device;
  size_t bytes = (size_t)TRIPLES * c->self->op.value_size;
  RH_TRY(rh_alloc(&c->got, bytes, 1, "examining an operator", error));
  RH_TRY(rh_on_device_create(&device, c->self, session, TRIPLES, NULL, error));
  rh_status status = rh_on_device_runs(device, &c->arrays, 0, ELEMENTS, 3, c->got, error);
  rh_on_device_destroy(device);
  return status;
}

/* From the identity on, as on the device. */
static void host_value(const comparison *c, uint64_t triple, unsigned char *value) {
  const rh_custom *self = c->self;
  _Alignas(16) unsigned char next[RH_ANY_VALUE_BYTES] = {0};
  const void *input = self->op.n_operands ? (const void *)&c->arrays : c->elements[0];
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

static void compare(const comparison *c, const char *name, rh_algebra_device *device) {
  _Alignas(16) unsigned char value[RH_ANY_VALUE_BYTES];
  const rh_custom *self = c->self;
  int is_exact = is_exact_in(self->load) && is_exact_in(self->combine);
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

rh_status rh_algebra_compare(const rh_custom *self, rh_cl_session *session,
                             rh_algebra_device *device, rh_error *error) {
  comparison c = {.self = self, .arrays = {.constants = c.constants}};
  *device = (rh_algebra_device){0};
  if (self->code) return RH_OK; /* there is nothing to compare it with */
  /* Each run holds a sum of inexact maps to a bound of its own. */
  if (!self->face.is_struct && !is_exact_in(self->load)) return RH_OK;
  if (self->face.uses_f64 && !(session->device->about.features & RH_FP64)) return RH_OK;
  self->face.calls->bind(&self->face, RH_CASES_N, c.constants);
  rh_status status = make_elements(&c, error);
  if (status == RH_OK) status = evaluate(&c, session, error);
  if (status == RH_OK) compare(&c, session->device->name, device);
  for (uint32_t k = 0; k < RH_MOST_OPERANDS; k++) free(c.elements[k]);
  free(c.got);
  return status;
}
