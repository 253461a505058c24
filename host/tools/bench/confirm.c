#include "confirm.h"
#include "../../core/base/alloc.h"
#include "../../core/base/value.h"
#include "../../core/run/exact_data.h"

#include <math.h>
#include <stdio.h>

/* Serial numbers from here on belong to exact data. */
#define EXACT_SERIAL ((uint64_t)1 << 63)

static rh_bench_data data_of(const rh_bench_spec *spec, const rh_exact_data *exact) {
  rh_bench_data data = *spec->data;
  data.elements = rh_array_data(&exact->array);
  data.serial |= EXACT_SERIAL;
  data.copies = 1;
  return data;
}

static void no_time(rh_row *row) {
  row->time = row->latency = (rh_spread){0};
  row->n_raw = row->n_rounds = row->n_parts = 0;
  row->peak_fraction = (double)NAN;
}

static rh_status end_row(rh_row *row, uint32_t status, const char *reason, rh_error *error) {
  no_time(row);
  row->status = status;
  return rh_copy(&row->reason, reason, "a row", error);
}

/* The bound alone is not a check, so the result is not judged. */
static void not_tried(rh_row *row) {
  snprintf(row->exact_data, sizeof row->exact_data, "not tried");
  row->unjudged = 1;
}

static rh_status confirm(const rh_contender *c, const rh_bench_data *data,
                         const rh_exact_data *exact, rh_error *error) {
  rh_error why = {0};
  rh_result result;
  char got[64], expected[64], reason[320];
  rh_row *row = c->row;
  rh_status status = rh_sampler_once(c->sampler, data, &result, &why);
  if (status == RH_E_CANCELLED) {
    if (error) *error = why;
    return status;
  }
  if (rh_exact_data_is_too_much(status)) {
    not_tried(row);
    return RH_OK;
  }
  if (status != RH_OK) return end_row(row, RH_ROW_failed, why.message, error);
  int agrees = rh_exact_data_agrees(exact, &result);
  snprintf(row->exact_data, sizeof row->exact_data, "%s", agrees ? "ok" : "wrong");
  if (agrees) return RH_OK;
  rh_format_answer(got, &result);
  rh_format_answer(expected, &exact->reference.result);
  snprintf(row->value, sizeof row->value, "%s", got);
  snprintf(row->reference, sizeof row->reference, "%s", expected);
  snprintf(reason, sizeof reason, "returned %s, expected %s (exact data at this n)", got, expected);
  return end_row(row, RH_ROW_wrong, reason, error);
}

static int is_due(const rh_contender *c) {
  return c->row && c->row->status == RH_ROW_ok && c->is_weak;
}

rh_status rh_bench_confirm(const rh_bench_spec *spec, const rh_contender *contenders,
                           rh_error *error) {
  rh_exact_data exact;
  rh_status status = RH_OK;
  int made = 0;
  for (uint32_t k = 0; k < spec->n && spec->data->op->is_custom; k++)
    if (is_due(&contenders[k])) not_tried(contenders[k].row); /* none are known */
  if (spec->data->op->is_custom || spec->data->lengths) return RH_OK;
  for (uint32_t k = 0; k < spec->n && status == RH_OK; k++) {
    if (!is_due(&contenders[k])) continue;
    if (!made)
      status = rh_exact_data_overwrite(&exact, spec->array, spec->data->op, spec->reporter, error);
    *spec->is_overwritten = 1;
    made = 1;
    if (status == RH_OK) status = spec->on_turn(spec->user, contenders[k].sampler, error);
    if (status != RH_OK) break;
    rh_bench_data data = data_of(spec, &exact);
    status = confirm(&contenders[k], &data, &exact, error);
  }
  return status;
}
