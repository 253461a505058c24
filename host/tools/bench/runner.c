#include "runner.h"
#include "../../core/base/error.h"

#include <stdlib.h>
#include <string.h>

/* ---- One point ---- */

/* Points that the resumed file already contains are not measured again. */
static int is_there(const rh_bench_runner *r, const rh_sampler *sampler, uint32_t op, rh_type type,
                    uint64_t n) {
  for (uint32_t k = 0; k < r->results->n_rows; k++) {
    const rh_row *row = &r->results->rows[k];
    if (row->op == op && row->type == type && row->n == n && row->status != RH_ROW_skipped &&
        strcmp(row->strategy, sampler->name) == 0 &&
        strcmp(row->device, rh_stage_label(r->stage)) == 0)
      return 1;
  }
  return 0;
}

/* The time of one run, extrapolated linearly from the largest size that was measured. */
static double expected_s(const rh_bench_runner *r, const rh_sampler *sampler, uint32_t op,
                         rh_type type, uint64_t n) {
  const rh_row *nearest = NULL;
  for (uint32_t k = 0; k < r->results->n_rows; k++) {
    const rh_row *row = &r->results->rows[k];
    if (row->op != op || row->type != type || row->n >= n || !rh_row_is_timed(row) ||
        row->n < 65536 || strcmp(row->strategy, sampler->name) != 0 ||
        strcmp(row->device, rh_stage_label(r->stage)) != 0)
      continue;
    if (!nearest || row->n > nearest->n) nearest = row;
  }
  return nearest ? nearest->time.median * ((double)n / (double)nearest->n) : 0;
}

/* `auto` must no longer choose a strategy whose result was wrong. */
static void blame(const rh_bench_runner *r, const rh_row *row) {
  const rh_stage *stage = r->stage;
  if (row->status != RH_ROW_wrong || row->is_peer) return;
  for (uint32_t k = 0; k < stage->n_found; k++)
    if (strcmp(stage->found[k].name, row->strategy) == 0)
      rh_redhost_blame(stage->redhost, row->strategy, stage->found[k].path, row->op, row->type,
                       row->n);
}

static rh_status keep_rows(rh_bench_runner *r, rh_row *rows, uint32_t n, rh_error *error) {
  rh_status status = RH_OK;
  for (uint32_t k = 0; k < n; k++) {
    snprintf(rows[k].device, sizeof rows[k].device, "%s", rh_stage_label(r->stage));
    blame(r, &rows[k]);
    if (status == RH_OK) status = r->on_row(r->user, &rows[k], error);
    if (rh_records_add(r->results, &rows[k]) != 0 && status == RH_OK)
      status = rh_fail(error, RH_E_NOMEM, "no memory for the results");
  }
  return status;
}

static rh_status on_turn(void *user, const rh_sampler *sampler, rh_error *error) {
  const rh_bench_runner *r = user;
  rh_bench_turn turn = {.done = r->pace.done,
                        .total = r->pace.total,
                        .left_s = rh_bench_left_s(&r->pace),
                        .n = r->point.data.n,
                        .strategy = sampler->name};
  return r->on_turn(r->user, &turn, error);
}

static rh_status measure(rh_bench_runner *r, rh_sampler *samplers, const double *expected,
                         uint32_t n, rh_error *error) {
  rh_error why = {0};
  rh_row *rows = calloc(n, sizeof *rows);
  if (!rows) return rh_fail(error, RH_E_NOMEM, "no memory for a point");
  rh_bench_spec spec = rh_point_spec(&r->point, r->stage);
  spec.rules = r->stage->settings->rules;
  spec.samplers = samplers;
  spec.n = n;
  spec.expected_s = expected;
  spec.on_turn = on_turn;
  spec.user = r;
  rh_status status = rh_bench_point(&spec, rows, &why);
  rh_status kept = keep_rows(r, rows, n, error);
  free(rows);
  if (status != RH_OK && error) *error = why;
  return status != RH_OK ? status : kept;
}

/* Measures all samplers that have no row yet. */
static rh_status measure_op(rh_bench_runner *r, uint32_t op, rh_error *error) {
  const rh_bench_data *data = &r->point.data;
  uint32_t n = 0, all = r->stage->n_samplers;
  rh_sampler *samplers = calloc(all + 1, sizeof *samplers);
  double *expected = calloc(all + 1, sizeof *expected);
  rh_status status = RH_OK;
  if (!samplers || !expected) status = rh_fail(error, RH_E_NOMEM, "no memory for a point");
  for (uint32_t k = 0; k < all && status == RH_OK; k++) {
    const rh_sampler *sampler = &r->stage->samplers[k];
    if (is_there(r, sampler, op, data->type, data->n)) continue;
    samplers[n] = *sampler;
    expected[n++] = expected_s(r, sampler, op, data->type, data->n);
  }
  if (status == RH_OK && n) status = rh_point_reference(&r->point, r->stage, op, error);
  if (status == RH_OK && n) status = measure(r, samplers, expected, n, error);
  free(samplers);
  free(expected);
  rh_bench_pace_step(&r->pace, data->n * rh_type_size(data->type), all);
  return status;
}

/* ---- All points ---- */

static rh_status measure_size(rh_bench_runner *r, rh_type type, uint64_t n, rh_error *error) {
  const rh_ops *ops = &r->stage->settings->ops;
  for (uint32_t k = 0; k < ops->n; k++) {
    if (!rh_op_is_defined(ops->list[k], type)) continue;
    RH_TRY(rh_point_fill(&r->point, r->stage, type, n, error));
    RH_TRY(measure_op(r, ops->list[k], error));
  }
  return RH_OK;
}

rh_status rh_bench_run(rh_bench_runner *r, rh_error *error) {
  const rh_bench_settings *settings = r->stage->settings;
  rh_bench_pace_begin(&r->pace, r->stage);
  for (uint32_t t = 0; t < settings->types.n; t++)
    for (uint32_t k = 0; k < settings->n_sizes[t]; k++)
      RH_TRY(measure_size(r, settings->types.list[t], settings->sizes[t][k], error));
  return RH_OK;
}

void rh_bench_runner_finish(rh_bench_runner *runner) {
  rh_point_finish(&runner->point);
}
