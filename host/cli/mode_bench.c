/* redhost --bench */
#include "bench.h"

typedef struct work {
  const rh_app *app;
  rh_bench_settings settings;
  rh_records results;
  FILE *resume;                 /* the resumed file, once its header is written; null */
  const rh_cl_device **devices; /* null: there is none */
  uint32_t n_devices;
  rh_stage stage; /* of the current device */
  json_t *plan;   /* --dry-run in JSON: {"devices", "plan"}; or null */
} work;

/* ---- --dry-run: measurements, their memory and time (docs/inside/measuring.md) ---- */

/* The copies, the original data, and the scratch memory of sweeps. *of_device is 0 if the device
 * shares the host's memory. */
static void estimate_memory(const rh_stage *stage, uint64_t *of_host, uint64_t *of_device) {
  const rh_bench_settings *settings = stage->settings;
  uint64_t most = 0, cold = RH_COLD_BYTES;
  for (uint32_t t = 0; t < settings->types.n; t++) {
    uint64_t bytes =
        settings->sizes[t][settings->n_sizes[t] - 1] * rh_bench_element_bytes(settings, t);
    if (bytes > most) most = bytes;
  }
  uint64_t copies = settings->hot || most > cold ? most : cold;
  int on_host = !stage->device || stage->device->shares_memory;
  *of_host = most + (on_host ? copies + cold : 0);
  *of_device = on_host ? 0 : copies + 2 * cold;
}

static json_t *names_of(const rh_stage *stage) {
  json_t *names = json_array();
  for (uint32_t k = 0; k < stage->n_found; k++)
    json_array_append_new(names, json_string(stage->found[k].name));
  for (uint32_t k = 0; k < stage->n_peers; k++)
    for (uint32_t j = 0; j < rh_peers_count(stage->peers[k]); j++)
      json_array_append_new(names, json_string(rh_peers_sampler(stage->peers[k], j).name));
  return names;
}

static json_t *points_of(const rh_bench_settings *settings, uint32_t t) {
  json_t *ops = json_array(), *sizes = json_array();
  for (uint32_t k = 0; k < settings->ops.n; k++)
    if (rh_bench_is_defined(settings, t, settings->ops.list[k]))
      json_array_append_new(ops, json_string(rh_bench_op_name(settings, settings->ops.list[k])));
  for (uint32_t k = 0; k < settings->n_sizes[t]; k++)
    json_array_append_new(sizes, json_integer((json_int_t)settings->sizes[t][k]));
  return rh_json("type:s ops:o n:o", rh_type_name(settings->types.list[t]), ops, sizes);
}

/* An element of `plan`, for one device. */
static json_t *plan_of(const rh_stage *stage) {
  const rh_bench_settings *settings = stage->settings;
  rh_bench_pace pace;
  uint64_t host, device;
  json_t *points = json_array();
  rh_bench_pace_begin(&pace, stage);
  estimate_memory(stage, &host, &device);
  for (uint32_t t = 0; t < settings->types.n; t++)
    json_array_append_new(points, points_of(settings, t));
  return rh_json("device:s strategies:o points:o total:i processes:i cache:s host_bytes:u "
                 "device_bytes:u least_s:f most_s:f",
                 rh_stage_label(stage), names_of(stage), points, pace.total / settings->processes,
                 settings->processes, settings->hot ? "hot" : "cold", host, device,
                 0.06 * pace.total, (0.5 + pace.max_time_s) * pace.total);
}

static void print_words(const json_t *list) {
  size_t k;
  const json_t *word;
  json_array_foreach(list, k, word) printf(" %s", json_string_value(word));
}

static const char *size_in(const json_t *sizes, size_t k) {
  return rh_count((uint64_t)json_integer_value(json_array_get(sizes, k)));
}

static void print_points(const json_t *points) {
  size_t k;
  const json_t *point;
  json_array_foreach(points, k, point) {
    const json_t *sizes = json_object_get(point, "n");
    size_t n = json_array_size(sizes);
    const char *first = size_in(sizes, 0), *last = size_in(sizes, n - 1);
    printf("points      %s:", json_string_value(json_object_get(point, "type")));
    print_words(json_object_get(point, "ops"));
    if (n == 1) printf(", %s\n", first);
    else printf(", %zu sizes from %s to %s\n", n, first, last);
  }
}

static void print_lengths(const rh_bench_settings *settings) {
  if (!settings->n_lengths) return;
  printf("segments    %u lengths from %s to %s:", settings->n_lengths,
         rh_count(settings->lengths[0]), rh_count(settings->lengths[settings->n_lengths - 1]));
  for (uint32_t k = 0; k < settings->distributions.n; k++)
    printf(" %s", rh_lengths_name(settings->distributions.list[k]));
  printf("\n");
}

static uint64_t whole_in(const json_t *plan, const char *key) {
  return (uint64_t)json_integer_value(json_object_get(plan, key));
}

