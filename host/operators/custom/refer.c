#include "custom.h"

/* ---- Several orders ---- */

/* Pieces of random lengths, each in a tree of its own, one after the other. */
static void in_pieces(const rh_custom *custom, const rh_arrays *arrays, uint64_t n, uint64_t *seed,
                      unsigned char *value) {
  _Alignas(16) unsigned char piece[RH_ANY_VALUE_BYTES] = {0};
  memcpy(value, custom->op.identity, custom->op.value_size);
  for (uint64_t at = 0; at < n;) {
    uint64_t length = 1 + rh_random_next(seed) % (n / 8 + 1);
    if (length > n - at) length = n - at;
    rh_custom_reduce(custom, arrays, at, length, piece);
    rh_custom_combine(custom, value, piece);
    at += length;
  }
}

/* All elements in the canonical order, and in others that begin new trees at places chosen by
 * chance. */
static void on_host(const rh_custom *custom, const rh_arrays *arrays, uint64_t n,
                    rh_sampled *sampled) {
  uint64_t seed = 1;
  rh_custom_reduce(custom, arrays, 0, n, sampled->values[0]);
  for (uint32_t order = 1; order < sampled->n_orders; order++)
    in_pieces(custom, arrays, n, &seed, sampled->values[order]);
}

static void by_device(const rh_custom *custom, const rh_arrays *arrays, uint64_t n,
                      rh_sampled *sampled) {
  unsigned char values[RH_SAMPLED_ORDERS * RH_ANY_VALUE_BYTES] = {0};
  uint32_t size = custom->op.value_size;
  rh_on_device_reduce(custom->code->device, arrays, 0, n, sampled->n_orders, values);
  for (uint32_t k = 0; k < sampled->n_orders; k++)
    memcpy(sampled->values[k], values + (size_t)k * size, size);
}

uint32_t rh_sampled_orders(const rh_custom *custom) {
  for (uint32_t k = 0; k < custom->n_fields; k++)
    if (custom->fields[k].kind == RH_FIELD_ANY) return RH_SAMPLED_ORDERS;
  return 1;
}

void rh_sample_serial(const rh_operator *op, const rh_arrays *arrays, uint64_t n,
                      rh_reference *reference) {
  const rh_custom *custom = rh_custom_of(op);
  rh_sampled *sampled = &reference->sampled;
  if (sampled->n_orders != RH_SAMPLED_ORDERS || custom->code) return;
  unsigned char *value = sampled->values[sampled->n_orders++];
  memcpy(value, custom->op.identity, custom->op.value_size);
  rh_custom_fold(custom, value, arrays, 0, n);
}

/* ---- The exact sums of a struct's fields ---- */

enum { BLOCK = RH_ENCLOSED_MOST };

/* bins[k]: null if field k is not a sum. */
static void add_block(const rh_custom *custom, const rh_arrays *arrays, uint64_t first, uint64_t n,
                      rh_exact_bins *const *bins, rh_field_sum *sums) {
  uint64_t loaded[RH_MOST_FIELDS][BLOCK];
  void *outputs[RH_MOST_FIELDS];
  for (uint32_t k = 0; k < RH_MOST_FIELDS; k++) outputs[k] = loaded[k];
  rh_custom_load_fields(custom, arrays, first, n, outputs);
  for (uint32_t k = 0; k < custom->n_fields; k++) {
    if (!bins[k]) continue;
    rh_exact_bins_add(bins[k], loaded[k], n);
    if (rh_exprs_facts(custom->load, k) & RH_EXPR_ERRS)
      rh_enclosed_add(&sums[k].enclosed, &custom->face, k, custom->fields[k].type, arrays, first, n,
                      loaded[k]);
  }
}

/* sums[k] = that of field k of n elements, for the fields that are sums. */
static rh_status sum_fields(rh_field_sum *sums, const rh_custom *custom, const rh_arrays *arrays,
                            uint64_t n, rh_error *error) {
  rh_exact_bins *bins[RH_MOST_FIELDS] = {NULL};
  rh_status status = RH_OK;
  int has_sums = 0;
  for (uint32_t k = 0; k < custom->n_fields; k++) {
    if (custom->fields[k].kind != RH_FIELD_SUM) continue;
    has_sums = 1;
    bins[k] = rh_exact_bins_create(custom->fields[k].type, 0);
    if (!bins[k]) status = rh_fail(error, RH_E_NOMEM, "reference: out of memory");
  }
  for (uint64_t first = 0; status == RH_OK && has_sums && first < n; first += BLOCK)
    add_block(custom, arrays, first, n - first < BLOCK ? n - first : BLOCK, bins, sums);
  for (uint32_t k = 0; k < custom->n_fields; k++) {
    rh_exact_sum exact = {0};
    const rh_enclosed enclosed = sums[k].enclosed;
    if (!bins[k]) continue;
    rh_exact_bins_fold(bins[k], &exact);
    rh_field_sum_of(&sums[k], &exact, &enclosed);
    rh_exact_bins_destroy(bins[k]);
  }
  return status;
}

