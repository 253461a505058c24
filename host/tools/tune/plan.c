#include "tune.h"

static const double hopeless = 50;     /* times the best */
static const double tolerable_s = .05; /* a run this short may always be tried */
static const double expensive = 10,
                    expensive_s = 1; /* closer to the best, but expensive for the budget */
static const double least_share_s = 1;

const char *rh_task_name(uint32_t state) {
#define RH_X(name, number) #name,
  static const char *const names[] = {RH_TASK_LIST(RH_X)};
#undef RH_X
  return names[state];
}

static int has_setting(const rh_tunedb_settings *in, const rh_tunedb_setting *one) {
  for (uint32_t k = 0; k < in->n; k++)
    if (strcmp(in->list[k].key, one->key) == 0) return strcmp(in->list[k].value, one->value) == 0;
  return 0;
}

int rh_task_is_changed(const rh_task *task) {
  for (uint32_t k = 0; k < task->settings.n; k++)
    if (!has_setting(&task->base, &task->settings.list[k])) return 1;
  return task->settings.n != task->base.n;
}

void rh_task_drop_base(rh_task *task) {
  task->base.n = task->base_origin = 0;
  task->settings = task->base;
}

const char *rh_task_base_name(const rh_task *task) {
  if (task->base_origin == RH_TUNED_SHIPPED) return "shipped";
  return task->base_origin ? "tuned" : "defaults";
}

int rh_tasks_same_problem(const rh_task *a, const rh_task *b) {
  return a->op == b->op && rh_task_cut_order(a, b) == 0;
}

int rh_tasks_same_point(const rh_task *a, const rh_task *b) {
  return rh_tasks_same_problem(a, b) && a->n == b->n;
}

rh_type rh_task_type(const rh_task *task) { return task->op->operands[0].type; }

int rh_task_operator_order(const rh_task *a, const rh_task *b) {
  if (a->op->base != b->op->base) return a->op->base < b->op->base ? -1 : 1;
  return strcmp(a->op->is_custom ? a->op->name : "", b->op->is_custom ? b->op->name : "");
}

int rh_task_cut_order(const rh_task *a, const rh_task *b) {
  const rh_cut *of_a = &a->cut, *of_b = &b->cut;
  if (of_a->distribution != of_b->distribution)
    return of_a->distribution < of_b->distribution ? -1 : 1;
  return (of_a->length > of_b->length) - (of_a->length < of_b->length);
}

static uint64_t bytes_of(const rh_task *task) {
  return task->n * rh_operator_element_bytes(task->op);
}

static int by_size(const rh_task *a, const rh_task *b) {
  uint64_t bytes_a = bytes_of(a), bytes_b = bytes_of(b);
  rh_type type_a = rh_task_type(a), type_b = rh_task_type(b);
  if (bytes_a != bytes_b) return bytes_a < bytes_b ? 1 : -1;
  if (type_a != type_b) return type_a < type_b ? -1 : 1;
  int operators = rh_task_operator_order(a, b);
  return operators ? operators : rh_task_cut_order(a, b);
}

/* The measured time, or the estimate from another size. */
static double promise(const rh_task *task) {
  return task->time_s > 0 ? task->time_s : task->expected_s;
}

static int by_promise(const void *first, const void *second) {
  const rh_task *a = first, *b = second;
  int order = by_size(a, b);
  if (order == 0) order = (promise(a) > promise(b)) - (promise(a) < promise(b));
  return order ? order : (a->strategy > b->strategy) - (a->strategy < b->strategy);
}

static int by_turn(const void *first, const void *second) {
  const rh_task *a = first, *b = second;
  if (a->turn != b->turn) return a->turn < b->turn ? -1 : 1;
  return by_promise(a, b);
}

static int by_turn_and_small(const void *first, const void *second) {
  const rh_task *a = first, *b = second;
  if (a->turn != b->turn) return a->turn < b->turn ? -1 : 1;
  return rh_tasks_same_point(a, b) ? by_promise(a, b) : -by_size(a, b);
}

void rh_plan_measuring(rh_task *tasks, uint32_t n, uint32_t together) {
  uint32_t place = 0; /* index among the tasks of its point that are not measured yet */
  qsort(tasks, n, sizeof *tasks, by_promise);
  for (uint32_t k = 0; k < n; k++) {
    if (k && !rh_tasks_same_point(&tasks[k - 1], &tasks[k])) place = 0;
    tasks[k].turn = place / together;
    place += tasks[k].state == RH_TASK_todo;
  }
  qsort(tasks, n, sizeof *tasks, by_turn_and_small);
}

