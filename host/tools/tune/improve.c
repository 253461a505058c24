#include "tune.h"

/* The search of one strategy at one point. */
typedef struct strategy_search {
  rh_tuner *w;
  rh_task *task;
  const rh_found *found;
  rh_space space;
  double share_s, deadline;
  rh_sampler base;           /* with the parameters of the task's base */
  double default_s, small_s; /* of the base, measured quickly; the same for few elements */
} strategy_search;

/* A search tries at least FEWEST_CANDIDATES, even if they exceed its share of the budget. */
enum { MOST_CANDIDATES = 400, FEWEST_CANDIDATES = 12 };
static const double clearly_worse = 1.2; /* in a quick measurement */
static const double unbearable = 10;

/* ---- One candidate ---- */

/* Evaluates a candidate's row: its time, INFINITY if it is rejected, 0 if it cannot run.  Without
 * settings it is the plugin's defaults, which should be right. */
static rh_status read_row(strategy_search *h, const rh_tunedb_settings *settings, const rh_row *row,
                          double *seconds, rh_error *error) {
  *seconds = INFINITY; /* also for candidates that were given up */
  switch (row->status) {
  case RH_ROW_ok: *seconds = row->time.median; break;
  case RH_ROW_wrong:
    if (settings->n == 0) return rh_tuner_blame(h->w, h->task, row, error);
    rh_tuner_tell(h->w, RH_TUNE_REFUSED, h->task, settings, row->reason);
    h->task->refused++;
    break;
  case RH_ROW_failed: h->task->broken++; break;
  case RH_ROW_unsupported: *seconds = 0; break;
  default: break;
  }
  return RH_OK;
}

/* Tries few elements first: a candidate that leaves most of a device idle may take a minute
 * where the best takes a millisecond, and a run cannot be cancelled. *seconds: as for read_row;
 * another value means that the candidate may continue. */
static rh_status try_few_elements(strategy_search *h, rh_sampler *sampler,
                                  const rh_tunedb_settings *settings, double best_s,
                                  double *seconds, rh_error *error) {
  rh_tuner *w = h->w;
  RH_FINISHED(rh_row) row = {0};
  RH_TRY(rh_tune_candidate_measure(w->stage, &w->small, sampler, 0, &row, error));
  if (row.status == RH_ROW_skipped) *seconds = row.time.median;
  else RH_TRY(read_row(h, settings, &row, seconds, error));
  if (*seconds > 0 && h->small_s > 0 &&
      h->default_s + RH_TUNE_SMALL * (*seconds - h->small_s) > unbearable * best_s)
    *seconds = INFINITY;
  return RH_OK;
}

static rh_status measure_quickly(strategy_search *h, rh_sampler *sampler,
                                 const rh_tunedb_settings *settings, double best_s, double *seconds,
                                 rh_error *error) {
  rh_tuner *w = h->w;
  RH_FINISHED(rh_row) row = {0};
  if (w->has_small && h->small_s > 0) {
    RH_TRY(try_few_elements(h, sampler, settings, best_s, seconds, error));
    if (*seconds == 0 || isinf(*seconds)) return RH_OK;
  }
  RH_TRY(
      rh_tune_candidate_measure(w->stage, &w->point, sampler, clearly_worse * best_s, &row, error));
  return read_row(h, settings, &row, seconds, error);
}

static rh_status measure(void *user, uint64_t candidate, double best_s, double *seconds,
                         rh_error *error) {
  strategy_search *h = user;
  const rh_tunedb_settings settings = rh_space_settings(&h->space, candidate);
  rh_sampler sampler;
  RH_TRY(rh_tuner_turn(h->w, h->found->name, error));
  RH_TRY(rh_stage_sampler(h->w->stage, h->found, &settings, &sampler, error));
  rh_status status = measure_quickly(h, &sampler, &settings, best_s, seconds, error);
  sampler.finish(sampler.self);
  return status;
}

/* The first search of a call is always completed, so that a small budget still makes progress. */
static int is_over(void *user, uint32_t measured) {
  const strategy_search *h = user;
  double now = rh_now();
  if (now > h->w->deadline && h->w->n_searched > 0) return 1;
  return now > h->deadline && measured >= FEWEST_CANDIDATES;
}

/* ---- The base ---- */

/* All elements first, because the first size determines the memory that samplers of this point
 * share. */
static rh_status measure_base_quickly(strategy_search *h, rh_error *error) {
  const rh_task *task = h->task;
  RH_TRY(rh_tuner_turn(h->w, h->found->name, error));
  RH_TRY(measure_quickly(h, &h->base, &task->base, INFINITY, &h->default_s, error));
  if (!h->w->has_small || h->default_s == 0 || isinf(h->default_s)) return RH_OK;
  return try_few_elements(h, &h->base, &task->base, INFINITY, &h->small_s, error);
}

