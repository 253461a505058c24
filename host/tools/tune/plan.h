/* The tuning plan: the tasks, their order, and each one's share of the budget. */
#pragma once

#include "../../engine/segments/lengths.h"
#include "space.h"

/* X(name, number, JSON word): the state of a task. */
#define RH_TASK_LIST(X)                                                                            \
  X(todo, 0)                                                                                       \
  X(measured, 1) /* with its base */                                                               \
  X(tuned, 2)    /* also searched, or without parameters to search */                              \
  X(kept, 3)     /* by an earlier call */                                                          \
  X(slow, 4)     /* not searched, because too far behind the best; time_s 0: not even measured */  \
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

/* One strategy for one operator, type, size and cut into segments. */
typedef struct rh_task {
  uint32_t strategy;     /* the caller's index */
  const rh_operator *op; /* borrowed */
  uint64_t n;
  rh_cut cut;        /* zeros: of the whole array */
  uint32_t state;    /* RH_TASK_* */
  double expected_s; /* estimate for one run, from another size; 0: unknown */
  uint32_t turn;     /* of the plan: lower values come first at every size */
  double behind;     /* likewise: the ratio to the best time of its point; 0: unknown */
  /* This would be used without this task's result: `auto` and --run take it from the tuning
   * database.  The task's result is compared with it. */
  rh_tunedb_setting base[RH_TUNED_MOST_SETTINGS];
  uint32_t n_base;
  uint32_t base_origin; /* RH_TUNED_*; 0: the plugin's defaults */
  /* 1: `auto' does not choose it, for its bits are not the canonical order's */
  uint32_t passed_over;
  uint32_t on_host;                    /* 1: the strategy needs no device */
  double default_s, default_latency_s; /* with `base' */
  double time_s, latency_s;            /* with `settings` */
  rh_tunedb_setting settings[RH_TUNED_MOST_SETTINGS];
  uint32_t n_settings;
  /* numbers of candidates: with a time; with a wrong result; that failed */
  uint32_t candidates, refused, broken;
} rh_task;

/* 1: its settings are not those of its base. */
int rh_task_is_changed(const rh_task *task);
/* Its settings become those of its base. */
void rh_task_keep_base(rh_task *task);
/* The base turned out to be unusable: the plugin's defaults take its place. */
void rh_task_drop_base(rh_task *task);
/* Names the base: "defaults" (the plugin's), "shipped" or "tuned" (by an earlier --tune). */
const char *rh_task_base_name(const rh_task *task);

rh_type rh_task_type(const rh_task *task); /* of the elements */
/* Are they of one operator, type and cut?  rh_tasks_same_point() asks for the size, too. */
int rh_tasks_same_problem(const rh_task *a, const rh_task *b);
/* Compares, for qsort(), by the built-in operator, or the base, and then by name. */
int rh_task_operator_order(const rh_task *a, const rh_task *b);
int rh_task_cut_order(const rh_task *a, const rh_task *b); /* by distribution, then by length */
int rh_tasks_same_point(const rh_task *a, const rh_task *b);

/* Orders the measurements: the `together' most promising tasks of every size first, then the
 * others.  Small sizes come first: they cover most points for little of the budget, and show
 * which strategies take too long at large sizes. */
void rh_plan_measuring(rh_task *tasks, uint32_t n, uint32_t together);
/* Estimates a run's time from smaller sizes, if any was measured. */
void rh_plan_expect(const rh_task *tasks, uint32_t n, rh_task *task);

/* Marks tasks as `slow' that are too far behind the best of their point to be chosen even when
 * tuned. */
void rh_plan_drop_slow(rh_task *tasks, uint32_t n);
/* Is this already certain for a task that was not measured yet? */
int rh_plan_is_hopeless(const rh_task *tasks, uint32_t n, const rh_task *task);

/* Orders the searches: tasks close to the best of their point first, from the largest size down;
 * then those further behind.  The search may end at any time. */
void rh_plan_searching(rh_task *tasks, uint32_t n);

/* The share of `left_s` that task k, the first of those that are `measured', may use; 0: too
 * little for a search. */
double rh_plan_share(const rh_task *tasks, uint32_t n, uint32_t k, double left_s, double budget_s);

/* The task with the shortest latency, by which `auto` compares strategies (choose/choose.h), among
 * those that `auto` may choose. */
const rh_task *rh_plan_quickest(const rh_task *tasks, uint32_t n, const rh_task *like);
