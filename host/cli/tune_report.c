#include "bench.h"

/* Settings as words: "group=512 finish=device". */
static const char *settings_text(const rh_tunedb_settings *settings) {
  const char *text = "";
  for (uint32_t k = 0; k < settings->n; k++)
    text = rh_show("%s%s%s=%s", text, k ? " " : "", settings->list[k].key, settings->list[k].value);
  return text;
}

/* "2^22", "2^22 by 2^10 uniform" */
static const char *size_text(const rh_task *task, uint64_t n) {
  if (!task->cut.length) return rh_count(n);
  return rh_show("%s by %s %s", rh_count(n), rh_count(task->cut.length),
                 rh_lengths_name(task->cut.distribution));
}

/* "sum f32 2^22" */
static const char *problem_text(const rh_task *task, uint64_t n) {
  return rh_show("%s %s %s", task->op->name, rh_type_name(rh_task_type(task)), size_text(task, n));
}

static int is_for_people(const rh_app *app) { return !app->typed->quiet && !app->typed->json; }

static void print_better(const rh_app *app, const rh_tuner *tuner, const rh_task *task) {
  rh_terminal_clear(app->terminal);
  printf("%-18s  %-14s  %s -> %s  %s\n", rh_tuner_strategy(tuner, task),
         problem_text(task, task->n), rh_seconds(task->default_s), rh_seconds(task->time_s),
         settings_text(&task->settings));
  fflush(stdout);
}

void rh_tune_report_event(const rh_app *app, const rh_tuner *tuner, const rh_tune_event *event) {
  const rh_task *task = event->task;
  if (event->kind == RH_TUNE_BETTER) {
    if (is_for_people(app)) print_better(app, tuner, task);
    return;
  }
  if (app->typed->quiet && event->kind != RH_TUNE_WRONG) return;
  const char *why = "left out: ";
  if (event->kind == RH_TUNE_WRONG) why = "not tuned, its result is wrong: ";
  if (event->kind == RH_TUNE_REFUSED)
    why = rh_show("%s is refused, its result is wrong: ", settings_text(event->settings));
  rh_terminal_say(app->terminal, "%s, %s: %s%s", rh_tuner_strategy(tuner, task),
                  problem_text(task, event->n), why, event->reason);
}

/* ---- Order: by operator, type and size, then the fastest first ---- */

static int in_reading_order(const void *first, const void *second) {
  const rh_task *a = *(rh_task *const *)first, *b = *(rh_task *const *)second;
  int operators = rh_task_operator_order(a, b);
  if (operators) return operators;
  if (rh_task_type(a) != rh_task_type(b)) return rh_task_type(a) < rh_task_type(b) ? -1 : 1;
  if (a->n != b->n) return a->n < b->n ? -1 : 1;
  int cuts = rh_task_cut_order(a, b);
  if (cuts) return cuts;
  int timed = (b->time_s > 0) - (a->time_s > 0);
  if (timed) return timed;
  if (a->time_s != b->time_s) return a->time_s < b->time_s ? -1 : 1;
  return (a->strategy > b->strategy) - (a->strategy < b->strategy);
}

/* Null if out of memory. */
static const rh_task **sorted(const rh_tuner *tuner) {
  const rh_task **list = calloc(tuner->n_tasks + 1, sizeof *list);
  for (uint32_t k = 0; list && k < tuner->n_tasks; k++) list[k] = &tuner->tasks[k];
  if (list) qsort(list, tuner->n_tasks, sizeof *list, in_reading_order);
  return list;
}

/* ---- Tables ---- */

static const char *seconds_text(double seconds) { return seconds > 0 ? rh_seconds(seconds) : "-"; }

static void add_change(rh_table *table, const rh_tuner *tuner, const rh_task *task) {
  char ratio[32];
  int is_timed = task->default_s > 0 && task->time_s > 0;
  const char *gain =
      is_timed ? rh_show("%sx", rh_format_fixed(ratio, task->default_s / task->time_s, 2)) : "-";
  rh_table_row(table, is_timed && rh_task_is_changed(task) ? "       + " : "         ",
               rh_tuner_strategy(tuner, task), task->op->name, rh_type_name(rh_task_type(task)),
               size_text(task, task->n), rh_task_base_name(task), seconds_text(task->default_s),
               seconds_text(task->time_s), gain, settings_text(&task->settings));
}

/* Prints the tasks that the search improved; with --verbose all that have a time. */
static void print_changes(const rh_app *app, const rh_tuner *tuner, const rh_task *const *tasks) {
  rh_table table = {0};
  uint32_t as_they_are = 0;
  rh_table_begin(&table, "STRATEGY|OP|TYPE|>n|AGAINST|>BEFORE|>TUNED|>GAIN|PARAMETERS");
  for (uint32_t k = 0; k < tuner->n_tasks; k++) {
    const rh_task *task = tasks[k];
    if (task->time_s <= 0) continue;
    int is_news = task->state == RH_TASK_kept ? task->settings.n > 0 : rh_task_is_changed(task);
    if (!is_news && !app->typed->verbose) {
      as_they_are += task->state == RH_TASK_tuned || task->state == RH_TASK_kept;
      continue;
    }
    add_change(&table, tuner, task);
  }
  rh_table_print(&table, app->terminal, "  ");
  if (as_they_are)
    printf("  %u %s as before%s\n", as_they_are, as_they_are == 1 ? "stays" : "stay",
           app->typed->verbose ? "." : "; --verbose lists all.");
}

