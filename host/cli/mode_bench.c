/* redhost --bench */
#include <sys/utsname.h>

#include "app.h"

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

/* ---- What is said of all results ---- */

extern char **environ;

static rh_status finished(int failed, rh_error *error) {
  return failed ? rh_fail(error, RH_E_NOMEM, "no memory for the results' header") : RH_OK;
}

/* Only variables of redhost and OpenCL, because an environment may contain secrets. */
static json_t *environment(void) {
  static const char *const ours[] = {"REDHOST_", "OCL_ICD_", "POCL_", "OMP_",
                                     "CUDA_VISIBLE_DEVICES="};
  json_t *object = json_object();
  for (char **entry = environ; *entry; entry++)
    for (size_t k = 0; k < sizeof ours / sizeof *ours; k++) {
      if (strncmp(*entry, ours[k], strlen(ours[k])) != 0) continue;
      char key[128];
      snprintf(key, sizeof key, "%.*s", (int)strcspn(*entry, "="), *entry);
      json_object_set_new(object, key, rh_json_bytes(*entry + strcspn(*entry, "=") + 1));
    }
  return object;
}

static json_t *processor(void) {
  char line[256];
  json_t *name = NULL;
  FILE *file = fopen("/proc/cpuinfo", "r");
  while (file && !name && fgets(line, sizeof line, file)) {
    char *colon = strchr(line, ':');
    if (strncmp(line, "model name", 10) != 0 || !colon) continue;
    colon[strcspn(colon, "\n")] = 0;
    name = rh_json_bytes(colon + 1 + strspn(colon + 1, " "));
  }
  if (file) fclose(file);
  return name ? name : json_null();
}

static json_t *now(void) {
  char text[32] = "";
  time_t seconds = time(NULL);
  struct tm utc;
  if (gmtime_r(&seconds, &utc)) strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return json_string(text);
}

static json_t *describe_run(const rh_app *app) {
  struct utsname system;
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  const char *os = uname(&system) == 0 ? rh_show("%s %s", system.sysname, system.release) : NULL;
  return rh_json("argv:o start:o host:s os:s? cpu:o processors:n env:o complete:b",
                 rh_json_strings(app->typed->argv, (uint32_t)app->typed->argc), now(), host, os,
                 processor(), (int64_t)sysconf(_SC_NPROCESSORS_ONLN), environment(), 0);
}

static json_t *describe_settings(const rh_bench_settings *settings) {
  static const char *const timers[] = {"auto", "event", "host"};
  const rh_bench_rules *rules = &settings->rules;
  return rh_json("cache:s precision:f max_time_s:f min_samples:i max_samples:i processes:i timer:s "
                 "seed:s data:s",
                 settings->hot ? "hot" : "cold", rules->precision, rules->max_time_s,
                 rules->min_samples, rules->max_samples, settings->processes,
                 timers[settings->timer], rh_show("%llu", (unsigned long long)settings->seed),
                 settings->data);
}

static rh_status begin_header(rh_records *results, const rh_app *app,
                              const rh_bench_settings *settings, rh_error *error) {
  json_auto_t *document = rh_json_document(json_object());
  json_t *tool = json_incref(json_object_get(document, "tool")), *run = describe_run(app);
  json_t *is = describe_settings(settings);
  results->head = rh_json("schema:s tool:o run:o devices:o calibration:o settings:o strategies:o",
                          RH_SCHEMA, tool, run, json_array(), json_array(), is, json_array());
  return finished(!results->head || !tool || !run || !is, error);
}

static rh_status end_header(rh_records *results, double wall_s, int complete, rh_error *error) {
  json_t *run = json_object_get(results->head, "run");
  int failed = json_object_set_new(run, "wall_s", json_real(wall_s)) |
               json_object_set_new(run, "complete", json_boolean(complete));
  return finished(failed, error);
}

static json_t *describe_calibration(const rh_stage *stage) {
  const rh_bench_device *bench_device = &stage->bench_device;
  const rh_calibration *c = &bench_device->calibration;
  return rh_json("device:s timer:s timer_declared_s:f timer_step_s:f launch_s:f empty_kernel_s:f "
                 "read_peak_Bps:f read_peak_bytes:u h2d_Bps:f d2h_Bps:f cold_footprint_bytes:u",
                 stage->device->label, bench_device->host_clock ? "host" : "event",
                 c->timer_declared_s, c->timer_step_s, c->launch_s, c->empty_kernel_s, c->read_peak,
                 bench_device->scratch_bytes, c->upload, c->download, c->cold_bytes);
}

