/* host/core/run: the sources of a job's parameters, and the consequences of a wrong answer of
 * rh_reduce().  Without OpenCL: host strategies, plugins of the zoo and foreign functions. */
#include <sys/stat.h>

#include "../../host/choose/choose.h"
#include "../../host/library/library.h"
#include "../core/folder.h"
#include "custom_support.h"

static char directory[64];
static rh_redhost *redhost;
static rh_job job;

static void set_up(void) {
  umask(022);
  make_folder(directory, sizeof directory);
  setenv("OCL_ICD_VENDORS", "/proc/nonexistent", 1);
  unsetenv("OCL_ICD_FILENAMES"); /* by which Khronos's loader finds more */
  unsetenv("REDHOST_DEVICE");
  unsetenv("REDHOST_NO_CACHE");
  const rh_options options =
      SIZED(rh_options, .plugin_path = directory, .plugin_file = ZOO_DIR "/particular.so",
            .cache_dir = directory, .program = REDHOST_PROGRAM);
  must(rh_open(&redhost, &options, &error));
}

static void tear_down(void) {
  rh_job_finish(&job);
  rh_close(redhost);
  remove_folder(directory);
}

static void assert_reason(const char *part) { assert_says(redhost->context->chosen, part); }

/* A strategy's own plugin. */
static const char *file_of(const char *strategy) {
  static char path[512];
  snprintf(path, sizeof path, "%s/%s.so",
           strcmp(strategy, "particular") == 0 ? ZOO_DIR : PLUGINS_DIR, strategy);
  return path;
}

/* path: null for the strategy's own plugin. */
static void put(rh_tunedb_entry entry, const char *strategy, const char *path) {
  rh_tunedb *tuned;
  if (!entry.plugin) entry.plugin = rh_tunedb_plugin(path ? path : file_of(strategy));
  ck_assert_uint_ne(entry.plugin, 0);
  snprintf(entry.strategy, sizeof entry.strategy, "%s", strategy);
  must(rh_context_tuned(redhost->context, &tuned, &error));
  must(rh_tunedb_put(tuned, &entry, &error));
}

static void tune(const char *strategy, const char *path, rh_type type, double time_s,
                 const char *key, const char *value) {
  rh_tunedb_entry entry = {.op = rh_operator_builtin(RH_OP_sum, type), .n = 1000, .time_s = time_s};
  if (key) {
    snprintf(entry.settings.list[0].key, RH_TUNED_WORD, "%s", key);
    snprintf(entry.settings.list[0].value, RH_TUNED_WORD, "%s", value);
    entry.settings.n = 1;
  }
  put(entry, strategy, path);
}

static void tune_at(const char *strategy, uint64_t n, double time_s) {
  put((rh_tunedb_entry){.op = rh_operator_builtin(RH_OP_sum, RH_TYPE_i32),
                        .n = n,
                        .time_s = time_s,
                        .latency_s = time_s},
      strategy, NULL);
}

static char heard[4096];
static uint32_t heard_level;

static void keep(void *user, uint32_t level, const char *text) {
  (void)user;
  size_t used = strlen(heard);
  if (level == heard_level) snprintf(heard + used, sizeof heard - used, "%s\n", text);
}

static void hear(uint32_t level) {
  redhost->context->options.reporter.log = keep;
  heard_level = level;
  heard[0] = 0;
}

/* A plugin of the zoo, by a name in the directory. */
static const char *linked(const char *name) {
  static char path[128];
  char from[512];
  snprintf(path, sizeof path, "%s/%s.so", directory, name);
  snprintf(from, sizeof from, ZOO_DIR "/%s.so", name);
  if (access(path, F_OK) != 0) ck_assert_int_eq(symlink(from, path), 0);
  return path;
}

/* ---- Parameters ---- */

static rh_job_spec plain = {
    .strategy = "particular", .operation.n = 1000, .operation.what = "the data"};
static rh_job_spec of_any; /* the same, of the strategy that `auto` chooses */

