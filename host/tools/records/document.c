/* The parts of a document beside its rows. */
#include "records.h"

/* ---- The header ---- */

/* A key, and where its value is kept. */
static const struct {
  const char *key;
  size_t at;
  int is_array; /* of objects; else an object */
} kept[] = {
    {"tool", offsetof(rh_records, tool), 0},
    {"run", offsetof(rh_records, run), 0},
    {"devices", offsetof(rh_records, devices), 1},
    {"calibration", offsetof(rh_records, calibration), 1},
    {"settings", offsetof(rh_records, settings), 0},
    {"strategies", offsetof(rh_records, strategies), 1},
};
enum { N_KEPT = sizeof kept / sizeof *kept };

static json_t **place_of(const rh_records *results, size_t k) {
  return (json_t **)((char *)(uintptr_t)results + kept[k].at);
}

static rh_status check_schema(const json_t *object, rh_error *error) {
  const json_t *value = json_object_get(object, "schema");
  const char *schema = json_string_value(value);
  if (!value)
    return rh_fail(error, RH_E_FILE, "has no \"schema\": it is not a redhost result file");
  if (schema && strcmp(schema, RH_SCHEMA) == 0) return RH_OK;
  if (schema && strncmp(schema, "redhost/", 8) == 0)
    return rh_fail(error, RH_E_FILE, "schema: is %s, and this redhost reads " RH_SCHEMA,
                   rh_quotable(schema));
  return rh_fail(error, RH_E_FILE, "schema: is not " RH_SCHEMA ": it is not a redhost result file");
}

static rh_status read_kept(const json_t *object, size_t k, rh_records *results, rh_error *error) {
  const char *key = kept[k].key;
  json_t *value = json_object_get(object, key);
  if (!value || json_is_null(value)) return RH_OK;
  if (kept[k].is_array ? !json_is_array(value) : !json_is_object(value))
    return rh_fail(error, RH_E_FILE, "%s: is not an %s", key,
                   kept[k].is_array ? "array" : "object");
  for (size_t j = 0; kept[k].is_array && j < json_array_size(value); j++)
    if (!json_is_object(json_array_get(value, j)))
      return rh_fail(error, RH_E_FILE, "%s: one of them is not an object", key);
  *place_of(results, k) = json_incref(value);
  return RH_OK;
}

rh_status rh_header_from_json(rh_records *results, const json_t *object, rh_error *error) {
  *results = (rh_records){0};
  rh_status status = json_is_object(object)
                         ? check_schema(object, error)
                         : rh_fail(error, RH_E_FILE,
                                   "is JSON, but not an object: it is not a redhost result file");
  for (size_t k = 0; status == RH_OK && k < N_KEPT; k++)
    status = read_kept(object, k, results, error);
  if (status != RH_OK) rh_records_finish(results);
  return status;
}

json_t *rh_header_to_json(const rh_records *results) {
  json_t *object = rh_json("schema:s", RH_SCHEMA);
  int failed = !object;
  for (size_t k = 0; k < N_KEPT; k++) {
    json_t *value = *place_of(results, k);
    failed |= json_object_set_new(object, kept[k].key, value ? json_incref(value) : json_null());
  }
  if (!failed) return object;
  json_decref(object);
  return NULL;
}

/* ---- The best of each point ---- */

/* Strategies only, because programs choose by this list. */
static json_t *best_object(const rh_row *const *rows, uint32_t n, const rh_best *of) {
  const rh_row *best = of->row;
  const rh_row_segments *cut = &best->segments;
  json_t *tied = json_array(), *segments = NULL;
  int failed = 0;
  for (uint32_t k = 0; k < n; k++)
    if (rows[k] != best && rh_row_is_timed(rows[k]) && !rows[k]->is_peer &&
        rh_best_ties(of, rows[k]))
      failed |= json_array_append_new(tied, rh_json_bytes(rows[k]->strategy));
  if (cut->distribution)
    segments = rh_json("distribution:s length:u count:u", rh_lengths_name(cut->distribution),
                       cut->length, cut->count);
  json_t *object = rh_json("device:s op:s type:s n:u strategy:s tied:o segments:o?", best->device,
                           rh_row_op_name(best), rh_type_name(best->type), best->n, best->strategy,
                           tied, segments);
  if (!failed) return object;
  json_decref(object);
  return NULL;
}

json_t *rh_best_to_json(const rh_records *results) {
  RH_FREED(const rh_row *) rows = rh_records_by_point(results);
  json_t *array = json_array();
  int failed = !rows && results->n_rows;
  for (uint32_t k = 0, n; rows && k < results->n_rows; k += n) {
    n = rh_point_length(rows + k, results->n_rows - k);
    rh_best best = rh_point_best(rows + k, n, 1);
    if (best.row) failed |= json_array_append_new(array, best_object(rows + k, n, &best));
  }
  if (!failed) return array;
  json_decref(array);
  return NULL;
}
