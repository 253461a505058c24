/* host/tools/records/tabulate.c: rows of tables, which strategy is best, and ties. */
#include "../../host/tools/records/records.h"
#include "../suite/suite.h"
#include "records_support.h"

static const char *best_of(const rh_records *results, int strategies_only, uint32_t n_tied) {
  rh_best best = rh_records_best(results, &results->rows[0], strategies_only);
  ck_assert_ptr_nonnull(best.row);
  for (uint32_t k = 0; k < results->n_rows; k++)
    n_tied -= rh_row_is_timed(&results->rows[k]) && &results->rows[k] != best.fastest &&
              rh_row_point_order(&results->rows[k], best.row) == 0 &&
              rh_best_ties(&best, &results->rows[k]);
  ck_assert_uint_eq(n_tied, 0);
  return best.row->strategy;
}

TEST(the_fastest_is_best) {
  rh_records results = {0};
  add(&results, timed("slow", 64, 2e-6, 0.001));
  add(&results, timed("fast", 64, 1e-6, 0.001));
  add(&results, untimed("wrong", 64, RH_ROW_wrong, "wrong"));
  add(&results, timed("elsewhere", 65, 1e-9, 0.001));
  add(&results, timed("other", 64, 1e-9, 0.001));
  strcpy(results.rows[4].device, "0:0");
  ck_assert_str_eq(best_of(&results, 0, 0), "fast");
  ck_assert_str_eq(rh_records_best(&results, &results.rows[3], 0).row->strategy, "elsewhere");
  rh_records_finish(&results);
  ck_assert_ptr_null(rh_records_best(&results, &(rh_row){0}, 0).row);
}

TEST(ties_go_to_fewer_passes_then_to_same_bits) {
  FINISHED(rh_records) results = {0};
  add(&results, timed("a", 64, 1.000e-6, 0.01));
  add(&results, timed("b", 64, 1.009e-6, 0.01));
  ck_assert_str_eq(best_of(&results, 0, 1), "a"); /* all alike: the faster */
  results.rows[1].reproducible = RH_BITS_SAME_EVERYWHERE;
  ck_assert_str_eq(best_of(&results, 0, 1), "b");
  results.rows[0].passes = 1;
  results.rows[1].passes = 2;
  ck_assert_str_eq(best_of(&results, 0, 1), "a");
  results.rows[0].is_peer = 1; /* the number is unknown */
  ck_assert_str_eq(best_of(&results, 0, 1), "b");
  results.rows[0].is_peer = results.rows[0].passes = results.rows[1].passes = 0;
  results.rows[1].time = timed("b", 64, 1.011e-6, 0.001).time; /* implausibly precise */
  ck_assert_str_eq(best_of(&results, 0, 0), "a");
  results.rows[0].time = timed("a", 64, 1.000e-6, 0.06).time;
  results.rows[1].time = timed("b", 64, 1.050e-6, 0.06).time; /* a tie, but visibly slower */
  ck_assert_str_eq(best_of(&results, 0, 1), "a");
}

static const char *legend_of(const rh_records *results) {
  static char text[1024];
  rh_text legend = {0};
  rh_table_legend(&legend, results);
  snprintf(text, sizeof text, "%s", rh_text_get(&legend));
  rh_text_finish(&legend);
  return text;
}

TEST(what_looks_odd_is_explained) {
  FINISHED(rh_records) results = {.head = json_pack("{s:{s:s}}", "settings", "cache", "cold")};
  add(&results, timed("a", 64, 2e-6, 0.001));
  rh_row *row = &results.rows[0];
  row->peak_fraction = 1.004;
  row->latency = timed("a", 64, 3e-6, 0.001).time;
  ck_assert_ptr_null(strstr(legend_of(&results), "PEAK"));
  ck_assert_ptr_null(strstr(legend_of(&results), "LATENCY"));
  row->peak_fraction = 1.14;
  assert_says(legend_of(&results), "PEAK above 100 %: the input came from");
  row->latency = timed("a", 64, 1e-6, 0.001).time;
  assert_says(legend_of(&results), "LATENCY below TIME: a call has hot input");
  json_object_set_new(json_object_get(results.head, "settings"), "cache", json_string("hot"));
  ck_assert_ptr_null(strstr(legend_of(&results), "LATENCY"));
}

