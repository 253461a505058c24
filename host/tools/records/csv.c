/* CSV: the keys of a result flattened, one column each.  Quoted as in RFC 4180, with plain
 * newlines.
 *
 * Columns are never moved or removed, because spreadsheets and scripts refer to them by
 * position.  New ones are added at the end. */
#include "records.h"

/* Where a column's value stands in a result: keys, one inside the other.  The column is named after
 * them, with "_" between.  In a pair of numbers, "low" and "high" are the keys. */
static const char columns[] =
    "device strategy op type n bytes params params_from status reason time_s.median "
    "time_s.ci95.low time_s.ci95.high time_s.mean time_s.min time_s.max time_s.q1 time_s.q3 "
    "time_s.mad time_s.samples time_s.batch time_s.rounds time_s.raw latency_s.median "
    "latency_s.ci95.low latency_s.ci95.high latency_s.mean latency_s.min latency_s.max "
    "latency_s.q1 latency_s.q3 latency_s.mad latency_s.samples latency_s.outliers "
    "host_batch_s elements_per_s bytes_per_s peak_fraction setup_s.build "
    "setup_s.build_cached setup_s.upload setup_s.setup check.value check.reference "
    "check.error_ulp check.bound_fraction check.ok flags outliers passes peer parts "
    "host_share_s finishes_on reproducible time_s.processes segments.distribution "
    "segments.length segments.count";

static const json_t *value_of(const json_t *in, const char *column) {
  for (const char *at = column, *end = NULL; !end || *end == '.'; at = end + 1) {
    char key[32];
    end = at + strcspn(at, ". ");
    snprintf(key, sizeof key, "%.*s", (int)(end - at), at);
    in = json_is_array(in) ? json_array_get(in, *key == 'h') : json_object_get(in, key);
  }
  return in;
}

static void add_scalar(rh_text *text, const json_t *value) {
  char number[32];
  switch (json_typeof(value)) {
  case JSON_STRING:
    rh_text_append(text, json_string_value(value), json_string_length(value));
    break;
  case JSON_INTEGER: rh_text_add(text, "%lld", (long long)json_integer_value(value)); break;
  case JSON_REAL: rh_text_add(text, "%s", rh_format_number(number, json_real_value(value))); break;
  case JSON_TRUE: rh_text_add(text, "true"); break;
  case JSON_FALSE: rh_text_add(text, "false"); break;
  default: break; /* null is empty */
  }
}

/* Several values in one cell are separated by spaces: "noisy throttled", "tile=256 finish=device";
 * of {"stage": "fill", "seconds": 1e-06}, "fill=1e-06". */
static void add_value(rh_text *text, const json_t *value) {
  const char *key, *between = "";
  json_t *inner;
  size_t k;
  if (!json_is_object(value) && !json_is_array(value)) {
    if (value) add_scalar(text, value);
    return;
  }
  json_object_foreach((json_t *)value, key, inner) {
    rh_text_add(text, "%s%s=", between, key);
    add_scalar(text, inner);
    between = " ";
  }
  json_array_foreach((json_t *)value, k, inner) {
    const json_t *stage = json_object_get(inner, "stage");
    rh_text_add(text, "%s", between);
    if (stage) add_scalar(text, stage);
    if (stage) rh_text_add(text, "=");
    add_scalar(text, stage ? json_object_get(inner, "seconds") : inner);
    between = " ";
  }
}

static void print_quoted(const char *s, FILE *out) {
  if (!s[strcspn(s, ",\"\r\n")]) {
    fputs(s, out);
    return;
  }
  putc('"', out);
  for (; *s; s++) {
    if (*s == '"') putc('"', out);
    putc(*s, out);
  }
  putc('"', out);
}

/* null: the names of the columns. */
static int print_row(const json_t *row, FILE *out) {
  int failed = 0;
  for (const char *at = columns; *at; at += strspn(at, " ")) {
    rh_text text = {0};
    size_t length = strcspn(at, " ");
    if (row) add_value(&text, value_of(row, at));
    for (size_t k = 0; !row && k < length; k++)
      rh_text_append(&text, at[k] == '.' ? "_" : at + k, 1);
    failed |= text.failed;
    print_quoted(rh_text_get(&text), out);
    rh_text_finish(&text);
    at += length;
    putc(*at ? ',' : '\n', out);
  }
  return failed ? -1 : 0;
}

int rh_write_csv(const rh_records *results, FILE *out) {
  int failed = print_row(NULL, out);
  for (uint32_t k = 0; k < results->n_rows && !failed; k++) {
    json_t *row = rh_row_to_json(&results->rows[k]);
    failed = row ? print_row(row, out) : -1;
    json_decref(row);
  }
  return failed;
}