static void print_plan(const rh_stage *stage, const json_t *plan) {
  if (stage->device)
    printf("device      %s %s\n", stage->device->label, rh_plain(stage->device->name));
  else printf("device      none: host strategies only\n");
  printf("strategies ");
  print_words(json_object_get(plan, "strategies"));
  printf("\n");
  print_points(json_object_get(plan, "points"));
  print_lengths(stage->settings);
  printf("            %u in all, %s", (unsigned)whole_in(plan, "total"),
         json_string_value(json_object_get(plan, "cache")));
  if (stage->settings->processes > 1) printf(", each in %u processes", stage->settings->processes);
  printf("\nmemory      about %s of the host's", rh_bytes(whole_in(plan, "host_bytes")));
  if (whole_in(plan, "device_bytes"))
    printf(", %s of the device's", rh_bytes(whole_in(plan, "device_bytes")));
  printf("\ntime        %.0f s at the least, %.0f s at the most\n",
         json_number_value(json_object_get(plan, "least_s")),
         json_number_value(json_object_get(plan, "most_s")));
}

static void note_plan(work *w) {
  json_auto_t *plan = plan_of(&w->stage);
  if (!w->plan) {
    print_plan(&w->stage, plan);
    return;
  }
  json_array_append(json_object_get(w->plan, "plan"), plan);
  if (w->stage.device)
    json_array_append_new(json_object_get(w->plan, "devices"), rh_json_device(w->stage.device));
}

/* ---- Measuring ---- */

static rh_status on_turn(void *user, const rh_bench_turn *turn, rh_error *error) {
  const work *w = user;
  return rh_terminal_turn(w->app->terminal, turn, error);
}

static rh_status on_row(void *user, const rh_row *row, rh_error *error) {
  work *w = user;
  const char *path = w->app->typed->resume;
  return path ? rh_jsonl_add(w->resume, row, path, error) : RH_OK;
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
    note_plan(w);
    return RH_OK;
  }
  const char *path = w->app->typed->resume;
  if (w->stage.device)
    json_array_append_new(json_object_get(w->results.head, "devices"),
                          rh_json_device(w->stage.device));
  if (w->resume)
    return rh_fail(error, RH_E_USAGE,
                   "--resume takes one device at a time: its file has one header");
  if (path) RH_TRY(rh_bench_output_take_over(path, &w->results, error));
  RH_TRY(rh_stage_calibrate(&w->stage, error));
  RH_TRY(rh_bench_header_stage(&w->results, w->app, &w->stage, error));
  if (path) RH_TRY(rh_jsonl_begin(&w->resume, path, &w->results, w->results.whole_bytes, error));
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

/* Results that are not judged are told of with --quiet, too: nobody should take them for checked
 * ones. */
static rh_status conclude(const work *w, rh_error *error) {
  uint32_t wrong = 0, failed = 0, noisy = 0, unjudged = 0, n = w->results.n_rows;
  const rh_row *first = NULL;
  for (uint32_t k = 0; k < n; k++) {
    const rh_row *row = &w->results.rows[k];
    wrong += row->status == RH_ROW_wrong;
    failed += row->status == RH_ROW_failed;
    noisy += (row->flags & (RH_FLAG_noisy | RH_FLAG_throttled | RH_FLAG_timed_out)) != 0;
    if (row->status != RH_ROW_ok || !row->unjudged) continue;
    if (unjudged++ == 0) first = row;
  }
  if (first)
    rh_terminal_say(w->app->terminal,
                    "warning: %u of %u results are not judged, for example '%s', %s %s, n = %llu",
                    unjudged, n, first->strategy, rh_row_op_name(first), rh_type_name(first->type),
                    (unsigned long long)first->n);
  if (wrong) return rh_fail(error, RH_E_WRONG, "%u of %u points have a wrong result", wrong, n);
  if (failed) return rh_fail(error, RH_E_PLUGIN, "%u of %u points failed", failed, n);
  if (!noisy || !w->app->typed->strict) return RH_OK;
  return rh_fail(error, (rh_status)RH_E_NOISY,
                 "%u of %u points are noisy, throttled or out of time", noisy, n);
}

static void work_finish(work *w) {
  rh_stage_close(&w->stage);
  if (w->resume) fclose(w->resume);
  rh_records_finish(&w->results);
  rh_bench_settings_finish(&w->settings);
  json_decref(w->plan);
  free(w->devices);
}

rh_status rh_mode_bench(const rh_app *app, rh_error *error) {
  RH_FINISHED(work) w = {.app = app};
  rh_error why = {0};
  RH_TRY(rh_bench_settings_parse(&w.settings, app, error));
  RH_TRY(rh_bench_output_check(app->typed, error));
  RH_TRY(rh_bench_devices(app, &w.devices, &w.n_devices, error));
  RH_TRY(rh_bench_header_begin(&w.results, app, &w.settings, error));
  if (app->typed->dry_run && rh_bench_format(app->typed) == RH_FORMAT_json)
    w.plan = rh_json("devices:o plan:o", json_array(), json_array());
  rh_terminal_hold_interrupt();
  double start = rh_now();
  rh_status status = bench_devices(&w, &why);
  rh_terminal_write_down();
  rh_terminal_clear(app->terminal);
  if (app->typed->dry_run && status == RH_OK)
    return w.plan ? rh_json_print(json_incref(w.plan), error) : RH_OK;
  /* Results are written even if the benchmark was interrupted or failed. */
  if (w.results.n_rows > 0) {
    RH_TRY(rh_bench_header_end(&w.results, rh_now() - start, status == RH_OK, error));
    RH_TRY(rh_bench_output_all(app, &w.results, error));
  }
  if (status != RH_OK) {
    if (error) *error = why;
    return status;
  }
  return conclude(&w, error);
}
