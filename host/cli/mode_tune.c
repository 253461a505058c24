/* redhost --tune */
#include "../choose/choose.h"
#include "../tools/tune/tune.h"
#include "app.h"

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

/* ---- Events: "two_stage_float4  sum f32 2^22  12.1 us -> 9.4 us  group=512" ---- */

/* Settings as words: "group=512 finish=device". */
static const char *settings_text(const rh_tunedb_settings *settings) {
  const char *text = "";
  for (uint32_t k = 0; k < settings->n; k++)
    text = rh_show("%s%s%s=%s", text, k ? " " : "", settings->list[k].key, settings->list[k].value);
  return text;
}

/* "2^22", "2^22 by 2^10 uniform" */
static const char *size_text(const rh_task *task, uint64_t n) {
  if (!task->cut.length) return rh_count(n);
  return rh_show("%s by %s %s", rh_count(n), rh_count(task->cut.length),
                 rh_lengths_name(task->cut.distribution));
}

/* "sum f32 2^22" */
static const char *problem_text(const rh_task *task, uint64_t n) {
  return rh_show("%s %s %s", task->op->name, rh_type_name(rh_task_type(task)), size_text(task, n));
}

static int is_for_people(const rh_app *app) { return !app->typed->quiet && !app->typed->json; }

static void report_event(void *user, const rh_tune_event *event) {
  work *w = user;
  const rh_task *task = event->task;
  const char *strategy = rh_tuner_strategy(&w->tuner, task), *why = "left out: ";
  w->n_wrong += event->kind == RH_TUNE_WRONG;
  if (event->kind == RH_TUNE_BETTER && is_for_people(w->app)) {
    rh_terminal_clear();
    printf("%-18s  %-14s  %s -> %s  %s\n", strategy, problem_text(task, task->n),
           rh_seconds(task->default_s), rh_seconds(task->time_s), settings_text(&task->settings));
    fflush(stdout);
  }
  if (event->kind == RH_TUNE_BETTER) return;
  if (w->app->typed->quiet && event->kind != RH_TUNE_WRONG) return;
  if (event->kind == RH_TUNE_WRONG) why = "not tuned, its result is wrong: ";
  if (event->kind == RH_TUNE_REFUSED)
    why = rh_show("%s is refused, its result is wrong: ", settings_text(event->settings));
  rh_terminal_say("%s, %s: %s%s", strategy, problem_text(task, event->n), why, event->reason);
}

/* ---- Order: by operator, type and size, then the fastest first ---- */

static int in_reading_order(const void *first, const void *second) {
  const rh_task *a = *(rh_task *const *)first, *b = *(rh_task *const *)second;
  int operators = rh_task_operator_order(a, b);
  if (operators) return operators;
  if (rh_task_type(a) != rh_task_type(b)) return rh_task_type(a) < rh_task_type(b) ? -1 : 1;
  if (a->n != b->n) return a->n < b->n ? -1 : 1;
  int cuts = rh_task_cut_order(a, b);
  if (cuts) return cuts;
  int timed = (b->time_s > 0) - (a->time_s > 0);
  if (timed) return timed;
  if (a->time_s != b->time_s) return a->time_s < b->time_s ? -1 : 1;
  return (a->strategy > b->strategy) - (a->strategy < b->strategy);
}

/* ---- Tables ---- */

static const char *seconds_text(double seconds) { return seconds > 0 ? rh_seconds(seconds) : "-"; }

static void add_change(rh_table *table, const rh_tuner *tuner, const rh_task *task) {
  char ratio[32];
  int is_timed = task->default_s > 0 && task->time_s > 0;
  const char *gain =
      is_timed ? rh_show("%sx", rh_format_fixed(ratio, task->default_s / task->time_s, 2)) : "-";
  rh_table_row(table, is_timed && rh_task_is_changed(task) ? "       + " : "         ",
               rh_tuner_strategy(tuner, task), task->op->name, rh_type_name(rh_task_type(task)),
               size_text(task, task->n), rh_task_base_name(task), seconds_text(task->default_s),
               seconds_text(task->time_s), gain, settings_text(&task->settings));
}

