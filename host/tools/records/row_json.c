/* A row and its object.  Each key stands here once: the same functions read a row and write it. */
#include "../../core/base/alloc.h"
#include "../../core/base/json_value.h"
#include "../../core/base/text.h"
#include "../../core/base/vocabulary.h"
#include "write_json.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An object that is read or written. */
typedef struct exchange {
  int reads;
  json_t *object;
  const char *within; /* the key of the object in a row; null: the row itself */
  rh_error *error;
} exchange;

/* JSON readers that use doubles are exact up to here. */
static const uint64_t most_integer = UINT64_C(1) << 53;
static const double most_seconds = 1e9;

__attribute__((format(printf, 3, 4))) static rh_status refuse(exchange *x, const char *key,
                                                              const char *format, ...) {
  char what[256];
  va_list args;
  va_start(args, format);
  vsnprintf(what, sizeof what, format, args);
  va_end(args);
  return rh_fail(x->error, RH_E_FILE, "%s%s%s: %s", x->within ? x->within : "",
                 x->within ? "." : "", key, what);
}

/* ---- One key ---- */

/* To be read: null if it is missing or null. */
static const json_t *value_of(const exchange *x, const char *key) {
  const json_t *value = json_object_get(x->object, key);
  return json_is_null(value) ? NULL : value;
}

/* Takes over `value`. */
static rh_status put(exchange *x, const char *key, json_t *value) {
  if (json_object_set_new(x->object, key, value) == 0) return RH_OK;
  return rh_fail(x->error, RH_E_NOMEM, "no memory for the results");
}

/* The functions below write `is`, or read into it; a key that is missing or null leaves it
 * unchanged. */

/* From 0 to `most`. */
static rh_status number(exchange *x, const char *key, double most, double *is) {
  if (!x->reads) return put(x, key, rh_json_number(*is));
  const json_t *value = value_of(x, key);
  if (!value) return RH_OK;
  if (!json_is_number(value)) return refuse(x, key, "is not a number");
  double taken = json_number_value(value);
  if (!(taken >= 0 && taken <= most)) return refuse(x, key, "%g is not from 0 to %g", taken, most);
  *is = taken;
  return RH_OK;
}

static rh_status seconds(exchange *x, const char *key, double *is) {
  return number(x, key, most_seconds, is);
}

static rh_status integer(exchange *x, const char *key, uint64_t most, uint64_t *is) {
  if (!x->reads) return put(x, key, json_integer((json_int_t)*is));
  const json_t *value = value_of(x, key);
  if (!value) return RH_OK;
  json_int_t taken = json_integer_value(value);
  if (!json_is_integer(value)) return refuse(x, key, "is not a whole number");
  if (taken < 0 || (uint64_t)taken > most)
    return refuse(x, key, "%lld is not from 0 to %llu", (long long)taken, (unsigned long long)most);
  *is = (uint64_t)taken;
  return RH_OK;
}

static rh_status count(exchange *x, const char *key, uint32_t *is) {
  uint64_t taken = *is;
  RH_TRY(integer(x, key, UINT32_MAX, &taken));
  *is = (uint32_t)taken;
  return RH_OK;
}

static rh_status flag(exchange *x, const char *key, uint32_t *is) {
  if (!x->reads) return put(x, key, json_boolean(*is));
  const json_t *value = value_of(x, key);
  if (value && !json_is_boolean(value)) return refuse(x, key, "is neither true nor false");
  if (value) *is = json_is_true(value);
  return RH_OK;
}

/* At most size-1 bytes, without control characters.  "" is written as null. */
static rh_status text(exchange *x, const char *key, char *is, size_t size) {
  if (!x->reads) return put(x, key, *is ? rh_json_bytes(is) : json_null());
  const json_t *value = value_of(x, key);
  const char *taken = json_string_value(value);
  if (!value) return RH_OK;
  if (!taken) return refuse(x, key, "is not a string");
  if (strlen(taken) >= size) return refuse(x, key, "is longer than %zu bytes", size - 1);
  if (!rh_is_plain_utf8(taken, strlen(taken))) return refuse(x, key, "has control characters");
  strcpy(is, taken);
  return RH_OK;
}

/* A name must not be missing, and is written as it is. */
static rh_status name(exchange *x, const char *key, char *is, size_t size) {
  if (!x->reads) return put(x, key, rh_json_bytes(is));
  *is = 0;
  RH_TRY(text(x, key, is, size));
  return *is ? RH_OK : refuse(x, key, "is missing");
}

/* One of several words, which the caller knows: `word` is `is`, or what was read; if it is missing,
 * `otherwise`, or a failure if that is null. */
