#include "run.h"

#include <math.h>

static void begin(rh_beside *beside) {
  if (!beside->table.columns)
    rh_table_begin(&beside->table, "STRATEGY|RESULT|BITS|>ERROR|>TIME|CHECK");
}

/* The results of an operator of the user's, or the one result, each by `write`. */
static void add_values(rh_text *text, const rh_result *result,
                       void (*write)(rh_text *text, const rh_result *one)) {
  for (uint32_t k = 0; k < result->n_fields; k++) {
    rh_result one = {.type = result->fields[k].type};
    memcpy(&one.value, &result->fields[k].value, sizeof one.value);
    if (k) rh_text_add(text, "  ");
    write(text, &one);
  }
  if (!result->n_fields) write(text, result);
}

static void write_value(rh_text *text, const rh_result *one) {
  char value[64];
  rh_text_add(text, "%s", rh_format_answer(value, one));
}

/* Floats that look alike differ here, if they do. */
static void write_bits(rh_text *text, const rh_result *one) {
  if (rh_type_is_float(one->type))
    rh_text_add(text, "%a", one->value.f);
  else
    rh_text_add(text, "%#llx", (unsigned long long)one->value.u);
}

static void write_error(char text[32], const rh_verdict *verdict) {
  if (verdict && isfinite(verdict->error_ulp))
    snprintf(text, 32, "%.2g ulp", verdict->error_ulp);
  else if (verdict && isfinite(verdict->error))
    snprintf(text, 32, "%.2g", verdict->error);
}

void rh_beside_add(rh_beside *beside, const char *strategy, const rh_result *result,
                   const rh_verdict *verdict, double seconds) {
  static const char *const words[] = {"ok", "WRONG", "not judged"};
  static const char *const styles[] = {" *   +", " *   -", " *   *"};
  rh_text values = {0}, bits = {0};
  char off[32] = "-";
  begin(beside);
  beside->n++;
  add_values(&values, result, write_value);
  add_values(&bits, result, write_bits);
  write_error(off, verdict);
  rh_table_row(&beside->table, verdict ? styles[verdict->verdict] : " *   .", strategy,
               rh_text_get(&values), rh_text_get(&bits), off,
               seconds > 0 ? rh_seconds(seconds) : "-",
               verdict ? words[verdict->verdict] : "skipped");
  rh_text_finish(&values);
  rh_text_finish(&bits);
}

void rh_beside_add_json(rh_beside *beside, json_t *devices, json_t *result) {
  if (!beside->results) beside->results = json_array();
  if (!beside->devices) beside->devices = json_array();
  size_t k, j;
  json_t *device, *known;
  json_array_foreach(devices, k, device) {
    int is_new = 1;
    json_array_foreach(beside->devices, j, known) is_new &= !json_equal(known, device);
    if (is_new) json_array_append(beside->devices, device);
  }
  json_decref(devices);
  json_array_append_new(beside->results, result);
}

void rh_beside_add_failure(rh_beside *beside, const char *strategy, const rh_error *why) {
  begin(beside);
  rh_table_row(&beside->table, "     -", strategy, "-", "-", "-", "-",
               why->status == RH_DECLINED ? "declined" : "failed");
}

rh_status rh_beside_print(rh_beside *beside, const rh_terminal *terminal, rh_error *error) {
  if (beside->n) rh_table_print(&beside->table, terminal, "");
  if (!beside->results) return RH_OK;
  return rh_json_print(
      json_pack("{s:O, s:O}", "devices", beside->devices, "results", beside->results), error);
}

void rh_beside_finish(rh_beside *beside) {
  rh_table_finish(&beside->table);
  json_decref(beside->devices);
  json_decref(beside->results);
}
