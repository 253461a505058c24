#include <sys/utsname.h>

#include "../tools/plot/plot.h"
#include "bench.h"
#include "offers.h"

uint32_t rh_bench_format(const rh_typed *typed) {
  static const uint32_t formats[] = {
      0, 0, RH_FORMAT_markdown, RH_FORMAT_csv, RH_FORMAT_json, RH_FORMAT_jsonl};
  return typed->json ? RH_FORMAT_json : formats[typed->format];
}

rh_status rh_bench_output_check(const rh_typed *typed, rh_error *error) {
  if (typed->dry_run) return RH_OK;
  RH_TRY(rh_exports_check(typed, RH_EXPORT_PICTURE | RH_EXPORT_PAGE | RH_EXPORT_ROWS, error));
  if (typed->outputs.n > 1)
    return rh_fail(error, RH_E_USAGE, "--output: --bench writes one; --export writes more");
  if (typed->outputs.n) RH_TRY(rh_records_check_path(typed->outputs.list[0], error));
  if (!typed->resume) return RH_OK;
  if (rh_format_from_path(typed->resume) != RH_FORMAT_jsonl)
    return rh_fail(error, RH_E_USAGE, "--resume %s: expected a name that ends in .jsonl",
                   typed->resume);
  return rh_records_check_path(typed->resume, error);
}

static const char *device_key(const rh_records *results) {
  const json_t *first = json_array_get(json_object_get(results->head, "devices"), 0);
  const char *id = json_string_value(json_object_get(first, "id"));
  const char *key = id ? rh_records_device_text(results, id, "key") : NULL;
  return key ? key : "no device";
}

static rh_status refuse(const char *path, const char *what, const char *was, const char *is,
                        rh_error *error) {
  return rh_fail(error, RH_E_FILE, "--resume %s: it was measured %s %s, this is %s; use a new file",
                 path, what, was, is);
}

static const char *word_of(const json_t *object, const char *key) {
  const char *word = json_string_value(json_object_get(object, key));
  return word ? word : "unknown";
}

/* Points of different builds, devices or settings could not be distinguished in one file. */
static rh_status check_same(const char *path, const rh_records *was, const rh_records *is,
                            rh_error *error) {
  static const char *const of_tool[] = {"version", "git", "build"};
  const json_t *old = json_object_get(was->head, "tool"), *now = json_object_get(is->head, "tool");
  if (strcmp(device_key(was), device_key(is)) != 0)
    return refuse(path, "on", device_key(was), device_key(is), error);
  for (size_t k = 0; k < sizeof of_tool / sizeof *of_tool; k++)
    if (strcmp(word_of(old, of_tool[k]), word_of(now, of_tool[k])) != 0)
      return refuse(path, "by redhost", word_of(old, of_tool[k]), word_of(now, of_tool[k]), error);
  if (!json_equal(json_object_get(was->head, "settings"), json_object_get(is->head, "settings")))
    return rh_fail(error, RH_E_FILE,
                   "--resume %s: it was measured with other settings (--cache, --precision, "
                   "--max-time, --samples, --processes, --timer, --data or --seed); use a new file",
                   path);
  return RH_OK;
}

/* Interrupted points are measured again. */
static rh_status take_rows(rh_records *results, rh_records *was, rh_error *error) {
  for (uint32_t k = 0; k < was->n_rows; k++) {
    rh_row row = was->rows[k];
    if (row.status == RH_ROW_skipped) continue;
    memset(&was->rows[k], 0, sizeof was->rows[k]);
    if (rh_records_add(results, &row) != 0)
      return rh_fail(error, RH_E_NOMEM, "no memory for the results");
  }
  return RH_OK;
}

rh_status rh_bench_output_take_over(const char *path, rh_records *results, rh_error *error) {
  RH_FINISHED(rh_records) was = {0};
  struct stat st;
  if (stat(path, &st) != 0 || st.st_size == 0) return RH_OK;
  RH_TRY(rh_records_read(path, &was, error));
  results->whole_bytes = was.whole_bytes;
  if (!was.are_lines)
    return rh_fail(error, RH_E_FILE,
                   "--resume %s: it is one JSON document; only JSONL can be appended to", path);
  RH_TRY(check_same(path, &was, results, error));
  return take_rows(results, &was, error);
}

/* --quiet: the name of the best strategy of each point. */
static void print_best(const rh_records *results) {
  for (uint32_t k = 0; k < results->n_rows; k++) {
    const rh_row *row = &results->rows[k];
    rh_best best = rh_records_best(results, row, 0);
    if (best.row == row) puts(row->strategy);
  }
}

static rh_status print(const rh_app *app, const rh_records *results, rh_error *error) {
  uint32_t format = rh_bench_format(app->typed);
  if (format) return rh_records_write(results, format, stdout, "standard output", error);
  if (app->typed->quiet) print_best(results);
  else rh_bench_table_print(results, app->terminal);
  return RH_OK;
}

/* Tables are printed to standard output, which is that file from here on. */
static rh_status print_to(const rh_app *app, const char *path, const rh_records *results,
                          rh_error *error) {
  if (!freopen(path, "w", stdout))
    return rh_fail(error, RH_E_FILE, "%s: %s", path, strerror(errno));
  RH_TRY(print(app, results, error));
  if (fflush(stdout) == 0 && !ferror(stdout)) return RH_OK;
  clearerr(stdout);
  return rh_fail(error, RH_E_FILE, "%s: %s", path, strerror(errno));
}

rh_status rh_bench_output_all(const rh_app *app, const rh_records *results, rh_error *error) {
  const rh_words *outputs = &app->typed->outputs, *exports = &app->typed->exports;
  const char *pictures[RH_MAX_WORDS];
  rh_plot_spec spec = {.files = pictures};
  RH_FINISHED(rh_plotted) plotted = {0};
  rh_error why; /* a failing destination does not affect the others */
  rh_status status =
      outputs->n ? print_to(app, outputs->list[0], results, error) : print(app, results, error);
  for (uint32_t k = 0; k < exports->n; k++) {
    const char *path = exports->list[k];
    if (!rh_format_from_path(path)) pictures[spec.n_files++] = path;
    else if (rh_records_export(results, path, &why) != RH_OK && status == RH_OK) {
      status = why.status;
      *error = why;
    }
  }
  if (!spec.n_files) return status;
  rh_status drawn =
      rh_plot_results(results, "the results", &spec, &plotted, status == RH_OK ? error : &why);
  return status == RH_OK ? drawn : status;
}

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

rh_status rh_bench_header_begin(rh_records *results, const rh_app *app,
                                const rh_bench_settings *settings, rh_error *error) {
  json_auto_t *document = rh_json_document(json_object());
  json_t *tool = json_incref(json_object_get(document, "tool")), *run = describe_run(app);
  json_t *is = describe_settings(settings);
  results->head = rh_json("schema:s tool:o run:o devices:o calibration:o settings:o strategies:o",
                          RH_SCHEMA, tool, run, json_array(), json_array(), is, json_array());
  return finished(!results->head || !tool || !run || !is, error);
}

rh_status rh_bench_header_end(rh_records *results, double wall_s, int complete, rh_error *error) {
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

rh_status rh_bench_header_stage(rh_records *results, const rh_app *app, const rh_stage *stage,
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
