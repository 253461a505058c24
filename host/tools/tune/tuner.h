/* The search for the best parameters of every strategy on one device, within a budget.  Finds no
 * strategies and prints nothing. */
#ifndef RH_TUNE_TUNER_H
#define RH_TUNE_TUNER_H

#include "../bench/point.h"
#include "plan.h"

/* What happened to a task. */
enum {
  RH_TUNE_BETTER,  /* the search made it faster: task->settings, task->time_s */
  RH_TUNE_WRONG,   /* a wrong result of its own defaults */
  RH_TUNE_REFUSED, /* a wrong result of a candidate */
  RH_TUNE_LEFT_OUT /* it failed with its defaults */
};
typedef struct rh_tune_event {
  uint32_t kind; /* RH_TUNE_* */
  const rh_task *task;
  uint64_t n;                        /* elements, perhaps fewer than the task's */
  const rh_tunedb_setting *settings; /* the candidate's */
  uint32_t n_settings;
  const char *reason; /* what is wrong */
} rh_tune_event;

enum { RH_TUNE_SMALL = 64 }; /* times as few elements */

typedef struct rh_tuner {
  rh_stage *stage; /* calibrated; task->strategy counts stage->found */
  rh_tunedb *tuned;
  double budget_s;
  int fresh; /* 1: what is known already is measured again */
  /* Before each measurement: a progress line, and the place to stop.  RH_E_CANCELLED ends the
   * search. */
  rh_status (*on_turn)(void *user, const rh_bench_turn *turn, rh_error *error);
  void (*on_event)(void *user, const rh_tune_event *event);
  void *user;
  /* For reading. */
  rh_task *tasks;
  uint32_t n_tasks;
  uint32_t n_wrong; /* strategies' defaults */
  /* The tuner's own. */
  double deadline;
  uint64_t *plugins;   /* what identifies the file of stage->found[k] */
  uint32_t n_done;     /* tasks that need no more work */
  uint32_t n_searched; /* by this call */
  rh_point point;
  int has_point; /* of its operator too */
  /* The first of the elements, for a look at candidates that may take for ever on all of them. */
  int has_small;
  rh_bench_data small;
  rh_reference small_reference;
  rh_bench_scale small_scale;
} rh_tuner;

/* tune.c: measures every strategy with its defaults and searches the parameters of those that are
 * near the best, until the budget is spent.  Whatever ends it, what was found is in *tuned. */
rh_status rh_tuner_run(rh_tuner *tuner, rh_error *error);
const char *rh_tuner_strategy(const rh_tuner *tuner, const rh_task *task);

/* Releases the point's memory, which the stage may use in place: the stage is closed first. */
void rh_tuner_finish(rh_tuner *tuner); /* zero-initialised is fine */

/* ---- What its parts share: tuner.c ---- */

/* Makes, or keeps, the data. */
rh_status rh_tuner_use_point(rh_tuner *tuner, uint32_t op, rh_type type, uint64_t n,
                             rh_error *error);
/* All samplers in rounds; rows as rh_bench_point's. */
rh_status rh_tuner_rounds(rh_tuner *tuner, rh_sampler *samplers, uint32_t n,
                          const rh_bench_rules *rules, rh_row *rows, rh_error *error);
rh_status rh_tuner_turn(const rh_tuner *tuner, const char *strategy, rh_error *error);

/* ---- tasks.c ---- */

/* All tasks of the device, with what is known of them already. */
rh_status rh_tuner_make_tasks(rh_tuner *tuner, rh_error *error);
/* Whether its parameters are worth a search: it has some. */
int rh_tuner_is_searchable(const rh_tuner *tuner, const rh_task *task);
/* Writes down what is known of a task. */
rh_status rh_tuner_keep(rh_tuner *tuner, const rh_task *task, rh_error *error);
/* Writes down a wrong result of its own defaults, and says so; the row may be of another size. */
rh_status rh_tuner_blame(rh_tuner *tuner, rh_task *task, const rh_row *row, rh_error *error);
/* A right result of another size takes back that a strategy was wrong.  Once all is measured, the
 * wrong ones are written down again. */
void rh_tuner_blame_again(const rh_tuner *tuner);

/* ---- defaults.c ---- */

/* Every strategy with its defaults, at every point; or as many as a part of the budget is enough
 * for, which is not a failure. */
rh_status rh_tuner_measure_defaults(rh_tuner *tuner, rh_error *error);

/* ---- improve.c ---- */

/* What is left of the budget, for the parameters. */
rh_status rh_tuner_improve(rh_tuner *tuner, rh_error *error);

#endif
