/* The exact sums of a struct's fields. */
#include "../../core/base/error.h"
#include "../../core/base/vocabulary.h"
#include "refer.h"

#include <stdlib.h>

enum { BLOCK = RH_ENCLOSED_MOST };

/* A field that is a sum: its elements so far. */
typedef struct column {
  rh_exact_bins *bins;
  rh_enclosed enclosed;
  int encloses;
} column;

typedef struct pass {
  const rh_custom *custom;
  const rh_arrays *arrays;
  column columns[RH_MOST_FIELDS];
  void *outputs[RH_MOST_FIELDS];
} pass;

static void finish(pass *self) {
  for (uint32_t k = 0; k < self->custom->n_fields; k++) {
    rh_exact_bins_destroy(self->columns[k].bins);
    free(self->outputs[k]);
  }
}

static rh_status begin(pass *self, rh_error *error) {
  const rh_custom *custom = self->custom;
  for (uint32_t k = 0; k < custom->n_fields; k++) {
    const rh_operator_field *field = &custom->fields[k];
    int is_sum = field->kind == RH_FIELD_SUM;
    self->outputs[k] = malloc((size_t)BLOCK * rh_type_size(field->type));
    if (is_sum) self->columns[k].bins = rh_exact_bins_create(field->type, 0);
    self->columns[k].encloses = is_sum && rh_exprs_output_errs(custom->load, k);
    if (!self->outputs[k] || (is_sum && !self->columns[k].bins))
      return rh_fail(error, RH_E_NOMEM, "reference: out of memory");
  }
  return RH_OK;
}

static void enclose(pass *self, uint32_t k, uint64_t first, uint64_t n) {
  double host[BLOCK], low[BLOCK], high[BLOCK];
  rh_enclosed *to = &self->columns[k].enclosed;
  rh_enclosed_numbers(self->custom->fields[k].type, self->outputs[k], 0, n, host);
  if (rh_custom_enclose_field(self->custom, k, self->arrays, first, n, low, high) != 0) {
    to->n += n;
    to->n_unknown += n;
    return;
  }
  for (uint64_t j = 0; j < n; j++) rh_enclosed_take(to, RH_OP_sum, host[j], low[j], high[j]);
}

static void add_block(pass *self, uint64_t first, uint64_t n) {
  rh_custom_load_fields(self->custom, self->arrays, first, n, self->outputs);
  for (uint32_t k = 0; k < self->custom->n_fields; k++) {
    const column *of = &self->columns[k];
    if (of->bins) rh_exact_bins_add(of->bins, self->outputs[k], n);
    if (of->encloses) enclose(self, k, first, n);
  }
}

rh_status rh_field_sums_compute(rh_field_sum *sums, const rh_custom *custom,
                                const rh_arrays *arrays, uint64_t n, rh_error *error) {
  pass self = {.custom = custom, .arrays = arrays};
  uint32_t n_sums = 0;
  for (uint32_t k = 0; k < custom->n_fields; k++) n_sums += custom->fields[k].kind == RH_FIELD_SUM;
  if (n_sums == 0) return RH_OK;
  rh_status status = begin(&self, error);
  for (uint64_t first = 0; status == RH_OK && first < n; first += BLOCK)
    add_block(&self, first, n - first < BLOCK ? n - first : BLOCK);
  for (uint32_t k = 0; status == RH_OK && k < custom->n_fields; k++) {
    rh_exact_sum exact = {0};
    if (!self.columns[k].bins) continue;
    rh_exact_bins_fold(self.columns[k].bins, &exact);
    rh_field_sum_of(&sums[k], &exact, &self.columns[k].enclosed);
  }
  finish(&self);
  return status;
}