static rh_status word_of(exchange *x, const char *key, const char *is, char word[32],
                         const char *otherwise) {
  if (!x->reads) return put(x, key, rh_json_bytes(is));
  snprintf(word, 32, "%s", otherwise ? otherwise : "");
  return otherwise ? text(x, key, word, 32) : name(x, key, word, 32);
}

/* To be read; null if it is missing or null. */
static rh_status array_of(exchange *x, const char *key, const json_t **array) {
  *array = value_of(x, key);
  return !*array || json_is_array(*array) ? RH_OK : refuse(x, key, "is not an array");
}

/* Adds to an array that is written; null, and no array, if memory runs out. */
static json_t *with(json_t *array, json_t *value) {
  if (json_array_append_new(array, value) == 0) return array;
  json_decref(array);
  return NULL;
}

/* Seconds: malloc'ed, *n of them; null for none. */
static rh_status list(exchange *x, const char *key, uint32_t most, double **is, uint32_t *n) {
  if (!x->reads) {
    json_t *made = json_array();
    for (uint32_t k = 0; k < *n; k++) made = with(made, rh_json_number((*is)[k]));
    return put(x, key, made);
  }
  const json_t *array;
  RH_TRY(array_of(x, key, &array));
  size_t size = json_array_size(array);
  if (size > most) return refuse(x, key, "has %zu numbers, and at most %u can be", size, most);
  if (size) RH_TRY(RH_NEW(is, size, "the results", x->error));
  for (size_t k = 0; k < size; k++) {
    const json_t *value = json_array_get(array, k);
    double taken = json_number_value(value);
    if (!json_is_number(value) || !(taken >= 0 && taken <= most_seconds))
      return refuse(x, key, "number %zu is not from 0 to %g", k + 1, most_seconds);
    (*is)[(*n)++] = taken;
  }
  return RH_OK;
}

/* An object of `row` with its own keys; null is written unless it is known. */
static rh_status object(exchange *x, const char *key, int is_known,
                        rh_status (*keys)(exchange *inner, rh_row *row), rh_row *row) {
  if (!x->reads && !is_known) return put(x, key, json_null());
  const json_t *from = value_of(x, key);
  if (x->reads && !from) return RH_OK;
  if (from && !json_is_object(from)) return refuse(x, key, "is not an object");
  exchange inner = {x->reads, x->reads ? (json_t *)from : json_object(), key, x->error};
  rh_status status = keys(&inner, row);
  if (x->reads) return status;
  if (status == RH_OK) return put(x, key, inner.object);
  json_decref(inner.object);
  return status;
}

/* ---- Parts of a row ---- */

static rh_status interval(exchange *x, rh_spread *spread) {
  if (!x->reads)
    return put(
        x, "ci95",
        json_pack("[o, o]", rh_json_number(spread->ci_low), rh_json_number(spread->ci_high)));
  const json_t *pair = value_of(x, "ci95");
  if (!pair) return RH_OK;
  const json_t *low = json_array_get(pair, 0), *high = json_array_get(pair, 1);
  if (json_array_size(pair) != 2 || !json_is_number(low) || !json_is_number(high))
    return refuse(x, "ci95", "is not two numbers");
  spread->ci_low = json_number_value(low);
  spread->ci_high = json_number_value(high);
  if (!(spread->ci_low >= 0 && spread->ci_low <= spread->ci_high &&
        spread->ci_high <= most_seconds))
    return refuse(x, "ci95", "is not an interval");
  return RH_OK;
}

/* If only the median is given, the other quantiles are set to it. */
static rh_status spread_keys(exchange *x, rh_spread *spread) {
  RH_TRY(seconds(x, "median", &spread->median));
  double median = spread->median;
  if (x->reads) {
    if (median == 0) return refuse(x, "median", "is missing or 0");
    *spread = (rh_spread){.median = median, .ci_low = median, .ci_high = median, .mean = median};
    spread->min = spread->max = spread->q1 = spread->q3 = median;
    spread->samples = 1;
  }
  RH_TRY(interval(x, spread));
  RH_TRY(seconds(x, "mean", &spread->mean));
  RH_TRY(seconds(x, "min", &spread->min));
  RH_TRY(seconds(x, "max", &spread->max));
  RH_TRY(seconds(x, "q1", &spread->q1));
  RH_TRY(seconds(x, "q3", &spread->q3));
  RH_TRY(seconds(x, "mad", &spread->mad));
  RH_TRY(count(x, "samples", &spread->samples));
  if (!x->reads) return RH_OK;
  RH_TRY(count(x, "outliers", &spread->outliers));
  if (!spread->samples) return refuse(x, "samples", "is 0, but there is a median");
  if (spread->min > spread->max) return refuse(x, "min", "is greater than max");
  if (spread->q1 > spread->q3) return refuse(x, "q1", "is greater than q3");
  return RH_OK;
}

