#include "sampled.h"
#include "../base/random.h"
#include "../base/value.h"
#include "../base/vocabulary.h"
#include "judged.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static double number(const rh_operator_result *result) {
  if (rh_type_is_float(result->type)) return result->value.f;
  return rh_type_is_signed(result->type) ? (double)result->value.i : (double)result->value.u;
}

static double field_number(const rh_result_field *field) {
  if (rh_type_is_float(field->type)) return field->value.f;
  return rh_type_is_signed(field->type) ? (double)field->value.i : (double)field->value.u;
}

/* Pieces of random lengths, each in a tree of its own, one after the other. */
static void in_pieces(const rh_operator *custom, const rh_arrays *arrays, uint64_t n,
                      uint64_t *seed, unsigned char *value) {
  _Alignas(16) unsigned char piece[RH_ANY_VALUE_BYTES] = {0};
  memcpy(value, custom->op.identity, custom->op.value_size);
  for (uint64_t at = 0; at < n;) {
    uint64_t length = 1 + rh_random_next(seed) % (n / 8 + 1);
    if (length > n - at) length = n - at;
    rh_operator_reduce(custom, arrays, at, length, piece);
    rh_operator_combine(custom, value, piece);
    at += length;
  }
}

static void take_results(rh_sampled *sampled, const rh_operator *custom, const void *value,
                         uint64_t n) {
  rh_operator_result results[RH_MOST_FIELDS];
  rh_operator_results(custom, value, n, results);
  for (uint32_t k = 0; k < sampled->n; k++) {
    double x = number(&results[k]);
    if (!(x >= sampled->least[k])) sampled->least[k] = x;
    if (!(x <= sampled->most[k])) sampled->most[k] = x;
  }
}

static void take_canonical(rh_sampled *sampled, const rh_operator *custom, uint64_t n) {
  rh_operator_result results[RH_MOST_FIELDS];
  rh_operator_results(custom, sampled->values[0], n, results);
  for (uint32_t k = 0; k < sampled->n; k++) {
    rh_result_field *field = &sampled->canonical.fields[k];
    snprintf(field->name, sizeof field->name, "%.31s", results[k].name);
    field->type = results[k].type;
    memcpy(&field->value, &results[k].value, sizeof field->value);
    sampled->least[k] = sampled->most[k] = number(&results[k]);
  }
  sampled->canonical.n_fields = sampled->n;
  sampled->canonical.type = sampled->canonical.fields[0].type;
  memcpy(&sampled->canonical.value, &results[0].value, sizeof results[0].value);
}

void rh_sampled_conclude(rh_sampled *sampled, const rh_operator *custom, uint64_t n) {
  take_canonical(sampled, custom, n);
  for (uint32_t order = 1; order < sampled->n_orders; order++)
    take_results(sampled, custom, sampled->values[order], n);
}

void rh_sample_orders(rh_sampled *sampled, const rh_operator *custom, const rh_arrays *arrays,
                      uint64_t n) {
  uint64_t seed = 1;
  *sampled = (rh_sampled){.n = custom->n_results,
                          .is_exact = (custom->op.flags & RH_OP_EXACT) != 0 &&
                                      rh_exprs_is_exact(custom->load),
                          .by_device = custom->code != NULL};
  sampled->n_orders = sampled->is_exact ? 1 : RH_SAMPLED_ORDERS;
  rh_operator_reduce(custom, arrays, 0, n, sampled->values[0]);
  for (uint32_t order = 1; order < sampled->n_orders; order++)
    in_pieces(custom, arrays, n, &seed, sampled->values[order]);
}

/* ---- Judging ---- */

static int same(const rh_result_field *a, const rh_result_field *b) {
  if (rh_type_is_float(a->type)) return rh_equal_floats(a->value.f, b->value.f);
  return a->value.u == b->value.u;
}

static void say_wrong(rh_verdict *verdict, const rh_result_field *is, const rh_result_field *should,
                      const char *why) {
  rh_verdict_say(verdict, RH_VERDICT_WRONG, NAN, "%s is %.17g instead of %.17g%s", is->name,
                 field_number(is), field_number(should), why);
}

/* Rounding may do a few times what it did in the orders that were tried, or what chance makes of
 * that many operations one after the other. */
static int is_near(const rh_sampled *sampled, uint32_t k, const rh_result_field *field,
                   uint64_t depth, double *spread) {
  double least = sampled->least[k], most = sampled->most[k], x = field_number(field);
  double size = fmax(fabs(least), fabs(most));
  double unit = field->type == RH_TYPE_f32 ? 0x1p-24 : 0x1p-53;
  double slack = size * unit * (16 + 4 * sqrt((double)depth));
  *spread = most - least;
  return x >= least - 8 * *spread - slack && x <= most + 8 * *spread + slack;
}

void rh_judge_sampled(const rh_sampled *sampled, const rh_result *result, uint64_t depth,
                      rh_verdict *verdict) {
  double spread = 0, worst = 0;
  int differs = 0;
  if (result->n_fields != sampled->n) {
    rh_verdict_say(verdict, RH_VERDICT_WRONG, NAN, "%u results instead of %u", result->n_fields,
                   sampled->n);
    return;
  }
  for (uint32_t k = 0; k < sampled->n; k++) {
    const rh_result_field *is = &result->fields[k], *should = &sampled->canonical.fields[k];
    int is_same = same(is, should);
    if (is_same && !sampled->by_device) continue;
    differs |= !is_same;
    if ((!is_near(sampled, k, is, depth, &spread) || sampled->is_exact) && !is_same) {
      say_wrong(verdict, is, should,
                sampled->is_exact ? "" : ", beyond what rounding did in 16 orders");
      return;
    }
    if (spread > worst) worst = spread;
  }
  if (!differs && !sampled->by_device)
    rh_verdict_say(verdict, RH_VERDICT_OK, 0, "%s",
                   sampled->is_exact ? "equal" : "equal to the canonical order");
  else
    rh_verdict_say(verdict, RH_VERDICT_OK, NAN, "sampled %d orders, spread %.2g", RH_SAMPLED_ORDERS,
                   worst);
}
