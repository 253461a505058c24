#include "tune.h"

const char *rh_tuner_strategy(const rh_tuner *w, const rh_task *task) {
  return w->stage->found[task->strategy].name;
}

static rh_asked asked_of(const rh_tuner *w, const rh_task *task) {
  return (rh_asked){rh_tuner_strategy(w, task), w->plugins[task->strategy], task->op, task->n,
                    task->cut};
}

static const rh_entry *entry_of(const rh_tuner *w, const rh_task *task) {
  return rh_registry_find(&w->stage->context->registry, rh_tuner_strategy(w, task));
}

int rh_tuner_is_searchable(const rh_tuner *w, const rh_task *task) {
  rh_space space;
  const rh_entry *entry = entry_of(w, task);
  if (!entry) return 0;
  rh_space_init(&space, entry->says.params, entry->says.n_params);
  return space.size > 1;
}

static void take_over(const rh_tuner *w, rh_task *task, const rh_tunedb_entry *entry) {
  int is_done = entry->searched || !rh_tuner_is_searchable(w, task);
  task->state = is_done ? RH_TASK_kept : RH_TASK_measured;
  task->time_s = entry->time_s;
  task->latency_s = entry->latency_s;
  task->settings = entry->settings;
  if (entry->settings.n) return;
  task->default_s = entry->time_s;
  task->default_latency_s = entry->latency_s;
}

/* A value that the plugin no longer accepts is not used by others either. */
static int is_accepted(const rh_entry *entry, const rh_tunedb_setting *setting) {
  int64_t value;
  int k = rh_params_find(&entry->says, setting->key);
  return k >= 0 && rh_param_parse(&entry->says.params[k], setting->value, &value);
}

/* Finds what would be used if the task were not done. */
static void find_base(const rh_tuner *w, rh_task *task, const rh_entry *entry) {
  const rh_asked asked = asked_of(w, task);
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
  const rh_asked asked = asked_of(w, task);
  const rh_tunedb_entry *entry = rh_tunedb_find_timed(w->tuned, &here, &asked);
  if (!entry || entry->trial || entry->time_s <= 0) return;
  if (!entry->searched && !entry->settings.n && task->base.n) return;
  take_over(w, task, entry);
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

static rh_status find_plugins(rh_tuner *w, rh_error *error) {
  RH_TRY(RH_NEW(&w->plugins, w->stage->n_found + 1, "the strategies", error));
  for (uint32_t k = 0; k < w->stage->n_found; k++)
    w->plugins[k] = rh_tunedb_plugin(w->stage->found[k].path);
  return RH_OK;
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

rh_status rh_tuner_make_tasks(rh_tuner *w, rh_error *error) {
  const rh_bench_settings *settings = w->stage->settings;
  uint64_t most = 0;
  RH_TRY(find_plugins(w, error));
  for (rh_bench_at at = {.t = 0}; rh_bench_next(settings, &at);) most += w->stage->n_found;
  RH_TRY(RH_NEW(&w->tasks, most + 1, "the tasks", error));
  for (rh_bench_at at = {.t = 0}; rh_bench_next(settings, &at);) add_point(w, &at);
  return RH_OK;
}

static rh_tunedb_entry entry_for(const rh_tuner *w, const rh_task *task) {
  const rh_asked asked = asked_of(w, task);
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

/* After one wrong result, `auto` will not choose the strategy for this operator and type at any
 * size and cut. */
static void give_up(rh_tuner *w, const rh_task *like) {
  for (uint32_t k = 0; k < w->n_tasks; k++) {
    rh_task *task = &w->tasks[k];
    if (task->strategy == like->strategy && task->op == like->op && task->state <= RH_TASK_measured)
      task->state = RH_TASK_dropped;
  }
}

rh_status rh_tuner_blame(rh_tuner *w, rh_task *task, const rh_row *row, rh_error *error) {
  rh_tunedb_entry entry = entry_for(w, task);
  entry.failed = 1;
  task->state = RH_TASK_wrong;
  task->time_s = task->latency_s = 0;
  w->n_wrong++;
  give_up(w, task);
  rh_tune_event event = {.kind = RH_TUNE_WRONG, .task = task, .n = row->n, .reason = row->reason};
  w->on_event(w->user, &event);
  return rh_tunedb_put(w->tuned, &entry, error);
}

void rh_tuner_restore_blame(const rh_tuner *w) {
  for (uint32_t k = 0; k < w->n_tasks; k++) {
    const rh_task *task = &w->tasks[k];
    const rh_asked asked = asked_of(w, task);
    if (task->state == RH_TASK_wrong) rh_tunedb_blame(w->tuned, &asked);
  }
}
