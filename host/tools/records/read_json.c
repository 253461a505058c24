#include "../../core/base/error.h"
#include "../../core/base/text.h"
#include "../../core/base/vocabulary.h"
#include "write_json.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An object, and the prefix of its keys in messages.  The read functions leave the target
 * unchanged if the key is missing or null. */
typedef struct place {
  const json_t *json;
  const char *where; /* "", or "time_s." */
  rh_error *error;
} place;

/* JSON readers that use doubles are exact up to here. */
static const uint64_t most_integer = UINT64_C(1) << 53;
static const double most_seconds = 1e9;

__attribute__((format(printf, 3, 4))) static rh_status refuse(const place *at, const char *key,
                                                              const char *format, ...) {
  char what[256];
  va_list args;
  va_start(args, format);
  vsnprintf(what, sizeof what, format, args);
  va_end(args);
  return rh_fail(at->error, RH_E_FILE, "%s%s: %s", at->where, key, what);
}

static rh_status no_memory(const place *at) {
  return rh_fail(at->error, RH_E_NOMEM, "no memory for the results");
}

/* ---- One key ---- */

/* Null if it is missing or null. */
static const json_t *value_of(const place *at, const char *key) {
  const json_t *value = json_object_get(at->json, key);
  return json_is_null(value) ? NULL : value;
}

/* From 0 to `most`. */
static rh_status read_number(const place *at, const char *key, double most, double *number) {
  const json_t *value = value_of(at, key);
  if (!value) return RH_OK;
  if (!json_is_number(value)) return refuse(at, key, "is not a number");
  double taken = json_number_value(value);
  if (!(taken >= 0 && taken <= most)) return refuse(at, key, "%g is not from 0 to %g", taken, most);
  *number = taken;
  return RH_OK;
}

static rh_status read_seconds(const place *at, const char *key, double *seconds) {
  return read_number(at, key, most_seconds, seconds);
}

static rh_status read_integer(const place *at, const char *key, uint64_t most, uint64_t *integer) {
  const json_t *value = value_of(at, key);
  if (!value) return RH_OK;
  json_int_t taken = json_integer_value(value);
  if (!json_is_integer(value)) return refuse(at, key, "is not a whole number");
  if (taken < 0 || (uint64_t)taken > most)
    return refuse(at, key, "%lld is not from 0 to %llu", (long long)taken,
                  (unsigned long long)most);
  *integer = (uint64_t)taken;
  return RH_OK;
}

static rh_status read_count(const place *at, const char *key, uint32_t *count) {
  uint64_t taken = *count;
  RH_TRY(read_integer(at, key, UINT32_MAX, &taken));
  *count = (uint32_t)taken;
  return RH_OK;
}

static rh_status read_flag(const place *at, const char *key, uint32_t *flag) {
  const json_t *value = value_of(at, key);
  if (!value) return RH_OK;
  if (!json_is_boolean(value)) return refuse(at, key, "is neither true nor false");
  *flag = json_is_true(value);
  return RH_OK;
}

/* At most size-1 bytes, without control characters. */
static rh_status read_text(const place *at, const char *key, char *text, size_t size) {
  const json_t *value = value_of(at, key);
  if (!value) return RH_OK;
  const char *taken = json_string_value(value);
  if (!taken) return refuse(at, key, "is not a string");
  if (strlen(taken) >= size) return refuse(at, key, "is longer than %zu bytes", size - 1);
  if (!rh_is_plain_utf8(taken, strlen(taken))) return refuse(at, key, "has control characters");
  strcpy(text, taken);
  return RH_OK;
}

/* Like read_text(), for a required key. */
static rh_status read_name(const place *at, const char *key, char *name, size_t size) {
  *name = 0;
  RH_TRY(read_text(at, key, name, size));
  return *name ? RH_OK : refuse(at, key, "is missing");
}

/* An object or null: *inner.json is null then. */
static rh_status read_object(const place *at, const char *key, const char *where, place *inner) {
  *inner = (place){value_of(at, key), where, at->error};
  if (inner->json && !json_is_object(inner->json)) return refuse(at, key, "is not an object");
  return RH_OK;
}

/* malloc'ed, *n of them; null for none. */
static rh_status read_list(const place *at, const char *key, uint32_t most, double **list,
                           uint32_t *n) {
  const json_t *array = value_of(at, key);
  size_t size = json_array_size(array);
  if (!array) return RH_OK;
  if (!json_is_array(array)) return refuse(at, key, "is not an array");
  if (size > most) return refuse(at, key, "has %zu numbers, and at most %u can be", size, most);
  *list = size ? malloc(size * sizeof **list) : NULL;
  if (size && !*list) return no_memory(at);
  for (size_t k = 0; k < size; k++) {
    const json_t *value = json_array_get(array, k);
    double taken = json_number_value(value);
    if (!json_is_number(value) || !(taken >= 0 && taken <= most_seconds))
      return refuse(at, key, "number %zu is not from 0 to %g", k + 1, most_seconds);
    (*list)[(*n)++] = taken;
  }
  return RH_OK;
}

