/* The search for a strategy's best parameters. */
#pragma once

#include "../bench/bench.h"

/* ---- Candidates of a search: quick measurements of one, and the choice among a few ---- */

/* Opens, warms up and takes a few checked samples, or fewer if the first ones take more than
 * `give_up_s`. row->status is ok, with row->time, or `skipped' if it was given up, or the
 * failure.  Like rh_contender_start, returns only RH_E_CANCELLED and RH_E_NOMEM.  The caller
 * finishes *row. */
rh_status rh_tune_candidate_measure(rh_stage *stage, rh_point *point, rh_sampler *sampler,
                                    double give_up_s, rh_row *row, rh_error *error);

/* Chooses one of the rows, which were measured in the same rounds.  The first row, the defaults,
 * wins unless another is better by more than 1 % and the intervals do not overlap.  Among those
 * that are as good as the best, the one with the fewest settings wins. */
uint32_t rh_tune_candidate_decide(const rh_row *rows, const rh_tunedb_settings *settings,
                                  uint32_t n);

/* ---- The search space: the values to try for a strategy's parameters ---- */

enum { RH_SPACE_MOST_AXES = RH_TUNED_MOST_SETTINGS, RH_SPACE_MOST_VALUES = 64 };

typedef struct rh_space_axis {
  const rh_param *param;                /* borrowed */
  int64_t values[RH_SPACE_MOST_VALUES]; /* legal ones, ascending */
  uint32_t n, initial;                  /* number of values; index of the default */
  uint64_t weight;                      /* of an index in the candidate */
} rh_space_axis;

/* A candidate is a number below `size` that encodes an index on each axis. */
typedef struct rh_space {
  rh_space_axis axes[RH_SPACE_MOST_AXES];
  uint32_t n_axes;
  uint64_t size;
  uint64_t initial; /* the candidate with all defaults */
} rh_space;

/* Uses every value of a short range, and every word.  A long range gives the default, 0 if it
 * begins there (it means "automatic"), and powers of two and the midpoints between them, up to 64
 * times the default.  Parameters with one value, and those with values that a tuned setting cannot
 * hold, keep their default.  `params` must outlive *space. */
void rh_space_init(rh_space *space, const rh_param *params, uint32_t n);

/* Lists the candidates that differ from `candidate` in one parameter: by one index, or by any if
 * the values are unordered (words, and "automatic", which stands for some other value).  Returns
 * their number, at most RH_SPACE_MOST_NEIGHBOURS. */
enum { RH_SPACE_MOST_NEIGHBOURS = RH_SPACE_MOST_AXES * RH_SPACE_MOST_VALUES };
uint32_t rh_space_neighbours(const rh_space *space, uint64_t candidate, uint64_t *neighbours);

/* The candidate with these settings and otherwise the defaults. 0: a setting is not in the
 * space. */
int rh_space_find(const rh_space *space, const rh_tunedb_settings *settings, uint64_t *candidate);

/* The parameters that differ from their defaults, as for --param. */
rh_tunedb_settings rh_space_settings(const rh_space *space, uint64_t candidate);

/* ---- The tuning plan: the tasks, their order, and each one's share of the budget ---- */

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
  rh_tunedb_settings base;
  uint32_t base_origin; /* RH_TUNED_*; 0: the plugin's defaults */
  /* 1: `auto' does not choose it, for its bits are not the canonical order's */
  uint32_t passed_over;
  uint32_t on_host;                    /* 1: the strategy needs no device */
  double default_s, default_latency_s; /* with `base' */
  double time_s, latency_s;            /* with `settings` */
  rh_tunedb_settings settings;
  /* numbers of candidates: with a time; with a wrong result; that failed */
  uint32_t candidates, refused, broken;
} rh_task;

/* 1: its settings are not those of its base. */
int rh_task_is_changed(const rh_task *task);
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

/* Searches a parameter space: tries all candidates of a small space; in a large one, a random
 * sample and then the neighbours of the best.  Independent of how candidates are measured. */

enum { RH_SMALL_SPACE = 64, RH_TUNE_FINALISTS = 3, RH_TUNE_MOST_HINTS = 4 };

#define RH_TUNE_OUTSIDE UINT64_MAX

