/* redhost --bench */
#include "../core/base/clock.h"
#include "../core/base/error.h"
#include "../tools/bench/runner.h"
#include "bench_header.h"
#include "bench_output.h"
#include "bench_plan.h"
#include "bench_settings.h"
#include "json.h"

#include <stdlib.h>
#include <string.h>

typedef struct work {
  const rh_app *app;
  rh_bench_settings settings;
  rh_bench_output output;
  rh_records results;
  const rh_cl_device **devices; /* null: there is none */
  uint32_t n_devices;
  rh_stage stage;              /* of the current device */
  json_t *plan, *plan_devices; /* --dry-run in JSON; or null */
} work;

static rh_status on_turn(void *user, const rh_bench_turn *turn, rh_error *error) {
  const work *w = user;
  return rh_terminal_turn(w->app->terminal, turn, error);
}

static rh_status on_row(void *user, const rh_row *row, rh_error *error) {
  work *w = user;
  return rh_bench_output_row(&w->output, row, error);
}

static void plan(work *w) {
  if (w->plan)
    json_array_append_new(w->plan, rh_bench_plan_json(&w->stage));
  else
    rh_bench_plan_print(&w->stage);
  if (w->plan_devices && w->stage.device)
    json_array_append_new(w->plan_devices, rh_json_device(w->stage.device));
}

static rh_status measure(work *w, rh_error *error) {
  rh_bench_runner runner = {
      .stage = &w->stage, .results = &w->results, .on_turn = on_turn, .on_row = on_row, .user = w};
  rh_status status = rh_bench_run(&runner, error);
  rh_stage_close(&w->stage);
  rh_bench_runner_finish(&runner);
  return status;
}

static rh_status bench_device(work *w, const rh_cl_device *device_or_none, rh_error *error) {
  RH_TRY(rh_stage_open(&w->stage, w->app->context, device_or_none, &w->settings, error));
  if (w->app->typed->dry_run) {
    plan(w);
    return RH_OK;
  }
  if (w->stage.device) RH_TRY(rh_bench_header_device(&w->results, w->stage.device, error));
  RH_TRY(rh_bench_output_take_over(&w->output, &w->results, error));
  RH_TRY(rh_stage_calibrate(&w->stage, error));
  RH_TRY(rh_bench_header_stage(&w->results, w->app, &w->stage, error));
  RH_TRY(rh_bench_output_begin(&w->output, &w->results, error));
  return measure(w, error);
}

static rh_status bench_devices(work *w, rh_error *error) {
  for (uint32_t k = 0; k < w->n_devices; k++) {
    rh_status status = bench_device(w, w->devices ? w->devices[k] : NULL, error);
    rh_stage_close(&w->stage);
    RH_TRY(status);
  }
  return RH_OK;
}

static uint32_t count(const work *w, uint32_t status) {
  uint32_t n = 0;
  for (uint32_t k = 0; k < w->results.n_rows; k++) n += w->results.rows[k].status == status;
  return n;
}

/* With --quiet too: nobody should take such results for checked ones. */
static void warn_unjudged(const work *w) {
  const rh_row *first = NULL;
  uint32_t unjudged = 0;
  char text[256];
  for (uint32_t k = w->results.n_rows; k-- > 0;) {
    const rh_row *row = &w->results.rows[k];
    if (row->status != RH_ROW_ok || !row->unjudged) continue;
    first = row;
    unjudged++;
  }
  if (!first) return;
  snprintf(text, sizeof text,
           "warning: %u of %u results are not judged, for example '%s', %s %s, n = %llu", unjudged,
           w->results.n_rows, first->strategy, rh_row_op_name(first), rh_type_name(first->type),
           (unsigned long long)first->n);
  rh_terminal_say(w->app->terminal, text);
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
  return rh_json_print(json_pack("{s:O, s:O}", "devices", w->plan_devices, "plan", w->plan), error);
}

static rh_status run_bench(work *w, rh_error *error) {
  rh_error why = {0};
  RH_TRY(rh_bench_settings_parse(&w->settings, w->app, error));
  RH_TRY(rh_bench_output_open(&w->output, w->app, error));
  RH_TRY(rh_bench_devices(w->app, &w->devices, &w->n_devices, error));
  RH_TRY(rh_bench_header_begin(&w->results, w->app, &w->settings, error));
  if (w->app->typed->dry_run && strcmp(w->output.format, "json") == 0) {
    w->plan = json_array();
    w->plan_devices = json_array();
  }
  rh_terminal_hold_interrupt();
  double start = rh_now();
  rh_status status = bench_devices(w, &why);
  rh_terminal_write_down();
  rh_terminal_clear(w->app->terminal);
  if (w->app->typed->dry_run && status == RH_OK) return w->plan ? print_plan(w, error) : RH_OK;
  /* Results are written even if the benchmark was interrupted or failed. */
  if (w->results.n_rows > 0) {
    RH_TRY(rh_bench_header_end(&w->results, rh_now() - start, status == RH_OK, error));
    RH_TRY(rh_bench_output_all(&w->output, &w->results, error));
  }
  if (status != RH_OK) {
    if (error) *error = why;
    return status;
  }
  warn_unjudged(w);
  return conclude(w, error);
}

rh_status rh_mode_bench(const rh_app *app, rh_error *error) {
  work w = {.app = app};
  rh_status status = run_bench(&w, error);
  rh_stage_close(&w.stage);
  rh_bench_output_close(&w.output);
  rh_records_finish(&w.results);
  rh_bench_settings_finish(&w.settings);
  json_decref(w.plan);
  json_decref(w.plan_devices);
  free(w.devices);
  return status;
}