void rh_plan_expect(const rh_task *tasks, uint32_t n, rh_task *task) {
  static const uint64_t tells = 65536; /* below this, launching takes longer than reducing */
  const rh_task *nearest = NULL;
  for (uint32_t k = 0; k < n; k++) {
    const rh_task *it = &tasks[k];
    if (it->strategy != task->strategy || !rh_tasks_same_problem(it, task) || it->time_s <= 0 ||
        it->n >= task->n || it->n < tells)
      continue;
    if (!nearest || it->n > nearest->n) nearest = it;
  }
  if (nearest) task->expected_s = nearest->time_s * ((double)task->n / (double)nearest->n);
}

/* The fastest of its point; null if none has a time. */
static const rh_task *plan_best(const rh_task *tasks, uint32_t n, const rh_task *like) {
  const rh_task *best = NULL;
  for (uint32_t k = 0; k < n; k++)
    if (rh_tasks_same_point(&tasks[k], like) && tasks[k].time_s > 0 &&
        tasks[k].state < RH_TASK_unsupported && (!best || tasks[k].time_s < best->time_s))
      best = &tasks[k];
  return best;
}

static int is_ranked(const rh_task *task, const rh_task *like) {
  return rh_tasks_same_point(task, like) && task->latency_s > 0 && !task->passed_over &&
         task->state < RH_TASK_unsupported;
}

/* `auto` decides a tie by these rules. */
static int wins_tie(const rh_task *a, const rh_task *b) {
  if (a->on_host != b->on_host) return a->on_host != 0;
  return a->time_s < b->time_s;
}

const rh_task *rh_plan_quickest(const rh_task *tasks, uint32_t n, const rh_task *like) {
  static const double tie = 1.02;
  const rh_task *best = NULL;
  for (uint32_t k = 0; k < n; k++)
    if (is_ranked(&tasks[k], like) && (!best || tasks[k].latency_s < best->latency_s))
      best = &tasks[k];
  double least = best ? best->latency_s : 0;
  for (uint32_t k = 0; k < n; k++)
    if (is_ranked(&tasks[k], like) && tasks[k].latency_s <= tie * least &&
        wins_tie(&tasks[k], best))
      best = &tasks[k];
  return best;
}

/* Sorts by point first, since there may be tens of thousands of tasks. */
static void note_behind(rh_task *tasks, uint32_t n) {
  qsort(tasks, n, sizeof *tasks, by_promise);
  for (uint32_t first = 0, last; first < n; first = last) {
    for (last = first + 1; last < n && rh_tasks_same_point(&tasks[first], &tasks[last]);) last++;
    const rh_task *best = plan_best(&tasks[first], last - first, &tasks[first]);
    for (uint32_t k = first; k < last; k++)
      tasks[k].behind = best ? tasks[k].time_s / best->time_s : 0;
  }
}

void rh_plan_drop_slow(rh_task *tasks, uint32_t n) {
  note_behind(tasks, n);
  for (uint32_t k = 0; k < n; k++)
    if (tasks[k].state == RH_TASK_measured && tasks[k].behind > hopeless)
      tasks[k].state = RH_TASK_slow;
}

int rh_plan_is_hopeless(const rh_task *tasks, uint32_t n, const rh_task *task) {
  const rh_task *best = plan_best(tasks, n, task);
  double times = best ? task->expected_s / best->time_s : 1;
  return (task->expected_s > tolerable_s && times > hopeless) ||
         (task->expected_s > expensive_s && times > expensive);
}

void rh_plan_searching(rh_task *tasks, uint32_t n) {
  note_behind(tasks, n);
  for (uint32_t k = 0; k < n; k++) {
    double times = tasks[k].behind;
    tasks[k].turn = times <= 1.25 ? 0 : times <= 2 ? 1 : times <= 5 ? 2 : 3;
  }
  qsort(tasks, n, sizeof *tasks, by_turn);
}

/* Twice as far from the best, half the weight. */
static double weight(const rh_task *task) { return 1 / fmax(1, task->behind); }

double rh_plan_share(const rh_task *tasks, uint32_t n, uint32_t k, double left_s, double budget_s) {
  double sum = 0, least = fmin(least_share_s, budget_s / 8);
  for (uint32_t j = k; j < n; j++)
    if (tasks[j].state == RH_TASK_measured) sum += weight(&tasks[j]);
  if (left_s < least || sum <= 0) return 0;
  return fmin(left_s, fmax(least, left_s * weight(&tasks[k]) / sum));
}
