/* One sampler at one point: opened, warmed up, sampled, judged, summed up as a row. */
#ifndef RH_MEASURE_CONTENDER_H
#define RH_MEASURE_CONTENDER_H

#include "../../core/reduce/reference.h"
#include "sampler.h"

/* How long and how exactly; docs/measuring.md says where the numbers come from. */
typedef struct rh_bench_rules {
  double precision;  /* 0.005: stop where the median's interval is within +-0.5 % */
  double max_time_s; /* of one point of one sampler, from opening it on */
  uint32_t min_samples, max_samples;
  int once; /* one run and no instruments, for profilers */
} rh_bench_rules;

/* What a point is judged and scaled by. */
typedef struct rh_bench_scale {
  const rh_reference *reference;
  int flushes;      /* the device flushes subnormals of this type */
  double read_peak; /* bytes/s; 0: none */
  double launch_s;  /* the host's time to enqueue a command; 0: not known */
} rh_bench_scale;

enum { RH_SAMPLES_A_ROUND = 4, RH_MOST_SAMPLES = RH_SAMPLES_A_ROUND * RH_MAX_ROUNDS };

typedef struct rh_contender {
  rh_sampler *sampler;
  rh_row *row;
  rh_opened opened;
  int open;      /* close() is due */
  int done;      /* no more rounds: the row is filled in */
  int is_weak;   /* a verdict on it was not a check by itself */
  int host_only; /* the device's clock was found wrong: the host's is the headline */
  uint32_t batch;
  double about_s; /* of one reduction, as warming up found */
  double spent_s;
  double samples[RH_MOST_SAMPLES], rounds[RH_MAX_ROUNDS], host[RH_MAX_ROUNDS],
      latency[RH_MOST_SAMPLES];
  uint32_t n_samples, n_rounds, n_host, n_latency;
  uint32_t n_last; /* samples of the last round */
  int throttled;
  rh_result judged; /* the last answer that was found right */
  int has_judged;
} rh_contender;

/* Opens and warms up.  Whatever goes wrong is written into the row, which is then done; only
 * RH_E_CANCELLED and RH_E_NOMEM come back. */
rh_status rh_contender_start(rh_contender *c, const rh_bench_data *data,
                             const rh_bench_rules *rules, const rh_bench_scale *scale,
                             rh_error *error);

/* One round of samples, likewise. */
rh_status rh_contender_round(rh_contender *c, const rh_bench_rules *rules,
                             const rh_bench_scale *scale, rh_error *error);

/* Forgets the last round: the device was not itself. */
void rh_contender_forget_round(rh_contender *c);
/* Forgets all: from here on the host's clock counts. */
void rh_contender_use_host_clock(rh_contender *c);

/* Is it known well enough, or has it had its time? */
int rh_contender_is_settled(const rh_contender *c, const rh_bench_rules *rules);

/* Do the two clocks contradict each other? */
int rh_contender_clocks_differ(const rh_contender *c, const rh_bench_scale *scale);

/* The row of a contender that was sampled. */
rh_status rh_contender_sum_up(rh_contender *c, const rh_bench_rules *rules,
                              const rh_bench_scale *scale, rh_error *error);
void rh_contender_close(rh_contender *c);

#endif