/* ---- The verdict ---- */

/* The last rounds showed that the base is unusable.  Nothing of it is kept. */
static rh_status forget_base(strategy_search *h, rh_error *error) {
  rh_task *task = h->task;
  h->base.finish(h->base.self);
  h->base = h->w->stage->samplers[task->strategy];
  task->state = RH_TASK_todo;
  task->time_s = task->latency_s = task->default_s = task->default_latency_s = 0;
  return rh_tuner_store(h->w, task, error);
}

static rh_status read_verdict(strategy_search *h, const rh_tunedb_settings *settings, uint32_t n,
                              const rh_row *rows, rh_error *error) {
  rh_task *task = h->task;
  double seconds;
  for (uint32_t k = 0; k < n; k++)
    if (rows[k].status == RH_ROW_wrong)
      RH_TRY(read_row(h, &settings[k], &rows[k], &seconds, error));
  if (task->state == RH_TASK_wrong) return RH_OK;
  uint32_t kept = rh_tune_candidate_decide(rows, settings, n);
  if (rh_row_is_timed(&rows[0])) {
    task->default_s = rows[0].time.median;
    task->default_latency_s = rows[0].latency.median;
  }
  task->time_s = kept ? rows[kept].time.median : task->default_s;
  task->latency_s = kept ? rows[kept].latency.median : task->default_latency_s;
  task->settings = settings[kept];
  if (kept) rh_tuner_tell(h->w, RH_TUNE_BETTER, task, &task->settings, "");
  if (task->time_s > 0) return RH_OK;
  task->state = RH_TASK_failed;
  rh_tuner_tell(h->w, RH_TUNE_LEFT_OUT, task, NULL, rows[0].reason ? rows[0].reason : "");
  return RH_OK;
}

/* Measures the best few and the base in the same rounds, so that noise affects all of them
 * alike. */
static rh_status compare(strategy_search *h, const rh_tune_found *found, rh_error *error) {
  double usual_s = fmax(0.1, fmin(0.5, 0.3 * h->share_s / (found->n + 1)));
  rh_bench_rules rules = {.precision = 0.005,
                          .max_time_s = fmax(usual_s, 7 * found->best[0].seconds),
                          .min_samples = 20,
                          .max_samples = RH_MOST_SAMPLES};
  rh_sampler samplers[1 + RH_TUNE_FINALISTS] = {h->base};
  rh_tunedb_settings settings[1 + RH_TUNE_FINALISTS] = {h->task->base};
  rh_row rows[1 + RH_TUNE_FINALISTS] = {0};
  uint32_t n = 1;
  rh_status status = RH_OK;
  for (; n <= found->n && status == RH_OK; n++) {
    settings[n] = rh_space_settings(&h->space, found->best[n - 1].candidate);
    status = rh_stage_sampler(h->w->stage, h->found, &settings[n], &samplers[n], error);
    if (status != RH_OK) break;
  }
  if (status == RH_OK) status = rh_tuner_rounds(h->w, samplers, n, &rules, rows, error);
  for (uint32_t k = 1; k < n; k++) samplers[k].finish(samplers[k].self);
  if (status == RH_OK)
    status = rh_tuner_drop_base(h->w, h->task, &rows[0])
                 ? forget_base(h, error)
                 : read_verdict(h, settings, n, rows, error);
  for (uint32_t k = 0; k <= RH_TUNE_FINALISTS; k++) rh_row_finish(&rows[k]);
  return status;
}

/* After Ctrl-C before the verdict: stores a candidate that was clearly better in a few correct
 * samples, so that the next call can continue from it.  Its latency is unknown, so that of the
 * defaults is used. */
static rh_status keep_unfinished(strategy_search *h, const rh_tune_found *found, rh_error *error) {
  static const double clearly_better = 0.9;
  rh_task *task = h->task;
  if (!found->n || !(found->best[0].seconds < clearly_better * fmin(h->default_s, task->time_s)))
    return RH_OK;
  task->settings = rh_space_settings(&h->space, found->best[0].candidate);
  task->time_s = found->best[0].seconds;
  rh_tuner_tell(h->w, RH_TUNE_BETTER, task, &task->settings, "");
  return rh_tuner_store(h->w, task, error);
}

/* ---- Hints ---- */

static void add_hint(const rh_task *from, rh_tune_spec *spec) {
  uint64_t candidate;
  if (from->settings.n == 0 || spec->n_hints == RH_TUNE_MOST_HINTS ||
      !rh_space_find(spec->space, &from->settings, &candidate))
    return;
  spec->hints[spec->n_hints++] = candidate;
}

