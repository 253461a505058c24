/* host/tools/records/compare.c: when --compare reports a point as slower. */
#include "../../host/tools/records/records.h"
#include "../suite/suite.h"
#include "records_support.h"

static rh_change judged(const rh_row *old, const rh_row *new_) {
  return rh_change_judge(old, new_, .01, 0);
}

/* From one median and half width to another. */
static const char *verdict(double old_median, double old_half, double new_median, double new_half,
                           double threshold) {
  rh_row old = timed("s", 64, old_median, old_half), new_ = timed("s", 64, new_median, new_half);
  return rh_change_name(rh_change_judge(&old, &new_, threshold, 0).verdict);
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
  for (uint32_t before = 0; before < 5; before++)
    for (uint32_t now = 0; now < 5; now++) {
      FINISHED(rh_row) old = timed("s", 64, 1, .001);
      FINISHED(rh_row) new_ = old;
      if (before) old = untimed("s", 64, before, "");
      if (now) new_ = untimed("s", 64, now, "");
      int broke = now == RH_ROW_wrong || now == RH_ROW_failed;
      int mended = before == RH_ROW_wrong || before == RH_ROW_failed;
      uint32_t expected = RH_CHANGE_untimed;
      if (!before && !now) expected = RH_CHANGE_same;
      if (!before && broke) expected = RH_CHANGE_broken;
      if (mended && !now) expected = RH_CHANGE_mended;
      ck_assert_uint_eq(judged(&old, &new_).verdict, expected);
    }
}