static void print_quickest(const rh_app *app, const rh_tuner *tuner, const rh_task *const *tasks) {
  rh_table table = {0};
  rh_table_begin(&table, "OP|TYPE|>n|QUICKEST CALL|>LATENCY|>TIME|PARAMETERS");
  for (uint32_t k = 0; k < tuner->n_tasks; k++) {
    if (k && rh_tasks_same_point(tasks[k - 1], tasks[k])) continue;
    const rh_task *task = rh_plan_quickest(tuner->tasks, tuner->n_tasks, tasks[k]);
    if (!task) continue;
    rh_table_row(&table, "       ", task->op->name, rh_type_name(rh_task_type(task)),
                 size_text(task, task->n), rh_tuner_strategy(tuner, task),
                 seconds_text(task->latency_s), seconds_text(task->time_s),
                 settings_text(&task->settings));
  }
  rh_table_print(&table, app->terminal, "  ");
}

static void print_counts(const rh_tuner *tuner, const char *file, int kept) {
  uint32_t candidates = 0, refused = 0, broken = 0, in[RH_TASK_dropped + 1] = {0};
  for (uint32_t k = 0; k < tuner->n_tasks; k++) {
    in[tuner->tasks[k].state]++;
    candidates += tuner->tasks[k].candidates;
    refused += tuner->tasks[k].refused;
    broken += tuner->tasks[k].broken;
  }
  printf("%u tuned, %u candidates tried", in[RH_TASK_tuned], candidates);
  if (refused) printf(", %u refused for wrong results", refused);
  if (broken) printf(", %u of them failed", broken);
  if (in[RH_TASK_kept]) printf("; %u known before (--fresh measures again)", in[RH_TASK_kept]);
  if (in[RH_TASK_slow]) printf("; %u far too slow to be searched", in[RH_TASK_slow]);
  if (in[RH_TASK_failed]) printf("; %u failed and left out", in[RH_TASK_failed]);
  if (file) printf(". Kept in %s\n", rh_plain(file));
  else printf(kept ? ". Nothing to keep\n" : ". Not kept\n");
  uint32_t left = in[RH_TASK_todo] + in[RH_TASK_measured];
  if (left && !rh_terminal_was_interrupted())
    printf("%u of %u left undone when the budget was spent: the same command goes on from there.\n",
           left, tuner->n_tasks);
}

void rh_tune_print(const rh_app *app, const rh_tuner *tuner, const char *file, int kept) {
  if (!is_for_people(app)) return;
  RH_FREED(const rh_task *) tasks = sorted(tuner);
  if (!tasks) return;
  const rh_cl_device *device = tuner->stage->device;
  printf("\nOn %s%s%s\n\n", rh_stage_label(tuner->stage), device ? " " : "",
         device ? device->name : "");
  print_changes(app, tuner, tasks);
  printf("\n");
  print_quickest(app, tuner, tasks);
  printf("\n");
  print_counts(tuner, file, kept);
}

/* ---- JSON ---- */

static json_t *settings_json(const rh_task *task) {
  json_t *object = json_object();
  for (uint32_t k = 0; k < task->settings.n; k++)
    json_object_set_new(object, task->settings.list[k].key,
                        json_string(task->settings.list[k].value));
  return object;
}

static double known(double seconds) { return seconds > 0 ? seconds : NAN; }

static json_t *task_json(const rh_tuner *tuner, const rh_task *task) {
  const rh_cut *cut = &task->cut;
  json_t *segments = cut->length ? rh_json("distribution:s length:u",
                                           rh_lengths_name(cut->distribution), cut->length)
                                 : NULL;
  return rh_json("device:s strategy:s op:s type:s n:u segments:o? status:s against:s default_s:f "
                 "time_s:f latency_s:f params:o candidates:i refused:i failed:i",
                 rh_stage_label(tuner->stage), rh_tuner_strategy(tuner, task), task->op->name,
                 rh_type_name(rh_task_type(task)), task->n, segments, rh_task_name(task->state),
                 rh_task_base_name(task), known(task->default_s), known(task->time_s),
                 known(task->latency_s), settings_json(task), task->candidates, task->refused,
                 task->broken);
}

void rh_tune_add_json(const rh_tuner *tuner, json_t *list) {
  RH_FREED(const rh_task *) tasks = sorted(tuner);
  for (uint32_t k = 0; tasks && k < tuner->n_tasks; k++)
    json_array_append_new(list, task_json(tuner, tasks[k]));
}
