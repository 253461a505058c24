/* host/tools/records/compare.c: when --compare reports a point as slower. */
#include "../../host/tools/records/records.h"
#include "../suite/suite.h"
#include "records_support.h"

static rh_change judged(const rh_row *old, const rh_row *new_) {
  const rh_change_rule rule = {.threshold = .01};
  return rh_change_judge(old, new_, &rule);
}

/* From one median and half width to another. */
static const char *verdict(double old_median, double old_half, double new_median, double new_half,
                           double threshold) {
  rh_row old = timed("s", 64, old_median, old_half), new_ = timed("s", 64, new_median, new_half);
  const rh_change_rule rule = {.threshold = threshold};
  return rh_change_name(rh_change_judge(&old, &new_, &rule).verdict);
}

TEST(intervals_decide) {
  ck_assert_str_eq(verdict(1, .001, 1.002, .001, .01), "same");
  ck_assert_str_eq(verdict(1, .001, 1.100, .001, .01), "slow");
  ck_assert_str_eq(verdict(1, .001, 0.900, .001, .01), "fast");
  ck_assert_str_eq(verdict(1, .060, 1.100, .060, .01), "unclear"); /* they meet */
  ck_assert_str_eq(verdict(1, .040, 1.100, .040, .01), "slow");    /* 1.04 to 1.056: 1.5 % */
  ck_assert_str_eq(verdict(1, .040, 1.100, .040, .02), "unclear");
  ck_assert_str_eq(verdict(1, .020, 1.000, .001, .01),
                   "unclear"); /* the old interval is 4 % wide */
  ck_assert_str_eq(verdict(1, .001, 1.000, .020, .01), "unclear");
  ck_assert_str_eq(verdict(1, .009, 1.000, .009, .01), "same");
  ck_assert_str_eq(verdict(1, .004, 1.015, .004, .01), "unclear"); /* a gap of 0.7 % */
  ck_assert_str_eq(verdict(1, .001, 1.100, .001, .20), "same");
  ck_assert_str_eq(verdict(1, .001, 1.001, .000, 0),
                   "unclear"); /* 0: every gap counts, and no two points are the same */
  ck_assert_str_eq(verdict(1, .001, 1.031, .001, 0), "slow");
}

/* Processes of one build were 0.1 us apart at 2.5 us, and up to 3 % at all sizes. */
TEST(what_one_process_cannot_show) {
  ck_assert_str_eq(verdict(1, .001, 1.029, .001, .01), "unclear");
  ck_assert_str_eq(verdict(1, .001, 1.031, .001, .01), "slow");
  ck_assert_str_eq(verdict(1, .001, 0.971, .001, .01), "unclear");
  ck_assert_str_eq(verdict(1, .001, 0.969, .001, .01), "fast");
  ck_assert_str_eq(verdict(2.38e-6, .001, 2.50e-6, .001, .01), "unclear");
  ck_assert_str_eq(verdict(2.50e-6, .001, 2.38e-6, .001, .01), "unclear");
  ck_assert_str_eq(verdict(2.38e-6, .001, 2.59e-6, .001, .01), "unclear");
  ck_assert_str_eq(verdict(2.38e-6, .001, 2.70e-6, .001, .01), "slow");
  ck_assert_str_eq(verdict(2.50e-6, .001, 2.505e-6, .001, .01), "same");
  rh_row old = timed("s", 64, 50e-9, .001), new_ = timed("s", 64, 55e-9, .001);
  ck_assert_uint_eq(judged(&old, &new_).verdict, RH_CHANGE_unclear);
  old.flags = new_.flags = RH_FLAG_host_timer; /* the second part is a device's */
  rh_change change = judged(&old, &new_);
  ck_assert_uint_eq(change.verdict, RH_CHANGE_slow);
  ck_assert(change.floor == RH_FLOOR_RELATIVE && isnan(change.low) && !change.by_processes);
}

TEST(rounds_go_before_samples) {
  FINISHED(rh_row) old = timed("s", 64, 1, .05);
  FINISHED(rh_row) new_ = timed("s", 64, 1.1, .05);
  ck_assert_uint_eq(judged(&old, &new_).verdict, RH_CHANGE_unclear);
  add_rounds(&old, 5, (const double[]){1.001, .999, 2, 1, .5});
  add_rounds(&new_, 5, (const double[]){1.1, 1.101, 1.099, .9, 3});
  rh_change change = judged(&old, &new_);
  ck_assert_uint_eq(change.verdict, RH_CHANGE_slow);
  ck_assert(change.old_low == .999 && change.old_high == 1.001 && change.new_low == 1.099 &&
            change.new_high == 1.101);
  ck_assert(fabs(change.change - 0.1) < 1e-9);
  old.n_rounds = 3; /* too few: the samples decide again */
  ck_assert_uint_eq(judged(&old, &new_).verdict, RH_CHANGE_slow);
  ck_assert(judged(&old, &new_).old_high == 1.05);
  old.time.samples = 3;
  ck_assert_uint_eq(judged(&old, &new_).verdict, RH_CHANGE_unclear);
  old.time.samples = 20;
  new_.flags = RH_FLAG_host_timer;
  change = judged(&old, &new_);
  ck_assert(change.verdict == RH_CHANGE_unclear && change.clocks_differ);
}