static int64_t width_of(const rh_job_spec *spec, uint32_t from) {
  rh_job_finish(&job);
  must(rh_locate_job(&job, redhost->context, spec, &error));
  ck_assert_uint_eq(job.params_from.from, from);
  return job.instance_spec.params[1];
}

CASES(jobs, .set_up = set_up, .tear_down = tear_down)

TEST(where_parameters_come_from) {
  static const rh_setting settings[] = {{"colour", "red"}, {"width", "7"}};
  rh_job_spec spec = plain;
  ck_assert_int_eq(width_of(&spec, RH_PARAMS_FROM_DEFAULT), 8);
  tune("particular", NULL, RH_TYPE_i32, 1e-6, "width", "9");
  ck_assert_int_eq(width_of(&spec, RH_PARAMS_FROM_TUNED), 9);
  ck_assert_str_eq(job.params_from.note, "tuned here");
  spec.untuned = 1;
  ck_assert_int_eq(width_of(&spec, RH_PARAMS_FROM_DEFAULT), 8);
  spec.untuned = 0;
  spec.settings = settings + 1;
  spec.n_settings = 1;
  ck_assert_int_eq(width_of(&spec, RH_PARAMS_FROM_USER), 7);
  spec.settings = settings;
  spec.n_settings = 2;
  spec.others_too = 1;
  ck_assert_int_eq(width_of(&spec, RH_PARAMS_FROM_USER), 7);
  spec.n_settings = 1; /* none of them is its own */
  ck_assert_int_eq(width_of(&spec, RH_PARAMS_FROM_TUNED), 9);
  spec.others_too = 0;
  rh_job_finish(&job);
  ck_assert_int_eq(rh_locate_job(&job, redhost->context, &spec, &error), RH_E_USAGE);
}

/* ---- Wrong answers ---- */

static void describe(const char *name, const char *symbol) {
  char path[256];
  snprintf(path, sizeof path, "%s/%s.foreign.json", directory, name);
  FILE *file = fopen(path, "w");
  ck_assert_ptr_nonnull(file);
  fprintf(file,
          "{\"summary\": \"a loop\", \"library\": \"%s\", \"symbol\": \"%s\", \"operator\": "
          "\"sum\", \"type\": \"i16\", \"returns\": {\"role\": \"result\", \"type\": \"i64\"}, "
          "\"arguments\": [{\"role\": \"data\"}, {\"role\": \"n\", \"type\": \"u32\"}]}",
          FOREIGN_LIBRARY, symbol);
  fclose(file);
  tune(name, path, RH_TYPE_i16, strcmp(symbol, "sum_of_i16") == 0 ? 2e-9 : 1e-9, NULL, NULL);
}

TEST(auto_leaves_alone_who_was_wrong) {
  static int16_t ones[1000];
  const rh_request request =
      SIZED(rh_request, .op = "sum", .type = RH_TYPE_i16, .data = ones, .n = 1000);
  rh_result result = {.struct_size = sizeof result};
  for (int k = 0; k < 1000; k++) ones[k] = 1;
  describe("forgetful", "forgets_the_last_i16");
  describe("right", "sum_of_i16");
  ck_assert_int_eq(rh_reduce(redhost, &request, &result, &error), RH_E_WRONG);
  ck_assert_str_eq(result.strategy, "forgetful");
  must(rh_reduce(redhost, &request, &result, &error));
  ck_assert_str_eq(result.strategy, "right");
  ck_assert(result.value.i == 1000);
  ck_assert_msg(
      strstr(redhost->context->chosen, "right, measured here at 1000: 2 ns a reduction") &&
          strstr(redhost->context->chosen, "left out for a wrong result here: forgetful"),
      "%s", redhost->context->chosen);
}

/* ---- The canonical order ---- */