static double distance(const rh_task *a, const rh_task *b) {
  return rh_cuts_apart(&a->cut, &b->cut) + fabs(log2((double)a->n) - log2((double)b->n)) +
         (a->op->base != b->op->base) + (rh_task_type(a) != rh_task_type(b));
}

/* The result of an unfinished earlier search of this task, and the best settings of the same
 * strategy for similar problems. */
static void add_hints(const rh_tuner *w, const rh_task *task, rh_tune_spec *spec) {
  const rh_task *used[2] = {NULL, NULL};
  add_hint(task, spec);
  for (int k = 0; k < 2; k++) {
    for (uint32_t j = 0; j < w->n_tasks; j++) {
      const rh_task *other = &w->tasks[j];
      if (other == task || other == used[0] || other->strategy != task->strategy ||
          other->settings.n == 0)
        continue;
      if (!used[k] || distance(other, task) < distance(used[k], task)) used[k] = other;
    }
    if (used[k]) add_hint(used[k], spec);
  }
}

static rh_status search_from_base(strategy_search *h, rh_error *error) {
  rh_tuner *w = h->w;
  rh_task *task = h->task;
  rh_tune_found found;
  RH_TRY(measure_base_quickly(h, error));
  if (task->state == RH_TASK_wrong) return RH_OK;
  uint64_t cut = task->cut.length << 32 ^ task->cut.distribution;
  uint64_t seed = w->stage->settings->seed ^ task->n ^ cut ^ (uint64_t)task->op->base << 56 ^
                  (uint64_t)task->op->type << 48 ^ (uint64_t)task->strategy << 40;
  rh_tune_spec spec = {.space = &h->space,
                       .seed = rh_random_mix(seed),
                       .most = MOST_CANDIDATES,
                       .measure = measure,
                       .is_over = is_over,
                       .user = h};
  if (!rh_space_find(&h->space, &task->base, &spec.base)) spec.base = RH_TUNE_OUTSIDE;
  add_hints(w, task, &spec);
  double initial_s = h->default_s > 0 && !isinf(h->default_s) ? h->default_s : task->time_s;
  rh_status status = rh_tune_search(&spec, initial_s, &found, error);
  task->candidates += found.measured;
  if (status == RH_OK && found.n) status = compare(h, &found, error);
  /* Where the base turned out to be unusable, again with the plugin's defaults in its place. */
  if (status == RH_OK && task->state == RH_TASK_todo) status = compare(h, &found, error);
  if (status == RH_E_CANCELLED) RH_TRY(keep_unfinished(h, &found, error));
  if (status != RH_OK) return status;
  if (task->state == RH_TASK_wrong || task->state == RH_TASK_failed) return RH_OK;
  int enough = found.complete || found.measured >= FEWEST_CANDIDATES;
  task->state = enough ? RH_TASK_tuned : RH_TASK_measured;
  return rh_tuner_store(w, task, error);
}

static rh_status search(rh_tuner *w, rh_task *task, double share_s, rh_error *error) {
  strategy_search h = {
      .w = w, .task = task, .found = &w->stage->found[task->strategy], .share_s = share_s};
  const rh_entry *entry = rh_registry_find(&w->stage->context->registry, h.found->name);
  h.deadline = rh_now() + 0.7 * share_s; /* the rest is for the verdict */
  RH_TRY(rh_tuner_use_point(w, task, task->n, error));
  rh_space_init(&h.space, entry->says.params, entry->says.n_params);
  RH_TRY(rh_tuner_base_samplers(w, &task, 1, &h.base, error));
  rh_status status = search_from_base(&h, error);
  rh_tuner_finish_base(task, &h.base);
  return status;
}

rh_status rh_tuner_improve(rh_tuner *w, rh_error *error) {
  rh_plan_drop_slow(w->tasks, w->n_tasks);
  rh_plan_searching(w->tasks, w->n_tasks);
  w->n_done = 0;
  for (uint32_t k = 0; k < w->n_tasks; k++) w->n_done += w->tasks[k].state > RH_TASK_measured;
  for (uint32_t k = 0; k < w->n_tasks; k++) {
    if (w->tasks[k].state != RH_TASK_measured) continue;
    double share_s = rh_plan_share(w->tasks, w->n_tasks, k, w->deadline - rh_now(), w->budget_s);
    if (share_s <= 0) return RH_OK;
    RH_TRY(search(w, &w->tasks[k], share_s, error));
    w->n_searched++;
    w->n_done++;
  }
  return RH_OK;
}
