#include "tune.h"

/* The number measured in the same rounds.  The budget is checked between such groups, and each
 * member holds memory. */
enum { TOGETHER = 8 };
static const double most_of_budget = 0.6; /* the rest is for the search */
static const double most_for_probes = 0.25;
static const uint64_t probe_n = (uint64_t)1 << 18;

/* ---- The tasks ---- */

static const rh_entry *entry_of(const rh_tuner *w, const rh_task *task) {
  return rh_registry_find(&w->stage->context->registry, rh_tuner_strategy(w, task));
}

static int is_searchable(const rh_tuner *w, const rh_task *task) {
  rh_space space;
  const rh_entry *entry = entry_of(w, task);
  if (!entry) return 0;
  rh_space_init(&space, entry->says.params, entry->says.n_params);
  return space.size > 1;
}

/* A value that the plugin no longer accepts is not used by others either. */
static int is_accepted(const rh_entry *entry, const rh_tunedb_setting *setting) {
  int64_t value;
  int k = rh_params_find(&entry->says, setting->key);
  return k >= 0 && rh_param_parse(&entry->says.params[k], setting->value, &value);
}

/* Finds what would be used if the task were not done. */
static void find_base(const rh_tuner *w, rh_task *task, const rh_entry *entry) {
  const rh_asked asked = rh_tuner_asked(w, task);
  const rh_tunedb_entry *used = rh_tunedb_find(w->tuned, &asked);
  for (uint32_t k = 0; used && k < used->settings.n; k++)
    if (is_accepted(entry, &used->settings.list[k]))
      task->base.list[task->base.n++] = used->settings.list[k];
  if (task->base.n) task->base_origin = used->origin;
  task->settings = task->base;
}

/* Looks up a measurement on this device, with this driver, plugin file, size and cut.  One with the
 * plugin's defaults does not count where other parameters would be used. */
static void look_up(const rh_tuner *w, rh_task *task) {
  const rh_tunedb_timed here = {RH_TUNED_HERE, RH_TUNED_HERE, RH_TUNED_SAME, task->n, task->n, 0};
  const rh_asked asked = rh_tuner_asked(w, task);
  const rh_tunedb_entry *entry = rh_tunedb_find_timed(w->tuned, &here, &asked);
  if (!entry || entry->trial || entry->time_s <= 0) return;
  if (!entry->searched && !entry->settings.n && task->base.n) return;
  int is_done = entry->searched || !is_searchable(w, task);
  task->state = is_done ? RH_TASK_kept : RH_TASK_measured;
  task->time_s = entry->time_s;
  task->latency_s = entry->latency_s;
  task->settings = entry->settings;
  if (entry->settings.n) return;
  task->default_s = entry->time_s;
  task->default_latency_s = entry->latency_s;
}

static void add_point(rh_tuner *w, const rh_bench_at *at) {
  const rh_operation *of = &at->problem.operation;
  const rh_operator *op = of->op;
  for (uint32_t k = 0; k < w->stage->n_found; k++) {
    rh_task *task = &w->tasks[w->n_tasks];
    *task = (rh_task){.strategy = k, .op = op, .n = of->n, .cut = at->cut};
    const rh_entry *entry = entry_of(w, task);
    if (!entry || entry->offers[op->base][op->type].status != RH_OK) continue;
    task->passed_over =
        !(entry->says.promises & RH_CANONICAL_ORDER) && rh_op_rounds(op->base, op->type);
    task->on_host = entry->says.device_kinds == RH_DEVICE_HOST;
    find_base(w, task, entry);
    if (!w->fresh) look_up(w, task);
    w->n_tasks++;
  }
}

/* Creates all tasks of the device, with existing results. */
static rh_status make_tasks(rh_tuner *w, rh_error *error) {
  const rh_stage *stage = w->stage;
  uint64_t most = 0;
  RH_TRY(RH_NEW(&w->plugins, stage->n_found + 1, "the strategies", error));
  for (uint32_t k = 0; k < stage->n_found; k++)
    w->plugins[k] = rh_tunedb_plugin(stage->found[k].path);
  for (rh_bench_at at = {.t = 0}; rh_bench_next(stage->settings, &at);) most += stage->n_found;
  RH_TRY(RH_NEW(&w->tasks, most + 1, "the tasks", error));
  for (rh_bench_at at = {.t = 0}; rh_bench_next(stage->settings, &at);) add_point(w, &at);
  return RH_OK;
}

/* ---- Their defaults ---- */

static void expect(rh_tuner *w, const rh_task *like, double seconds) {
  for (uint32_t k = 0; k < w->n_tasks; k++) {
    rh_task *task = &w->tasks[k];
    if (rh_tasks_same_problem(task, like) && task->strategy == like->strategy)
      task->expected_s = seconds * fmax(1, (double)task->n / (double)probe_n);
  }
}

static int is_large(const rh_task *task) {
  return task->state == RH_TASK_todo && task->n > 2 * probe_n && task->cut.length <= probe_n;
}

/* Only the first of several sizes is probed, even if its probe failed. */
static int wants_probe(const rh_tuner *w, uint32_t k) {
  const rh_task *task = &w->tasks[k];
  if (!is_large(task)) return 0;
  for (uint32_t j = 0; j < k; j++) {
    const rh_task *other = &w->tasks[j];
    if (is_large(other) && rh_tasks_same_problem(other, task) && other->strategy == task->strategy)
      return 0;
  }
  return 1;
}