/* A promise that is broken shows before the first result: in rh_reduce() and in rh_prepare(). */
TEST_LOOP(auto_leaves_out_who_breaks_the_order, 0, 2) {
  static float numbers[100];
  const rh_request request =
      SIZED(rh_request, .op = "sum", .type = RH_TYPE_f32, .data = numbers, .n = 100);
  rh_request spec = SIZED(rh_request, .op = "sum", .type = RH_TYPE_f32);
  rh_result result = {.struct_size = sizeof result};
  rh_prepared *prepared;
  tune("breaks_order", linked("breaks_order"), RH_TYPE_f32, 1e-9, NULL, NULL);
  spec.n = 5000;
  if (_i == 0) {
    must(rh_prepare(redhost, &spec, &prepared, &error));
    must(rh_prepared_run(prepared, numbers, 100, &result, &error));
    rh_prepared_destroy(prepared);
  } else {
    must(rh_reduce(redhost, &request, &result, &error));
  }
  ck_assert_str_eq(result.strategy, "native");
  assert_reason("left out for a wrong result here: breaks_order");
  spec.strategy = "breaks_order"; /* by name, it is tested too, and there is no other one */
  must_fail(rh_prepare(redhost, &spec, &prepared, &error), RH_E_WRONG,
            "'breaks_order' promises the canonical order and breaks it");
}

/* ---- Strategies that cannot be used ---- */

static void tune_faults(void) {
  const char *path = linked("worker_faults");
  tune("worker_fail_in_setup", path, RH_TYPE_i32, 1e-9, NULL, NULL);
  tune("worker_decline_in_setup", path, RH_TYPE_i32, 2e-9, NULL, NULL);
}

static void reduce_or_prepare(int prepare, uint64_t n, rh_status expected) {
  static int32_t zeros[1000];
  const rh_request spec = SIZED(rh_request, .op = "sum", .type = RH_TYPE_i32, .n = n);
  rh_request request = spec;
  request.data = zeros;
  rh_result result = {.struct_size = sizeof result};
  OWNED(rh_prepared) prepared = NULL;
  rh_status status = prepare ? rh_prepare(redhost, &spec, &prepared, &error)
                             : rh_reduce(redhost, &request, &result, &error);
  ck_assert_msg(status == expected, "%d: %s", status, error.message);
}

/* `auto` goes on, says so once, and does not try the same strategy again; a refusal holds for
 * larger problems only. */
TEST_LOOP(auto_goes_on, 0, 2) {
  const char *left_out = "left out after a failure: worker_decline_in_setup, worker_fail_in_setup";
  hear(RH_LOG_WARNING);
  tune_faults();
  reduce_or_prepare(_i, 1000, RH_OK);
  ck_assert_ptr_eq(strstr(heard, "auto leaves it out: strategy 'worker_fail_in_setup', setup: no "),
                   heard);
  assert_says(heard, "\nauto leaves it out: strategy 'worker_decline_in_setup' cannot run "
                     "on the host: the groups are too small\n");
  assert_reason(left_out);
  heard[0] = 0;
  reduce_or_prepare(!_i, 1000, RH_OK);
  ck_assert_str_eq(heard, "");
  reduce_or_prepare(_i, 10, RH_OK);
  assert_says(heard, "worker_fail_in_setup");
}

static void blame_others(void) {
  const rh_registry *registry;
  must(rh_context_registry(redhost->context, 1000, &registry, NULL, &error));
  for (uint32_t k = 0; k < registry->n_entries; k++) {
    const rh_entry *entry = &registry->entries[k];
    if (!strstr(entry->says.name, "in_setup"))
      rh_context_blame(redhost->context, entry->says.name, entry->file->path, plain.operation.op,
                       1000);
  }
}

TEST_LOOP(all_fail, 0, 2) {
  tune_faults();
  rh_tunedb *tuned;
  must(rh_context_tuned(redhost->context, &tuned, &error));
  blame_others();
  const rh_asked crashing = {"worker_crash_in_setup",
                             rh_tunedb_plugin(linked("worker_faults")),
                             plain.operation.op,
                             1000,
                             {0}};
  rh_tunedb_blame(tuned, &crashing);
  reduce_or_prepare(_i, 1000, RH_E_NOMEM);
  ck_assert_ptr_eq(strstr(error.message, "strategy 'worker_fail_in_setup', setup: no room for"),
                   error.message);
  assert_says(error.message, ". Other strategies failed, too: worker_decline_in_setup");
  reduce_or_prepare(_i, 1000, RH_DECLINED);
  assert_says(error.message, "failed here: worker_decline_in_setup, worker_fail_in_setup, ");
}

