/* A row and its object.  Each key stands here once: the same functions read a row and write it. */
#include "records.h"

#include "../../choose/tunedb/tunedb.h"

/* ---- Lists and objects ---- */

/* To be read; null if it is missing or null. */
static rh_status array_of(rh_exchange *x, const char *key, const json_t **array) {
  *array = rh_pass_value(x, key);
  return !*array || json_is_array(*array) ? RH_OK : rh_pass_refuse(x, key, "is not an array");
}

/* Adds to an array that is written; null, and no array, if memory runs out. */
static json_t *with(json_t *array, json_t *value) {
  if (json_array_append_new(array, value) == 0) return array;
  json_decref(array);
  return NULL;
}

/* Seconds: malloc'ed, *n of them; null for none. */
static rh_status list(rh_exchange *x, const char *key, uint32_t most, double **is, uint32_t *n) {
  if (!x->reads) {
    json_t *made = json_array();
    for (uint32_t k = 0; k < *n; k++) made = with(made, rh_json_number((*is)[k]));
    return rh_pass_put(x, key, made);
  }
  const json_t *array;
  RH_TRY(array_of(x, key, &array));
  size_t size = json_array_size(array);
  if (size > most)
    return rh_pass_refuse(x, key, "has %zu numbers, and at most %u can be", size, most);
  if (size) RH_TRY(RH_NEW(is, size, "the results", x->error));
  for (size_t k = 0; k < size; k++) {
    const json_t *value = json_array_get(array, k);
    double taken = json_number_value(value);
    if (!json_is_number(value) || !(taken >= 0 && taken <= RH_JSON_MOST_SECONDS))
      return rh_pass_refuse(x, key, "number %zu is not from 0 to %g", k + 1, RH_JSON_MOST_SECONDS);
    (*is)[(*n)++] = taken;
  }
  return RH_OK;
}

/* An object of `row` with its own keys; null is written unless it is known. */
static rh_status object(rh_exchange *x, const char *key, int is_known,
                        rh_status (*keys)(rh_exchange *inner, rh_row *row), rh_row *row) {
  if (!x->reads && !is_known) return rh_pass_put(x, key, json_null());
  const json_t *from = rh_pass_value(x, key);
  if (x->reads && !from) return RH_OK;
  if (from && !json_is_object(from)) return rh_pass_refuse(x, key, "is not an object");
  rh_exchange inner = {x->reads, x->reads ? (json_t *)from : json_object(), key, x->error, 1};
  rh_status status = keys(&inner, row);
  if (x->reads) return status;
  if (status == RH_OK) return rh_pass_put(x, key, inner.object);
  json_decref(inner.object);
  return status;
}

/* One of the names of the numbers from `first` to `last`.  otherwise: the name if the key is
 * missing; null: it must not be.  what: they are, for a message; null: it names them all. */
static rh_status word(rh_exchange *x, const char *key, const char *(*name_of)(uint32_t),
                      uint32_t first, uint32_t last, const char *otherwise, const char *what,
                      uint32_t *is) {
  char read[32];
  RH_FINISHED(rh_text) known = {0};
  RH_TRY(rh_pass_word(x, key, name_of(*is), read, otherwise));
  if (!x->reads) return RH_OK;
  for (*is = first; *is <= last; ++*is) {
    if (strcmp(name_of(*is), read) == 0) return RH_OK;
    rh_text_add(&known, " %s", name_of(*is));
  }
  return rh_pass_refuse(x, key, "'%s' is not %s%s", rh_quotable(read), what ? what : "one of",
                        what ? "" : rh_text_get(&known));
}

/* ---- Parts of a row ---- */

static rh_status interval(rh_exchange *x, rh_spread *spread) {
  if (!x->reads)
    return rh_pass_put(
        x, "ci95",
        json_pack("[o, o]", rh_json_number(spread->ci_low), rh_json_number(spread->ci_high)));
  const json_t *pair = rh_pass_value(x, "ci95");
  if (!pair) return RH_OK;
  const json_t *low = json_array_get(pair, 0), *high = json_array_get(pair, 1);
  if (json_array_size(pair) != 2 || !json_is_number(low) || !json_is_number(high))
    return rh_pass_refuse(x, "ci95", "is not two numbers");
  spread->ci_low = json_number_value(low);
  spread->ci_high = json_number_value(high);
  if (!(spread->ci_low >= 0 && spread->ci_low <= spread->ci_high &&
        spread->ci_high <= RH_JSON_MOST_SECONDS))
    return rh_pass_refuse(x, "ci95", "is not an interval");
  return RH_OK;
}

