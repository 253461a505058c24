/* The search for the best parameters of every strategy on one device, within a budget.  The
 * stage provides the strategies; nothing is printed. */
#pragma once

#include "../bench/point.h"
#include "plan.h"
#include "search.h"

/* Events of a task. */
enum {
  RH_TUNE_BETTER,  /* the search made it faster: task->settings, task->time_s */
  RH_TUNE_WRONG,   /* a wrong result with its defaults */
  RH_TUNE_REFUSED, /* a candidate with a wrong result */
  RH_TUNE_LEFT_OUT /* it failed with its defaults */
};
typedef struct rh_tune_event {
  uint32_t kind; /* RH_TUNE_* */
  const rh_task *task;
  uint64_t n;                        /* elements, perhaps fewer than the task's */
  const rh_tunedb_setting *settings; /* the candidate's */
  uint32_t n_settings;
  const char *reason; /* the error */
} rh_tune_event;

enum { RH_TUNE_SMALL = 64 }; /* the factor by which `small` is smaller */

typedef struct rh_tuner {
  rh_stage *stage; /* calibrated; task->strategy is an index of stage->found */
  rh_tunedb *tuned;
  double budget_s;
  int fresh; /* 1: ignore existing results and measure again */
  /* Called before each measurement, for progress and cancellation.  RH_E_CANCELLED ends the
   * search. */
  rh_status (*on_turn)(void *user, const rh_bench_turn *turn, rh_error *error);
  void (*on_event)(void *user, const rh_tune_event *event);
  void *user;
  /* Read-only for the caller. */
  rh_task *tasks;
  uint32_t n_tasks;
  uint32_t n_wrong; /* strategies with a wrong result with their defaults */
  /* Private. */
  double deadline;
  uint64_t *plugins; /* identifies the file of stage->found[k] */
  uint32_t n_done;   /* tasks that need no more work */
  uint64_t n_order_trials;
  uint32_t n_searched; /* by this call */
  rh_point point;
  int has_point; /* including its operator */
  /* The first elements, to try candidates that may take very long on all of them. */
  int has_small;
  rh_point small; /* its elements are the point's */
} rh_tuner;

/* improve.c: measures every strategy with its defaults and searches the parameters of those that
 * are near the best, until the budget is spent.  However it ends, the results so far are in
 * *tuned. */
rh_status rh_tuner_run(rh_tuner *tuner, rh_error *error);
const char *rh_tuner_strategy(const rh_tuner *tuner, const rh_task *task);

/* Releases the point's memory, which the stage may use in place: the stage is closed first. */
void rh_tuner_finish(rh_tuner *tuner); /* zero-initialised is fine */

/* ---- Shared by the tuner's parts: tuner.c ---- */

/* Generates n elements for the task's operator and cuts them, or keeps them if they match. */
rh_status rh_tuner_use_point(rh_tuner *tuner, const rh_task *task, uint64_t n, rh_error *error);
/* Measures all samplers in rounds; rows as for rh_bench_point(). */
rh_status rh_tuner_rounds(rh_tuner *tuner, rh_sampler *samplers, uint32_t n,
                          const rh_bench_rules *rules, rh_row *rows, rh_error *error);
rh_status rh_tuner_turn(const rh_tuner *tuner, const char *strategy, rh_error *error);
/* The samplers of the tasks with their bases' parameters; each is finished by the second. */
rh_status rh_tuner_base_samplers(rh_tuner *tuner, rh_task *const *tasks, uint32_t n,
                                 rh_sampler *samplers, rh_error *error);
void rh_tuner_finish_base(const rh_task *task, rh_sampler *sampler);

/* Makes the row of a strategy that promises RH_CANONICAL_ORDER `wrong` if its bits for a built-in
 * operator are not those of the order, on some thousand elements. */
rh_status rh_tuner_check_order(rh_tuner *tuner, rh_sampler *sampler, rh_row *row, rh_error *error);

/* ---- tasks.c ---- */

/* Creates all tasks of the device, with existing results. */
rh_status rh_tuner_make_tasks(rh_tuner *tuner, rh_error *error);
/* 1: the row shows that the strategy cannot run, or is wrong, with the parameters that an entry
 * gave it: the plugin's defaults are the base now.  The base's sampler must not be finished by
 * rh_tuner_finish_base() afterwards. */
int rh_tuner_drop_base(rh_tuner *tuner, rh_task *task, const rh_row *row);
/* Does the strategy have parameters to search? */
int rh_tuner_is_searchable(const rh_tuner *tuner, const rh_task *task);
rh_status rh_tuner_store(rh_tuner *tuner, const rh_task *task, rh_error *error);
/* Stores and reports a wrong result with its defaults; the row may be of another size. */
rh_status rh_tuner_blame(rh_tuner *tuner, rh_task *task, const rh_row *row, rh_error *error);
/* A correct result at another size clears a stored wrong one, so wrong results are stored again
 * after all measurements. */
void rh_tuner_restore_blame(const rh_tuner *tuner);

/* ---- defaults.c ---- */

/* Measures every strategy with its defaults at every point, or as many as a part of the budget
 * allows, which is not a failure. */
rh_status rh_tuner_measure_defaults(rh_tuner *tuner, rh_error *error);