/* ---- Data on the device ---- */

static char name[] = "Board", platform[] = "Maker", driver[] = "1", none[] = "";

/* A device without OpenCL behind it: choosing does not use OpenCL. */
static rh_cl_device made_up = {
    .about = {.struct_size = sizeof(rh_device),
              .kind = RH_DEVICE_GPU,
              .cl_version = 120,
              .compute_units = 4,
              .max_group = 256,
              .local_bytes = 32768,
              .global_bytes = 1 << 30,
              .max_alloc_bytes = 1 << 28,
              .name = name,
              .driver = driver,
              .extensions = none},
    .name = name,
    .platform_name = platform,
    .driver = driver,
};

static void pretend_a_device(uint32_t shares_memory) {
  redhost->context->devices_found = 1;
  redhost->context->device = &made_up;
  made_up.shares_memory = shares_memory;
}

static char pocl_platform[] = "Portable Computing Language";

/* family: of the processor. */
static void pretend_pocl(const char *family) {
  pretend_a_device(1);
  made_up.about.kind = RH_DEVICE_CPU;
  made_up.platform_name = pocl_platform;
  strcpy(made_up.family, family);
}

static const char *chosen_for(const rh_job_spec *spec) {
  static char kept[64];
  FINISHED(rh_found) found = {0};
  must(rh_locate(redhost->context, spec, &found, &error));
  snprintf(kept, sizeof kept, "%s", found.name);
  return kept;
}

static void assert_chosen_for(const rh_job_spec *spec, const char *expected) {
  const char *chosen = chosen_for(spec);
  ck_assert_msg(strcmp(chosen, expected) == 0, "%s: %s", chosen, redhost->context->chosen);
}

static void assert_chosen(const char *expected) { assert_chosen_for(&of_any, expected); }

TEST(the_host_is_far_from_some_devices) {
  pretend_a_device(0);
  tune("serial", NULL, RH_TYPE_i32, 1e-9, NULL, NULL);
  tune("cascade", NULL, RH_TYPE_i32, 2e-6, NULL, NULL);
  tune("two_stage", NULL, RH_TYPE_i32, 1e-6, NULL, NULL);
  assert_chosen("two_stage");
  made_up.shares_memory = 1;
  assert_chosen("serial");
}

/* As if it had been measured: a rate, with 10 us for the smallest copy. */
static void tune_upload(double bytes_per_s) {
  const uint64_t bytes[] = {4096, 32u << 20};
  for (int k = 0; k < 2; k++) {
    double time_s = 1e-5 + (double)bytes[k] / bytes_per_s;
    put((rh_tunedb_entry){.plugin = UINT64_C(0x2d75706c6f61642d),
                          .op = rh_operator_builtin(RH_OP_sum, RH_TYPE_u8),
                          .n = bytes[k],
                          .time_s = time_s,
                          .latency_s = time_s,
                          .trial = 1},
        "upload", NULL);
  }
}

static void assert_chosen_at(uint64_t n, uint32_t where, const char *expected) {
  rh_job_spec spec = of_any;
  spec.operation.n = n;
  spec.on_device = where;
  assert_chosen_for(&spec, expected);
}

/* Within 2 %, the one that needs neither a context nor a kernel. */
TEST(of_equals_the_host_strategy_is_chosen) {
  enum { N = 1 << 22 };
  pretend_a_device(1);
  tune_at("native", N, 1.01e-3);
  tune_at("onepass", N, 1e-3);
  assert_chosen_at(N, RH_JOB_ON_HOST, "native");
  assert_chosen_at(N, RH_JOB_DATA_ON_DEVICE, "onepass");
  tune_at("native", N, 1.03e-3);
  assert_chosen_at(N, RH_JOB_ON_HOST, "onepass");
  made_up.shares_memory = 0;
}

/* Data of the host's memory: 16 MiB take 1 ms on the host, 0.1 ms on the device, and some time to
 * get there. */
