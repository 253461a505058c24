/* redhost --bench */
#include "../core/base/clock.h"
#include "../core/base/error.h"
#include "../core/base/text.h"
#include "../core/io/array.h"
#include "../tools/measure/bench.h"
#include "bench_header.h"
#include "bench_output.h"
#include "bench_plan.h"
#include "bench_stage.h"
#include "json.h"
#include "table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct work {
  const rh_app *app;
  rh_bench_settings settings;
  rh_bench_output output;
  rh_records results;
  const rh_cl_device **devices; /* null: none is there */
  uint32_t n_devices;
  rh_stage stage; /* of the device at hand */
  rh_array array;
  uint64_t serial;
  rh_bench_pace pace;
  json_t *plan, *plan_devices; /* --dry-run in JSON; or null */
} work;

/* ---- One point ---- */

static rh_status on_turn(void *user, const rh_sampler *sampler, rh_error *error) {
  work *w = user;
  char what[32];
  if (rh_terminal_was_interrupted()) return rh_fail(error, RH_E_CANCELLED, "interrupted");
  rh_format_size(what, w->array.n);
  rh_terminal_count(w->app->terminal, w->pace.done, w->pace.total, rh_bench_left_s(&w->pace), what,
                    sampler->name);
  return RH_OK;
}

/* What is already in the file that is resumed is not measured again. */
static int is_there(const work *w, const rh_sampler *sampler, uint32_t op, rh_type type,
                    uint64_t n) {
  for (uint32_t k = 0; k < w->results.n_rows; k++) {
    const rh_row *row = &w->results.rows[k];
    if (row->op == op && row->type == type && row->n == n && row->status != RH_ROW_skipped &&
        strcmp(row->strategy, sampler->name) == 0 &&
        strcmp(row->device, rh_stage_label(&w->stage)) == 0)
      return 1;
  }
  return 0;
}

/* One run, as far as smaller sizes tell: in proportion to the largest that was measured. */
static double expected_s(const work *w, const rh_sampler *sampler, uint32_t op, rh_type type,
                         uint64_t n) {
  const rh_row *nearest = NULL;
  for (uint32_t k = 0; k < w->results.n_rows; k++) {
    const rh_row *row = &w->results.rows[k];
    if (row->op != op || row->type != type || row->n >= n || !rh_row_is_timed(row) ||
        row->n < 65536 || strcmp(row->strategy, sampler->name) != 0 ||
        strcmp(row->device, rh_stage_label(&w->stage)) != 0)
      continue;
    if (!nearest || row->n > nearest->n) nearest = row;
  }
  return nearest ? nearest->time.median * ((double)n / (double)nearest->n) : 0;
}

static uint64_t copy_alignment(const work *w) {
  cl_uint bits = 0;
  if (w->stage.device)
    clGetDeviceInfo(w->stage.device->id, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof bits, &bits, NULL);
  return bits / 8 > 128 ? bits / 8 : 128; /* and at least two lines of a cache */
}

/* What is wrong here is nothing that `auto` should choose here. */
static void blame(const work *w, const rh_row *row) {
  const rh_stage *stage = &w->stage;
  if (row->status != RH_ROW_wrong || row->is_peer) return;
  for (uint32_t k = 0; k < stage->n_found; k++)
    if (strcmp(stage->found[k].name, row->strategy) == 0)
      rh_redhost_blame(stage->app.redhost, row->strategy, stage->found[k].path, row->op, row->type,
                       row->n);
}

static rh_status keep_rows(work *w, rh_row *rows, uint32_t n, rh_error *error) {
  rh_status status = RH_OK;
  for (uint32_t k = 0; k < n; k++) {
    snprintf(rows[k].device, sizeof rows[k].device, "%s", rh_stage_label(&w->stage));
    blame(w, &rows[k]);
    if (status == RH_OK) status = rh_bench_output_row(&w->output, &rows[k], error);
    if (rh_records_add(&w->results, &rows[k]) != 0 && status == RH_OK)
      status = rh_fail(error, RH_E_NOMEM, "no memory for the results");
  }
  return status;
}

