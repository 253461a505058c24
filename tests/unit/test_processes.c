/* Points measured in several processes: Student's t, rows merged, and what --compare finds. */
#include "../../host/tools/bench/bench.h"
#include "../suite/suite.h"
#include "records_support.h"

/* ---- Student's t ---- */

/* From printed tables. */
TEST(quantiles) {
  static const double known[][3] = {{.05, 1, 12.7062},  {.05, 2, 4.3027},  {.05, 4, 2.7764},
                                    {.05, 7, 2.3646},   {.05, 30, 2.0423}, {.05, 1e7, 1.9600},
                                    {.01, 1, 63.657},   {.01, 5, 4.0321},  {.001, 3, 12.9240},
                                    {.001, 10, 4.5869}, {.1, 9, 1.8331},   {.5, 1, 1}};
  for (size_t k = 0; k < sizeof known / sizeof *known; k++)
    ck_assert_double_eq_tol(rh_student_t(known[k][0], known[k][1]), known[k][2],
                            6e-5 * known[k][2]);
  /* between whole numbers of degrees of freedom, and far out */
  ck_assert_double_lt(rh_student_t(.05, 4.5), rh_student_t(.05, 4));
  ck_assert_double_gt(rh_student_t(.05, 4.5), rh_student_t(.05, 5));
  ck_assert_double_eq_tol(rh_student_t(1e-6, 2), 999.9995, 1e-3);
}

TEST(means) {
  const double values[] = {1, 2, 3, 4, 5}, others[] = {13, 11, 12};
  rh_estimate mean = rh_student_mean(values, 5, .05);
  ck_assert_double_eq(mean.middle, 3);
  ck_assert_double_eq_tol(mean.half, 2.7764 * sqrt(2.5 / 5), 1e-4);
  ck_assert(isinf(rh_student_mean(values, 1, .05).half));
  /* standard errors squared 0.5 and 1/3: 5.96 degrees of freedom */
  rh_estimate apart = rh_student_difference(values, 5, others, 3, .05);
  ck_assert_double_eq(apart.middle, 9);
  double freedom = (.5 + 1 / 3.) * (.5 + 1 / 3.) / (.25 / 4 + 1 / 9. / 2);
  ck_assert_double_eq_tol(apart.half, rh_student_t(.05, freedom) * sqrt(.5 + 1 / 3.), 1e-9);
  const double equal[] = {2, 2, 2};
  ck_assert_double_eq(rh_student_difference(equal, 3, equal, 3, .05).half, 0);
}

/* ---- Merging ---- */

/* One process: two samples around its median. */
static rh_row of_process(double median) {
  rh_row row = timed("s", 64, median, .001);
  const double samples[] = {median * .999, median * 1.001};
  row.raw = malloc(sizeof samples);
  memcpy(row.raw, samples, sizeof samples);
  row.n_raw = row.time.samples = 2;
  row.latency = (rh_spread){.median = 10 * median, .samples = 3};
  row.facts = json_pack("{s:f}", "host_batch_s", 2 * median);
  row.peak_fraction = 0.5;
  return row;
}

static rh_row merged(rh_row *rows, uint32_t n) {
  const rh_row *list[RH_MAX_PROCESSES];
  rh_row row;
  for (uint32_t k = 0; k < n; k++) list[k] = &rows[k];
  must(rh_merge_processes(list, n, 5, &row, &error));
  return row;
}

static void finish(rh_row *rows, uint32_t n) {
  for (uint32_t k = 0; k < n; k++) rh_row_finish(&rows[k]);
}

TEST(processes_are_merged) {
  const double medians[] = {2.49, 2.38, 2.50, 2.39, 2.48};
  rh_row rows[5];
  for (int k = 0; k < 5; k++) rows[k] = of_process(medians[k]);
  rows[3].flags = RH_FLAG_noisy;
  add_rounds(&rows[0], 1, medians);
  rh_row all = merged(rows, 5);
  ck_assert(all.status == RH_ROW_ok && all.n_processes == 5 && all.n_rounds == 0);
  ck_assert_mem_eq(all.processes, medians, sizeof medians);
  ck_assert(all.n_raw == 10 && all.time.samples == 10 && all.raw[2] == 2.38 * .999);
  ck_assert_double_eq(all.time.median, 2.48);
  ck_assert_double_eq(all.time.min, 2.38 * .999);
  ck_assert_double_eq(all.time.max, 2.50 * 1.001);
  /* mean 2.448, deviation 0.0581 */
  ck_assert_double_eq_tol(all.time.ci_low, 2.448 - 2.7764 * .0580517 / sqrt(5), 1e-5);
  ck_assert_double_eq_tol(all.time.ci_high, 2.448 + 2.7764 * .0580517 / sqrt(5), 1e-5);
  ck_assert(all.flags == RH_FLAG_noisy && all.latency.samples == 15);
  ck_assert_double_eq_tol(all.latency.median, 24.8, 1e-9);
  ck_assert_double_eq_tol(json_number_value(json_object_get(all.facts, "host_batch_s")), 4.96,
                          1e-9);
  ck_assert_double_eq_tol(all.peak_fraction, .5 * 2.49 / 2.48, 1e-9);
  rh_row_finish(&all);
  all = merged(rows, 1); /* the others were interrupted */
  ck_assert(all.n_processes == 1 && all.time.median == 2.49 && all.time.ci_low <= 2.49);
  rh_row_finish(&all);
  finish(rows, 5);
}

