#include "write_json.h"
#include "../../core/base/json_value.h"
#include "../../core/base/vocabulary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* An object under construction. */
typedef struct maker {
  json_t *object;
  int failed;
} maker;

/* Takes over `value`. */
static void put(maker *to, const char *key, json_t *value) {
  if (json_object_set_new(to->object, key, value) != 0) to->failed = 1;
}

static json_t *made(maker *from) {
  if (!from->failed) return from->object;
  json_decref(from->object);
  return NULL;
}

static json_t *integer(uint64_t number) {
  return json_integer((json_int_t)number);
}

/* 0 means unknown and becomes null. */
static json_t *positive(double number) {
  return number > 0 ? rh_json_number(number) : json_null();
}

static json_t *word(const char *s) {
  return *s ? rh_json_bytes(s) : json_null();
}

static json_t *numbers(const double *values, uint32_t n) {
  json_t *array = json_array();
  for (uint32_t k = 0; k < n; k++)
    if (json_array_append_new(array, rh_json_number(values[k])) != 0) {
      json_decref(array);
      return NULL;
    }
  return array;
}

/* ---- A row ---- */

static void put_spread(maker *to, const rh_spread *spread) {
  put(to, "median", rh_json_number(spread->median));
  put(to, "ci95", numbers((const double[]){spread->ci_low, spread->ci_high}, 2));
  put(to, "mean", rh_json_number(spread->mean));
  put(to, "min", rh_json_number(spread->min));
  put(to, "max", rh_json_number(spread->max));
  put(to, "q1", rh_json_number(spread->q1));
  put(to, "q3", rh_json_number(spread->q3));
  put(to, "mad", rh_json_number(spread->mad));
  put(to, "samples", integer(spread->samples));
}

static json_t *time_object(const rh_row *row) {
  if (!row->time.samples) return json_null();
  maker to = {json_object(), 0};
  put_spread(&to, &row->time);
  put(&to, "batch", integer(row->batch));
  put(&to, "rounds", numbers(row->rounds, row->n_rounds));
  put(&to, "raw", numbers(row->raw, row->n_raw));
  if (row->n_processes) put(&to, "processes", numbers(row->processes, row->n_processes));
  return made(&to);
}

static json_t *latency_object(const rh_row *row) {
  if (!row->latency.samples) return json_null();
  maker to = {json_object(), 0};
  put_spread(&to, &row->latency);
  put(&to, "outliers", integer(row->latency.outliers));
  return made(&to);
}

static json_t *setup_object(const rh_row *row) {
  if (row->build_s == 0 && row->upload_s == 0 && row->setup_s == 0 && !row->build_cached)
    return json_null();
  maker to = {json_object(), 0};
  put(&to, "build", rh_json_number(row->build_s));
  put(&to, "build_cached", json_boolean(row->build_cached));
  put(&to, "upload", rh_json_number(row->upload_s));
  put(&to, "setup", rh_json_number(row->setup_s));
  return made(&to);
}

static json_t *check_object(const rh_row *row) {
  if (!*row->value && !*row->reference) return json_null();
  maker to = {json_object(), 0};
  put(&to, "value", word(row->value));
  put(&to, "reference", word(row->reference));
  put(&to, "error_ulp", rh_json_number(row->error_ulp));
  put(&to, "bound_fraction", rh_json_number(row->bound_fraction));
  put(&to, "ok",
      (row->status == RH_ROW_ok && !row->unjudged) || row->status == RH_ROW_wrong
          ? json_boolean(row->status == RH_ROW_ok)
          : json_null());
  put(&to, "exact_data", *row->exact_data ? word(row->exact_data) : json_null());
  return made(&to);
}

/* "256" is a number, "0256" and "device" are words. */
static json_t *param_value(const char *text) {
  char *end, back[32];
  long long number = strtoll(text, &end, 10);
  snprintf(back, sizeof back, "%lld", number);
  return strcmp(back, text) == 0 ? json_integer(number) : rh_json_bytes(text);
}

/* "tile=256 finish=device". */
static json_t *params_object(const char *params) {
  if (!params) return json_null();
  maker to = {json_object(), 0};
  for (const char *at = params + strspn(params, " "); *at; at += strspn(at, " ")) {
    size_t length = strcspn(at, " "), key = strcspn(at, "= ");
    char *copy = strndup(at, length);
    if (!copy) to.failed = 1;
    if (copy && key < length) {
      copy[key] = 0;
      put(&to, copy, param_value(copy + key + 1));
    }
    free(copy);
    at += length;
  }
  return made(&to);
}