typedef struct measured {
  const char *name;
  double median, low, high; /* us; 0: it was wrong */
  uint32_t passes;
} measured;

static const struct {
  const char *what;
  measured rows[5];
  const char *table, *tied; /* by rows; the best's "tied" in JSON */
} tables[] = {
    {"a noisy row in the middle is best to nobody and makes no tie",
     {{"native", 205, 60, 300, 1}, {"std", 121, 119, 123, 2}, {"omp", 150, 149, 151, 2}},
     "std best, omp 1.24x, native 1.69x, ",
     ""},
    {"a noisy row that is the fastest is best alone",
     {{"noisy", 100, 50, 400, 2}, {"b", 120, 119, 121, 1}, {"c", 140, 139, 141, 1}},
     "noisy best, b 1.20x, c 1.40x, ",
     ""},
    {"a noisy row at the bottom",
     {{"a", 100, 99, 101, 2}, {"b", 103, 102, 104, 1}, {"noisy", 400, 50, 900, 1}},
     "a best, b 1.03x, noisy 4.00x, ",
     ""},
    {"all are noisy: who may be the fastest ties, and the fastest median is best",
     {{"c", 210, 190, 300, 1}, {"b", 130, 90, 200, 1}, {"a", 110, 80, 160, 2}},
     "a best, b tie, c 1.91x, ",
     "b"},
    {"intervals that meet, medians outside of them",
     {{"a", 100, 99, 101, 2}, {"b", 101.6, 100.5, 102.5, 1}},
     "a best, b 1.02x, ",
     ""},
    {"one interval has the other's median, the other's has not",
     {{"a", 100, 99, 101, 2}, {"b", 100.8, 100.5, 101.1, 1}},
     "a best, b 1.01x, ",
     ""},
    {"a tie within a percent goes to fewer passes, and rows stay in the order of time",
     {{"a", 100, 99, 101, 2}, {"b", 100.5, 99.5, 101.5, 1}, {"c", 120, 119, 121, 1}},
     "a tie, b best, c 1.19x, ",
     "a"},
    {"who ties with the best alone, and not with the fastest, does not tie",
     {{"a", 100, 99, 101, 2}, {"b", 100.5, 95, 106, 1}, {"c", 105, 100, 107, 1}},
     "a tie, b best, c 1.04x, ",
     "a"},
    {"the same time, without any interval",
     {{"a", 4.096, 4.096, 4.096, 2}, {"b", 4.096, 4.096, 4.096, 1}, {"c", 4.097, 4.097, 4.097, 1}},
     "a tie, b best, c 1.00x, ",
     "a"},
    {"a single row", {{"a", 100, 10, 1000, 1}}, "a best, ", ""},
    {"a wrong one among them",
     {{"wrong", 0, 0, 0, 1}, {"b", 120, 119, 121, 1}, {"a", 100, 99, 101, 2}},
     "a best, b 1.20x, wrong why, ",
     ""},
    {"none that is right", {{"x", 0, 0, 0, 1}, {"y", 0, 0, 0, 1}}, "x why, y why, ", ""},
};
enum { TABLES = sizeof tables / sizeof *tables };

static rh_records results_of(const measured *rows) {
  rh_records results = {0};
  for (int k = 0; k < 5 && rows[k].name; k++) {
    rh_row row = rows[k].median > 0 ? timed(rows[k].name, 64, 1e-6 * rows[k].median, 0)
                                    : untimed(rows[k].name, 64, RH_ROW_wrong, "why");
    row.passes = rows[k].passes;
    row.time.ci_low = 1e-6 * rows[k].low;
    row.time.ci_high = 1e-6 * rows[k].high;
    add(&results, row);
  }
  return results;
}