/* Prints the tasks that the search improved; with --verbose all that have a time. */
static void print_changes(const rh_app *app, const rh_tuner *tuner, const rh_task *const *tasks) {
  rh_table table = {0};
  uint32_t as_they_are = 0;
  rh_table_begin(&table, "STRATEGY|OP|TYPE|>n|AGAINST|>BEFORE|>TUNED|>GAIN|PARAMETERS");
  for (uint32_t k = 0; k < tuner->n_tasks; k++) {
    const rh_task *task = tasks[k];
    if (task->time_s <= 0) continue;
    int is_news = task->state == RH_TASK_kept ? task->settings.n > 0 : rh_task_is_changed(task);
    if (is_news || app->typed->verbose) add_change(&table, tuner, task);
    else as_they_are += task->state == RH_TASK_tuned || task->state == RH_TASK_kept;
  }
  rh_table_print(&table, "  ");
  if (as_they_are)
    printf("  %u %s as before; --verbose lists all.\n", as_they_are,
           as_they_are == 1 ? "stays" : "stay");
}

static void print_quickest(const rh_tuner *tuner, const rh_task *const *tasks) {
  rh_table table = {0};
  rh_table_begin(&table, "OP|TYPE|>n|QUICKEST CALL|>LATENCY|>TIME|PARAMETERS");
  for (uint32_t k = 0; k < tuner->n_tasks; k++) {
    if (k && rh_tasks_same_point(tasks[k - 1], tasks[k])) continue;
    const rh_task *task = rh_plan_quickest(tuner->tasks, tuner->n_tasks, tasks[k]);
    if (!task) continue;
    rh_table_row(&table, "       ", task->op->name, rh_type_name(rh_task_type(task)),
                 size_text(task, task->n), rh_tuner_strategy(tuner, task),
                 seconds_text(task->latency_s), seconds_text(task->time_s),
                 settings_text(&task->settings));
  }
  rh_table_print(&table, "  ");
}

/* The file with the results; null: they could not be stored, or there are none. */
static const char *file_of_results(const work *w) {
  const char *path = rh_show("%s/tuned.json", w->app->context->cache.directory);
  return *w->unkept.message || access(path, F_OK) != 0 ? NULL : path;
}

static void print_counts(const work *w) {
  const rh_tuner *tuner = &w->tuner;
  const char *file = file_of_results(w);
  uint32_t candidates = 0, refused = 0, broken = 0, in[RH_TASK_dropped + 1] = {0};
  for (uint32_t k = 0; k < tuner->n_tasks; k++) {
    in[tuner->tasks[k].state]++;
    candidates += tuner->tasks[k].candidates;
    refused += tuner->tasks[k].refused;
    broken += tuner->tasks[k].broken;
  }
  printf("%u tuned, %u candidates tried", in[RH_TASK_tuned], candidates);
  if (refused) printf(", %u refused for wrong results", refused);
  if (broken) printf(", %u of them failed", broken);
  if (in[RH_TASK_kept]) printf("; %u known before (--fresh measures again)", in[RH_TASK_kept]);
  if (in[RH_TASK_slow]) printf("; %u far too slow to be searched", in[RH_TASK_slow]);
  if (in[RH_TASK_failed]) printf("; %u failed and left out", in[RH_TASK_failed]);
  if (file) printf(". Kept in %s\n", rh_plain(file));
  else printf(*w->unkept.message ? ". Not kept\n" : ". Nothing to keep\n");
  uint32_t left = in[RH_TASK_todo] + in[RH_TASK_measured];
  if (left && !rh_terminal_was_interrupted())
    printf("%u of %u left undone when the budget was spent: the same command goes on from there.\n",
           left, tuner->n_tasks);
}

/* ---- JSON ---- */

static json_t *settings_json(const rh_task *task) {
  json_t *object = json_object();
  for (uint32_t k = 0; k < task->settings.n; k++)
    json_object_set_new(object, task->settings.list[k].key,
                        json_string(task->settings.list[k].value));
  return object;
}

