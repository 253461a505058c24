#include "tune.h"

/* No other data have such serial numbers. */
#define ORDER_SERIAL ((uint64_t)3 << 62)

static int is_cut(const rh_point *point, const rh_cut *cut) {
  const rh_lengths *lengths = point->data.lengths;
  if (!lengths) return cut->length == 0;
  return lengths->kind == cut->distribution && lengths->length == cut->length;
}

rh_status rh_tuner_use_point(rh_tuner *tuner, const rh_task *task, uint64_t n, rh_error *error) {
  static const uint64_t large = (uint64_t)1 << 22;
  rh_point *point = &tuner->point;
  rh_job_spec problem = {.operation = {.op = task->op, .n = n}};
  if (problem.operation.op->is_custom) rh_operand_layout(&problem, problem.offsets);
  if (tuner->has_point && point->data.op == task->op && rh_point_is_filled(point, &problem) &&
      is_cut(point, &task->cut))
    return RH_OK;
  tuner->has_point = 0;
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
  tuner->has_point = 1;
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

rh_status rh_tuner_rounds(rh_tuner *tuner, rh_sampler *samplers, uint32_t n,
                          const rh_bench_rules *rules, rh_row *rows, rh_error *error) {
  const rh_bench_spec spec = {.stage = tuner->stage,
                              .point = &tuner->point,
                              .rules = rules,
                              .samplers = samplers,
                              .n = n,
                              .on_turn = rh_tuner_turn,
                              .user = tuner};
  return rh_bench_point(&spec, rows, error);
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

rh_status rh_tuner_check_order(rh_tuner *tuner, rh_sampler *sampler, rh_row *row, rh_error *error) {
  const rh_entry *entry = rh_registry_find(&tuner->stage->context->registry, sampler->name);
  rh_error why = {0};
  if (row->status != RH_ROW_ok || row->op == 0 || !entry ||
      !(entry->says.promises & RH_CANONICAL_ORDER) || !rh_op_rounds(row->op, row->type))
    return RH_OK;
  rh_status status = try_order(tuner, sampler, row, &why);
  if (status == RH_E_WRONG) return rh_row_note(row, RH_ROW_wrong, why.message, error);
  if (status != RH_E_CANCELLED && status != RH_E_NOMEM) return RH_OK; /* fewer than it takes */
  if (error) *error = why;
  return status;
}

void rh_tuner_finish(rh_tuner *tuner) {
  rh_point_finish(&tuner->point);
  rh_point_finish(&tuner->small);
  free(tuner->tasks);
  free(tuner->plugins);
  *tuner = (rh_tuner){0};
}