TEST(the_worst_process_counts) {
  rh_row rows[] = {of_process(1), untimed("s", 64, RH_ROW_failed, "it was killed by signal 11"),
                   untimed("s", 64, RH_ROW_unsupported, "too large")};
  rh_row all = merged(rows, 3);
  ck_assert_uint_eq(all.status, RH_ROW_failed);
  ck_assert_str_eq(all.reason, "process 2 of 5: it was killed by signal 11");
  ck_assert(all.time.samples == 0 && all.n_raw == 0 && all.n_processes == 0);
  rh_row_finish(&all);
  rows[2].status = RH_ROW_wrong;
  all = merged(rows, 3);
  ck_assert_uint_eq(all.status, RH_ROW_wrong);
  ck_assert_str_eq(all.reason, "process 3 of 5: too large");
  rh_row_finish(&all);
  finish(rows, 3);
}

TEST(clocks_are_not_mixed) {
  rh_row rows[] = {of_process(1), of_process(2), of_process(4)};
  rows[1].flags = rows[2].flags = RH_FLAG_host_timer;
  rh_row all = merged(rows, 3);
  ck_assert(all.n_processes == 2 && all.time.median == 3 && all.flags == RH_FLAG_host_timer);
  rh_row_finish(&all);
  finish(rows, 3);
}

/* ---- Comparing ---- */

static rh_row of_processes(const double *medians, uint32_t n) {
  rh_row rows[RH_MAX_PROCESSES];
  for (uint32_t k = 0; k < n; k++) rows[k] = of_process(medians[k]);
  rh_row row = merged(rows, n);
  finish(rows, n);
  return row;
}

static uint32_t points = 1; /* of the comparison */

static rh_change change_of(const double *old, uint32_t n_old, const double *new_, uint32_t n_new) {
  rh_row before = of_processes(old, n_old), now = of_processes(new_, n_new);
  rh_change change = rh_change_judge(&before, &now, .01, points);
  rh_row_finish(&before);
  rh_row_finish(&now);
  return change;
}

/* Measured on an H200: f16, 2^10, in us, two builds. */
static const double one_build[] = {2.37, 2.38, 2.38, 2.48, 2.49, 2.49, 2.49, 2.50};
static const double other_build[] = {2.48, 2.48, 2.49, 2.52, 2.53, 2.59, 2.59, 2.66};

TEST(recorded_figures) {
  static const double steady[] = {100, 100.1, 99.9, 100.2, 100, 99.8, 100.1, 100};
  double slower[8];
  rh_change change = change_of(one_build, 8, other_build, 8);
  ck_assert(change.by_processes && change.floor == 0);
  ck_assert(change.low > .01 && change.low < .015 && change.high > .06 && change.high < .07);
  ck_assert_uint_eq(change.verdict, RH_CHANGE_slow);
  points = 10; /* one of ten would be there by chance more often */
  change = change_of(one_build, 8, other_build, 8);
  ck_assert(change.verdict == RH_CHANGE_unclear && change.low < 0 && change.high > .07);
  points = 1;
  ck_assert_uint_eq(change_of(one_build, 8, one_build, 8).verdict, RH_CHANGE_unclear);
  for (int k = 0; k < 8; k++) slower[k] = steady[7 - k] * 1.02;
  change = change_of(steady, 8, slower, 8);
  ck_assert_uint_eq(change.verdict, RH_CHANGE_slow);
  ck_assert(change.low > .01 && change.low < .02 && change.high > .02 && change.high < .025);
  change = change_of(slower, 8, steady, 8);
  ck_assert_uint_eq(change.verdict, RH_CHANGE_fast);
  ck_assert_uint_eq(change_of(steady, 8, steady, 8).verdict, RH_CHANGE_same);
  /* Four that happen to agree show nothing. */
  ck_assert(!change_of(steady, 4, slower, 8).by_processes);
  ck_assert_uint_eq(change_of(steady, 4, slower, 8).verdict, RH_CHANGE_unclear);
}