static rh_status measure(work *w, const rh_bench_data *data, rh_sampler *samplers,
                         const double *expected, uint32_t n, rh_error *error) {
  rh_reference reference;
  const rh_cl_device *device = w->stage.device;
  rh_bench_spec spec = {
      .rules = w->settings.rules,
      .scale = {.reference = &reference},
      .data = data,
      .range = device ? &w->stage.range : NULL,
      .samplers = samplers,
      .n = n,
      .expected_s = expected,
      .seed = w->settings.seed ^ data->n ^ (uint64_t)data->op << 56,
      .reporter = &w->app->redhost->options.reporter,
      .on_turn = on_turn,
      .user = w,
  };
  if (device) {
    spec.scale.flushes =
        (int)(data->type == RH_TYPE_f64 ? device->flushes_f64 : device->flushes_f32);
    spec.scale.read_peak = w->stage.range.calibration.read_peak;
    spec.scale.launch_s = w->stage.range.calibration.launch_s;
  }
  RH_TRY(rh_reference_compute(&reference, data->op, data->type, data->elements, data->n, 0,
                              spec.reporter, error));
  rh_row *rows = calloc(n, sizeof *rows);
  if (!rows) return rh_fail(error, RH_E_NOMEM, "no memory for a point");
  rh_error why = {0};
  rh_status status = rh_bench_point(&spec, rows, &why);
  rh_status kept = keep_rows(w, rows, n, error);
  free(rows);
  if (status != RH_OK && error) *error = why;
  return status != RH_OK ? status : kept;
}

/* Leaves out who is there already. */
static rh_status point(work *w, const rh_bench_data *data, rh_error *error) {
  uint32_t n = 0, all = w->stage.n_samplers;
  rh_sampler *samplers = calloc(all + 1, sizeof *samplers);
  double *expected = calloc(all + 1, sizeof *expected);
  rh_status status = RH_OK;
  if (!samplers || !expected) status = rh_fail(error, RH_E_NOMEM, "no memory for a point");
  for (uint32_t k = 0; k < all && status == RH_OK; k++) {
    const rh_sampler *sampler = &w->stage.samplers[k];
    if (is_there(w, sampler, data->op, data->type, data->n)) continue;
    samplers[n] = *sampler;
    expected[n++] = expected_s(w, sampler, data->op, data->type, data->n);
  }
  if (status == RH_OK && n) status = measure(w, data, samplers, expected, n, error);
  free(samplers);
  free(expected);
  rh_bench_pace_step(&w->pace, data->n * rh_type_size(data->type), all);
  return status;
}

/* ---- All points ---- */

static rh_status make_data(work *w, rh_type type, uint64_t n, rh_error *error) {
  rh_array_finish(&w->array);
  RH_TRY(rh_array_reserve(&w->array, type, n, 0, error));
  RH_TRY(rh_array_fill(&w->array, w->settings.data, w->settings.seed,
                       &w->app->redhost->options.reporter, error));
  w->serial++;
  return RH_OK;
}

static rh_status size(work *w, rh_type type, uint64_t n, rh_error *error) {
  uint64_t cold = w->stage.device ? w->stage.range.calibration.cold_bytes : 512ull << 20;
  RH_TRY(make_data(w, type, n, error));
  rh_bench_data data = {
      .type = type, .n = n, .elements = rh_array_data(&w->array), .serial = w->serial, .copies = 1};
  rh_bench_copies(&data, w->settings.hot ? 0 : cold, copy_alignment(w));
  for (uint32_t k = 0; k < w->settings.ops.n; k++) {
    data.op = w->settings.ops.list[k];
    if (rh_op_is_defined(data.op, type)) RH_TRY(point(w, &data, error));
  }
  return RH_OK;
}

static rh_status sizes(work *w, rh_error *error) {
  for (uint32_t t = 0; t < w->settings.types.n; t++)
    for (uint32_t k = 0; k < w->settings.n_sizes[t]; k++)
      RH_TRY(size(w, w->settings.types.list[t], w->settings.sizes[t][k], error));
  return RH_OK;
}

