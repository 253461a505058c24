/* The benchmark: its settings, points, contenders and rounds. */
#pragma once

#include "../../choose/tunedb/tunedb.h"
#include "../isolate/isolate.h"
#include "../records/records.h"

/* One sampler at one point: opened, warmed up, sampled, checked, and summarised in a row. */

/* The stopping rules; docs/inside/measuring.md explains the numbers. */
typedef struct rh_bench_rules {
  double precision;  /* 0.005: stop when the median's interval is within +-0.5 % */
  double max_time_s; /* for one point of one sampler, including opening it */
  uint32_t min_samples, max_samples;
  int once; /* one run without instrumentation, for profilers */
} rh_bench_rules;

enum { RH_SAMPLES_A_ROUND = 4, RH_MOST_SAMPLES = RH_SAMPLES_A_ROUND * RH_MAX_ROUNDS };

typedef struct rh_contender {
  rh_sampler *sampler;
  rh_row *row;
  const struct rh_bench_spec *spec; /* of which stage, point and rules are used */
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

/* Replaces the verdict on a row. */
rh_status rh_row_note(rh_row *row, uint32_t status, const char *reason, rh_error *error);

/* Opens and warms up.  Failures are written into the row, which is then done; only RH_E_CANCELLED
 * and RH_E_NOMEM are returned. */
rh_status rh_contender_start(rh_contender *c, rh_error *error);

/* Takes one round of samples, with failures likewise. */
rh_status rh_contender_round(rh_contender *c, rh_error *error);

/* The row of a contender that was sampled. */
rh_status rh_contender_sum_up(rh_contender *c, rh_error *error);
void rh_contender_close(rh_contender *c);

/* Sets data->copies and data->stride so that the copies span `cold_bytes`. align: the alignment
 * of each copy's first byte. */
void rh_bench_copies(rh_bench_data *data, uint64_t cold_bytes, uint64_t align);

/* ---- Plain data: what a benchmark or a search measures, and how ---- */

/* Numbers of operators that are not built in, in a list of operators. */
enum { RH_FIRST_OWN_OP = RH_N_OPS + 1, RH_MOST_OWN_OPS = RH_MOST_OWN / RH_N_TYPES };

/* Operators, types or distributions, in the order requested, each once. */
typedef struct rh_numbers {
  uint32_t list[RH_N_OPS + RH_MOST_OWN_OPS], n; /* as many as any has */
} rh_numbers;

enum { RH_TIMER_AUTO, RH_TIMER_EVENT, RH_TIMER_HOST };

/* How a strategy was chosen.  One that was named stays, even if it serves none of the problems. */
enum { RH_NOT_CHOSEN, RH_CHOSEN, RH_CHOSEN_BY_NAME };

typedef struct rh_bench_settings {
  rh_bench_rules rules;
  int hot;          /* one copy of the input instead of rotating ones */
  uint32_t timer;   /* RH_TIMER_* */
  const char *data; /* kind of elements */
  uint64_t seed;
  rh_numbers ops, types;
  /* Operator RH_FIRST_OWN_OP + j with operands of types.list[t]: own[j * RH_N_TYPES + t]; null: it
   * has none of that type. */
  rh_custom *own[RH_MOST_OWN];
  /* Ascending, for types.list[k]: a size in bytes is a different number of elements for each
   * type. */
  uint64_t *sizes[RH_N_TYPES];
  uint32_t n_sizes[RH_N_TYPES];
  /* Typical lengths of segments, ascending, and how they spread; 0 lengths: whole arrays. */
  uint64_t *lengths;
  uint32_t n_lengths;
  rh_numbers distributions;
  const rh_setting *params; /* each for every strategy that has such a parameter */
  uint64_t n_params;
  const char *const *peers; /* programs */
  uint32_t n_peers;
  int isolate_installed, isolate_others; /* 1: in a separate process */
  /* In how many processes, one after the other, each point is measured; at least 1.  More than 1
   * requires both of the above. */
  uint32_t processes;
  uint32_t untuned; /* 1: parameters are the defaults and `params` */
  double timeout_s; /* the limit on silence */
  /* choice[k] becomes RH_CHOSEN, ... for registry->entries[k].  Null: all of them. */
  rh_status (*choose)(const void *user, const rh_registry *registry, unsigned char *choice,
                      rh_error *error);
  const void *user;
} rh_bench_settings;

/* Progress through the points of one device. */
typedef struct rh_bench_turn {
  uint32_t done, total;
  double left_s;
  uint64_t n;
  const char *strategy; /* the current sampler */
} rh_bench_turn;

/* ---- The problems of a benchmark: operators on types, built in or a user's ---- */

/* `op`, one of settings->ops, for types.list[t]; null: it is not defined. */
const rh_operator *rh_bench_operator(const rh_bench_settings *settings, uint32_t t, uint32_t op);

/* All that are defined, by type, size and operator, each as a whole or cut into segments in each
 * way.  Zero-initialised before the first. */
typedef struct rh_bench_at {
  rh_job_spec problem; /* the operator, n and the operands' places */
  rh_cut cut;
  int is_largest;              /* of the type's sizes */
  uint32_t t, size, op, k_cut; /* of the next */
} rh_bench_at;
int rh_bench_next(const rh_bench_settings *settings, rh_bench_at *at); /* 0: there are no more */

/* Bytes of one element of every operand; of several operators, the most. */
uint32_t rh_bench_element_bytes(const rh_bench_settings *settings, uint32_t t);

/* "sum", or the name of the user's operator. */
const char *rh_bench_op_name(const rh_bench_settings *settings, uint32_t op);

/* ---- One device with everything that is timed on it ---- */

typedef struct rh_stage {
  rh_context *context;
  const rh_bench_settings *settings;
  const rh_cl_device *device; /* null: no OpenCL device; only host strategies are timed */
  rh_bench_device bench_device;
  rh_local_shared shared;
  rh_sampler *samplers; /* strategies by name, then peers */
  uint32_t n_samplers;
  rh_found *found; /* the strategies, n_found of them */
  uint32_t n_found;
  rh_peers **peers; /* of settings->peers[k] */
  uint32_t n_peers;
} rh_stage;

/* Selects `device`, one of redhost's devices or null, for redhost.  Finds the selected strategies
 * among those that can serve any of the operators and types here, and starts the peer programs.
 * Does not use the device yet.  Both pointers are borrowed until the stage is closed. */
rh_status rh_stage_open(rh_stage *stage, rh_context *context, const rh_cl_device *device,
                        const rh_bench_settings *settings, rh_error *error);

/* Calibrates the device, and creates the samplers. */
rh_status rh_stage_calibrate(rh_stage *stage, rh_error *error);

/* Replaces the samplers, and restarts the peer programs: isolated strategies and peers are measured
 * in new processes from here on. */
rh_status rh_stage_renew(rh_stage *stage, rh_error *error);

/* One more sampler of one of the strategies, with its own settings; the caller finishes it before
 * the stage is closed. */
rh_status rh_stage_sampler(rh_stage *stage, const rh_found *found,
                           const rh_tunedb_settings *settings, rh_sampler *sampler,
                           rh_error *error);

const char *rh_stage_label(const rh_stage *stage); /* "1:0", "host" */
void rh_stage_close(rh_stage *stage);              /* zero-initialised is fine */

/* The data of one operator, type and size on a stage's device, and the reference for results on
 * them. */

typedef struct rh_point {
  rh_array array;
  int is_overwritten; /* by data of a check, see rh_bench_spec */
  uint64_t serial;
  rh_bench_data data;
  rh_job_spec problem; /* that the data are of */
  rh_reference reference;
  rh_lengths lengths;   /* of the segments; there may be none */
  rh_segments segments; /* to judge their values by */
} rh_point;

/* Sets the point's problem, and generates its elements or keeps existing ones. */
rh_status rh_point_fill(rh_point *point, const rh_stage *stage, const rh_job_spec *problem,
                        rh_error *error);

/* Cuts the elements into segments, or with zeros into none. */
rh_status rh_point_cut(rh_point *point, const rh_stage *stage, const rh_cut *cut, rh_error *error);

/* Computes it for the problem and elements that were set. */
rh_status rh_point_reference(rh_point *point, const rh_stage *stage, rh_error *error);

void rh_point_finish(rh_point *point); /* zero-initialised is fine */

/* The benchmark of one point: takes samples of all samplers in rounds. docs/inside/measuring.md
 * explains the method and the constants. */

typedef struct rh_bench_spec {
  rh_stage *stage;
  /* Its array's elements are replaced by the check on exact data at the end. */
  rh_point *point;
  const rh_bench_rules *rules;
  rh_sampler *samplers;
  uint32_t n;
  /* of one run of each sampler; 0: unknown.  Samplers that would be far too slow are skipped */
  const double *expected_s;
  /* Called before each turn of a sampler, for progress and cancellation.  RH_E_CANCELLED ends the
   * benchmark. */
  rh_status (*on_turn)(void *user, const char *sampler, rh_error *error);
  void *user;
} rh_bench_spec;

void rh_shuffle(uint64_t *list, uint32_t n, uint64_t *random);

/* The row of a sampler at a point that was not measured yet. */
rh_row rh_bench_row(const rh_stage *stage, const rh_point *point, const rh_sampler *sampler);

/* Fills in one row for each sampler: as rh_bench_row(), with status and figures.  RH_E_CANCELLED:
 * unfinished rows are `skipped'. */
rh_status rh_bench_point(const rh_bench_spec *spec, rh_row *rows, rh_error *error);

/* A benchmark of one stage: every point, with all samplers that have no row in the results yet. */

typedef struct rh_bench_runner {
  rh_stage *stage;     /* calibrated */
  rh_records *results; /* existing rows are not measured again; new ones are added */
  /* Called before each turn of a sampler, for progress and cancellation.  RH_E_CANCELLED ends the
   * benchmark. */
  rh_status (*on_turn)(void *user, const rh_bench_turn *turn, rh_error *error);
  /* Receives each measured row.  A failure ends the benchmark. */
  rh_status (*on_row)(void *user, const rh_row *row, rh_error *error);
  void *user;
  /* The runner's own. */
  rh_point point;
  uint32_t done, total; /* points, once for each process */
  /* Points differ by a factor of a thousand in cost, so each counts by its weight: s, roughly. */
  double weight_done, weight_total, started;
  uint32_t process; /* of several: the current one, from 1; otherwise 0 */
  rh_records parts; /* rows of single processes */
} rh_bench_runner;

/* However it ends, measured rows are in the results.  If it is interrupted, rows may be of fewer
 * processes than requested; on_row does not get those. */
rh_status rh_bench_run(rh_bench_runner *runner, rh_error *error);

/* Releases the point's memory, which the stage may use in place: the stage is closed first. */
void rh_bench_runner_finish(rh_bench_runner *runner); /* zero-initialised is fine */

/* One row from those of a point's processes.  The rows, at least one, are in the order of their
 * processes, of which there should be `wanted`.  If one is not ok, the worst one (wrong, then
 * failed, then others) gives *merged, with the number of its process in the reason.  Otherwise
 * *merged has the median of each process, all samples, the median of the medians and the 95 %
 * interval of their mean by Student's t distribution; other facts are the first one's.
 *
 * If some were timed by the host's clock because the device's was found wrong, those timed by the
 * device's are left out.  *merged owns its own memory and is nothing to finish on failure, which is
 * RH_E_NOMEM. */
rh_status rh_merge_processes(const rh_row *const *rows, uint32_t n, uint32_t wanted, rh_row *merged,
                             rh_error *error);