TEST(the_way_of_the_data_counts) {
  enum { N = 1 << 22 };
  pretend_a_device(0);
  tune_at("native", N, 1e-3);
  tune_at("onepass", N, 1e-4);
  assert_chosen_at(N, RH_JOB_ON_HOST, "onepass"); /* nobody knows the way */
  ck_assert_ptr_null(strstr(redhost->context->chosen, "upload"));
  tune_upload(10e9);
  assert_chosen_at(N, RH_JOB_ON_HOST, "native");
  ck_assert_msg(strstr(redhost->context->chosen, "native, measured here at 2^22: 1 ms a ") &&
                    strstr(redhost->context->chosen, "next is onepass with 100 us") &&
                    strstr(redhost->context->chosen, "; the upload to Board counts with 1.6"),
                "%s", redhost->context->chosen);
  assert_chosen_at(64 * (uint64_t)N, RH_JOB_ON_HOST, "native"); /* larger than what was measured */
  assert_chosen_at(N, RH_JOB_IN_PLACE, "onepass");
  assert_chosen_at(N, RH_JOB_DATA_ON_DEVICE, "onepass");
  ck_assert_ptr_null(strstr(redhost->context->chosen, "upload"));
  tune_upload(100e9);
  assert_chosen_at(N, RH_JOB_ON_HOST, "onepass");
  made_up.shares_memory = 1;
  tune_upload(10e9);
  assert_chosen_at(N, RH_JOB_ON_HOST, "onepass");
  ck_assert_ptr_null(strstr(redhost->context->chosen, "upload"));
  made_up.shares_memory = 0;
}

/* A device that nothing is known of but the way to it. */
TEST(the_way_alone_decides) {
  enum { N = 1 << 22 };
  pretend_a_device(0);
  tune_at("native", N, 1e-3);
  tune_upload(10e9);
  assert_chosen_at(N, RH_JOB_ON_HOST, "native");
  tune_upload(100e9);
  assert_chosen_at(N, RH_JOB_ON_HOST, "onepass");
  assert_reason("by its own score of");
}

/* ---- A machine that nobody tuned ---- */

/* The host alone.  Whoever is faster, the two host strategies are measured, once for an operator, a
 * type and an order of size, and the times are not taken for what --tune finds. */
TEST(the_first_time_measures) {
  static const char said[] = "auto: measured once, as little was known of sum of i16 here: native "
                             "at 1000 ";
  rh_tunedb *tuned;
  uint64_t native = rh_tunedb_plugin(file_of("native"));
  const rh_tunedb_timed any = {RH_TUNED_HERE, RH_TUNED_HERE, RH_TUNED_SAME, 0, UINT64_MAX, 0};
  rh_job_spec spec = of_any;
  for (int k = 0; k < 5; k++) {
    hear(RH_LOG_INFO);
    redhost->context->options.no_measure = k == 0;
    spec.operation.n = k == 3 ? 100000 : 1000;
    /* a type of which nothing comes with redhost */
    spec.operation.op = rh_operator_builtin(k == 2 ? RH_OP_min : RH_OP_sum, RH_TYPE_i16);
    chosen_for(&spec);
    ck_assert_msg((strstr(heard, said) != NULL) == (k == 1), "%d: %s", k, heard);
    ck_assert_msg((strstr(heard, "measured once") != NULL) == (k >= 1 && k <= 3), "%d: %s", k,
                  heard);
    /* On a processor that no shipped times are of, "nothing was measured here" before. */
    int measured_here = strstr(redhost->context->chosen, "measured here") != NULL &&
                        strstr(redhost->context->chosen, "nothing was measured here") == NULL;
    ck_assert_int_eq(measured_here, k != 0);
  }
  must(rh_context_tuned(redhost->context, &tuned, &error));
  const rh_asked asked = {"native", native, rh_operator_builtin(RH_OP_sum, RH_TYPE_i16), 1000, {0}};
  const rh_tunedb_entry *measured = rh_tunedb_find_timed(tuned, &any, &asked);
  ck_assert(measured && measured->trial && measured->n == 1000 && measured->latency_s > 0);
  measured = rh_tunedb_find(tuned, &asked);
  ck_assert(!measured || measured->origin == RH_TUNED_SHIPPED);
  ck_assert_uint_eq(rh_tunedb_count(tuned), 0);
}

