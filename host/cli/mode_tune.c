/* redhost --tune */
#include "../core/base/clock.h"
#include "../core/base/error.h"
#include "../core/base/path.h"
#include "../core/base/vocabulary.h"
#include "bench_header.h"
#include "json.h"
#include "number.h"
#include "tune_work.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- What to do ---- */

static rh_status miss_cache(const rh_typed *typed, const rh_cache *cache, rh_error *error) {
  if (cache->distrusted)
    return rh_fail(error, RH_E_FILE,
                   "--tune keeps what it finds in the cache, whose directory is not trusted: name "
                   "another one with --cache-dir");
  const char *how = "HOME names no directory; set it, or name one with --cache-dir";
  if (rh_env("REDHOST_NO_CACHE")) how = "REDHOST_NO_CACHE is set; unset it";
  if (typed->no_cache) how = "leave out --no-cache";
  return rh_fail(error, RH_E_USAGE,
                 "--tune keeps what it finds in the cache, and there is none: %s", how);
}

static rh_status parse(rh_tune_work *w, rh_error *error) {
  const rh_typed *typed = w->app->typed;
  w->budget_s = 60;
  RH_TRY(rh_number_parse(&rh_number_budget, typed->budget, &w->budget_s, error));
  RH_TRY(rh_bench_settings_parse(&w->settings, typed, error));
  for (uint32_t t = 0; t < w->settings.types.n; t++)
    if (w->settings.sizes[t][0] == 0)
      return rh_fail(error, RH_E_USAGE, "--size 0: there is nothing to tune for 0 elements");
  const rh_cache *cache = &w->app->redhost->cache;
  return cache->directory ? RH_OK : miss_cache(typed, cache, error);
}

/* Those of the usual sizes that the device takes, and that leave most of the memory alone. */
static void trim_sizes(rh_tune_work *w, const rh_cl_device *device, const uint32_t *n_sizes) {
  double memory = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
  for (uint32_t t = 0; t < w->settings.types.n; t++) {
    uint32_t n = n_sizes[t], size = rh_type_size(w->settings.types.list[t]);
    for (; n > 1 && !w->app->typed->size; n--) {
      uint64_t bytes = w->settings.sizes[t][n - 1] * size;
      uint64_t most = device ? device->about.max_alloc_bytes : 0;
      if ((most == 0 || bytes <= most) && (double)bytes <= memory / 4) break;
    }
    w->settings.n_sizes[t] = n;
  }
}

/* Whoever has the data on a device of its own does not ask the host to reduce them, unless by name. */
static void drop_host_strategies(rh_tune_work *w) {
  rh_stage *stage = &w->stage;
  uint32_t n = 0;
  if (!stage->device || stage->device->shares_memory || w->app->typed->strategy) return;
  for (uint32_t k = 0; k < stage->n_found; k++) {
    if (stage->found[k].device_kinds == RH_DEVICE_HOST)
      rh_found_finish(&stage->found[k]);
    else
      stage->found[n++] = stage->found[k];
  }
  stage->n_found = n;
}

/* ---- One device ---- */

/* A right result of another size takes back that a strategy failed: what failed has the last word. */
static void blame_again(const rh_tune_work *w) {
  for (uint32_t k = 0; k < w->n_tasks; k++) {
    const rh_task *task = &w->tasks[k];
    if (task->state == RH_TASK_wrong)
      rh_tunedb_blame(w->tuned, rh_tune_strategy(w, task), w->plugins[task->strategy], task->op,
                      task->type, task->n);
  }
}

static rh_status tune(rh_tune_work *w, double budget_s, rh_error *error) {
  w->device_budget_s = budget_s;
  w->deadline = rh_now() + budget_s;
  RH_TRY(rh_tune_make_tasks(w, error));
  RH_TRY(rh_tune_measure(w, error));
  return rh_now() < w->deadline ? rh_tune_search_all(w, error) : RH_OK;
}

/* What could not be kept is not measured. */
static rh_status open_device(rh_tune_work *w, const rh_cl_device *device, rh_error *error) {
  RH_TRY(rh_stage_open(&w->stage, w->app, device, &w->settings, error));
  RH_TRY(rh_redhost_tuned(w->stage.app.redhost, &w->tuned, error));
  RH_TRY(rh_tunedb_settle(w->tuned, error));
  drop_host_strategies(w);
  RH_TRY(rh_bench_header_begin(&w->header, w->app, &w->settings, error));
  return rh_stage_calibrate(&w->stage, &w->settings, &w->header, error);
}

static void close_device(rh_tune_work *w) {
  rh_stage_close(&w->stage); /* which uses the point's memory in place */
  rh_tune_leave_point(w);
  rh_records_finish(&w->header);
  free(w->tasks);
  free(w->plugins);
  w->tuned = NULL;
  w->tasks = NULL;
  w->plugins = NULL;
  w->n_tasks = w->n_done = w->n_searched = 0;
}

