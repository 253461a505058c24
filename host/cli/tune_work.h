/* What the parts of --tune share. */
#ifndef RH_CLI_TUNE_WORK_H
#define RH_CLI_TUNE_WORK_H

#include "../core/io/array.h"
#include "../tools/tune/plan.h"
#include "bench_stage.h"

/* The data of one operator, type and size, with what judges results on it. */
typedef struct rh_tune_point {
  rh_array array;
  uint64_t serial;
  rh_bench_data data;
  rh_reference reference;
  rh_bench_scale scale;
  int is_ready;
  /* The first of the elements, for a look at candidates that may take for ever on all of them. */
  int has_small;
  rh_bench_data small;
  rh_reference small_reference;
  rh_bench_scale small_scale;
} rh_tune_point;

enum { RH_TUNE_SMALL = 64 }; /* times as few elements */

typedef struct rh_tune_work {
  const rh_app *app;
  rh_bench_settings settings;
  double budget_s;
  uint32_t n_wrong; /* strategies' defaults, on all devices */
  uint32_t n_left;  /* tasks, likewise */
  rh_error unkept;  /* why what was found is not in the file; an empty message: it is */
  /* Of the device at hand. */
  rh_stage stage;
  rh_records header; /* which nobody asks for here */
  rh_tunedb *tuned;
  uint64_t *plugins; /* what identifies the file of stage.found[k] */
  rh_task *tasks;
  uint32_t n_tasks;
  uint32_t n_done;     /* for the progress line: what needs no more work */
  uint32_t n_searched; /* by this call */
  double device_budget_s, deadline;
  rh_tune_point point;
} rh_tune_work;

/* ---- tune_point.c ---- */

/* Makes, or keeps, the data. */
rh_status rh_tune_use_point(rh_tune_work *w, uint32_t op, rh_type type, uint64_t n,
                            rh_error *error);
void rh_tune_leave_point(rh_tune_work *w);
/* All samplers in rounds; rows as rh_bench_point's. */
rh_status rh_tune_rounds(rh_tune_work *w, rh_sampler *samplers, uint32_t n,
                         const rh_bench_rules *rules, rh_row *rows, rh_error *error);
/* The place to stop: a progress line; RH_E_CANCELLED where the person has had enough. */
rh_status rh_tune_turn(rh_tune_work *w, const char *strategy, rh_error *error);

/* ---- tune_tasks.c ---- */

/* All tasks of the device, with what is known of them already. */
rh_status rh_tune_make_tasks(rh_tune_work *w, rh_error *error);
/* Whether its parameters are worth a search: it has some. */
int rh_tune_is_searchable(const rh_tune_work *w, const rh_task *task);
const char *rh_tune_strategy(const rh_tune_work *w, const rh_task *task);
/* Writes down what is known of a task. */
rh_status rh_tune_keep(rh_tune_work *w, const rh_task *task, rh_error *error);
/* Writes down a wrong result of its own defaults, and says so; the row may be of another size. */
rh_status rh_tune_blame(rh_tune_work *w, rh_task *task, const rh_row *row, rh_error *error);

/* ---- tune_measure.c ---- */

/* Every strategy with its defaults, at every point; or as many as a part of the budget is enough for, which is no failure. */
rh_status rh_tune_measure(rh_tune_work *w, rh_error *error);

/* ---- tune_search.c ---- */

/* What is left of the budget, for the parameters. */
rh_status rh_tune_search_all(rh_tune_work *w, rh_error *error);

/* ---- tune_report.c ---- */

/* "two_stage_float4  sum f32 2^22  12.1 us -> 9.4 us  group=512", where people read it. */
void rh_tune_say_better(const rh_tune_work *w, const rh_task *task);
/* Settings as words: "group=512 finish=device". */
void rh_tune_words(char text[512], const rh_tunedb_setting *settings, uint32_t n);
/* "sum f32 2^22" */
void rh_tune_problem(char text[64], uint32_t op, rh_type type, uint64_t n);
/* Where what was found is kept, malloc'ed; null: nowhere, because it could not be or nothing was found. */
char *rh_tune_file(const rh_tune_work *w);
/* What came of a device. */
void rh_tune_print(const rh_tune_work *w);
json_t *rh_tune_json(const rh_tune_work *w);

#endif
