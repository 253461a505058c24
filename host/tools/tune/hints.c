#include "tuner.h"

#include <math.h>

static void add_hint(const rh_task *from, rh_tune_spec *spec) {
  uint64_t candidate;
  if (from->n_settings == 0 || spec->n_hints == RH_TUNE_MOST_HINTS ||
      !rh_space_find(spec->space, from->settings, from->n_settings, &candidate))
    return;
  spec->hints[spec->n_hints++] = candidate;
}

static double distance(const rh_task *a, const rh_task *b) {
  return rh_cuts_apart(&a->cut, &b->cut) + fabs(log2((double)a->n) - log2((double)b->n)) +
         (a->op->base != b->op->base) + (rh_task_type(a) != rh_task_type(b));
}

void rh_tuner_add_hints(const rh_tuner *w, const rh_task *task, rh_tune_spec *spec) {
  const rh_task *used[2] = {NULL, NULL};
  add_hint(task, spec);
  for (int k = 0; k < 2; k++) {
    for (uint32_t j = 0; j < w->n_tasks; j++) {
      const rh_task *other = &w->tasks[j];
      if (other == task || other == used[0] || other->strategy != task->strategy ||
          other->n_settings == 0)
        continue;
      if (!used[k] || distance(other, task) < distance(used[k], task)) used[k] = other;
    }
    if (used[k]) add_hint(used[k], spec);
  }
}
