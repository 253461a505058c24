/* redhost --tune */
#include "../choose/choose.h"
#include "bench.h"
#include "data.h"

typedef struct work {
  const rh_app *app;
  rh_bench_settings settings;
  json_t *tuned;    /* the tasks of all devices */
  uint32_t n_wrong; /* strategies that are wrong with their defaults */
  uint32_t n_left;  /* unfinished tasks */
  rh_error unkept;  /* why results could not be stored; an empty message: they were */
  rh_stage stage;   /* of the current device */
  rh_tuner tuner;
} work;

static rh_status no_cache_error(const rh_typed *typed, const rh_cache *cache, rh_error *error) {
  if (cache->distrusted)
    return rh_fail(error, RH_E_FILE,
                   "--tune keeps what it finds in the cache, whose directory is not trusted: name "
                   "another one with --cache-dir");
  const char *how = "HOME is not set; set it or use --cache-dir";
  if (rh_env("REDHOST_NO_CACHE")) how = "REDHOST_NO_CACHE is set; unset it";
  if (typed->no_cache) how = "leave out --no-cache";
  return rh_fail(error, RH_E_USAGE,
                 "--tune stores its results in the cache, but there is no cache: %s", how);
}

static rh_status parse(work *w, rh_error *error) {
  const rh_typed *typed = w->app->typed;
  RH_TRY(rh_bench_settings_parse(&w->settings, w->app, error));
  for (uint32_t t = 0; t < w->settings.types.n; t++)
    if (w->settings.sizes[t][0] == 0)
      return rh_fail(error, RH_E_USAGE, "--size 0: there is nothing to tune for 0 elements");
  const rh_cache *cache = &w->app->context->cache;
  return cache->directory ? RH_OK : no_cache_error(typed, cache, error);
}

/* Keeps those of the default sizes that fit the device and need only a small part of the memory. */
static void trim_sizes(work *w, const rh_cl_device *device, const uint32_t *n_sizes) {
  double memory = (double)rh_machine_memory();
  for (uint32_t t = 0; t < w->settings.types.n; t++) {
    uint32_t n = n_sizes[t], size = rh_bench_element_bytes(&w->settings, t);
    for (; n > 1 && !w->app->typed->size; n--) {
      uint64_t bytes = w->settings.sizes[t][n - 1] * size;
      uint64_t most = device ? device->about.max_alloc_bytes : 0;
      if ((most == 0 || bytes <= most) && (double)bytes <= memory / 4) break;
    }
    w->settings.n_sizes[t] = n;
  }
}

/* Data on a discrete device should not be reduced by the host, unless a host strategy was named. */
static void drop_host_strategies(work *w) {
  rh_stage *stage = &w->stage;
  uint32_t n = 0;
  if (!stage->device || stage->device->shares_memory || w->app->typed->strategy) return;
  for (uint32_t k = 0; k < stage->n_found; k++) {
    if (stage->found[k].device_kinds == RH_DEVICE_HOST) rh_found_finish(&stage->found[k]);
    else stage->found[n++] = stage->found[k];
  }
  stage->n_found = n;
}

static rh_status on_turn(void *user, const rh_bench_turn *turn, rh_error *error) {
  const work *w = user;
  return rh_terminal_turn(w->app->terminal, turn, error);
}

static void on_event(void *user, const rh_tune_event *event) {
  work *w = user;
  w->n_wrong += event->kind == RH_TUNE_WRONG;
  rh_tune_report_event(w->app, &w->tuner, event);
}

/* The file must be writable before anything is measured. */
static rh_status open_device(work *w, const rh_cl_device *device, double budget_s,
                             rh_error *error) {
  w->tuner = (rh_tuner){.stage = &w->stage,
                        .budget_s = budget_s,
                        .fresh = (int)w->app->typed->fresh,
                        .on_turn = on_turn,
                        .on_event = on_event,
                        .user = w};
  RH_TRY(rh_stage_open(&w->stage, w->app->context, device, &w->settings, error));
  RH_TRY(rh_context_tuned(w->app->context, &w->tuner.tuned, error));
  RH_TRY(rh_tunedb_settle(w->tuner.tuned, error));
  drop_host_strategies(w);
  return rh_stage_calibrate(&w->stage, error);
}

