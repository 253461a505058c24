#include "run.h"

/* Floats that look alike differ here, if they do. */
static const char *bits_of(const rh_result *one) {
  if (rh_type_is_float(one->type)) return rh_show("%a", one->value.f);
  return rh_show("%#llx", (unsigned long long)one->value.u);
}

static const char *error_of(const rh_verdict *verdict) {
  if (verdict && isfinite(verdict->error_ulp)) return rh_show("%.2g ulp", verdict->error_ulp);
  return verdict && isfinite(verdict->error) ? rh_show("%.2g", verdict->error) : "-";
}

rh_beside rh_beside_begin(void) {
  rh_beside beside = {.devices = json_array(), .results = json_array()};
  rh_table_begin(&beside.table, "STRATEGY|RESULT|BITS|>ERROR|>TIME|CHECK");
  return beside;
}

void rh_beside_add(rh_beside *beside, const rh_run_state *run) {
  static const char *const words[] = {"ok", "WRONG", "not judged"};
  static const char *const styles[] = {" *   +", " *   -", " *   *"};
  const rh_result *result = &run->report.result;
  const rh_verdict *verdict = rh_run_is_checked(run) ? &run->report.verdict : NULL;
  double seconds = run->report.quick.time.median; /* 0: there is none */
  const char *values = "", *bits = "";
  char value[64];
  beside->n++;
  for (uint32_t k = 0; k == 0 || k < result->n_fields; k++) {
    const rh_result one = result->n_fields ? rh_report_field(result, k) : *result;
    values = rh_show("%s%s%s", values, k ? "  " : "", rh_format_answer(value, &one));
    bits = rh_show("%s%s%s", bits, k ? "  " : "", bits_of(&one));
  }
  rh_table_row(&beside->table, verdict ? styles[verdict->verdict] : " *   .", run->job.strategy,
               values, bits, error_of(verdict), seconds > 0 ? rh_seconds(seconds) : "-",
               verdict ? words[verdict->verdict] : "skipped");
}

void rh_beside_add_json(rh_beside *beside, json_t *devices, json_t *result) {
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
  rh_table_row(&beside->table, "     -", strategy, "-", "-", "-", "-",
               why->status == RH_DECLINED ? "declined" : "failed");
}

rh_status rh_beside_print(rh_beside *beside, rh_error *error) {
  if (beside->n) rh_table_print(&beside->table, "");
  if (!json_array_size(beside->results)) return RH_OK;
  return rh_json_print(
      rh_json("devices:o results:o", json_incref(beside->devices), json_incref(beside->results)),
      error);
}

void rh_beside_finish(rh_beside *beside) {
  rh_table_finish(&beside->table);
  json_decref(beside->devices);
  json_decref(beside->results);
}
