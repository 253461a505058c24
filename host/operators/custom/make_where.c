/* Masks: the elements for which a condition is false. */
#include "../../core/base/error.h"
#include "../../core/base/vocabulary.h"
#include "make.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* A number as each type of an element. */
typedef struct neutral {
  double f;
  int64_t i;
  uint64_t u;
} neutral;

static int find_neutral(uint32_t op, rh_type type, neutral *found) {
  int bits = 8 * (int)rh_type_size(type);
  int64_t most = bits == 64 ? INT64_MAX : INT32_MAX;
  uint64_t all = bits == 64 ? UINT64_MAX : UINT32_MAX;
  switch (op) {
  case RH_OP_sum: *found = (neutral){-0.0, 0, 0}; return 1;
  case RH_OP_prod: *found = (neutral){1, 1, 1}; return 1;
  case RH_OP_min: *found = (neutral){INFINITY, most, all}; return 1;
  case RH_OP_max: *found = (neutral){-INFINITY, -most - 1, 0}; return 1;
  case RH_OP_and: *found = (neutral){0, -1, all}; return 1;
  case RH_OP_or:
  case RH_OP_xor:
  case RH_OP_asum:
  case RH_OP_amax: *found = (neutral){0, 0, 0}; return 1;
  default: return 0;
  }
}

static void encode_neutral(const neutral *of, rh_type type, uint64_t *element) {
  float narrow = (float)of->f;
  *element = rh_type_is_signed(type) ? (uint64_t)of->i : of->u;
  if (type == RH_TYPE_f32) memcpy(element, &narrow, sizeof narrow);
  if (type == RH_TYPE_f64) memcpy(element, &of->f, sizeof of->f);
}

/* An index comes with each element, so that only a struct can leave one out. */
int rh_custom_has_neutral(uint32_t op) {
  neutral unused;
  return find_neutral(op, RH_TYPE_f64, &unused);
}

/* Does the text have the name n? */
static int has_n(const char *text) {
  for (const char *at = text; (at = strchr(at, 'n')); at++) {
    int begins = at == text || (!isalnum((unsigned char)at[-1]) && !strchr("_.", at[-1]));
    if (begins && !isalnum((unsigned char)at[1]) && at[1] != '_') return 1;
  }
  return 0;
}

int rh_custom_needs_count(const rh_definition *definition) {
  int has = 0;
  for (uint32_t k = 0; k < definition->n_results; k++) has |= has_n(definition->results[k].text);
  return definition->where && has;
}

rh_status rh_custom_make_where(rh_custom *self, const rh_definition *definition, rh_error *error) {
  const void *values[RH_MOST_FIELDS];
  uint64_t element;
  neutral found;
  char what[RH_WHAT_BYTES];
  rh_definition_what(what, definition, "where", definition->where_at);
  if (!definition->where) return RH_OK;
  self->face.is_masked = 1;
  if (self->code)
    return rh_fail(error, RH_E_USAGE, "%s: operator %s is in OpenCL C, whose rh_load() chooses",
                   what, definition->name);
  if (!self->face.is_struct) {
    if (!find_neutral(self->face.base, self->face.type, &found))
      return rh_fail(error, RH_E_USAGE, "%s: %s takes all elements", what,
                     rh_op_name(self->face.base));
    encode_neutral(&found, self->face.type, &element);
    values[0] = &element;
  }
  for (uint32_t k = 0; k < self->n_fields; k++) values[k] = self->identity + self->fields[k].offset;
  return rh_exprs_where(self->load, definition->where, values, what, error);
}
