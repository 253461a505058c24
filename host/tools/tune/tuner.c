#include "tune.h"

/* No other data have such serial numbers. */
#define ORDER_SERIAL ((uint64_t)3 << 62)

/* ---- Tasks ---- */

const char *rh_tuner_strategy(const rh_tuner *w, const rh_task *task) {
  return w->stage->found[task->strategy].name;
}

rh_asked rh_tuner_asked(const rh_tuner *w, const rh_task *task) {
  return (rh_asked){rh_tuner_strategy(w, task), w->plugins[task->strategy], task->op, task->n,
                    task->cut};
}

void rh_tuner_tell(const rh_tuner *w, uint32_t kind, const rh_task *task,
                   const rh_tunedb_settings *settings, const char *reason) {
  const rh_tune_event event = {kind, task, task->n, settings, reason};
  w->on_event(w->user, &event);
}

int rh_tuner_drop_base(rh_tuner *w, rh_task *task, const rh_row *row) {
  if (!task->base.n || (row->status != RH_ROW_wrong && row->status != RH_ROW_failed &&
                        row->status != RH_ROW_unsupported))
    return 0;
  if (row->status == RH_ROW_wrong) {
    task->refused++;
    rh_tuner_tell(w, RH_TUNE_REFUSED, task, &task->base, row->reason);
  }
  rh_task_drop_base(task);
  return 1;
}

static rh_tunedb_entry entry_for(const rh_tuner *w, const rh_task *task) {
  const rh_asked asked = rh_tuner_asked(w, task);
  rh_tunedb_entry entry = rh_tunedb_entry_of(&asked);
  entry.on_device = w->stage->found[task->strategy].device_kinds != RH_DEVICE_HOST;
  return entry;
}

rh_status rh_tuner_store(rh_tuner *w, const rh_task *task, rh_error *error) {
  rh_tunedb_entry entry = entry_for(w, task);
  entry.time_s = task->time_s;
  entry.latency_s = task->latency_s;
  entry.searched = task->state == RH_TASK_tuned;
  entry.settings = task->settings;
  return rh_tunedb_put(w->tuned, &entry, error);
}

rh_status rh_tuner_blame(rh_tuner *w, rh_task *task, const rh_row *row, rh_error *error) {
  rh_tunedb_entry entry = entry_for(w, task);
  entry.failed = 1;
  task->state = RH_TASK_wrong;
  task->time_s = task->latency_s = 0;
  w->n_wrong++;
  /* `auto` will not choose the strategy for this operator and type at any size and cut. */
  for (uint32_t k = 0; k < w->n_tasks; k++) {
    rh_task *other = &w->tasks[k];
    if (other->strategy == task->strategy && other->op == task->op &&
        other->state <= RH_TASK_measured)
      other->state = RH_TASK_dropped;
  }
  rh_tune_event event = {.kind = RH_TUNE_WRONG, .task = task, .n = row->n, .reason = row->reason};
  w->on_event(w->user, &event);
  return rh_tunedb_put(w->tuned, &entry, error);
}

/* ---- Points and samplers ---- */

rh_status rh_tuner_use_point(rh_tuner *tuner, const rh_task *task, uint64_t n, rh_error *error) {
  static const uint64_t large = (uint64_t)1 << 22;
  rh_point *point = &tuner->point;
  rh_job_spec problem = {.operation = {.op = task->op, .n = n}};
  const rh_task of = {.op = task->op, .n = n, .cut = task->cut};
  if (!point->is_overwritten && rh_tasks_same_point(&tuner->point_of, &of)) return RH_OK;
  tuner->point_of = (rh_task){0};
  if (task->op->is_custom) rh_operand_layout(&problem, problem.offsets);
  RH_TRY(rh_point_fill(point, tuner->stage, &problem, error));
  RH_TRY(rh_point_cut(point, tuner->stage, &task->cut, error));
  RH_TRY(rh_point_reference(point, tuner->stage, error));
  tuner->has_small = n >= large && n / RH_TUNE_SMALL >= task->cut.length;
  if (tuner->has_small) {
    rh_point *small = &tuner->small;
    small->problem = point->problem;
    small->data = point->data;
    small->problem.operation.n = small->data.n = n / RH_TUNE_SMALL;
    small->data.copies = 1;
    RH_TRY(rh_point_cut(small, tuner->stage, &task->cut, error));
    RH_TRY(rh_point_reference(small, tuner->stage, error));
  }
  tuner->point_of = of;
  return RH_OK;
}