static int describe_strategies(json_t *list, const rh_app *app, const rh_stage *stage) {
  rh_app own = *app; /* offers are described for the first problem */
  int failed = 0;
  rh_bench_at first = {.t = 0};
  rh_bench_next(stage->settings, &first);
  own.op = first.problem.operation.op->base;
  own.type = first.problem.operation.op->type;
  for (uint32_t k = 0; k < stage->n_found; k++) {
    const rh_entry *entry = rh_registry_find(&stage->context->registry, stage->found[k].name);
    if (entry) failed |= json_array_append_new(list, rh_json_strategy(&own, entry));
  }
  return failed;
}

static rh_status add_stage(rh_records *results, const rh_app *app, const rh_stage *stage,
                           rh_error *error) {
  json_t *strategies = json_object_get(results->head, "strategies");
  int failed = describe_strategies(strategies, app, stage);
  for (uint32_t k = 0; k < stage->n_peers; k++) {
    rh_peers *peers = stage->peers[k];
    for (uint32_t j = 0; j < rh_peers_count(peers); j++)
      failed |= json_array_append_new(
          strategies, rh_json("name:s peer:b summary:s plugin:s", rh_peers_sampler(peers, j).name,
                              1, rh_peers_about(peers, j), stage->settings->peers[k]));
  }
  if (stage->device)
    failed |= json_array_append_new(json_object_get(results->head, "calibration"),
                                    describe_calibration(stage));
  return finished(failed, error);
}

/* ---- --dry-run: measurements, their memory and time (docs/inside/measuring.md) ---- */

typedef struct plan {
  uint32_t total; /* points */
  double least_s, most_s;
  /* Bytes: of the original data, the copies, and the scratch memory of sweeps.  of_device: 0 if it
   * shares the host's memory. */
  uint64_t of_host, of_device;
} plan;

/* n: how many take part. */
static plan plan_of(const rh_stage *stage, uint32_t n) {
  const rh_bench_settings *settings = stage->settings;
  uint64_t most = 0, cold = RH_COLD_BYTES;
  uint32_t total = 0; /* in all processes */
  for (rh_bench_at at = {.t = 0}; rh_bench_next(settings, &at);) total += n * settings->processes;
  for (uint32_t t = 0; t < settings->types.n; t++) {
    uint64_t bytes =
        settings->sizes[t][settings->n_sizes[t] - 1] * rh_bench_element_bytes(settings, t);
    if (bytes > most) most = bytes;
  }
  uint64_t copies = settings->hot || most > cold ? most : cold;
  int on_host = !stage->device || stage->device->shares_memory;
  return (plan){.total = total / settings->processes,
                .least_s = 0.06 * total,
                .most_s = (0.5 + settings->rules.max_time_s) * total,
                .of_host = most + (on_host ? copies + cold : 0),
                .of_device = on_host ? 0 : copies + 2 * cold};
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
    if (rh_bench_operator(settings, t, settings->ops.list[k]))
      json_array_append_new(ops, json_string(rh_bench_op_name(settings, settings->ops.list[k])));
  for (uint32_t k = 0; k < settings->n_sizes[t]; k++)
    json_array_append_new(sizes, json_integer((json_int_t)settings->sizes[t][k]));
  return rh_json("type:s ops:o n:o", rh_type_name(settings->types.list[t]), ops, sizes);
}

static void print_points(const rh_bench_settings *settings, uint32_t t) {
  const uint64_t *sizes = settings->sizes[t];
  uint32_t n = settings->n_sizes[t];
  printf("points      %s:", rh_type_name(settings->types.list[t]));
  for (uint32_t k = 0; k < settings->ops.n; k++)
    if (rh_bench_operator(settings, t, settings->ops.list[k]))
      printf(" %s", rh_bench_op_name(settings, settings->ops.list[k]));
  if (n == 1) printf(", %s\n", rh_count(sizes[0]));
  else printf(", %u sizes from %s to %s\n", n, rh_count(sizes[0]), rh_count(sizes[n - 1]));
}

static void print_lengths(const rh_bench_settings *settings) {
  if (!settings->n_lengths) return;
  printf("segments    %u lengths from %s to %s:", settings->n_lengths,
         rh_count(settings->lengths[0]), rh_count(settings->lengths[settings->n_lengths - 1]));
  for (uint32_t k = 0; k < settings->distributions.n; k++)
    printf(" %s", rh_lengths_name(settings->distributions.list[k]));
  printf("\n");
}