static rh_status time_keys(exchange *x, rh_row *row) {
  RH_TRY(spread_keys(x, &row->time));
  RH_TRY(count(x, "batch", &row->batch));
  RH_TRY(list(x, "rounds", RH_MAX_ROUNDS, &row->rounds, &row->n_rounds));
  RH_TRY(list(x, "raw", UINT32_MAX, &row->raw, &row->n_raw));
  if (x->reads || row->n_processes)
    RH_TRY(list(x, "processes", RH_MAX_PROCESSES, &row->processes, &row->n_processes));
  for (uint32_t k = 0; x->reads && k < row->n_processes; k++)
    if (row->processes[k] == 0) return refuse(x, "processes", "number %u is 0", k + 1);
  return RH_OK;
}

static rh_status latency_keys(exchange *x, rh_row *row) {
  RH_TRY(spread_keys(x, &row->latency));
  return count(x, "outliers", &row->latency.outliers);
}

static rh_status setup_keys(exchange *x, rh_row *row) {
  RH_TRY(seconds(x, "build", &row->build_s));
  RH_TRY(flag(x, "build_cached", &row->build_cached));
  RH_TRY(seconds(x, "upload", &row->upload_s));
  return seconds(x, "setup", &row->setup_s);
}

static rh_status check_keys(exchange *x, rh_row *row) {
  int is_judged = (row->status == RH_ROW_ok && !row->unjudged) || row->status == RH_ROW_wrong;
  RH_TRY(text(x, "value", row->value, sizeof row->value));
  RH_TRY(text(x, "reference", row->reference, sizeof row->reference));
  RH_TRY(number(x, "error_ulp", HUGE_VAL, &row->error_ulp));
  RH_TRY(number(x, "bound_fraction", HUGE_VAL, &row->bound_fraction));
  if (x->reads)
    row->unjudged = row->status == RH_ROW_ok && json_is_null(json_object_get(x->object, "ok"));
  else
    RH_TRY(put(x, "ok", is_judged ? json_boolean(row->status == RH_ROW_ok) : json_null()));
  return text(x, "exact_data", row->exact_data, sizeof row->exact_data);
}

static rh_status read_param(exchange *x, const char *key, const json_t *value, rh_text *params) {
  const char *word = json_string_value(value);
  if (!*key || strpbrk(key, " =") || !rh_is_plain_utf8(key, strlen(key)))
    return refuse(x, rh_quotable(key), "is not the name of a parameter");
  if (json_is_integer(value)) {
    rh_text_add(params, "%s%s=%lld", params->length ? " " : "", key,
                (long long)json_integer_value(value));
    return RH_OK;
  }
  if (!word || strchr(word, ' ') || !rh_is_plain_utf8(word, strlen(word)))
    return refuse(x, key, "is neither a whole number nor a word");
  rh_text_add(params, "%s%s=%s", params->length ? " " : "", key, word);
  return RH_OK;
}

static rh_status read_params(exchange *x, rh_row *row) {
  rh_text params = {0};
  const char *key;
  json_t *value;
  rh_status status = RH_OK;
  json_object_foreach(x->object, key, value) {
    if (status == RH_OK) status = read_param(x, key, value, &params);
  }
  if (status == RH_OK)
    status = rh_copy(&row->params, rh_text_get(&params), "the results", x->error);
  if (status == RH_OK && params.failed)
    status = rh_fail(x->error, RH_E_NOMEM, "no memory for the results");
  rh_text_finish(&params);
  return status;
}

/* "256" is a number, "0256" and "device" are words. */
static json_t *param_value(const char *text) {
  char *end, back[32];
  long long number = strtoll(text, &end, 10);
  snprintf(back, sizeof back, "%lld", number);
  return strcmp(back, text) == 0 ? json_integer(number) : rh_json_bytes(text);
}

/* "tile=256 finish=device". */
static rh_status write_params(exchange *x, rh_row *row) {
  rh_status status = RH_OK;
  const char *at = row->params + strspn(row->params, " ");
  while (status == RH_OK && *at) {
    size_t length = strcspn(at, " "), key = strcspn(at, "= ");
    char *copy = strndup(at, length);
    if (copy && key < length) copy[key] = 0;
    if (!copy || key < length) status = put(x, copy, copy ? param_value(copy + key + 1) : NULL);
    free(copy);
    at += length;
    at += strspn(at, " ");
  }
  return status;
}