rh_status rh_tuner_turn(void *of_tuner, const char *strategy, rh_error *error) {
  const rh_tuner *tuner = of_tuner;
  rh_bench_turn turn = {.done = tuner->n_done,
                        .total = tuner->n_tasks,
                        .left_s = tuner->deadline - rh_now(),
                        .n = tuner->point.data.n,
                        .strategy = strategy};
  return tuner->on_turn(tuner->user, &turn, error);
}

/* The stage's own sampler has the plugin's defaults. */
rh_status rh_tuner_base_samplers(rh_tuner *tuner, rh_task *const *tasks, uint32_t n,
                                 rh_sampler *samplers, rh_error *error) {
  for (uint32_t k = 0; k < n; k++) {
    const rh_found *found = &tuner->stage->found[tasks[k]->strategy];
    rh_status status = RH_OK;
    samplers[k] = tuner->stage->samplers[tasks[k]->strategy];
    if (tasks[k]->base.n)
      status = rh_stage_sampler(tuner->stage, found, &tasks[k]->base, &samplers[k], error);
    if (status == RH_OK) continue;
    while (k-- > 0) rh_tuner_finish_base(tasks[k], &samplers[k]);
    return status;
  }
  return RH_OK;
}

void rh_tuner_finish_base(const rh_task *task, rh_sampler *sampler) {
  if (task->base.n) sampler->finish(sampler->self);
}

static rh_status try_order(rh_tuner *tuner, rh_sampler *sampler, const rh_row *row,
                           rh_error *error) {
  enum { TWO_CACHE_LINES = 128 };
  RH_FINISHED(rh_canonical_trial) trial = {0};
  rh_result result;
  RH_TRY(rh_canonical_trial_make(&trial, row->op, row->type, UINT64_MAX, 0, error));
  rh_bench_data data = {.op = rh_operator_builtin(row->op, row->type),
                        .n = trial.array.n,
                        .elements = rh_array_data(&trial.array),
                        .serial = ORDER_SERIAL | ++tuner->n_order_trials};
  rh_bench_copies(&data, 0, TWO_CACHE_LINES);
  RH_TRY(rh_sampler_once(sampler, &data, &result, error));
  return rh_canonical_trial_judge(&trial, row->op, sampler->name, &result, error);
}

/* Makes the row of a strategy that promises RH_CANONICAL_ORDER `wrong` if its bits for a built-in
 * operator are not those of the order, on some thousand elements. */
static rh_status check_order(rh_tuner *tuner, rh_sampler *sampler, rh_row *row, rh_error *error) {
  const rh_entry *entry = rh_registry_find(&tuner->stage->context->registry, sampler->name);
  rh_error why = {0};
  if (row->status != RH_ROW_ok || row->op == 0 || !entry ||
      !(entry->says.promises & RH_CANONICAL_ORDER) || !rh_op_rounds(row->op, row->type))
    return RH_OK;
  rh_status status = try_order(tuner, sampler, row, &why);
  if (status == RH_E_WRONG) return rh_row_note(row, RH_ROW_wrong, why.message, error);
  if (status != RH_E_CANCELLED && status != RH_E_NOMEM) return RH_OK; /* fewer than it takes */
  return rh_error_pass(error, status, &why);
}