TEST(what_broke_is_a_regression) {
  static const uint32_t expected[5][5] = {
      /* ok, wrong, unsupported, failed, skipped: the new ones */
      {RH_CHANGE_same, RH_CHANGE_broken, RH_CHANGE_untimed, RH_CHANGE_broken, RH_CHANGE_untimed},
      {RH_CHANGE_mended, RH_CHANGE_untimed, RH_CHANGE_untimed, RH_CHANGE_untimed,
       RH_CHANGE_untimed},
      {RH_CHANGE_untimed, RH_CHANGE_untimed, RH_CHANGE_untimed, RH_CHANGE_untimed,
       RH_CHANGE_untimed},
      {RH_CHANGE_mended, RH_CHANGE_untimed, RH_CHANGE_untimed, RH_CHANGE_untimed,
       RH_CHANGE_untimed},
      {RH_CHANGE_untimed, RH_CHANGE_untimed, RH_CHANGE_untimed, RH_CHANGE_untimed,
       RH_CHANGE_untimed}};
  for (uint32_t before = 0; before < 5; before++)
    for (uint32_t now = 0; now < 5; now++) {
      FINISHED(rh_row) old = timed("s", 64, 1, .001);
      FINISHED(rh_row) new_ = old;
      if (before) old = untimed("s", 64, before, "");
      if (now) new_ = untimed("s", 64, now, "");
      ck_assert_uint_eq(judged(&old, &new_).verdict, expected[before][now]);
    }
}

static rh_comparison compared(const rh_records *old, const rh_records *new_) {
  rh_comparison comparison;
  must(rh_compare(&comparison, old, new_, .01, &error));
  return comparison;
}

static void set_device(rh_records *results, uint32_t row, const char *id) {
  strcpy(results->rows[row].device, id);
}

TEST(points_are_matched) {
  FINISHED(rh_records) old = with_header();
  FINISHED(rh_records) new_ = with_header();
  add(&old, timed("a", 64, 1, .001));
  add(&old, timed("b", 64, 1, .001));
  add(&old, timed("a", 128, 1, .001));
  add(&new_, timed("c", 64, 1, .001));
  add(&new_, timed("a", 64, 9, .001)); /* measured again below */
  add(&new_, timed("a", 128, 2, .001));
  add(&new_, timed("a", 64, 1, .001));
  FINISHED(rh_comparison) c = compared(&old, &new_);
  ck_assert(c.n_changes == 2 && c.only_old == 1 && c.only_new == 1 && c.n_warnings == 0);
  ck_assert(c.counts[RH_CHANGE_same] == 1 && c.counts[RH_CHANGE_slow] == 1);
  ck_assert(c.changes[0].new_row == &new_.rows[3] && c.changes[1].old_row == &old.rows[2]);
  ck_assert_uint_eq(rh_comparison_regressions(&c), 1);
}

TEST(devices_are_matched_by_what_they_are) {
  FINISHED(rh_records) old = with_header();
  FINISHED(rh_records) new_ = with_header();
  add(&old, timed("a", 64, 1, .001));
  add(&old, timed("a", 64, 5, .001));
  set_device(&old, 1, "0:0");
  add(&new_, timed("a", 64, 1, .001));
  add(&new_, timed("a", 64, 5, .001));
  set_device(&new_, 0, "2:0");
  set_device(&new_, 1, "3:0");
  json_decref(new_.devices);
  json_decref(new_.calibration);
  new_.calibration = NULL;
  new_.devices =
      json("[{\"id\": \"2:0\", \"key\": \"k1\", \"name\": \"NVIDIA H200\", \"driver\": \"580\"},"
           " {\"id\": \"3:0\", \"key\": \"k7\", \"name\": \"Xeon\", \"driver\": \"6.0\"}]");
  FINISHED(rh_comparison) c = compared(&old, &new_);
  ck_assert(c.n_changes == 2 && c.counts[RH_CHANGE_same] == 2 && c.n_warnings == 1);
  ck_assert_str_eq(c.warnings[0], "different drivers of Xeon: 5.0, and now 6.0");
  rh_comparison_finish(&c);
  json_object_set_new(json_array_get(new_.devices, 1), "name", json_string("EPYC"));
  c = compared(&old, &new_); /* the only one left */
  ck_assert(c.n_changes == 2 && c.n_warnings == 1);
  ck_assert_str_eq(c.warnings[0], "different devices: Xeon, and now EPYC");
}

static void assert_not_compared(const rh_records *old, const rh_records *new_, const char *said) {
  rh_comparison comparison;
  must_fail(rh_compare(&comparison, old, new_, .01, &error), RH_E_USAGE, said);
}

TEST(what_cannot_be_compared) {
  FINISHED(rh_records) old = with_header();
  FINISHED(rh_records) new_ = with_header();
  add(&old, timed("a", 64, 1, .001));
  assert_not_compared(&old, &new_, "no point in common");
  add(&new_, timed("a", 65, 1, .001));
  assert_not_compared(&old, &new_, "no point in common");
  new_.rows[0].n = 64;
  json_object_set_new(new_.settings, "cache", json_string("hot"));
  assert_not_compared(&old, &new_, "--cache");
  json_object_set_new(new_.settings, "cache", json_string("cold"));
  json_object_set_new(json_array_get(new_.calibration, 0), "timer", json_string("host"));
  assert_not_compared(&old, &new_, "--timer=host");
}