static rh_status reason(exchange *x, rh_row *row) {
  if (!x->reads) return put(x, "reason", rh_json_bytes(row->reason));
  const json_t *value = value_of(x, "reason");
  if (value && !json_is_string(value)) return refuse(x, "reason", "is not a string");
  if (!value) return RH_OK;
  return rh_copy(&row->reason, json_string_value(value), "the results", x->error);
}

/* Unknown flags are ignored, like unknown keys. */
static rh_status flags(exchange *x, rh_row *row) {
#define RH_X(name, bit, mark) [bit] = #name,
  static const char *const names[] = {RH_FLAG_LIST(RH_X)};
#undef RH_X
  const uint32_t n = sizeof names / sizeof *names;
  const json_t *array;
  json_t *made = x->reads ? NULL : json_array();
  for (uint32_t k = 0; !x->reads && k < n; k++)
    if (row->flags & 1u << k) made = with(made, json_string(names[k]));
  if (!x->reads) return put(x, "flags", made);
  RH_TRY(array_of(x, "flags", &array));
  for (size_t j = 0; j < json_array_size(array); j++) {
    const char *is = json_string_value(json_array_get(array, j));
    if (!is) return refuse(x, "flags", "one of them is not a string");
    for (uint32_t k = 0; k < n; k++)
      if (strcmp(is, names[k]) == 0) row->flags |= 1u << k;
  }
  return RH_OK;
}

static rh_status part_keys(exchange *x, rh_part *part) {
  RH_TRY(name(x, "stage", part->stage, sizeof part->stage));
  return seconds(x, "seconds", &part->seconds);
}

static rh_status read_parts(exchange *x, rh_row *row) {
  const json_t *array;
  RH_TRY(array_of(x, "parts", &array));
  size_t n = json_array_size(array);
  if (n > RH_MAX_PARTS)
    return refuse(x, "parts", "are %zu, and at most %d can be", n, RH_MAX_PARTS);
  if (n) RH_TRY(RH_NEW(&row->parts, n, "the results", x->error));
  for (size_t k = 0; k < n; k++) {
    exchange one = {1, json_array_get(array, k), "parts", x->error};
    if (!json_is_object(one.object)) return refuse(x, "parts", "one of them is not an object");
    RH_TRY(part_keys(&one, &row->parts[row->n_parts++]));
  }
  return RH_OK;
}

static rh_status parts(exchange *x, rh_row *row) {
  if (x->reads) return read_parts(x, row);
  json_t *array = json_array();
  for (uint32_t k = 0; k < row->n_parts; k++) {
    exchange one = {0, json_object(), "parts", x->error};
    if (part_keys(&one, &row->parts[k]) == RH_OK) {
      array = with(array, one.object);
      continue;
    }
    json_decref(one.object);
    array = with(array, NULL);
  }
  return put(x, "parts", array);
}

/* ---- A row ---- */

static rh_status op(exchange *x, rh_row *row) {
  if (!x->reads) {
    RH_TRY(put(x, "op", rh_json_bytes(rh_row_op_name(row))));
    return put(x, "own_op", json_boolean(!row->op));
  }
  RH_TRY(name(x, "op", row->own_op, sizeof row->own_op));
  if (json_is_true(value_of(x, "own_op"))) return RH_OK;
  row->op = rh_op_from_name(row->own_op);
  if (!row->op)
    return refuse(x, "op", "'%s' is not one of %s", rh_quotable(row->own_op), rh_op_names());
  row->own_op[0] = 0;
  return RH_OK;
}

static rh_status segments_keys(exchange *x, rh_row *row) {
  rh_row_segments *segments = &row->segments;
  char word[32];
  RH_TRY(word_of(x, "distribution", rh_lengths_name(segments->distribution), word, NULL));
  if (x->reads && !(segments->distribution = rh_lengths_from_name(word)))
    return refuse(x, "distribution", "'%s' is not one of%s", rh_quotable(word), rh_lengths_names);
  RH_TRY(integer(x, "length", most_integer, &segments->length));
  return integer(x, "count", most_integer, &segments->count);
}

static rh_status point(exchange *x, rh_row *row) {
  char word[32];
  RH_TRY(name(x, "device", row->device, sizeof row->device));
  RH_TRY(name(x, "strategy", row->strategy, sizeof row->strategy));
  RH_TRY(op(x, row));
  RH_TRY(word_of(x, "type", rh_type_name(row->type), word, NULL));
  if (x->reads && !(row->type = rh_type_from_name(word)))
    return refuse(x, "type", "'%s' is not a type", rh_quotable(word));
  if (x->reads && !value_of(x, "n")) return refuse(x, "n", "is missing");
  RH_TRY(integer(x, "n", most_integer, &row->n));
  if (x->reads) row->bytes = row->n * rh_type_size(row->type);
  RH_TRY(integer(x, "bytes", most_integer, &row->bytes));
  if (!x->reads && !row->segments.distribution) return RH_OK; /* most rows do without the key */
  return object(x, "segments", 1, segments_keys, row);
}