static void print_plan(const rh_stage *stage, const plan *is, const json_t *names) {
  const rh_bench_settings *settings = stage->settings;
  const json_t *name;
  size_t k;
  if (stage->device)
    printf("device      %s %s\n", stage->device->label, rh_plain(stage->device->name));
  else printf("device      none: host strategies only\n");
  printf("strategies ");
  json_array_foreach(names, k, name) printf(" %s", json_string_value(name));
  printf("\n");
  for (uint32_t t = 0; t < settings->types.n; t++) print_points(settings, t);
  print_lengths(settings);
  printf("            %u in all, %s", is->total, settings->hot ? "hot" : "cold");
  if (settings->processes > 1) printf(", each in %u processes", settings->processes);
  printf("\nmemory      about %s of the host's", rh_bytes(is->of_host));
  if (is->of_device) printf(", %s of the device's", rh_bytes(is->of_device));
  printf("\ntime        %.0f s at the least, %.0f s at the most\n", is->least_s, is->most_s);
}

static void note_plan(work *w) {
  const rh_stage *stage = &w->stage;
  const rh_bench_settings *settings = stage->settings;
  json_auto_t *names = names_of(stage), *points = json_array();
  const plan is = plan_of(stage, (uint32_t)json_array_size(names));
  if (!w->plan) {
    print_plan(stage, &is, names);
    return;
  }
  for (uint32_t t = 0; t < settings->types.n; t++)
    json_array_append_new(points, points_of(settings, t));
  json_array_append_new(
      json_object_get(w->plan, "plan"),
      rh_json("device:s strategies:o points:o total:i processes:i cache:s host_bytes:u "
              "device_bytes:u least_s:f most_s:f",
              rh_stage_label(stage), json_incref(names), json_incref(points), is.total,
              settings->processes, settings->hot ? "hot" : "cold", is.of_host, is.of_device,
              is.least_s, is.most_s));
  if (stage->device)
    json_array_append_new(json_object_get(w->plan, "devices"), rh_json_device(stage->device));
}

/* ---- Measuring ---- */

static rh_status on_row(void *user, const rh_row *row, rh_error *error) {
  work *w = user;
  const char *path = w->app->typed->resume;
  return path ? rh_jsonl_add(w->resume, row, path, error) : RH_OK;
}

static rh_status measure(work *w, rh_error *error) {
  rh_bench_runner runner = {.stage = &w->stage,
                            .results = &w->results,
                            .on_turn = rh_terminal_turn,
                            .on_row = on_row,
                            .user = w};
  rh_status status = rh_bench_run(&runner, error);
  rh_stage_close(&w->stage);
  rh_bench_runner_finish(&runner);
  return status;
}

static rh_status bench_device(work *w, const rh_cl_device *device_or_none, rh_error *error) {
  RH_TRY(rh_stage_open(&w->stage, w->app->context, device_or_none, &w->settings, error));
  if (w->app->typed->dry_run) {
    note_plan(w);
    rh_stage_close(&w->stage);
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
  RH_TRY(add_stage(&w->results, w->app, &w->stage, error));
  if (path) RH_TRY(rh_jsonl_begin(&w->resume, path, &w->results, w->results.whole_bytes, error));
  return measure(w, error);
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
    rh_terminal_say("warning: %u of %u results are not judged, for example '%s', %s %s, n = %llu",
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
  RH_TRY(begin_header(&w.results, app, &w.settings, error));
  if (app->typed->dry_run && rh_bench_format(app->typed) == RH_FORMAT_json)
    w.plan = rh_json("devices:o plan:o", json_array(), json_array());
  rh_terminal_hold_interrupt();
  double start = rh_now();
  rh_status status = RH_OK;
  for (uint32_t k = 0; k < w.n_devices && status == RH_OK; k++)
    status = bench_device(&w, w.devices ? w.devices[k] : NULL, &why);
  rh_stage_close(&w.stage);
  rh_terminal_write_down();
  rh_terminal_clear();
  if (app->typed->dry_run && status == RH_OK)
    return w.plan ? rh_json_print(json_incref(w.plan), error) : RH_OK;
  /* Results are written even if the benchmark was interrupted or failed. */
  if (w.results.n_rows > 0) {
    RH_TRY(end_header(&w.results, rh_now() - start, status == RH_OK, error));
    RH_TRY(rh_bench_output_all(app, &w.results, error));
  }
  if (status != RH_OK) return rh_error_pass(error, status, &why);
  return conclude(&w, error);
}