static rh_status device(rh_tune_work *w, const rh_cl_device *device_or_none, double budget_s,
                        json_t *tuned, rh_error *error) {
  rh_status status = open_device(w, device_or_none, error);
  int began = status == RH_OK;
  if (began) {
    status = tune(w, budget_s, error);
    blame_again(w);
    rh_tunedb_settle(w->tuned, &w->unkept);
  }
  rh_terminal_clear(w->app->terminal);
  for (uint32_t k = 0; k < w->n_tasks; k++) w->n_left += w->tasks[k].state <= RH_TASK_measured;
  if (began) {
    rh_terminal_write_down();
    rh_tune_print(w);
    rh_terminal_go_on();
    json_t *list = rh_tune_json(w);
    json_array_extend(tuned, list);
    json_decref(list);
  }
  close_device(w);
  return status;
}

/* ---- Beginning and end ---- */

static rh_status devices(rh_tune_work *w, json_t *tuned, rh_error *error) {
  const rh_cl_device **list;
  uint32_t n, n_sizes[RH_N_TYPES];
  rh_status status = RH_OK;
  double start = rh_now();
  RH_TRY(rh_stage_devices(w->app, &list, &n, error));
  memcpy(n_sizes, w->settings.n_sizes, sizeof n_sizes);
  for (uint32_t k = 0; k < n && status == RH_OK; k++) {
    double left_s = w->budget_s - (k ? rh_now() - start : 0);
    trim_sizes(w, list ? list[k] : NULL, n_sizes);
    status = device(w, list ? list[k] : NULL, left_s / (n - k), tuned, error);
  }
  free(list);
  return status;
}

static rh_status print_json(const rh_tune_work *w, json_t *tuned, int complete, rh_error *error) {
  json_t *document = rh_json_document();
  char *path = rh_tune_file(w);
  json_object_set_new(document, "tuned", json_incref(tuned));
  json_object_set_new(document, "file", path ? rh_json_bytes(path) : json_null());
  free(path);
  json_object_set_new(document, "budget_s", rh_json_number(w->budget_s));
  json_object_set_new(document, "left", json_integer(w->n_left));
  json_object_set_new(document, "complete", json_boolean(complete && w->n_left == 0));
  return rh_json_print(document, error);
}

static rh_status conclude(const rh_tune_work *w, rh_status status, rh_error *error) {
  int kept = !*w->unkept.message;
  char *file = rh_tune_file(w);
  int file_is_there = file != NULL;
  free(file);
  if (status == RH_E_CANCELLED && !kept)
    return rh_fail(error, RH_E_CANCELLED,
                   "interrupted with %u left, and not all that was found is kept: %s", w->n_left,
                   w->unkept.message);
  if (status == RH_E_CANCELLED && !file_is_there)
    return rh_fail(error, RH_E_CANCELLED, "interrupted before anything was found");
  if (status == RH_E_CANCELLED)
    return rh_fail(error, RH_E_CANCELLED,
                   "interrupted with %u left: what was found is kept, and the same command goes on "
                   "from there",
                   w->n_left);
  if (status == RH_OK && !kept)
    return rh_fail(error, RH_E_FILE, "not all that was found is kept: %s", w->unkept.message);
  if (status != RH_OK || w->n_wrong == 0) return status;
  if (w->n_wrong == 1)
    return rh_fail(error, RH_E_WRONG,
                   "1 strategy is wrong with the parameters that it comes with, and `auto' leaves "
                   "it alone");
  return rh_fail(error, RH_E_WRONG,
                 "%u strategies are wrong with the parameters that they come with, and `auto' "
                 "leaves them alone",
                 w->n_wrong);
}

static rh_status tune_all(rh_tune_work *w, json_t *tuned, rh_error *error) {
  RH_TRY(parse(w, error));
  rh_terminal_hold_interrupt();
  rh_status status = devices(w, tuned, error);
  rh_terminal_write_down();
  if (w->app->typed->json && (status == RH_OK || status == RH_E_CANCELLED))
    RH_TRY(print_json(w, tuned, status == RH_OK, error));
  return conclude(w, status, error);
}

rh_status rh_mode_tune(const rh_app *app, rh_error *error) {
  rh_tune_work *w = calloc(1, sizeof *w);
  json_t *tuned = json_array();
  rh_status status = RH_OK;
  if (!w || !tuned)
    status = rh_fail(error, RH_E_NOMEM, "no memory for tuning");
  else
    w->app = app;
  if (status == RH_OK) status = tune_all(w, tuned, error);
  if (w) rh_bench_settings_finish(&w->settings);
  json_decref(tuned);
  free(w);
  return status;
}