/* ---- Parts of a row ---- */

static rh_status read_interval(const place *at, rh_spread *spread) {
  const json_t *pair = value_of(at, "ci95");
  if (!pair) return RH_OK;
  const json_t *low = json_array_get(pair, 0), *high = json_array_get(pair, 1);
  if (json_array_size(pair) != 2 || !json_is_number(low) || !json_is_number(high))
    return refuse(at, "ci95", "is not two numbers");
  spread->ci_low = json_number_value(low);
  spread->ci_high = json_number_value(high);
  if (!(spread->ci_low >= 0 && spread->ci_low <= spread->ci_high &&
        spread->ci_high <= most_seconds))
    return refuse(at, "ci95", "is not an interval");
  return RH_OK;
}

/* If only the median is given, the other quantiles are set to it. */
static rh_status read_spread(const place *at, rh_spread *spread) {
  double median = 0;
  RH_TRY(read_seconds(at, "median", &median));
  if (median == 0) return refuse(at, "median", "is missing or 0");
  *spread = (rh_spread){.median = median, .ci_low = median, .ci_high = median, .mean = median};
  spread->min = spread->max = spread->q1 = spread->q3 = median;
  spread->samples = 1;
  RH_TRY(read_interval(at, spread));
  RH_TRY(read_seconds(at, "mean", &spread->mean));
  RH_TRY(read_seconds(at, "min", &spread->min));
  RH_TRY(read_seconds(at, "max", &spread->max));
  RH_TRY(read_seconds(at, "q1", &spread->q1));
  RH_TRY(read_seconds(at, "q3", &spread->q3));
  RH_TRY(read_seconds(at, "mad", &spread->mad));
  RH_TRY(read_count(at, "samples", &spread->samples));
  RH_TRY(read_count(at, "outliers", &spread->outliers));
  if (!spread->samples) return refuse(at, "samples", "is 0, but there is a median");
  if (spread->min > spread->max) return refuse(at, "min", "is greater than max");
  if (spread->q1 > spread->q3) return refuse(at, "q1", "is greater than q3");
  return RH_OK;
}

static rh_status read_processes(const place *at, rh_row *row) {
  RH_TRY(read_list(at, "processes", RH_MAX_PROCESSES, &row->processes, &row->n_processes));
  for (uint32_t k = 0; k < row->n_processes; k++)
    if (row->processes[k] == 0) return refuse(at, "processes", "number %u is 0", k + 1);
  return RH_OK;
}

static rh_status read_time(const place *row_place, rh_row *row) {
  place at;
  RH_TRY(read_object(row_place, "time_s", "time_s.", &at));
  if (!at.json) return RH_OK;
  RH_TRY(read_spread(&at, &row->time));
  RH_TRY(read_count(&at, "batch", &row->batch));
  RH_TRY(read_list(&at, "rounds", RH_MAX_ROUNDS, &row->rounds, &row->n_rounds));
  RH_TRY(read_list(&at, "raw", UINT32_MAX, &row->raw, &row->n_raw));
  return read_processes(&at, row);
}

static rh_status read_setup(const place *row_place, rh_row *row) {
  place at;
  RH_TRY(read_object(row_place, "setup_s", "setup_s.", &at));
  if (!at.json) return RH_OK;
  RH_TRY(read_seconds(&at, "build", &row->build_s));
  RH_TRY(read_flag(&at, "build_cached", &row->build_cached));
  RH_TRY(read_seconds(&at, "upload", &row->upload_s));
  return read_seconds(&at, "setup", &row->setup_s);
}

static rh_status read_check(const place *row_place, rh_row *row) {
  place at;
  RH_TRY(read_object(row_place, "check", "check.", &at));
  if (!at.json) return RH_OK;
  RH_TRY(read_text(&at, "value", row->value, sizeof row->value));
  RH_TRY(read_text(&at, "reference", row->reference, sizeof row->reference));
  RH_TRY(read_number(&at, "error_ulp", HUGE_VAL, &row->error_ulp));
  RH_TRY(read_text(&at, "exact_data", row->exact_data, sizeof row->exact_data));
  row->unjudged = row->status == RH_ROW_ok && json_is_null(json_object_get(at.json, "ok"));
  return read_number(&at, "bound_fraction", HUGE_VAL, &row->bound_fraction);
}