/* What the first time had no time for is not made up for by the next process. */
TEST(the_next_time_does_not) {
  hear(RH_LOG_INFO);
  redhost->context->options.no_measure = 0;
  tune_at("native", 1000, 1e-6);
  chosen_for(&of_any);
  ck_assert_ptr_null(strstr(heard, "measured once"));
}

/* Without a place to keep the times, they would be measured each time. */
TEST(without_a_cache_nothing_is_measured) {
  rh_close(redhost);
  const rh_options options = SIZED(rh_options, .no_cache = 1, .program = REDHOST_PROGRAM);
  must(rh_open(&redhost, &options, &error));
  redhost->context->options.no_measure = 0;
  chosen_for(&of_any);
  ck_assert_ptr_null(strstr(redhost->context->chosen, "measured here at"));
}

/* A strategy tuned to finish on the host conflicts with a result on the device. */
TEST(where_the_result_is_wanted) {
  rh_job_spec spec = plain;
  spec.strategy = "cascade";
  spec.on_device = RH_JOB_RESULT_ON_DEVICE;
  pretend_a_device(0);
  tune("cascade", NULL, RH_TYPE_i32, 1e-6, "finish", "device");
  must(rh_locate_job(&job, redhost->context, &spec, &error));
  ck_assert(job.params_from.from == RH_PARAMS_FROM_TUNED && !job.answer.finishes_on_host);
  rh_job_finish(&job);
  tune("cascade", NULL, RH_TYPE_i32, 1e-6, "tile", "64");
  must(rh_locate_job(&job, redhost->context, &spec, &error));
  ck_assert(job.params_from.from == RH_PARAMS_FROM_DEFAULT);
  rh_job_finish(&job);
  /* `auto` takes no strategy that finishes or runs on the host. */
  tune("serial", NULL, RH_TYPE_i32, 1e-9, NULL, NULL);
  tune("cascade", NULL, RH_TYPE_i32, 2e-9, NULL, NULL);
  tune("two_stage", NULL, RH_TYPE_i32, 1e-6, NULL, NULL);
  made_up.shares_memory = 1;
  spec.strategy = NULL;
  assert_chosen_for(&spec, "two_stage");
  spec.on_device = RH_JOB_DATA_ON_DEVICE;
  assert_chosen_for(&spec, "cascade");
  spec.on_device = RH_JOB_ON_HOST;
  assert_chosen_for(&spec, "serial");
}

/* ---- Every strategy competes by its best known time ---- */

typedef struct knowledge {
  char strategy[32], op[8], type[8];
  int log2_n;
  double latency_us; /* 0: it was wrong */
} knowledge;

/* On a CPU under PoCL, of which sum, min and argmin of f32 come with redhost, and sum of f64 and
 * u8, for native, serial, onepass and cpu_serial_float4.  min of f32 at 2^16, one call: native 5
 * us, serial 153 us.  The problem, with its size's logarithm; what is known; what is chosen. */
