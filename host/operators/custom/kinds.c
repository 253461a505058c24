/* Finds what is known of the fields of a struct's value, whatever the order of combining. */
#include "../../core/base/vocabulary.h"
#include "make.h"

/* The fields that field k is combined from: bit j is field j of either value. */
static uint64_t sources(const rh_custom *self, uint32_t k) {
  int uses_index;
  uint64_t variables = rh_exprs_variables(self->combine, k, &uses_index);
  return (variables | variables >> self->n_fields) & ((UINT64_C(1) << self->n_fields) - 1);
}

static int is_exact_alone(const rh_custom *self, uint32_t k) {
  return !rh_exprs_output_errs(self->load, k) && !rh_exprs_output_rounds(self->combine, k);
}

/* Exact is what is combined from exact fields alone. */
static void find_exact(rh_custom *self) {
  uint64_t exact = 0, before;
  for (uint32_t k = 0; k < self->n_fields; k++) exact |= (uint64_t)is_exact_alone(self, k) << k;
  do {
    before = exact;
    for (uint32_t k = 0; k < self->n_fields; k++)
      if (sources(self, k) & ~before) exact &= ~(UINT64_C(1) << k);
  } while (exact != before);
  for (uint32_t k = 0; k < self->n_fields; k++)
    if (exact >> k & 1) self->fields[k].kind = RH_FIELD_EXACT;
}

void rh_custom_find_kinds(rh_custom *self) {
  if (!self->face.is_struct || self->code) return;
  find_exact(self);
  for (uint32_t k = 0; k < self->n_fields; k++)
    if (rh_type_is_float(self->fields[k].type) &&
        rh_exprs_output_adds(self->combine, k, k, self->n_fields + k))
      self->fields[k].kind = RH_FIELD_SUM;
}