static rh_status add_param(const place *at, const char *key, const json_t *value, rh_text *text) {
  const char *word = json_string_value(value);
  if (!*key || strpbrk(key, " =") || !rh_is_plain_utf8(key, strlen(key)))
    return refuse(at, rh_quotable(key), "is not the name of a parameter");
  if (json_is_integer(value)) {
    rh_text_add(text, "%s%s=%lld", text->length ? " " : "", key,
                (long long)json_integer_value(value));
    return RH_OK;
  }
  if (!word || strchr(word, ' ') || !rh_is_plain_utf8(word, strlen(word)))
    return refuse(at, key, "is neither a whole number nor a word");
  rh_text_add(text, "%s%s=%s", text->length ? " " : "", key, word);
  return RH_OK;
}

static rh_status read_params(const place *row_place, rh_row *row) {
  place at;
  rh_text text = {0};
  const char *key;
  json_t *value;
  RH_TRY(read_object(row_place, "params", "params.", &at));
  if (!at.json) return RH_OK;
  rh_status status = RH_OK;
  json_object_foreach((json_t *)at.json, key, value) {
    status = add_param(&at, key, value, &text);
    if (status != RH_OK) break;
  }
  if (status == RH_OK) row->params = strdup(rh_text_get(&text));
  if (status == RH_OK && (text.failed || !row->params)) status = no_memory(&at);
  rh_text_finish(&text);
  return status;
}

static rh_status read_reason(const place *at, rh_row *row) {
  const json_t *value = value_of(at, "reason");
  if (!value) return RH_OK;
  if (!json_is_string(value)) return refuse(at, "reason", "is not a string");
  row->reason = strdup(json_string_value(value));
  return row->reason ? RH_OK : no_memory(at);
}