static double known(double seconds) { return seconds > 0 ? seconds : NAN; }

static json_t *task_json(const rh_tuner *tuner, const rh_task *task) {
  const rh_cut *cut = &task->cut;
  json_t *segments = cut->length ? rh_json("distribution:s length:u",
                                           rh_lengths_name(cut->distribution), cut->length)
                                 : NULL;
  return rh_json("device:s strategy:s op:s type:s n:u segments:o? status:s against:s default_s:f "
                 "time_s:f latency_s:f params:o candidates:i refused:i failed:i",
                 rh_stage_label(tuner->stage), rh_tuner_strategy(tuner, task), task->op->name,
                 rh_type_name(rh_task_type(task)), task->n, segments, rh_task_name(task->state),
                 rh_task_base_name(task), known(task->default_s), known(task->time_s),
                 known(task->latency_s), settings_json(task), task->candidates, task->refused,
                 task->broken);
}

static void report_device(work *w) {
  const rh_tuner *tuner = &w->tuner;
  const rh_cl_device *device = tuner->stage->device;
  RH_FREED(const rh_task *) tasks = calloc(tuner->n_tasks + 1, sizeof *tasks);
  for (uint32_t k = 0; tasks && k < tuner->n_tasks; k++) tasks[k] = &tuner->tasks[k];
  if (tasks) qsort(tasks, tuner->n_tasks, sizeof *tasks, in_reading_order);
  rh_terminal_write_down();
  if (tasks && is_for_people(w->app)) {
    printf("\nOn %s%s%s\n\n", rh_stage_label(tuner->stage), device ? " " : "",
           device ? device->name : "");
    print_changes(w->app, tuner, tasks);
    printf("\n");
    print_quickest(tuner, tasks);
    printf("\n");
    print_counts(w);
  }
  rh_terminal_go_on();
  for (uint32_t k = 0; tasks && k < tuner->n_tasks; k++)
    json_array_append_new(w->tuned, task_json(tuner, tasks[k]));
}

/* ---- Searching ---- */

static rh_status parse(work *w, rh_error *error) {
  const rh_cache *cache = &w->app->context->cache;
  const char *how = "HOME is not set; set it or use --cache-dir";
  RH_TRY(rh_bench_settings_parse(&w->settings, w->app, error));
  for (uint32_t t = 0; t < w->settings.types.n; t++)
    if (w->settings.sizes[t][0] == 0)
      return rh_fail(error, RH_E_USAGE, "--size 0: there is nothing to tune for 0 elements");
  if (cache->directory) return RH_OK;
  if (cache->distrusted)
    return rh_fail(error, RH_E_FILE,
                   "--tune keeps what it finds in the cache, whose directory is not trusted: name "
                   "another one with --cache-dir");
  if (rh_env("REDHOST_NO_CACHE")) how = "REDHOST_NO_CACHE is set; unset it";
  if (w->app->typed->no_cache) how = "leave out --no-cache";
  return rh_fail(error, RH_E_USAGE,
                 "--tune stores its results in the cache, but there is no cache: %s", how);
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

/* The file must be writable before anything is measured. */
static rh_status open_device(work *w, const rh_cl_device *device, double budget_s,
                             rh_error *error) {
  w->tuner = (rh_tuner){.stage = &w->stage,
                        .budget_s = budget_s,
                        .fresh = (int)w->app->typed->fresh,
                        .on_turn = rh_terminal_turn,
                        .on_event = report_event,
                        .user = w};
  RH_TRY(rh_stage_open(&w->stage, w->app->context, device, &w->settings, error));
  RH_TRY(rh_context_tuned(w->app->context, &w->tuner.tuned, error));
  RH_TRY(rh_tunedb_settle(w->tuner.tuned, error));
  drop_host_strategies(w);
  return rh_stage_calibrate(&w->stage, error);
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
  rh_terminal_clear();
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