static const struct {
  const char *problem, *known, *chosen;
} choices[] = {
    /* Nothing was measured. */
    {"min f32 16", "", "native"},
    /* Two that are not the fastest, at this size. */
    {"min f32 16", "particular min f32 16 31 cpu_serial_float4 min f32 16 47", "native"},
    /* One that is faster than what comes with redhost. */
    {"min f32 16", "particular min f32 16 1", "particular"},
    /* The same, between two sizes that were measured. */
    {"min f32 17", "particular min f32 16 1 particular min f32 18 4", "particular"},
    /* A slower machine: native would take ten times as long here, as another one does. */
    {"min f32 16", "particular min f32 16 12 serial min f32 16 1530", "particular"},
    /* Fast at a small size alone says nothing of a large one. */
    {"min f32 26", "particular min f32 6 0.02", "native"},
    /* Measured at a large size alone, asked for a small one. */
    {"min f32 10", "particular min f32 20 30", "native"},
    /* Native was measured at a large size alone, and is faster at small ones by what is known of
     * how it grows. */
    {"min f32 13", "native min f32 22 200 particular min f32 13 9", "native"},
    /* What was measured here goes before what comes with redhost, of the same strategy. */
    {"min f32 16", "native min f32 16 90 particular min f32 16 31", "particular"},
    /* Measured of another operator. */
    {"max i32 16", "particular max i32 16 31", "native"},
    /* Of a type that nothing comes with redhost for. */
    {"sum i16 16", "particular sum i16 16 31", "native"},
    /* One whose result was wrong, though it comes with redhost. */
    {"min f32 16", "native min f32 20 0 particular min f32 16 31", "particular"},
    /* Wrong of another type. */
    {"min f32 16", "native min i32 16 0 particular min f32 16 31", "native"},
    /* An index is found at another speed. */
    {"argmin f32 16", "particular min f32 16 1", "native"},
    /* Another operator's time counts by what one strategy takes for both. */
    {"max i32 16",
     "particular max i32 16 20 particular min i32 16 10 serial min i32 16 15 native min i32 16 50",
     "particular"},
    /* Between two sizes of one operator, and not of two. */
    {"max i32 16", "particular prod i32 12 1 particular min i32 20 1000 native max i32 16 45",
     "native"},
    /* A time of more elements counts by what they move. */
    {"max i32 16", "particular max i32 26 1000 native max i32 16 35", "particular"},
    /* Another type counts by what it moves. */
    {"sum i64 16", "particular sum i8 19 20 native sum i64 16 35", "particular"},
    /* Float sums have the bits of the canonical order, which the faster one does not have. */
    {"sum f32 16", "particular sum f32 16 1", "native"},
    /* The same for products. */
    {"prod f64 16", "particular prod f64 16 1", "native"},
    /* Sums of integers have one result. */
    {"sum i32 16", "particular sum i32 16 1", "particular"},
};
enum { CHOICES = sizeof choices / sizeof *choices };

static int is_examined(const char *strategy) {
  return rh_registry_find(&redhost->context->registry, strategy) != NULL;
}

/* How many of the plugins that came with redhost were not. */
static uint32_t skipped_at(uint64_t n) {
  rh_job_spec spec = of_any;
  spec.operation.n = n;
  chosen_for(&spec);
  return redhost->context->registry.n_skipped;
}

/* The others cannot be chosen.  Of a user's plugins nothing is known before.  What was examined
 * stays so. */
TEST(auto_examines_those_it_may_choose) {
  const rh_registry *all;
  pretend_pocl("AuthenticAMD 1 1"); /* no shipped times count */
  tune_at("native", 1000, 1e-6);
  ck_assert_uint_gt(skipped_at(1000), 20);
  ck_assert(is_examined("native") && is_examined("serial") && is_examined("particular"));
  ck_assert(!is_examined("cascade"));
  tune("cascade", NULL, RH_TYPE_i32, 1e-6, NULL, NULL);
  ck_assert_uint_gt(skipped_at(1001), 20);
  ck_assert(is_examined("cascade") && !is_examined("two_stage"));
  must(rh_context_registry(redhost->context, 1001, &all, NULL, &error));
  ck_assert(all->n_skipped == 0 && is_examined("two_stage"));
  ck_assert_uint_eq(skipped_at(1001), 0);
  tune("of_no_file", file_of("cascade"), RH_TYPE_i32, 1e-6, NULL, NULL);
  ck_assert_uint_eq(skipped_at(1002), 0);
}

/* A GPU without defaults in redhost. */
TEST(nothing_is_known_of_any) {
  pretend_a_device(0);
  assert_chosen("onepass");
  ck_assert_uint_eq(redhost->context->registry.n_skipped, 0);
  assert_says(redhost->context->chosen, "by its own score of");
}

