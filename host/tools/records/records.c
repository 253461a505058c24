#include "records.h"

rh_status rh_records_add(rh_records *results, rh_row *row, rh_error *error) {
  rh_status status = RH_ROOM(&results->rows, results->n_rows, "the results", error);
  if (status == RH_OK) results->rows[results->n_rows++] = *row;
  else rh_row_finish(row);
  *row = (rh_row){0};
  return status;
}

void rh_row_finish(rh_row *row) {
  free(row->reason);
  free(row->rounds);
  free(row->raw);
  free(row->processes);
  json_decref(row->facts);
  *row = (rh_row){0};
}

void rh_records_finish(rh_records *results) {
  for (uint32_t k = 0; k < results->n_rows; k++) rh_row_finish(&results->rows[k]);
  free(results->rows);
  json_decref(results->head);
  *results = (rh_records){0};
}

static int has_time(const rh_row *row) { return row->time.samples > 0 && row->time.median > 0; }

const char *rh_row_status_name(uint32_t status) {
#define RH_X(name, number) #name,
  static const char *const names[] = {RH_ROW_STATUS_LIST(RH_X)};
#undef RH_X
  return status < sizeof names / sizeof *names ? names[status] : NULL;
}

int rh_row_is_timed(const rh_row *row) { return row->status == RH_ROW_ok && has_time(row); }

const char *rh_row_op_name(const rh_row *row) {
  return row->op ? rh_op_name(row->op) : row->own_op;
}

int rh_row_op_order(const rh_row *a, const rh_row *b) {
  if (a->op != b->op) return a->op < b->op ? -1 : 1;
  return strcmp(a->own_op, b->own_op);
}

uint64_t rh_row_size(const rh_row *row) {
  return row->segments.distribution ? row->segments.length : row->n;
}

int rh_row_segments_order(const rh_row *a, const rh_row *b) {
  uint32_t one = a->segments.distribution, other = b->segments.distribution;
  if (one != other) return one < other ? -1 : 1;
  return !one || a->n == b->n ? 0 : a->n < b->n ? -1 : 1;
}

double rh_row_rate(const rh_row *row) {
  return has_time(row) ? (double)row->n / row->time.median : 0;
}

double rh_row_bandwidth(const rh_row *row) {
  return has_time(row) ? (double)row->bytes / row->time.median : 0;
}

/* ---- Facts about a device ---- */

/* The object of this part of the header whose `key` is this id; null. */
static const json_t *find(const rh_records *results, const char *part, const char *key,
                          const char *id) {
  size_t k;
  json_t *object;
  json_array_foreach(json_object_get(results->head, part), k, object) {
    const char *value = json_string_value(json_object_get(object, key));
    if (value && strcmp(value, id) == 0) return object;
  }
  return NULL;
}

const char *rh_records_device_text(const rh_records *results, const char *id, const char *key) {
  const char *text = json_string_value(json_object_get(find(results, "devices", "id", id), key));
  if (text) return text;
  return json_string_value(json_object_get(find(results, "calibration", "device", id), key));
}

const char *rh_records_cache(const rh_records *results) {
  return json_string_value(json_object_get(json_object_get(results->head, "settings"), "cache"));
}

double rh_records_calibration(const rh_records *results, const char *id, const char *key) {
  const json_t *number = json_object_get(find(results, "calibration", "device", id), key);
  if (!json_is_number(number)) number = json_object_get(find(results, "devices", "id", id), key);
  return json_is_number(number) ? json_number_value(number) : NAN;
}

/* ---- Points ---- */

int rh_row_problem_order(const rh_row *a, const rh_row *b) {
  int by_op = rh_row_op_order(a, b);
  if (by_op) return by_op;
  if (a->type != b->type) return a->type < b->type ? -1 : 1;
  int by_segments = rh_row_segments_order(a, b);
  if (by_segments) return by_segments;
  return rh_row_size(a) == rh_row_size(b) ? 0 : rh_row_size(a) < rh_row_size(b) ? -1 : 1;
}

int rh_row_point_order(const rh_row *a, const rh_row *b) {
  int by_device = strverscmp(a->device, b->device);
  return by_device ? by_device : rh_row_problem_order(a, b);
}

/* qsort is not stable, so rows of one point are ordered by their address: they are in one array
 * in the order in which they were added. */
static int compare(const void *a, const void *b) {
  const rh_row *one = *(const rh_row *const *)a, *other = *(const rh_row *const *)b;
  int order = rh_row_point_order(one, other);
  return order ? order : (one > other) - (one < other);
}

const rh_row **rh_records_by_point(const rh_records *results) {
  const rh_row **rows = results->n_rows ? malloc(results->n_rows * sizeof *rows) : NULL;
  if (!rows) return NULL;
  for (uint32_t k = 0; k < results->n_rows; k++) rows[k] = &results->rows[k];
  qsort(rows, results->n_rows, sizeof *rows, compare);
  return rows;
}

uint32_t rh_point_length(const rh_row *const *rows, uint32_t n) {
  uint32_t length = 0;
  while (length < n && rh_row_point_order(rows[0], rows[length]) == 0) length++;
  return length;
}

/* ---- Which is best ---- */

/* A smaller ratio of two times is not worth mentioning. */
static const double visible = 1.01;

static int is_within(double median, const rh_spread *interval) {
  return interval->ci_low <= median && median <= interval->ci_high;
}

int rh_best_ties(const rh_best *best, const rh_row *row) {
  const rh_spread *a = &best->fastest->time, *b = &row->time;
  if (row == best->row || row == best->fastest) return 1;
  return is_within(a->median, b) && is_within(b->median, a);
}

int rh_best_could_be(const rh_best *best, const rh_row *row) {
  return rh_best_ties(best, row) && row->time.median < visible * best->fastest->time.median;
}

static int is_ranked(const rh_row *row, int strategies_only) {
  return rh_row_is_timed(row) && !(strategies_only && row->is_peer);
}

/* Unknown for peers. */
static uint32_t known_passes(const rh_row *row) { return row->is_peer ? UINT32_MAX : row->passes; }

/* If two tie: fewer passes, then more reproducible, then faster. */
static int is_preferred(const rh_row *row, const rh_row *to) {
  uint32_t mine = known_passes(row), theirs = known_passes(to);
  if (mine != theirs) return mine < theirs;
  if (row->reproducible != to->reproducible) return row->reproducible > to->reproducible;
  return row->time.median < to->time.median;
}

rh_best rh_point_best(const rh_row *const *rows, uint32_t n, int strategies_only) {
  const rh_row *fastest = NULL;
  for (uint32_t k = 0; k < n; k++)
    if (is_ranked(rows[k], strategies_only) &&
        (!fastest || rows[k]->time.median < fastest->time.median))
      fastest = rows[k];
  rh_best best = {fastest, fastest};
  for (uint32_t k = 0; fastest && k < n; k++) {
    if (is_ranked(rows[k], strategies_only) && rh_best_could_be(&best, rows[k]) &&
        is_preferred(rows[k], best.row))
      best.row = rows[k];
  }
  return best;
}

rh_best rh_records_best(const rh_records *results, const rh_row *like, int strategies_only) {
  RH_FREED(const rh_row *) rows = NULL;
  uint32_t n = 0;
  if (RH_NEW(&rows, results->n_rows, "", NULL) != RH_OK) return (rh_best){0};
  for (uint32_t k = 0; k < results->n_rows; k++)
    if (rh_row_point_order(&results->rows[k], like) == 0) rows[n++] = &results->rows[k];
  return rh_point_best(rows, n, strategies_only);
}