/* If only the median is given, the other quantiles are set to it. */
static rh_status spread_keys(rh_exchange *x, rh_spread *spread) {
  RH_TRY(rh_pass_seconds(x, "median", &spread->median));
  double median = spread->median;
  if (x->reads) {
    if (median == 0) return rh_pass_refuse(x, "median", "is missing or 0");
    *spread = (rh_spread){.median = median, .ci_low = median, .ci_high = median, .mean = median};
    spread->min = spread->max = spread->q1 = spread->q3 = median;
    spread->samples = 1;
  }
  RH_TRY(interval(x, spread));
  RH_TRY(rh_pass_seconds(x, "mean", &spread->mean));
  RH_TRY(rh_pass_seconds(x, "min", &spread->min));
  RH_TRY(rh_pass_seconds(x, "max", &spread->max));
  RH_TRY(rh_pass_seconds(x, "q1", &spread->q1));
  RH_TRY(rh_pass_seconds(x, "q3", &spread->q3));
  RH_TRY(rh_pass_seconds(x, "mad", &spread->mad));
  RH_TRY(rh_pass_count(x, "samples", &spread->samples));
  if (!x->reads) return RH_OK;
  RH_TRY(rh_pass_count(x, "outliers", &spread->outliers));
  if (!spread->samples) return rh_pass_refuse(x, "samples", "is 0, but there is a median");
  if (spread->min > spread->max) return rh_pass_refuse(x, "min", "is greater than max");
  if (spread->q1 > spread->q3) return rh_pass_refuse(x, "q1", "is greater than q3");
  return RH_OK;
}

static rh_status time_keys(rh_exchange *x, rh_row *row) {
  RH_TRY(spread_keys(x, &row->time));
  RH_TRY(rh_pass_count(x, "batch", &row->batch));
  RH_TRY(list(x, "rounds", RH_MAX_ROUNDS, &row->rounds, &row->n_rounds));
  RH_TRY(list(x, "raw", UINT32_MAX, &row->raw, &row->n_raw));
  if (x->reads || row->n_processes)
    RH_TRY(list(x, "processes", RH_MAX_PROCESSES, &row->processes, &row->n_processes));
  for (uint32_t k = 0; x->reads && k < row->n_processes; k++)
    if (row->processes[k] == 0) return rh_pass_refuse(x, "processes", "number %u is 0", k + 1);
  return RH_OK;
}

static rh_status latency_keys(rh_exchange *x, rh_row *row) {
  RH_TRY(spread_keys(x, &row->latency));
  return rh_pass_count(x, "outliers", &row->latency.outliers);
}

/* They are passed on as they were measured, or read; a fact that is not known is written as
 * `unknown`. */
static const struct {
  const char *key, *unknown;
  json_type type;
  const char *is_not;
} facts[] = {{"params", "null", JSON_OBJECT, "is not an object"},
             {"params_from", "null", JSON_STRING, "is not a string"},
             {"host_batch_s", "null", JSON_REAL, "is not a number"},
             {"setup_s", "null", JSON_OBJECT, "is not an object"},
             {"check", "null", JSON_OBJECT, "is not an object"},
             {"parts", "[]", JSON_ARRAY, "is not an array"},
             {"host_share_s", "null", JSON_REAL, "is not a number"},
             {"finishes_on", "\"device\"", JSON_STRING, "is not a string"}};

static int is_of(const json_t *value, json_type type) {
  return !value || json_is_null(value) || json_typeof(value) == type ||
         (type == JSON_REAL && json_is_integer(value));
}

static rh_status pass_facts(rh_exchange *x, rh_row *row) {
  if (x->reads) row->facts = json_object();
  const json_t *from = x->reads ? x->object : row->facts;
  json_t *check = json_object_get(row->facts, "check"), *to = x->reads ? row->facts : x->object;
  int is_judged = (row->status == RH_ROW_ok && !row->unjudged) || row->status == RH_ROW_wrong;
  if (!x->reads && check)
    json_object_set_new(check, "ok",
                        is_judged ? json_boolean(row->status == RH_ROW_ok) : json_null());
  for (size_t k = 0; k < sizeof facts / sizeof *facts; k++) {
    json_t *value = json_object_get(from, facts[k].key);
    if (!is_of(value, facts[k].type)) return rh_pass_refuse(x, facts[k].key, "%s", facts[k].is_not);
    json_object_set_new(to, facts[k].key,
                        value ? json_incref(value)
                              : json_loads(facts[k].unknown, JSON_DECODE_ANY, NULL));
  }
  row->unjudged |= x->reads && row->status == RH_ROW_ok &&
                   json_is_null(json_object_get(json_object_get(row->facts, "check"), "ok"));
  return RH_OK;
}

static rh_status reason(rh_exchange *x, rh_row *row) {
  if (!x->reads) return rh_pass_put(x, "reason", rh_json_bytes(row->reason));
  const json_t *value = rh_pass_value(x, "reason");
  if (value && !json_is_string(value)) return rh_pass_refuse(x, "reason", "is not a string");
  if (!value) return RH_OK;
  return rh_copy(&row->reason, json_string_value(value), "the results", x->error);
}

/* Unknown flags are ignored, like unknown keys. */
static rh_status flags(rh_exchange *x, rh_row *row) {
#define RH_X(name, bit, mark) [bit] = #name,
  static const char *const names[] = {RH_FLAG_LIST(RH_X)};
#undef RH_X
  const uint32_t n = sizeof names / sizeof *names;
  const json_t *array;
  json_t *made = x->reads ? NULL : json_array();
  for (uint32_t k = 0; !x->reads && k < n; k++)
    if (row->flags & 1u << k) made = with(made, json_string(names[k]));
  if (!x->reads) return rh_pass_put(x, "flags", made);
  RH_TRY(array_of(x, "flags", &array));
  for (size_t j = 0; j < json_array_size(array); j++) {
    const char *is = json_string_value(json_array_get(array, j));
    if (!is) return rh_pass_refuse(x, "flags", "one of them is not a string");
    for (uint32_t k = 0; k < n; k++)
      if (strcmp(is, names[k]) == 0) row->flags |= 1u << k;
  }
  return RH_OK;
}

