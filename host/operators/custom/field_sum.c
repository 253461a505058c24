#include "field_sum.h"
#include "../../core/base/error.h"
#include "../../core/base/vocabulary.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

enum { BLOCK = RH_ENCLOSED_MOST };

void rh_field_sum_of(rh_field_sum *to, const rh_exact_sum *exact, const rh_enclosed *enclosed) {
  rh_exact_sum finite = {.positive = exact->positive, .negative = exact->negative};
  *to = (rh_field_sum){
      .sum = rh_exact_sum_long(&finite),
      .positive = rh_fixed_long(&exact->positive, 1),
      .negative = rh_fixed_long(&exact->negative, 1),
      .n = exact->n,
      .nans = exact->nans,
      .plus_infinities = exact->plus_infinities,
      .minus_infinities = exact->minus_infinities,
      .has_others = exact->has_others,
      .enclosed = *enclosed,
  };
  to->lost = fabsl(to->sum) * LDBL_EPSILON;
}

void rh_field_sum_merge(rh_field_sum *to, const rh_field_sum *part) {
  to->sum += part->sum;
  to->positive = (to->positive + part->positive) * (1 + LDBL_EPSILON);
  to->negative = (to->negative + part->negative) * (1 + LDBL_EPSILON);
  to->lost += part->lost + fabsl(to->sum) * LDBL_EPSILON;
  to->n += part->n;
  to->nans += part->nans;
  to->plus_infinities += part->plus_infinities;
  to->minus_infinities += part->minus_infinities;
  to->has_others |= part->has_others;
  rh_enclosed_merge(&to->enclosed, RH_OP_sum, &part->enclosed);
}

double rh_field_sum_rounded(const rh_field_sum *sum, rh_type type) {
  int up = sum->plus_infinities > 0, down = sum->minus_infinities > 0;
  if (sum->nans || (up && down)) return (double)NAN;
  if (up || down) return up ? (double)INFINITY : -(double)INFINITY;
  if (sum->sum == 0) return sum->n > 0 && !sum->has_others ? -0.0 : 0.0;
  return type == RH_TYPE_f64 ? (double)sum->sum : (double)(float)sum->sum;
}

/* ---- Over the elements ---- */

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
    if (is_sum) self->columns[k].bins = rh_exact_bins_create(field->type);
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