/* Measures a size at which no strategy takes long. */
static rh_status probe(rh_tuner *w, rh_task *task, rh_error *error) {
  RH_FINISHED(rh_row) row = {0};
  rh_sampler *sampler = &w->stage->samplers[task->strategy];
  RH_TRY(rh_tuner_use_point(w, task, probe_n, error));
  RH_TRY(rh_tuner_turn(w, sampler->name, error));
  RH_TRY(rh_tune_candidate_measure(w->stage, &w->point, sampler, 0, &row, error));
  if (row.status == RH_ROW_wrong) return rh_tuner_blame(w, task, &row, error);
  if (row.time.median > 0) expect(w, task, row.time.median);
  return RH_OK;
}

static rh_status take_row(rh_tuner *w, rh_task *task, const rh_row *row, rh_error *error) {
  switch (row->status) {
  case RH_ROW_ok:
    task->default_s = task->time_s = row->time.median;
    task->default_latency_s = task->latency_s = row->latency.median;
    task->state = is_searchable(w, task) ? RH_TASK_measured : RH_TASK_tuned;
    return rh_tuner_store(w, task, error);
  case RH_ROW_wrong: return rh_tuner_blame(w, task, row, error);
  case RH_ROW_failed:
    task->state = RH_TASK_failed;
    rh_tuner_tell(w, RH_TUNE_LEFT_OUT, task, NULL, row->reason);
    return RH_OK;
  case RH_ROW_unsupported: task->state = RH_TASK_unsupported; return RH_OK;
  default: return RH_OK; /* interrupted: not done yet */
  }
}

/* Tasks whose base is unusable are left undone. */
static rh_status measure(rh_tuner *w, rh_task *const *tasks, uint32_t n, rh_error *error) {
  static const rh_bench_rules rules = {
      .precision = 0.02, .max_time_s = 0.15, .min_samples = 8, .max_samples = RH_MOST_SAMPLES};
  rh_sampler samplers[TOGETHER];
  rh_row rows[TOGETHER];
  RH_TRY(rh_tuner_use_point(w, tasks[0], tasks[0]->n, error));
  memset(rows, 0, sizeof rows);
  RH_TRY(rh_tuner_base_samplers(w, tasks, n, samplers, error));
  rh_status status = rh_tuner_rounds(w, samplers, n, &rules, rows, error);
  for (uint32_t k = 0; k < n; k++) {
    rh_tuner_finish_base(tasks[k], &samplers[k]);
    rh_status kept = RH_OK;
    if (!rh_tuner_drop_base(w, tasks[k], &rows[k]))
      kept = take_row(w, tasks[k], &rows[k], status == RH_OK ? error : NULL);
    if (status == RH_OK) status = kept;
    rh_row_finish(&rows[k]);
  }
  w->n_done += n;
  return status;
}

/* Collects unfinished tasks of one point, from index `from` on. *end: where to continue.  Fewer
 * if runs are long, because the budget is checked between groups. */
static uint32_t gather(rh_tuner *w, uint32_t from, rh_task **tasks, uint32_t *end) {
  static const double runs = 5; /* each is measured with at least this many */
  double together_s = 0;
  uint32_t n = 0, k = from;
  for (; k < w->n_tasks && n < TOGETHER; k++) {
    rh_task *task = &w->tasks[k];
    if (n && !rh_tasks_same_point(tasks[0], task)) break;
    if (task->state != RH_TASK_todo) continue;
    rh_plan_expect(w->tasks, w->n_tasks, task);
    if (rh_plan_is_hopeless(w->tasks, w->n_tasks, task)) task->state = RH_TASK_slow;
    else if (n && together_s + runs * task->expected_s > w->budget_s / 20) break;
    else {
      together_s += runs * task->expected_s;
      tasks[n++] = task;
    }
  }
  *end = k;
  return n;
}

/* Measures every strategy with its defaults at every point, or as many as a part of the budget
 * allows, which is not a failure. */
static rh_status measure_defaults(rh_tuner *w, rh_error *error) {
  double until = w->deadline - (1 - most_for_probes) * w->budget_s;
  for (uint32_t k = 0; k < w->n_tasks && rh_now() < until; k++)
    if (wants_probe(w, k)) RH_TRY(probe(w, &w->tasks[k], error));
  until = w->deadline - (1 - most_of_budget) * w->budget_s;
  rh_plan_measuring(w->tasks, w->n_tasks, TOGETHER);
  for (uint32_t k = 0; k < w->n_tasks;) {
    rh_task *tasks[TOGETHER];
    uint32_t bases[TOGETHER], n = gather(w, k, tasks, &k);
    for (uint32_t j = 0; j < n; j++) bases[j] = tasks[j]->base.n;
    if (n) RH_TRY(measure(w, tasks, n, error));
    for (uint32_t j = 0; j < n; j++)
      if (tasks[j]->state == RH_TASK_todo && bases[j] && !tasks[j]->base.n)
        RH_TRY(measure(w, &tasks[j], 1, error));
    if (n && rh_now() > until) return RH_OK;
  }
  return RH_OK;
}

/* ---- The whole ---- */

rh_status rh_tuner_run(rh_tuner *w, rh_error *error) {
  w->deadline = rh_now() + w->budget_s;
  rh_status status = make_tasks(w, error);
  if (status == RH_OK) status = measure_defaults(w, error);
  if (status == RH_OK && rh_now() < w->deadline) status = rh_tuner_improve(w, error);
  /* A correct result at another size clears a stored wrong one, so wrong results are stored again
   * after all measurements. */
  for (uint32_t k = 0; k < w->n_tasks; k++) {
    const rh_asked asked = rh_tuner_asked(w, &w->tasks[k]);
    if (w->tasks[k].state == RH_TASK_wrong) rh_tunedb_blame(w->tuned, &asked);
  }
  return status;
}
