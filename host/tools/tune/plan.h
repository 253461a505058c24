/* What there is to tune: tasks, in which order, and how much of the budget each gets. */
#ifndef RH_TUNE_PLAN_H
#define RH_TUNE_PLAN_H

#include "space.h"

/* X(name, number, JSON word): how far a task is. */
#define RH_TASK_LIST(X)                                                                            \
  X(todo, 0)                                                                                       \
  X(measured, 1) /* with its defaults */                                                           \
  X(tuned, 2)    /* searched too, or there is nothing to search */                                 \
  X(kept, 3)     /* by an earlier call */                                                          \
  X(slow, 4)     /* not searched: too far behind the best; time_s may be 0: not even measured */   \
  X(unsupported, 5) /* declined */                                                                 \
  X(wrong, 6)       /* with its own defaults */                                                    \
  X(failed, 7)                                                                                     \
  X(dropped, 8) /* wrong at another size */
enum {
#define RH_X(name, number) RH_TASK_##name = number,
  RH_TASK_LIST(RH_X)
#undef RH_X
};
const char *rh_task_name(uint32_t state); /* "measured" */

/* One strategy for one operator, type and size. */
typedef struct rh_task {
  uint32_t strategy; /* the caller's number of it */
  uint32_t op;
  rh_type type;
  uint64_t n;
  uint32_t state;    /* RH_TASK_* */
  double expected_s; /* one run, from another size; 0: not known */
  uint32_t turn;     /* of the plan: an earlier one comes first at every size */
  double behind;     /* likewise: how many times as long as the best of its point; 0: not known */
  double default_s, default_latency_s;
  double time_s, latency_s; /* with `settings` */
  rh_tunedb_setting settings[RH_TUNED_MOST_SETTINGS];
  uint32_t n_settings;
  uint32_t candidates, refused, broken; /* that have a time; with a wrong result; that failed */
} rh_task;

/* 1: of the same operator, type and size. */
int rh_tasks_meet(const rh_task *a, const rh_task *b);

/* Those `together' that promise most at every size; then those that promise less.  Small sizes
 * first: most of the points for little of the budget, and they tell what takes too long at large
 * ones. */
void rh_plan_measuring(rh_task *tasks, uint32_t n, uint32_t together);
/* What smaller sizes tell of one run, where any was measured. */
void rh_plan_expect(const rh_task *tasks, uint32_t n, rh_task *task);

/* Calls `slow' what lies so far behind the best of its point that nobody would pick it, tuned or
 * not. */
void rh_plan_drop_slow(rh_task *tasks, uint32_t n);
/* Is that clear of a task that was not measured yet? */
int rh_plan_is_hopeless(const rh_task *tasks, uint32_t n, const rh_task *task);

/* What is close to the best of its point first, at every size from the largest on; then what is
 * less close.  So the search may end anywhere. */
void rh_plan_searching(rh_task *tasks, uint32_t n);

/* Of `left_s`, what task k may use, which is the first of those that are `measured'; 0: too little
 * for a search. */
double rh_plan_share(const rh_task *tasks, uint32_t n, uint32_t k, double left_s, double budget_s);

/* The one that `auto` will take of them: by one call until the value is there, as reduce/choose.h
 * has it. */
const rh_task *rh_plan_quickest(const rh_task *tasks, uint32_t n, const rh_task *like);

#endif