typedef struct rh_tune_spec {
  const rh_space *space;
  uint64_t base; /* which the candidates are compared with; RH_TUNE_OUTSIDE if the space lacks it */
  uint64_t seed;
  uint32_t most; /* limit on measured candidates, not counting the defaults */
  /* tried first: candidates that were good elsewhere or in an earlier search */
  uint64_t hints[RH_TUNE_MOST_HINTS];
  uint32_t n_hints;
  /* *seconds: the quickly measured time; INFINITY: certainly worse than best_s; 0: it cannot
   * run, which does not count as measured.  A failure ends the search. */
  rh_status (*measure)(void *user, uint64_t candidate, double best_s, double *seconds,
                       rh_error *error);
  /* called before each candidate; null: never over */
  int (*is_over)(void *user, uint32_t measured);
  void *user;
} rh_tune_spec;

typedef struct rh_tried {
  uint64_t candidate;
  double seconds;
} rh_tried;

typedef struct rh_tune_found {
  rh_tried best[RH_TUNE_FINALISTS]; /* the best first, without the base */
  uint32_t n;
  uint32_t measured; /* candidates that have a time */
  int complete;      /* it ended because no promising candidate was left */
} rh_tune_found;

/* initial_s: the time of the base or the defaults.  found->best has only candidates that were
 * faster. */
rh_status rh_tune_search(const rh_tune_spec *spec, double initial_s, rh_tune_found *found,
                         rh_error *error);

/* The search for the best parameters of every strategy on one device, within a budget.  The
 * stage provides the strategies; nothing is printed. */

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
  uint64_t n;                         /* elements, perhaps fewer than the task's */
  const rh_tunedb_settings *settings; /* the candidate's */
  const char *reason;                 /* the error */
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
  rh_task point_of; /* its op, n and cut; zeros: there is no point */
  /* The first elements, to try candidates that may take very long on all of them. */
  int has_small;
  rh_point small; /* its elements are the point's */
} rh_tuner;

/* Measures every strategy with its defaults and searches the parameters of those that
 * are near the best, until the budget is spent.  However it ends, the results so far are in
 * *tuned. */
rh_status rh_tuner_run(rh_tuner *tuner, rh_error *error);
const char *rh_tuner_strategy(const rh_tuner *tuner, const rh_task *task);

/* Releases the point's memory, which the stage may use in place: the stage is closed first. */
void rh_tuner_finish(rh_tuner *tuner); /* zero-initialised is fine */

/* ---- Shared by the tuner's parts: tuner.c ---- */

/* Generates n elements for the task's operator and cuts them, or keeps them if they match. */
rh_status rh_tuner_use_point(rh_tuner *tuner, const rh_task *task, uint64_t n, rh_error *error);
/* Measures all samplers in rounds; rows as for rh_bench_point().  One that promises the canonical
 * order is `wrong` if its bits are others, and `skipped` if that could not be found out. */
rh_status rh_tuner_rounds(rh_tuner *tuner, rh_sampler *samplers, uint32_t n,
                          const rh_bench_rules *rules, rh_row *rows, rh_error *error);
rh_status rh_tuner_turn(void *of_tuner, const char *strategy, rh_error *error);
/* The samplers of the tasks with their bases' parameters; each is finished by the second. */
rh_status rh_tuner_base_samplers(rh_tuner *tuner, rh_task *const *tasks, uint32_t n,
                                 rh_sampler *samplers, rh_error *error);
void rh_tuner_finish_base(const rh_task *task, rh_sampler *sampler);

rh_asked rh_tuner_asked(const rh_tuner *tuner, const rh_task *task); /* of the tuning database */
/* Calls on_event(), about all of the task's elements. */
void rh_tuner_tell(const rh_tuner *tuner, uint32_t kind, const rh_task *task,
                   const rh_tunedb_settings *settings, const char *reason);
/* 1: the row shows that the strategy cannot run, or is wrong, with the parameters that an entry
 * gave it: the plugin's defaults are the base now.  The base's sampler must not be finished by
 * rh_tuner_finish_base() afterwards. */
int rh_tuner_drop_base(rh_tuner *tuner, rh_task *task, const rh_row *row);
rh_status rh_tuner_store(rh_tuner *tuner, const rh_task *task, rh_error *error);
/* Stores and reports a wrong result with its defaults; the row may be of another size. */
rh_status rh_tuner_blame(rh_tuner *tuner, rh_task *task, const rh_row *row, rh_error *error);

/* ---- improve.c ---- */

/* Searches parameters with the rest of the budget. */
rh_status rh_tuner_improve(rh_tuner *tuner, rh_error *error);