static json_t *flags_array(uint32_t flags) {
  json_t *array = json_array();
  int failed = 0;
#define RH_X(name, bit, mark)                                                                      \
  if (flags & RH_FLAG_##name) failed |= json_array_append_new(array, json_string(#name));
  RH_FLAG_LIST(RH_X)
#undef RH_X
  if (!failed) return array;
  json_decref(array);
  return NULL;
}

static json_t *parts_array(const rh_row *row) {
  json_t *array = json_array();
  int failed = 0;
  for (uint32_t k = 0; k < row->n_parts; k++) {
    maker to = {json_object(), 0};
    put(&to, "stage", rh_json_bytes(row->parts[k].stage));
    put(&to, "seconds", rh_json_number(row->parts[k].seconds));
    failed |= json_array_append_new(array, made(&to));
  }
  if (!failed) return array;
  json_decref(array);
  return NULL;
}

static void put_measured(maker *to, const rh_row *row) {
  put(to, "time_s", time_object(row));
  put(to, "latency_s", latency_object(row));
  put(to, "host_batch_s", positive(row->host_batch_s));
  put(to, "elements_per_s", positive(rh_row_rate(row)));
  put(to, "bytes_per_s", positive(rh_row_bandwidth(row)));
  put(to, "peak_fraction", rh_json_number(row->peak_fraction));
  put(to, "setup_s", setup_object(row));
}

json_t *rh_row_to_json(const rh_row *row) {
  maker to = {json_object(), 0};
  put(&to, "device", rh_json_bytes(row->device));
  put(&to, "strategy", rh_json_bytes(row->strategy));
  put(&to, "op", rh_json_bytes(rh_row_op_name(row)));
  put(&to, "own_op", json_boolean(!row->op));
  put(&to, "type", rh_json_bytes(rh_type_name(row->type)));
  put(&to, "n", integer(row->n));
  put(&to, "bytes", integer(row->bytes));
  put(&to, "params", params_object(row->params));
  put(&to, "params_from", word(row->params_from));
  put(&to, "status", rh_json_bytes(rh_row_status_name(row->status)));
  put(&to, "reason", rh_json_bytes(row->reason));
  put_measured(&to, row);
  put(&to, "check", check_object(row));
  put(&to, "flags", flags_array(row->flags));
  put(&to, "outliers", integer(row->time.outliers));
  put(&to, "passes", integer(row->passes));
  put(&to, "peer", json_boolean(row->is_peer));
  put(&to, "parts", parts_array(row));
  put(&to, "host_share_s", row->n_parts ? rh_json_number(row->host_share_s) : json_null());
  put(&to, "finishes_on", json_string(row->finishes_on_host ? "host" : "device"));
  put(&to, "reproducible", json_string(rh_determinism_name(row->reproducible)));
  return made(&to);
}

/* ---- The document ---- */

static json_t *shared(json_t *value) {
  return value ? json_incref(value) : json_null();
}

json_t *rh_header_to_json(const rh_records *results) {
  maker to = {json_object(), 0};
  put(&to, "schema", json_string(RH_SCHEMA));
  put(&to, "tool", shared(results->tool));
  put(&to, "run", shared(results->run));
  put(&to, "devices", shared(results->devices));
  put(&to, "calibration", shared(results->calibration));
  put(&to, "settings", shared(results->settings));
  put(&to, "strategies", shared(results->strategies));
  return made(&to);
}

/* Strategies only, because programs choose by this list. */
static json_t *best_object(const rh_row *const *rows, uint32_t n, const rh_best *of) {
  const rh_row *best = of->row;
  maker to = {json_object(), 0};
  json_t *tied = json_array();
  for (uint32_t k = 0; k < n; k++)
    if (rows[k] != best && rh_row_is_timed(rows[k]) && !rows[k]->is_peer &&
        rh_best_ties(of, rows[k]))
      to.failed |= json_array_append_new(tied, rh_json_bytes(rows[k]->strategy));
  put(&to, "device", rh_json_bytes(best->device));
  put(&to, "op", rh_json_bytes(rh_row_op_name(best)));
  put(&to, "type", rh_json_bytes(rh_type_name(best->type)));
  put(&to, "n", integer(best->n));
  put(&to, "strategy", rh_json_bytes(best->strategy));
  put(&to, "tied", tied);
  return made(&to);
}

json_t *rh_best_to_json(const rh_records *results) {
  const rh_row **rows = rh_records_by_point(results);
  json_t *array = json_array();
  int failed = !rows && results->n_rows;
  for (uint32_t k = 0, n; rows && k < results->n_rows; k += n) {
    n = rh_point_length(rows + k, results->n_rows - k);
    rh_best best = rh_point_best(rows + k, n, 1);
    if (best.row) failed |= json_array_append_new(array, best_object(rows + k, n, &best));
  }
  free(rows);
  if (!failed) return array;
  json_decref(array);
  return NULL;
}
