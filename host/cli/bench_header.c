#include "bench_header.h"
#include "../core/base/error.h"
#include "../tools/bench/problem.h"
#include "json.h"

#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

/* Values are new references, or null if out of memory. jansson rejects null, so one check at the
 * end is enough. */
static int put_fact(json_t *object, const char *key, json_t *value) {
  return json_object_set_new(object, key, value);
}

static rh_status finished(int failed, rh_error *error) {
  return failed ? rh_fail(error, RH_E_NOMEM, "no memory for the results' header") : RH_OK;
}

static json_t *words(int n, char **list) {
  json_t *array = json_array();
  for (int k = 0; k < n; k++) json_array_append_new(array, rh_json_bytes(list[k]));
  return array;
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
      put_fact(object, key, rh_json_bytes(*entry + strcspn(*entry, "=") + 1));
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

static int describe_run(json_t *run, const rh_app *app) {
  struct utsname system;
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  int failed = put_fact(run, "argv", words(app->typed->argc, app->typed->argv)) |
               put_fact(run, "start", now()) | put_fact(run, "host", rh_json_bytes(host));
  if (uname(&system) == 0)
    failed |= put_fact(run, "os", json_sprintf("%s %s", system.sysname, system.release));
  return failed | put_fact(run, "cpu", processor()) |
         put_fact(run, "processors", json_integer(sysconf(_SC_NPROCESSORS_ONLN))) |
         put_fact(run, "env", environment()) | put_fact(run, "complete", json_false());
}

static int describe_settings(json_t *object, const rh_bench_settings *settings) {
  static const char *const timers[] = {"auto", "event", "host"};
  const rh_bench_rules *rules = &settings->rules;
  return put_fact(object, "cache", json_string(settings->hot ? "hot" : "cold")) |
         put_fact(object, "precision", json_real(rules->precision)) |
         put_fact(object, "max_time_s", json_real(rules->max_time_s)) |
         put_fact(object, "min_samples", json_integer(rules->min_samples)) |
         put_fact(object, "max_samples", json_integer(rules->max_samples)) |
         put_fact(object, "processes", json_integer(settings->processes)) |
         put_fact(object, "timer", json_string(timers[settings->timer])) |
         put_fact(object, "seed", json_sprintf("%llu", (unsigned long long)settings->seed)) |
         put_fact(object, "data", json_string(settings->data));
}

rh_status rh_bench_header_begin(rh_records *results, const rh_app *app,
                                const rh_bench_settings *settings, rh_error *error) {
  json_t *document = rh_json_document(json_object());
  results->tool = json_incref(json_object_get(document, "tool"));
  json_decref(document);
  results->run = json_object();
  results->settings = json_object();
  results->devices = json_array();
  results->calibration = json_array();
  results->strategies = json_array();
  int failed = !results->tool ||
               describe_run(results->run, app) | describe_settings(results->settings, settings);
  return finished(failed, error);
}

rh_status rh_bench_header_end(rh_records *results, double wall_s, int complete, rh_error *error) {
  return finished(put_fact(results->run, "wall_s", json_real(wall_s)) |
                      put_fact(results->run, "complete", json_boolean(complete)),
                  error);
}

rh_status rh_bench_header_device(rh_records *results, const rh_cl_device *device, rh_error *error) {
  return finished(json_array_append_new(results->devices, rh_json_device(device)), error);
}

static int describe_calibration(rh_records *results, const rh_cl_device *device,
                                const rh_bench_device *bench_device) {
  const rh_calibration *c = &bench_device->calibration;
  json_t *object = json_object();
  int failed =
      put_fact(object, "device", json_string(device->label)) |
      put_fact(object, "timer", json_string(bench_device->host_clock ? "host" : "event")) |
      put_fact(object, "timer_declared_s", rh_json_number(c->timer_declared_s)) |
      put_fact(object, "timer_step_s", rh_json_number(c->timer_step_s)) |
      put_fact(object, "launch_s", rh_json_number(c->launch_s)) |
      put_fact(object, "empty_kernel_s", rh_json_number(c->empty_kernel_s)) |
      put_fact(object, "read_peak_Bps", rh_json_number(c->read_peak)) |
      put_fact(object, "read_peak_bytes", json_integer((json_int_t)bench_device->scratch_bytes)) |
      put_fact(object, "h2d_Bps", rh_json_number(c->upload)) |
      put_fact(object, "d2h_Bps", rh_json_number(c->download)) |
      put_fact(object, "cold_footprint_bytes", json_integer((json_int_t)c->cold_bytes));
  return failed | json_array_append_new(results->calibration, object);
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

static int describe_peer(rh_records *results, rh_peers *peers, uint32_t k, const char *program) {
  json_t *object = json_object();
  int failed = put_fact(object, "name", json_string(rh_peers_sampler(peers, k).name)) |
               put_fact(object, "peer", json_true()) |
               put_fact(object, "summary", rh_json_bytes(rh_peers_about(peers, k))) |
               put_fact(object, "plugin", rh_json_bytes(program));
  return failed | json_array_append_new(results->strategies, object);
}

rh_status rh_bench_header_stage(rh_records *results, const rh_app *app, const rh_stage *stage,
                                rh_error *error) {
  int failed = describe_strategies(results, app, stage);
  for (uint32_t k = 0; k < stage->n_peers; k++)
    for (uint32_t j = 0; j < rh_peers_count(stage->peers[k]); j++)
      failed |= describe_peer(results, stage->peers[k], j, stage->settings->peers[k]);
  if (stage->device) failed |= describe_calibration(results, stage->device, &stage->bench_device);
  return finished(failed, error);
}
