/* CSV: the keys of a result flattened, one column each.  Quoted as in RFC 4180, with plain
 * newlines.
 *
 * Columns are never moved or removed, because spreadsheets and scripts refer to them by
 * position.  New ones are added at the end. */
#include "../../core/base/format.h"
#include "../../core/base/text.h"
#include "write.h"
#include "write_json.h"

#include <string.h>

/* A key of a result, and a key or an index inside its value. */
typedef struct column {
  const char *name, *key, *inner;
  int index; /* from 1; 0: none */
} column;

#define SPREAD(key)                                                                                \
  {key "_median", key, "median", 0}, {key "_ci95_low", key, "ci95", 1},                            \
      {key "_ci95_high", key, "ci95", 2}, {key "_mean", key, "mean", 0},                           \
      {key "_min", key, "min", 0}, {key "_max", key, "max", 0}, {key "_q1", key, "q1", 0},         \
      {key "_q3", key, "q3", 0}, {key "_mad", key, "mad", 0}, {                                    \
    key "_samples", key, "samples", 0                                                              \
  }
#define PLAIN(key)                                                                                 \
  { key, key, NULL, 0 }
#define INNER(key, what)                                                                           \
  { key "_" what, key, what, 0 }

static const column columns[] = {
    PLAIN("device"),
    PLAIN("strategy"),
    PLAIN("op"),
    PLAIN("type"),
    PLAIN("n"),
    PLAIN("bytes"),
    PLAIN("params"),
    PLAIN("params_from"),
    PLAIN("status"),
    PLAIN("reason"),
    SPREAD("time_s"),
    INNER("time_s", "batch"),
    INNER("time_s", "rounds"),
    INNER("time_s", "raw"),
    SPREAD("latency_s"),
    INNER("latency_s", "outliers"),
    PLAIN("host_batch_s"),
    PLAIN("elements_per_s"),
    PLAIN("bytes_per_s"),
    PLAIN("peak_fraction"),
    INNER("setup_s", "build"),
    INNER("setup_s", "build_cached"),
    INNER("setup_s", "upload"),
    INNER("setup_s", "setup"),
    INNER("check", "value"),
    INNER("check", "reference"),
    INNER("check", "error_ulp"),
    INNER("check", "bound_fraction"),
    INNER("check", "ok"),
    PLAIN("flags"),
    PLAIN("outliers"),
    PLAIN("passes"),
    PLAIN("peer"),
    PLAIN("parts"),
    PLAIN("host_share_s"),
    PLAIN("finishes_on"),
    PLAIN("reproducible"),
    INNER("time_s", "processes"),
    INNER("segments", "distribution"),
    INNER("segments", "length"),
    INNER("segments", "count"),
};
enum { N_COLUMNS = sizeof columns / sizeof *columns };

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

/* {"stage": "fill", "seconds": 1e-06} */
static void add_part(rh_text *text, const json_t *part) {
  add_scalar(text, json_object_get(part, "stage"));
  rh_text_add(text, "=");
  add_scalar(text, json_object_get(part, "seconds"));
}

/* Several values in one cell are separated by spaces: "noisy throttled", "tile=256
 * finish=device". */
static void add_value(rh_text *text, const json_t *value) {
  const char *key, *between = "";
  json_t *inner;
  size_t k;
  if (json_is_object(value)) {
    json_object_foreach((json_t *)value, key, inner) {
      rh_text_add(text, "%s%s=", between, key);
      add_scalar(text, inner);
      between = " ";
    }
  } else if (json_is_array(value)) {
    json_array_foreach((json_t *)value, k, inner) {
      rh_text_add(text, "%s", between);
      if (json_is_object(inner))
        add_part(text, inner);
      else
        add_scalar(text, inner);
      between = " ";
    }
  } else if (value) {
    add_scalar(text, value);
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

static int print_row(const rh_row *row, FILE *out) {
  json_t *object = rh_row_to_json(row);
  rh_text text = {0};
  int failed = !object;
  for (int k = 0; k < N_COLUMNS && object; k++) {
    const column *c = &columns[k];
    const json_t *value = json_object_get(object, c->key);
    if (c->inner) value = json_object_get(value, c->inner);
    if (c->index) value = json_array_get(value, (size_t)c->index - 1);
    add_value(&text, value);
    failed |= text.failed;
    print_quoted(rh_text_get(&text), out);
    rh_text_finish(&text);
    putc(k + 1 < N_COLUMNS ? ',' : '\n', out);
  }
  json_decref(object);
  return failed ? -1 : 0;
}

int rh_write_csv(const rh_records *results, FILE *out) {
  int failed = 0;
  for (int k = 0; k < N_COLUMNS; k++)
    fprintf(out, "%s%c", columns[k].name, k + 1 < N_COLUMNS ? ',' : '\n');
  for (uint32_t k = 0; k < results->n_rows && !failed; k++)
    failed = print_row(&results->rows[k], out);
  return failed;
}
