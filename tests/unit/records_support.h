/* What the tests of host/tools/records share: records that are made up. */
#ifndef RH_TEST_RECORDS_SUPPORT_H
#define RH_TEST_RECORDS_SUPPORT_H

#include <sys/stat.h>

#include "../../host/tools/records/records.h"
#include "files_support.h"

/* malloc'ed, terminated. */
static inline char *contents(const char *path, size_t *length) {
  FILE *file = fopen(path, "rb");
  ck_assert_msg(file != NULL, "%s", path);
  ck_assert_int_eq(fseek(file, 0, SEEK_END), 0);
  *length = (size_t)ftell(file);
  rewind(file);
  char *text = calloc(1, *length + 1);
  ck_assert_uint_eq(fread(text, 1, *length, file), *length);
  fclose(file);
  return text;
}

/* ---- Results that are made up ---- */

/* Rounds' medians and quartiles from median*(1-half) to median*(1+half). */
static inline rh_row timed(const char *strategy, uint64_t n, double median, double half) {
  rh_row row = {.op = RH_OP_sum, .type = RH_TYPE_f32, .n = n, .bytes = 4 * n, .passes = 2};
  strcpy(row.device, "1:0");
  strcpy(row.strategy, strategy);
  row.peak_fraction = NAN;
  row.time = (rh_spread){.median = median, .mean = median, .samples = 20, .mad = half * median};
  row.time.ci_low = row.time.q1 = row.time.min = median * (1 - half);
  row.time.ci_high = row.time.q3 = row.time.max = median * (1 + half);
  return row;
}

static inline void add_rounds(rh_row *row, uint32_t n, const double *rounds) {
  row->rounds = malloc(n * sizeof *rounds);
  memcpy(row->rounds, rounds, n * sizeof *rounds);
  row->n_rounds = n;
}

static inline rh_row untimed(const char *strategy, uint64_t n, uint32_t status,
                             const char *reason) {
  rh_row row = timed(strategy, n, 1, 0);
  row.time = (rh_spread){0};
  row.status = status;
  row.reason = strdup(reason);
  return row;
}

/* With ' for ". */
static inline json_t *json(const char *text) {
  char *copy = strdup(text);
  for (char *c = copy; (c = strchr(c, '\''));) *c = '"';
  json_t *value = json_loads(copy, 0, NULL);
  free(copy);
  if (!value) abort();
  return value;
}

/* Every field is other than 0. */
static inline rh_row full_row(void) {
  rh_row row = timed("two-stage", 1 << 24, 2.143e-5, 0.001);
  row.batch = 47;
  add_rounds(&row, 5, (const double[]){2.1e-5, 2.2e-5, 0.1, 1.0 / 3, 2e-5});
  row.raw = malloc(2 * sizeof *row.raw);
  row.raw[row.n_raw++] = 2.143e-5;
  row.raw[row.n_raw++] = 3;
  row.processes = malloc(2 * sizeof *row.processes);
  row.processes[row.n_processes++] = 2.1e-5;
  row.processes[row.n_processes++] = 1.0 / 3;
  row.latency =
      (rh_spread){3.58e-5, 3.5e-5, 3.7e-5, 3.6e-5, 3e-5, 4e-5, 3.55e-5, 3.65e-5, 1e-7, 50, 2};
  row.facts = json("{'params': {'tile': 256, 'finish': 'device', 'skew': -3, 'odd': '007'},"
                   " 'params_from': 'user', 'host_batch_s': 2.187e-05, 'finishes_on': 'host',"
                   " 'setup_s': {'build': 0.704, 'build_cached': true, 'upload': 0.0096,"
                   " 'setup': 0.001}, 'host_share_s': 4e-06, 'parts': ["
                   "{'stage': 'tiles', 'seconds': 1e-06}, {'stage': 'read', 'seconds': 2e-06}],"
                   " 'check': {'value': '12582913.0', 'reference': '12582912.6',"
                   " 'error_ulp': 0.4, 'bound_fraction': 0.018, 'exact_data': 'ok'}}");
  row.flags = RH_FLAG_noisy | RH_FLAG_timed_out | RH_FLAG_throttled | RH_FLAG_host_timer;
  row.time.outliers = 3;
  row.peak_fraction = 0.683;
  row.reproducible = RH_BITS_SAME_RUN;
  return row;
}

static inline void add(rh_records *results, rh_row row) {
  if (rh_records_add(results, &row, NULL) != RH_OK) abort(); /* --write has no use for Check */
}

static inline rh_records with_header(void) {
  return (rh_records){
      .head = json(
          "{\"schema\": \"redhost/1\", \"tool\": {\"version\": \"0.1.0\", \"git\": \"a1b2c3d\", "
          "\"dirty\": false, \"build\": \"gcc\"}, \"run\": {\"argv\": [\"redhost\"], "
          "\"start\": \"2026-11-20T07:42:00Z\", \"wall_s\": 4.1, \"complete\": true}, "
          "\"devices\": [{\"id\": \"1:0\", \"key\": \"k1\", \"name\": \"NVIDIA H200\", "
          "\"driver\": \"580\"}, {\"id\": \"0:0\", \"key\": \"k0\", \"name\": \"Xeon\", "
          "\"driver\": \"5.0\"}], \"calibration\": [{\"device\": \"1:0\", \"timer\": \"event\", "
          "\"read_peak_Bps\": 4.584e12}], \"settings\": {\"cache\": \"cold\", \"seed\": 1}, "
          "\"strategies\": [{\"name\": \"two-stage\"}]}")};
}

static inline rh_records made_up(void) {
  rh_records results = with_header();
  add(&results, full_row());
  add(&results, untimed("serial", 1 << 24, RH_ROW_wrong, "got 3, \"exact\" 4\nand so on"));
  results.rows[1].facts = json("{'check': {'value': '3', 'reference': '4'}}");
  add(&results, untimed("tree", 1 << 24, RH_ROW_unsupported, "no sub-groups"));
  add(&results, untimed("atomic", 1 << 24, RH_ROW_failed, "CL_OUT_OF_RESOURCES | -5"));
  add(&results, untimed("chunk", 1 << 24, RH_ROW_skipped, "interrupted"));
  add(&results, timed("one-pass", 4096, 2.6e-6, 0.002));
  add(&results, timed("two-stage", 4096, 4.8e-6, 0.002));
  add(&results, timed("cub", 4096, 2.5e-6, 0.002));
  results.rows[7].is_peer = 1;
  results.rows[7].passes = 0;
  results.rows[5].facts = json("{'params': {}}");
  results.rows[6].time.samples = 36;
  return results;
}

static inline void export(const rh_records *results, const char *path) {
  must(rh_records_export(results, path, &error));
}

#endif
