/* One sampler at one point: opened, warmed up, sampled, checked, and summarised in a row. */
#pragma once

#include "../../choose/measure/sampler.h"
#include "../../core/check/reference.h"
#include "../../engine/segments/referee.h"
#include "../records/records.h"

/* The stopping rules; docs/inside/measuring.md explains the numbers. */
typedef struct rh_bench_rules {
  double precision;  /* 0.005: stop when the median's interval is within +-0.5 % */
  double max_time_s; /* for one point of one sampler, including opening it */
  uint32_t min_samples, max_samples;
  int once; /* one run without instrumentation, for profilers */
} rh_bench_rules;

/* The references that a point is checked against and scaled by. */
typedef struct rh_bench_scale {
  const rh_reference *reference;
  /* null; or the segments, each of which has its own, with room for their values */
  rh_segments *segments;
  int flushes;      /* the device flushes subnormals of this type */
  double read_peak; /* bytes/s; 0: unknown */
  double launch_s;  /* the host's time to enqueue a command; 0: unknown */
} rh_bench_scale;

enum { RH_SAMPLES_A_ROUND = 4, RH_MOST_SAMPLES = RH_SAMPLES_A_ROUND * RH_MAX_ROUNDS };

typedef struct rh_contender {
  rh_sampler *sampler;
  rh_row *row;
  const rh_bench_rules *rules;
  const rh_bench_scale *scale;
  rh_opened opened;
  int open;      /* close() is due */
  int done;      /* no more rounds: the row is filled in */
  int is_weak;   /* its verdict was weak, see rh_verdict */
  int host_only; /* the device's clock is wrong, so the host's clock gives the main figure */
  uint32_t batch;
  double about_s; /* estimate for one reduction, from the warm-up */
  double spent_s;
  double samples[RH_MOST_SAMPLES], rounds[RH_MAX_ROUNDS], host[RH_MAX_ROUNDS],
      latency[RH_MOST_SAMPLES];
  uint32_t n_samples, n_rounds, n_host, n_latency;
  uint32_t n_last; /* samples in the last round */
  int throttled;
  rh_result judged; /* the last answer that passed the check */
  int has_judged;
} rh_contender;

/* Opens and warms up.  Failures are written into the row, which is then done; only RH_E_CANCELLED
 * and RH_E_NOMEM are returned. */
rh_status rh_contender_start(rh_contender *c, const rh_bench_data *data, rh_error *error);

/* Takes one round of samples, with failures likewise. */
rh_status rh_contender_round(rh_contender *c, rh_error *error);

/* Discards the last round, in which the device was throttled. */
void rh_contender_forget_round(rh_contender *c);
/* Discards all rounds and uses the host's clock from here on. */
void rh_contender_use_host_clock(rh_contender *c);

/* Is the precision reached, or the time over? */
int rh_contender_is_settled(const rh_contender *c);

/* Do the two clocks contradict each other? */
int rh_contender_clocks_differ(const rh_contender *c);

/* The row of a contender that was sampled. */
rh_status rh_contender_sum_up(rh_contender *c, rh_error *error);
void rh_contender_close(rh_contender *c);