static rh_status ending(exchange *x, rh_row *row) {
  char word[32];
  RH_TRY(word_of(x, "status", rh_row_status_name(row->status), word, NULL));
  for (uint32_t k = 0; x->reads && rh_row_status_name(k); k++)
    if (strcmp(rh_row_status_name(k), word) == 0) {
      row->status = k;
      return RH_OK;
    }
  if (!x->reads) return RH_OK;
  return refuse(x, "status", "'%s' is not one of ok wrong unsupported failed skipped",
                rh_quotable(word));
}

static rh_status measured(exchange *x, rh_row *row) {
  double unknown = NAN, rate = rh_row_rate(row), bandwidth = rh_row_bandwidth(row);
  int has_setup = row->build_s != 0 || row->upload_s != 0 || row->setup_s != 0 || row->build_cached;
  RH_TRY(object(x, "time_s", row->time.samples > 0, time_keys, row));
  RH_TRY(object(x, "latency_s", row->latency.samples > 0, latency_keys, row));
  RH_TRY(seconds(x, "host_batch_s",
                 x->reads || row->host_batch_s > 0 ? &row->host_batch_s : &unknown));
  if (!x->reads) {
    RH_TRY(number(x, "elements_per_s", HUGE_VAL, rate > 0 ? &rate : &unknown));
    RH_TRY(number(x, "bytes_per_s", HUGE_VAL, bandwidth > 0 ? &bandwidth : &unknown));
  }
  RH_TRY(number(x, "peak_fraction", 1e6, &row->peak_fraction));
  return object(x, "setup_s", has_setup, setup_keys, row);
}

static rh_status promises(exchange *x, rh_row *row) {
  char word[32];
  RH_TRY(word_of(x, "finishes_on", row->finishes_on_host ? "host" : "device", word, "device"));
  if (x->reads) row->finishes_on_host = strcmp(word, "host") == 0;
  if (x->reads && !row->finishes_on_host && strcmp(word, "device") != 0)
    return refuse(x, "finishes_on", "'%s' is neither host nor device", rh_quotable(word));
  RH_TRY(word_of(x, "reproducible", rh_determinism_name(row->reproducible), word,
                 rh_determinism_name(0)));
  if (x->reads && (row->reproducible = rh_determinism_from_name(word)) == UINT32_MAX)
    return refuse(x, "reproducible", "'%s' is not a promise", rh_quotable(word));
  return RH_OK;
}

static rh_status row_keys(exchange *x, rh_row *row) {
  double unknown = NAN;
  RH_TRY(point(x, row));
  RH_TRY(object(x, "params", row->params != NULL, x->reads ? read_params : write_params, row));
  RH_TRY(text(x, "params_from", row->params_from, sizeof row->params_from));
  RH_TRY(ending(x, row));
  RH_TRY(reason(x, row));
  RH_TRY(measured(x, row));
  RH_TRY(object(x, "check", *row->value || *row->reference, check_keys, row));
  RH_TRY(flags(x, row));
  RH_TRY(count(x, "outliers", &row->time.outliers));
  RH_TRY(count(x, "passes", &row->passes));
  RH_TRY(flag(x, "peer", &row->is_peer));
  RH_TRY(parts(x, row));
  RH_TRY(seconds(x, "host_share_s", x->reads || row->n_parts ? &row->host_share_s : &unknown));
  return promises(x, row);
}

rh_status rh_row_from_json(rh_row *row, const json_t *json, rh_error *error) {
  exchange x = {1, (json_t *)json, NULL, error};
  *row = (rh_row){.error_ulp = NAN, .bound_fraction = NAN, .peak_fraction = NAN};
  rh_status status = json_is_object(json) ? row_keys(&x, row)
                                          : rh_fail(error, RH_E_FILE, "a result is not an object");
  if (status != RH_OK) rh_row_finish(row);
  return status;
}

json_t *rh_row_to_json(const rh_row *row) {
  exchange x = {0, json_object(), NULL, NULL};
  rh_row same = *row; /* which is not changed when it is written */
  if (row_keys(&x, &same) == RH_OK) return x.object;
  json_decref(x.object);
  return NULL;
}