rh_status rh_tuner_rounds(rh_tuner *tuner, rh_sampler *samplers, uint32_t n,
                          const rh_bench_rules *rules, rh_row *rows, rh_error *error) {
  const rh_bench_spec spec = {.stage = tuner->stage,
                              .point = &tuner->point,
                              .rules = rules,
                              .samplers = samplers,
                              .n = n,
                              .on_turn = rh_tuner_turn,
                              .user = tuner};
  rh_status status = rh_bench_point(&spec, rows, error);
  for (uint32_t k = 0; k < n; k++) {
    rh_error *why = status == RH_OK ? error : NULL;
    rh_status checked = check_order(tuner, &samplers[k], &rows[k], why);
    if (checked != RH_OK) rows[k].status = RH_ROW_skipped;
    if (status == RH_OK) status = checked;
  }
  return status;
}

void rh_tuner_finish(rh_tuner *tuner) {
  rh_point_finish(&tuner->point);
  rh_point_finish(&tuner->small);
  free(tuner->tasks);
  free(tuner->plugins);
  *tuner = (rh_tuner){0};
}

/* ---- Candidates ---- */

static const rh_bench_rules quickly = {
    .precision = 0.01, .max_time_s = 0.1, .min_samples = 4, .max_samples = RH_MOST_SAMPLES};

static rh_status measure_quickly(rh_contender *c, double give_up_s, rh_error *error) {
  enum { ROUNDS = 2 };
  RH_TRY(rh_contender_start(c, error));
  for (int k = 0; k < ROUNDS && !c->done && c->about_s <= give_up_s; k++) {
    RH_TRY(rh_contender_round(c, error));
    if (c->spent_s > quickly.max_time_s) break;
  }
  if (c->done) return RH_OK;
  c->row->status = c->n_samples ? RH_ROW_ok : RH_ROW_skipped;
  if (c->n_samples) c->row->time = rh_spread_of(c->samples, c->n_samples);
  return RH_OK;
}

rh_status rh_tune_candidate_measure(rh_stage *stage, rh_point *point, rh_sampler *sampler,
                                    double give_up_s, rh_row *row, rh_error *error) {
  RH_FREED(rh_contender) c = NULL;
  *row = rh_bench_row(stage, point, sampler);
  RH_TRY(RH_NEW(&c, 1, "a sample", error));
  const rh_bench_spec spec = {.stage = stage, .point = point, .rules = &quickly};
  *c = (rh_contender){.sampler = sampler, .row = row, .spec = &spec};
  rh_status status = measure_quickly(c, give_up_s, error);
  if (!c->done && row->status == RH_ROW_skipped) row->time.median = c->about_s;
  rh_contender_close(c);
  return status;
}

static const double worth_it = 0.01;

/* Few samples give no 95 % interval: then the minimum and maximum are used, and with very few,
 * nothing. */
enum { FEWEST = 3, INTERVAL = 6 };

static int is_better(const rh_spread *mine, const rh_spread *defaults) {
  double most = mine->samples < INTERVAL ? mine->max : mine->ci_high;
  double least = defaults->samples < INTERVAL ? defaults->min : defaults->ci_low;
  return mine->samples >= FEWEST && defaults->samples >= FEWEST &&
         mine->median < (1 - worth_it) * defaults->median && most < least;
}

uint32_t rh_tune_candidate_decide(const rh_row *rows, const rh_tunedb_settings *settings,
                                  uint32_t n) {
  uint32_t kept = 0;
  double best = INFINITY;
  for (uint32_t k = 0; k < n; k++)
    if (rh_row_is_timed(&rows[k])) best = fmin(best, rows[k].time.median);
  for (uint32_t k = 1; k < n; k++) {
    const rh_spread *mine = &rows[k].time;
    if (!rh_row_is_timed(&rows[k]) || mine->median > (1 + worth_it) * best) continue;
    int better = !rh_row_is_timed(&rows[0]) || is_better(mine, &rows[0].time);
    int simpler = kept == 0 || settings[k].n < settings[kept].n ||
                  (settings[k].n == settings[kept].n && mine->median < rows[kept].time.median);
    if (better && simpler) kept = k;
  }
  return kept;
}
