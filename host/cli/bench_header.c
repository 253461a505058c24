#include "bench_header.h"
#include "../core/base/error.h"
#include "../tools/bench/problem.h"
#include "json.h"

#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

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
  json_t *os = uname(&system) == 0 ? json_sprintf("%s %s", system.sysname, system.release) : NULL;
  return json_pack("{s:o, s:o, s:o, s:o*, s:o, s:I, s:o, s:b}", "argv",
                   rh_json_strings(app->typed->argv, (uint32_t)app->typed->argc), "start", now(),
                   "host", rh_json_bytes(host), "os", os, "cpu", processor(), "processors",
                   (json_int_t)sysconf(_SC_NPROCESSORS_ONLN), "env", environment(), "complete", 0);
}

static json_t *describe_settings(const rh_bench_settings *settings) {
  static const char *const timers[] = {"auto", "event", "host"};
  const rh_bench_rules *rules = &settings->rules;
  return json_pack(
      "{s:s, s:f, s:f, s:I, s:I, s:I, s:s, s:o, s:s}", "cache", settings->hot ? "hot" : "cold",
      "precision", rules->precision, "max_time_s", rules->max_time_s, "min_samples",
      (json_int_t)rules->min_samples, "max_samples", (json_int_t)rules->max_samples, "processes",
      (json_int_t)settings->processes, "timer", timers[settings->timer], "seed",
      json_sprintf("%llu", (unsigned long long)settings->seed), "data", settings->data);
}

rh_status rh_bench_header_begin(rh_records *results, const rh_app *app,
                                const rh_bench_settings *settings, rh_error *error) {
  json_t *document = rh_json_document(json_object());
  results->tool = json_incref(json_object_get(document, "tool"));
  json_decref(document);
  results->run = describe_run(app);
  results->settings = describe_settings(settings);
  results->devices = json_array();
  results->calibration = json_array();
  results->strategies = json_array();
  return finished(!results->tool || !results->run || !results->settings, error);
}

rh_status rh_bench_header_end(rh_records *results, double wall_s, int complete, rh_error *error) {
  int failed = json_object_set_new(results->run, "wall_s", json_real(wall_s)) |
               json_object_set_new(results->run, "complete", json_boolean(complete));
  return finished(failed, error);
}

rh_status rh_bench_header_device(rh_records *results, const rh_cl_device *device, rh_error *error) {
  return finished(json_array_append_new(results->devices, rh_json_device(device)), error);
}

static json_t *describe_calibration(const rh_stage *stage) {
  const rh_bench_device *bench_device = &stage->bench_device;
  const rh_calibration *c = &bench_device->calibration;
  return json_pack(
      "{s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:I, s:o, s:o, s:I}", "device",
      rh_json_bytes(stage->device->label), "timer", bench_device->host_clock ? "host" : "event",
      "timer_declared_s", rh_json_number(c->timer_declared_s), "timer_step_s",
      rh_json_number(c->timer_step_s), "launch_s", rh_json_number(c->launch_s), "empty_kernel_s",
      rh_json_number(c->empty_kernel_s), "read_peak_Bps", rh_json_number(c->read_peak),
      "read_peak_bytes", (json_int_t)bench_device->scratch_bytes, "h2d_Bps",
      rh_json_number(c->upload), "d2h_Bps", rh_json_number(c->download), "cold_footprint_bytes",
      (json_int_t)c->cold_bytes);
}

static int describe_strategies(rh_records *results, const rh_app *app, const rh_stage *stage) {
  rh_app own = *app; /* offers are described for the first problem */
  int failed = 0;
  const rh_job_spec first = rh_bench_first_problem(stage->settings);
  own.op = first.operation.op->base;
  own.type = first.operation.op->type;
  for (uint32_t k = 0; k < stage->n_found; k++) {
    const rh_entry *entry = rh_registry_find(&stage->context->registry, stage->found[k].name);
    if (entry) failed |= json_array_append_new(results->strategies, rh_json_strategy(&own, entry));
  }
  return failed;
}

static json_t *describe_peer(rh_peers *peers, uint32_t k, const char *program) {
  return json_pack("{s:s, s:b, s:o, s:o}", "name", rh_peers_sampler(peers, k).name, "peer", 1,
                   "summary", rh_json_bytes(rh_peers_about(peers, k)), "plugin",
                   rh_json_bytes(program));
}

rh_status rh_bench_header_stage(rh_records *results, const rh_app *app, const rh_stage *stage,
                                rh_error *error) {
  int failed = describe_strategies(results, app, stage);
  for (uint32_t k = 0; k < stage->n_peers; k++)
    for (uint32_t j = 0; j < rh_peers_count(stage->peers[k]); j++)
      failed |= json_array_append_new(results->strategies,
                                      describe_peer(stage->peers[k], j, stage->settings->peers[k]));
  if (stage->device)
    failed |= json_array_append_new(results->calibration, describe_calibration(stage));
  return finished(failed, error);
}