/* The file with the results; null: they could not be stored, or there are none. */
static const char *file_of_results(const work *w) {
  const char *path = rh_show("%s/tuned.json", w->app->context->cache.directory);
  return *w->unkept.message || access(path, F_OK) != 0 ? NULL : path;
}

static void report_device(work *w) {
  RH_FREED(char) file = rh_copy_string(file_of_results(w)); /* much is shown before it */
  rh_terminal_write_down();
  rh_tune_print(w->app, &w->tuner, file, !*w->unkept.message);
  rh_terminal_go_on();
  rh_tune_add_json(&w->tuner, w->tuned);
}

static rh_status tune_device(work *w, const rh_cl_device *device_or_none, double budget_s,
                             rh_error *error) {
  const rh_tuner *tuner = &w->tuner;
  rh_status status = open_device(w, device_or_none, budget_s, error);
  int began = status == RH_OK;
  if (began) {
    status = rh_tuner_run(&w->tuner, error);
    rh_tunedb_settle(tuner->tuned, &w->unkept);
  }
  rh_terminal_clear(w->app->terminal);
  for (uint32_t k = 0; k < tuner->n_tasks; k++)
    w->n_left += tuner->tasks[k].state <= RH_TASK_measured;
  if (began) report_device(w);
  rh_stage_close(&w->stage);
  rh_tuner_finish(&w->tuner);
  return status;
}

static rh_status tune_devices(work *w, rh_error *error) {
  RH_FREED(const rh_cl_device *) list = NULL;
  uint32_t n, n_sizes[RH_N_TYPES];
  double start = rh_now();
  RH_TRY(rh_bench_devices(w->app, &list, &n, error));
  memcpy(n_sizes, w->settings.n_sizes, sizeof n_sizes);
  for (uint32_t k = 0; k < n; k++) {
    double left_s = w->app->typed->budget_s - (k ? rh_now() - start : 0);
    trim_sizes(w, list ? list[k] : NULL, n_sizes);
    RH_TRY(tune_device(w, list ? list[k] : NULL, left_s / (n - k), error));
  }
  return RH_OK;
}

static rh_status conclude(const work *w, rh_status status, rh_error *error) {
  int kept = !*w->unkept.message;
  if (status == RH_E_CANCELLED && !kept)
    return rh_fail(error, RH_E_CANCELLED,
                   "interrupted with %u left; some results were not stored: %s", w->n_left,
                   w->unkept.message);
  if (status == RH_E_CANCELLED && !file_of_results(w))
    return rh_fail(error, RH_E_CANCELLED, "interrupted before anything was found");
  if (status == RH_E_CANCELLED)
    return rh_fail(error, RH_E_CANCELLED,
                   "interrupted with %u left: what was found is kept, and the same command goes on "
                   "from there",
                   w->n_left);
  if (status == RH_OK && !kept)
    return rh_fail(error, RH_E_FILE, "some results were not stored: %s", w->unkept.message);
  if (status != RH_OK || w->n_wrong == 0) return status;
  int is_one = w->n_wrong == 1;
  return rh_fail(error, RH_E_WRONG,
                 "%u strateg%s wrong with the parameters that %s with, and `auto' leaves %s alone",
                 w->n_wrong, is_one ? "y is" : "ies are", is_one ? "it comes" : "they come",
                 is_one ? "it" : "them");
}

static void work_finish(work *w) {
  rh_bench_settings_finish(&w->settings);
  json_decref(w->tuned);
}

rh_status rh_mode_tune(const rh_app *app, rh_error *error) {
  RH_FINISHED(work) w = {.app = app, .tuned = json_array()};
  RH_TRY(parse(&w, error));
  rh_terminal_hold_interrupt();
  rh_status status = tune_devices(&w, error);
  rh_terminal_write_down();
  if (app->typed->json && (status == RH_OK || status == RH_E_CANCELLED))
    RH_TRY(rh_json_print(rh_json("tuned:o file:s budget_s:f left:i complete:b",
                                 json_incref(w.tuned), file_of_results(&w), app->typed->budget_s,
                                 w.n_left, status == RH_OK && w.n_left == 0),
                         error));
  return conclude(&w, status, error);
}