/* Of the strategies with a time none takes all segments in one run, so the others count, too. */
TEST(segments_are_served_in_one_run) {
  rh_layout rows = {.struct_size = sizeof rows,
                    .kind = RH_LAYOUT_AXIS,
                    .segments = 10,
                    .longest = 100,
                    .length = 100,
                    .inner = 1,
                    .elements = 1000};
  rh_job_spec spec = of_any;
  spec.on_device = RH_JOB_DATA_ON_DEVICE;
  spec.operation.layout = &rows;
  made_up.about.vendor_id = 4318; /* NVIDIA's, of whose GPUs times of whole arrays are shipped */
  strcpy(made_up.family, "compute capability 9");
  pretend_a_device(0);
  tune_at("onepass", 1000, 1e-6);
  assert_chosen("onepass");
  assert_chosen_for(&spec, "segments");
}

static const rh_operator *operator_of(const knowledge *k) {
  return rh_operator_builtin(rh_op_from_name(k->op), rh_type_from_name(k->type));
}

/* "STRATEGY OP TYPE LOG2_N MICROSECONDS", several of them. */
static void know(const char *list) {
  knowledge k;
  for (int read; sscanf(list, "%31s %7s %7s %d %lf%n", k.strategy, k.op, k.type, &k.log2_n,
                        &k.latency_us, &read) == 5;
       list += read)
    put((rh_tunedb_entry){.op = operator_of(&k),
                          .n = UINT64_C(1) << k.log2_n,
                          .time_s = k.latency_us * 1e-6,
                          .latency_s = k.latency_us * 1e-6,
                          .failed = k.latency_us == 0},
        k.strategy, NULL);
}

TEST_LOOP(everybody_competes, 0, CHOICES) {
  knowledge of;
  rh_job_spec spec = of_any;
  pretend_pocl("GenuineIntel 6 143"); /* of the machine that the defaults are from */
  know(choices[_i].known);
  ck_assert_int_eq(sscanf(choices[_i].problem, "%7s %7s %d", of.op, of.type, &of.log2_n), 3);
  spec.operation.op = operator_of(&of);
  spec.operation.n = UINT64_C(1) << of.log2_n;
  assert_chosen_for(&spec, choices[_i].chosen);
}

/* An operator that does not claim to commute, so that every strategy that keeps the order may be
 * chosen; one element after the other, so that the bound of 2^20 elements of f32 allows much. */
TEST(what_is_not_judged_is_not_taken_first) {
  static const rh_type types[] = {RH_TYPE_f32, RH_TYPE_f64};
  pretend_pocl("AuthenticAMD 1 1"); /* no shipped times count */
  for (int k = 0; k < 2; k++) {
    rh_definition definition = {.n_fields = 1,
                                .fields = {{.identity = "-0.0", .combine = "a + b"}}};
    OWNED(rh_custom) own = made_over_x(&definition, types[k]);
    const rh_job_spec spec = {.operation = {.op = &own->face, .n = 1 << 20}};
    for (int by = 0; by < 2; by++)
      put((rh_tunedb_entry){.op = rh_operator_builtin(own->face.base, own->face.type),
                            .own = own->face.hash,
                            .n = 1 << 20,
                            .time_s = by ? 1e-6 : 1e-9,
                            .latency_s = by ? 1e-6 : 1e-9},
          by ? "native" : "serial", NULL);
    ck_assert_msg((strcmp(chosen_for(&spec), "serial") == 0) == (types[k] == RH_TYPE_f64), "%s: %s",
                  rh_type_name(types[k]), redhost->context->chosen);
  }
}

/* Half as many elements of two operands are as many bytes. */
TEST(all_operands_count) {
  const rh_definition definition = {.ops = "sum", .map = "x*y"};
  const rh_operand operands[] = {{"x", RH_TYPE_i64}, {"y", RH_TYPE_i64}};
  OWNED(rh_custom) own = NULL;
  must(rh_custom_create(&own, &definition, operands, 2, NULL, 0, &error));
  know("native sum i64 19 40 native sum i64 20 45 serial sum i64 19 35 serial sum i64 20 60");
  const rh_job_spec spec = {.operation = {.op = &own->face, .n = 1 << 19}};
  assert_chosen_for(&spec, "native");
}

int main(void) {
  plain.operation.op = rh_operator_builtin(RH_OP_sum, RH_TYPE_i32);
  of_any = plain;
  of_any.strategy = NULL;
  return run_tests();
}