static rh_status device(work *w, const rh_cl_device *device_or_none, rh_error *error) {
  RH_TRY(rh_stage_open(&w->stage, w->app, device_or_none, &w->settings, error));
  if (w->app->typed->dry_run) {
    if (w->plan)
      json_array_append_new(w->plan, rh_bench_plan_json(&w->stage, &w->settings));
    else
      rh_bench_plan_print(&w->stage, &w->settings);
    if (w->plan_devices && w->stage.device)
      json_array_append_new(w->plan_devices, rh_json_device(w->stage.device));
    return RH_OK;
  }
  if (w->stage.device) RH_TRY(rh_bench_header_device(&w->results, w->stage.device, error));
  RH_TRY(rh_bench_output_take_over(&w->output, &w->results, error));
  RH_TRY(rh_stage_calibrate(&w->stage, &w->settings, &w->results, error));
  rh_bench_pace_begin(&w->pace, &w->stage, &w->settings);
  RH_TRY(rh_bench_output_begin(&w->output, &w->results, error));
  return sizes(w, error);
}

static rh_status devices(work *w, rh_error *error) {
  for (uint32_t k = 0; k < w->n_devices; k++) {
    rh_status status = device(w, w->devices ? w->devices[k] : NULL, error);
    rh_stage_close(&w->stage);
    RH_TRY(status);
  }
  return RH_OK;
}

/* ---- Beginning and end ---- */

static uint32_t count(const work *w, uint32_t status) {
  uint32_t n = 0;
  for (uint32_t k = 0; k < w->results.n_rows; k++) n += w->results.rows[k].status == status;
  return n;
}

static rh_status conclude(const work *w, rh_error *error) {
  uint32_t wrong = count(w, RH_ROW_wrong), failed = count(w, RH_ROW_failed), noisy = 0;
  for (uint32_t k = 0; k < w->results.n_rows; k++)
    noisy +=
        (w->results.rows[k].flags & (RH_FLAG_noisy | RH_FLAG_throttled | RH_FLAG_timed_out)) != 0;
  if (wrong)
    return rh_fail(error, RH_E_WRONG, "%u of %u points have a wrong result", wrong,
                   w->results.n_rows);
  if (failed)
    return rh_fail(error, RH_E_PLUGIN, "%u of %u points failed", failed, w->results.n_rows);
  if (noisy && w->app->typed->strict)
    return rh_fail(error, (rh_status)RH_E_NOISY,
                   "%u of %u points are noisy, throttled or out of time", noisy, w->results.n_rows);
  return RH_OK;
}

static rh_status print_plan(const work *w, rh_error *error) {
  json_t *document = rh_json_document();
  json_object_set(document, "devices", w->plan_devices);
  json_object_set(document, "plan", w->plan);
  return rh_json_print(document, error);
}

static rh_status bench(work *w, rh_error *error) {
  rh_error why = {0};
  RH_TRY(rh_bench_settings_parse(&w->settings, w->app->typed, error));
  RH_TRY(rh_bench_output_open(&w->output, w->app, w->settings.format, error));
  RH_TRY(rh_stage_devices(w->app, &w->devices, &w->n_devices, error));
  RH_TRY(rh_bench_header_begin(&w->results, w->app, &w->settings, error));
  if (w->app->typed->dry_run && strcmp(w->settings.format, "json") == 0) {
    w->plan = json_array();
    w->plan_devices = json_array();
  }
  rh_terminal_hold_interrupt();
  double start = rh_now();
  rh_status status = devices(w, &why);
  rh_terminal_write_down();
  rh_terminal_clear(w->app->terminal);
  if (w->app->typed->dry_run && status == RH_OK) return w->plan ? print_plan(w, error) : RH_OK;
  /* Whatever ended it, what was measured is not lost. */
  if (w->results.n_rows > 0) {
    RH_TRY(rh_bench_header_end(&w->results, rh_now() - start, status == RH_OK, error));
    RH_TRY(rh_bench_output_all(&w->output, &w->results, error));
  }
  if (status != RH_OK) {
    if (error) *error = why;
    return status;
  }
  return conclude(w, error);
}

rh_status rh_mode_bench(const rh_app *app, rh_error *error) {
  work w = {.app = app};
  rh_status status = bench(&w, error);
  rh_stage_close(&w.stage);
  rh_bench_output_close(&w.output);
  rh_array_finish(&w.array);
  rh_records_finish(&w.results);
  rh_bench_settings_finish(&w.settings);
  json_decref(w.plan);
  json_decref(w.plan_devices);
  free(w.devices);
  return status;
}