/* ---- The mean of elements whose exact sum is known ---- */

/* x /= n.  The lowest place is 1 where something is left over, and far below any that a result
 * has, so that rounding knows of it. */
static void divide(rh_fixed *x, uint64_t n) {
  uint64_t rest = 0;
  for (int k = RH_FIXED_LIMBS - 1; k >= 0; k--) {
    rh_u128 part = (rh_u128)rest << 64 | x->limb[k];
    x->limb[k] = (uint64_t)(part / n);
    rest = (uint64_t)(part % n);
  }
  x->limb[0] |= rest != 0;
}

/* *mean = the exact sum divided by n, rounded once to the type; 0: it is special, or n is 0. */
static int find_mean(const rh_reference *reference, rh_type type, double *mean) {
  const rh_exact_sum *sum = &reference->sum;
  rh_fixed magnitude;
  if (reference->n == 0 || rh_has_specials(&sum->specials)) return 0;
  int is_below = rh_fixed_distance(&magnitude, &sum->positive, &sum->negative);
  divide(&magnitude, reference->n);
  *mean = (double)rh_fixed_rounded(&magnitude, type, 0);
  if (is_below || !sum->specials.has_others) *mean = -*mean;
  return 1;
}

/* ---- What results are made of ---- */

/* The identity of a float sum is -0; the sum of nothing is 0 to a user. */
static double sum_for_users(const rh_reference *reference, double sum) {
  int may_be_empty = reference->n == 0 || reference->op->is_masked;
  return may_be_empty && sum == 0 ? 0 : sum;
}

static void given_of_struct(const rh_reference *reference, rh_result_field *given) {
  const rh_custom *custom = rh_custom_of(reference->op);
  rh_custom_given(custom, reference->sampled.values[0], reference->n, given);
  for (uint32_t k = 0; k < rh_custom_n_given(custom); k++) {
    uint32_t field = rh_custom_field_given(custom, k);
    if (custom->fields[field].kind == RH_FIELD_SUM)
      given[k].value.f = sum_for_users(
          reference, rh_field_sum_rounded(&reference->sums[field], custom->fields[field].type));
  }
}

uint64_t rh_reference_count(const rh_reference *reference) {
  return rh_custom_count_in(rh_custom_of(reference->op), reference->sampled.values[0],
                            reference->n);
}

void rh_reference_given(const rh_reference *reference, rh_result_field *given) {
  const rh_result *result = &reference->result;
  if (reference->op->is_struct) {
    given_of_struct(reference, given);
    return;
  }
  given->type = result->indexed ? RH_TYPE_u64 : result->type;
  memcpy(&given->value, &result->value, sizeof given->value);
  if (result->indexed) given->value.u = result->index;
  if (rh_type_is_float(given->type) && reference->op->base == RH_OP_sum)
    given->value.f = sum_for_users(reference, given->value.f);
}

void rh_custom_conclude(rh_reference *reference) {
  const rh_custom *custom = rh_custom_of(reference->op);
  rh_result_field given[RH_MOST_FIELDS], results[RH_MOST_FIELDS];
  rh_reference_given(reference, given);
  rh_custom_finalize(custom, given, rh_reference_count(reference), results);
  if (reference->op->divides) find_mean(reference, results[0].type, &results[0].value.f);
  rh_custom_show(custom, results, reference->sampled.values[0], &reference->answer);
}

rh_status rh_custom_refer(const rh_operator *op, const rh_arrays *arrays, uint64_t n,
                          rh_reference *reference, rh_error *error) {
  const rh_custom *custom = rh_custom_of(op);
  rh_sampled *sampled = &reference->sampled;
  *sampled = (rh_sampled){.by_device = custom->code != NULL, .n_orders = rh_sampled_orders(custom)};
  if (custom->code) {
    by_device(custom, arrays, n, sampled);
  } else {
    on_host(custom, arrays, n, sampled);
    RH_TRY(sum_fields(reference->sums, custom, arrays, n, error));
  }
  rh_reference_conclude(reference);
  return rh_by_code_status(op, error);
}