/* Unknown flags are ignored, like unknown keys. */
static rh_status read_flags(const place *at, rh_row *row) {
  const json_t *array = value_of(at, "flags");
  if (array && !json_is_array(array)) return refuse(at, "flags", "is not an array");
  for (size_t k = 0; k < json_array_size(array); k++) {
    const char *flag = json_string_value(json_array_get(array, k));
    if (!flag) return refuse(at, "flags", "one of them is not a string");
#define RH_X(name, bit, mark)                                                                      \
  if (strcmp(flag, #name) == 0) row->flags |= RH_FLAG_##name;
    RH_FLAG_LIST(RH_X)
#undef RH_X
  }
  return RH_OK;
}

static rh_status read_parts(const place *at, rh_row *row) {
  const json_t *array = value_of(at, "parts");
  size_t n = json_array_size(array);
  if (array && !json_is_array(array)) return refuse(at, "parts", "is not an array");
  if (n > RH_MAX_PARTS)
    return refuse(at, "parts", "are %zu, and at most %d can be", n, RH_MAX_PARTS);
  row->parts = n ? calloc(n, sizeof *row->parts) : NULL;
  if (n && !row->parts) return no_memory(at);
  for (size_t k = 0; k < n; k++) {
    rh_part *part = &row->parts[row->n_parts++];
    place one = {json_array_get(array, k), "parts.", at->error};
    if (!json_is_object(one.json)) return refuse(at, "parts", "one of them is not an object");
    RH_TRY(read_name(&one, "stage", part->stage, sizeof part->stage));
    RH_TRY(read_seconds(&one, "seconds", &part->seconds));
  }
  return RH_OK;
}

/* ---- A row ---- */

static rh_status read_status(const place *at, rh_row *row) {
  char name[32];
  RH_TRY(read_name(at, "status", name, sizeof name));
#define RH_X(known, number)                                                                        \
  if (strcmp(name, #known) == 0) {                                                                 \
    row->status = number;                                                                          \
    return RH_OK;                                                                                  \
  }
  RH_ROW_STATUS_LIST(RH_X)
#undef RH_X
  return refuse(at, "status", "'%s' is not one of ok wrong unsupported failed skipped",
                rh_quotable(name));
}

static rh_status read_point(const place *at, rh_row *row) {
  char type[32];
  RH_TRY(read_name(at, "device", row->device, sizeof row->device));
  RH_TRY(read_name(at, "strategy", row->strategy, sizeof row->strategy));
  RH_TRY(read_name(at, "op", row->own_op, sizeof row->own_op));
  RH_TRY(read_name(at, "type", type, sizeof type));
  if (!json_is_true(value_of(at, "own_op"))) row->op = rh_op_from_name(row->own_op);
  row->type = rh_type_from_name(type);
  if (!row->op && !json_is_true(value_of(at, "own_op")))
    return refuse(at, "op", "'%s' is not one of %s", rh_quotable(row->own_op), rh_op_names());
  if (row->op) row->own_op[0] = 0;
  if (!row->type) return refuse(at, "type", "'%s' is not a type", rh_quotable(type));
  if (!value_of(at, "n")) return refuse(at, "n", "is missing");
  RH_TRY(read_integer(at, "n", most_integer, &row->n));
  row->bytes = row->n * rh_type_size(row->type);
  return read_integer(at, "bytes", most_integer, &row->bytes);
}

static rh_status read_words(const place *at, rh_row *row) {
  char word[32] = "device";
  RH_TRY(read_text(at, "params_from", row->params_from, sizeof row->params_from));
  RH_TRY(read_text(at, "finishes_on", word, sizeof word));
  row->finishes_on_host = strcmp(word, "host") == 0;
  if (!row->finishes_on_host && strcmp(word, "device") != 0)
    return refuse(at, "finishes_on", "'%s' is neither host nor device", rh_quotable(word));
  strcpy(word, rh_determinism_name(0));
  RH_TRY(read_text(at, "reproducible", word, sizeof word));
  row->reproducible = rh_determinism_from_name(word);
  if (row->reproducible == UINT32_MAX)
    return refuse(at, "reproducible", "'%s' is not a promise", rh_quotable(word));
  return RH_OK;
}

static rh_status read_row(const place *at, rh_row *row) {
  RH_TRY(read_point(at, row));
  RH_TRY(read_params(at, row));
  RH_TRY(read_status(at, row));
  RH_TRY(read_reason(at, row));
  RH_TRY(read_time(at, row));
  place latency;
  RH_TRY(read_object(at, "latency_s", "latency_s.", &latency));
  if (latency.json) RH_TRY(read_spread(&latency, &row->latency));
  RH_TRY(read_seconds(at, "host_batch_s", &row->host_batch_s));
  RH_TRY(read_number(at, "peak_fraction", 1e6, &row->peak_fraction));
  RH_TRY(read_setup(at, row));
  RH_TRY(read_check(at, row));
  RH_TRY(read_flags(at, row));
  RH_TRY(read_count(at, "outliers", &row->time.outliers));
  RH_TRY(read_count(at, "passes", &row->passes));
  RH_TRY(read_flag(at, "peer", &row->is_peer));
  RH_TRY(read_parts(at, row));
  RH_TRY(read_seconds(at, "host_share_s", &row->host_share_s));
  return read_words(at, row);
}

rh_status rh_row_from_json(rh_row *row, const json_t *object, rh_error *error) {
  place at = {object, "", error};
  *row = (rh_row){.error_ulp = NAN, .bound_fraction = NAN, .peak_fraction = NAN};
  rh_status status = json_is_object(object)
                         ? read_row(&at, row)
                         : rh_fail(error, RH_E_FILE, "a result is not an object");
  if (status != RH_OK) rh_row_finish(row);
  return status;
}

/* ---- The document ---- */

static rh_status check_schema(const place *at) {
  const json_t *value = json_object_get(at->json, "schema");
  const char *schema = json_string_value(value);
  if (!value)
    return rh_fail(at->error, RH_E_FILE, "has no \"schema\": it is not a redhost result file");
  if (schema && strcmp(schema, RH_SCHEMA) == 0) return RH_OK;
  if (schema && strncmp(schema, "redhost/", 8) == 0)
    return refuse(at, "schema", "is %s, and this redhost reads " RH_SCHEMA, rh_quotable(schema));
  return refuse(at, "schema", "is not " RH_SCHEMA ": it is not a redhost result file");
}

/* A reference to the value of `key`: an object, or an array of objects. */
static rh_status keep(const place *at, const char *key, int array, json_t **kept) {
  const json_t *value = value_of(at, key);
  if (!value) return RH_OK;
  if (array ? !json_is_array(value) : !json_is_object(value))
    return refuse(at, key, "is not an %s", array ? "array" : "object");
  for (size_t k = 0; array && k < json_array_size(value); k++)
    if (!json_is_object(json_array_get(value, k)))
      return refuse(at, key, "one of them is not an object");
  *kept = json_incref((json_t *)value);
  return RH_OK;
}

static rh_status read_header(const place *at, rh_records *results) {
  RH_TRY(check_schema(at));
  RH_TRY(keep(at, "tool", 0, &results->tool));
  RH_TRY(keep(at, "run", 0, &results->run));
  RH_TRY(keep(at, "devices", 1, &results->devices));
  RH_TRY(keep(at, "calibration", 1, &results->calibration));
  RH_TRY(keep(at, "settings", 0, &results->settings));
  return keep(at, "strategies", 1, &results->strategies);
}

rh_status rh_header_from_json(rh_records *results, const json_t *object, rh_error *error) {
  place at = {object, "", error};
  *results = (rh_records){0};
  rh_status status = json_is_object(object)
                         ? read_header(&at, results)
                         : rh_fail(error, RH_E_FILE,
                                   "is JSON, but not an object: it is not a redhost result file");
  if (status != RH_OK) rh_records_finish(results);
  return status;
}