TEST_LOOP(rows_by_time_and_ties_by_both_intervals, 0, TABLES) {
  FINISHED(rh_records) results = results_of(tables[_i].rows);
  const rh_row **rows = rh_records_tabulated(&results);
  FINISHED(rh_table) table = {0};
  rh_text said = {0}, tied = {0};
  rh_table_fill(&table, rows, results.n_rows, 1);
  for (uint32_t k = 1; k <= results.n_rows; k++)
    rh_text_add(&said, "%s %s, ", table.cells[k * table.columns + 1],
                table.cells[(k + 1) * table.columns - 1]);
  ck_assert_msg(strcmp(rh_text_get(&said), tables[_i].table) == 0, "%s: %s", tables[_i].what,
                rh_text_get(&said));
  json_t *points = rh_best_to_json(&results), *names;
  names = json_object_get(json_array_get(points, 0), "tied");
  for (size_t k = 0; k < json_array_size(names); k++)
    rh_text_add(&tied, "%s", json_string_value(json_array_get(names, k)));
  ck_assert_msg(strcmp(rh_text_get(&tied), tables[_i].tied) == 0, "%s: %s", tables[_i].what,
                rh_text_get(&tied));
  json_decref(points);
  rh_text_finish(&said);
  rh_text_finish(&tied);
  free(rows);
}

TEST(peers_are_ranked_where_asked) {
  FINISHED(rh_records) results = {0};
  add(&results, timed("mine", 64, 2e-6, 0.001));
  add(&results, timed("peer", 64, 1e-6, 0.001));
  results.rows[1].is_peer = 1;
  ck_assert_str_eq(best_of(&results, 0, 0), "peer");
  ck_assert_str_eq(best_of(&results, 1, 0), "mine");
  json_t *best = rh_best_to_json(&results);
  ck_assert_str_eq(json_string_value(json_object_get(json_array_get(best, 0), "strategy")), "mine");
  json_decref(best);
}

TEST(rows_by_point) {
  static const char *const order[] = {"2:0 64 b", "2:0 128 a", "10:0 64 c", "10:0 64 d"};
  FINISHED(rh_records) results = {0};
  add(&results, timed("a", 128, 1e-6, 0));
  strcpy(results.rows[0].device, "2:0");
  add(&results, timed("c", 64, 1e-6, 0));
  strcpy(results.rows[1].device, "10:0");
  add(&results, timed("b", 64, 1e-6, 0));
  strcpy(results.rows[2].device, "2:0");
  add(&results, timed("d", 64, 1e-6, 0));
  strcpy(results.rows[3].device, "10:0");
  const rh_row **rows = rh_records_by_point(&results);
  for (int k = 0; k < 4; k++) {
    char text[128];
    snprintf(text, sizeof text, "%s %d %s", rows[k]->device, (int)rows[k]->n, rows[k]->strategy);
    ck_assert_str_eq(text, order[k]);
  }
  ck_assert_uint_eq(rh_point_length(rows, 4), 1);
  ck_assert_uint_eq(rh_point_length(rows + 2, 2), 2);
  free(rows);
}

TEST(rates_and_devices) {
  FINISHED(rh_records) results = made_up();
  ck_assert(rh_row_rate(&results.rows[5]) == 4096 / 2.6e-6 &&
            rh_row_bandwidth(&results.rows[5]) == 16384 / 2.6e-6);
  ck_assert(rh_row_rate(&results.rows[1]) == 0 && rh_row_bandwidth(&results.rows[1]) == 0);
  ck_assert_str_eq(rh_records_device_text(&results, "0:0", "name"), "Xeon");
  ck_assert_str_eq(rh_records_device_text(&results, "1:0", "timer"), "event");
  ck_assert_ptr_null(rh_records_device_text(&results, "2:0", "name"));
  ck_assert_ptr_null(rh_records_device_text(&results, "1:0", "read_peak_Bps"));
  ck_assert(rh_records_calibration(&results, "1:0", "read_peak_Bps") == 4.584e12);
  ck_assert(isnan(rh_records_calibration(&results, "0:0", "read_peak_Bps")));
  ck_assert(isnan(rh_records_calibration(&results, "1:0", "timer")));
}