/* ---- A row ---- */

static rh_status op(rh_exchange *x, rh_row *row) {
  if (!x->reads) {
    RH_TRY(rh_pass_put(x, "op", rh_json_bytes(rh_row_op_name(row))));
    return rh_pass_put(x, "own_op", json_boolean(!row->op));
  }
  RH_TRY(rh_pass_name(x, "op", row->own_op, sizeof row->own_op));
  if (json_is_true(rh_pass_value(x, "own_op"))) return RH_OK;
  row->op = rh_op_from_name(row->own_op);
  if (!row->op)
    return rh_pass_refuse(x, "op", "'%s' is not one of %s", rh_quotable(row->own_op),
                          rh_op_names());
  row->own_op[0] = 0;
  return RH_OK;
}

static rh_status segments_keys(rh_exchange *x, rh_row *row) {
  rh_row_segments *segments = &row->segments;
  RH_TRY(word(x, "distribution", rh_lengths_name, 1, RH_N_LENGTHS, NULL, NULL,
              &segments->distribution));
  RH_TRY(rh_pass_integer(x, "length", RH_JSON_MOST_INTEGER, &segments->length));
  return rh_pass_integer(x, "count", RH_JSON_MOST_INTEGER, &segments->count);
}

static rh_status point(rh_exchange *x, rh_row *row) {
  RH_TRY(rh_pass_name(x, "device", row->device, sizeof row->device));
  RH_TRY(rh_pass_name(x, "strategy", row->strategy, sizeof row->strategy));
  RH_TRY(op(x, row));
  RH_TRY(word(x, "type", rh_type_name, 1, RH_N_TYPES, NULL, "a type", &row->type));
  if (x->reads && !rh_pass_value(x, "n")) return rh_pass_refuse(x, "n", "is missing");
  RH_TRY(rh_pass_integer(x, "n", RH_JSON_MOST_INTEGER, &row->n));
  if (x->reads) row->bytes = row->n * rh_type_size(row->type);
  RH_TRY(rh_pass_integer(x, "bytes", RH_JSON_MOST_INTEGER, &row->bytes));
  if (!x->reads && !row->segments.distribution) return RH_OK; /* most rows do without the key */
  return object(x, "segments", 1, segments_keys, row);
}

static rh_status measured(rh_exchange *x, rh_row *row) {
  double unknown = NAN, rate = rh_row_rate(row), bandwidth = rh_row_bandwidth(row);
  RH_TRY(object(x, "time_s", row->time.samples > 0, time_keys, row));
  RH_TRY(object(x, "latency_s", row->latency.samples > 0, latency_keys, row));
  if (!x->reads) {
    RH_TRY(rh_pass_number(x, "elements_per_s", HUGE_VAL, rate > 0 ? &rate : &unknown));
    RH_TRY(rh_pass_number(x, "bytes_per_s", HUGE_VAL, bandwidth > 0 ? &bandwidth : &unknown));
  }
  return rh_pass_number(x, "peak_fraction", 1e6, &row->peak_fraction);
}

static rh_status row_keys(rh_exchange *x, rh_row *row) {
  RH_TRY(point(x, row));
  RH_TRY(
      word(x, "status", rh_row_status_name, RH_ROW_ok, RH_ROW_skipped, NULL, NULL, &row->status));
  RH_TRY(reason(x, row));
  RH_TRY(measured(x, row));
  RH_TRY(flags(x, row));
  RH_TRY(rh_pass_count(x, "outliers", &row->time.outliers));
  RH_TRY(rh_pass_count(x, "passes", &row->passes));
  RH_TRY(rh_pass_flag(x, "peer", &row->is_peer));
  RH_TRY(word(x, "reproducible", rh_determinism_name, 0, RH_BITS_SAME_EVERYWHERE,
              rh_determinism_name(0), "a promise", &row->reproducible));
  return pass_facts(x, row);
}

rh_status rh_row_from_json(rh_row *row, const json_t *json, rh_error *error) {
  rh_exchange x = {1, (json_t *)json, NULL, error, 1};
  *row = (rh_row){.peak_fraction = NAN};
  rh_status status = json_is_object(json) ? row_keys(&x, row)
                                          : rh_fail(error, RH_E_FILE, "a result is not an object");
  if (status != RH_OK) rh_row_finish(row);
  return status;
}

json_t *rh_row_to_json(const rh_row *row) {
  rh_exchange x = {0, json_object(), NULL, NULL, 1};
  rh_row same = *row; /* which is not changed when it is written */
  if (row_keys(&x, &same) == RH_OK) return x.object;
  json_decref(x.object);
  return NULL;
}
