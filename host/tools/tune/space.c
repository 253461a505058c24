#include "tune.h"

enum { SHORT_RANGE = 16, FARTHEST = 64 };
static const uint64_t most_candidates = (uint64_t)1 << 40;

/* Inserts the value in order, without duplicates, if the command line would accept it, or if it is
 * the default, which need not be on a step. */
static void add_value(rh_space_axis *axis, int64_t value) {
  const rh_param *param = axis->param;
  uint32_t place = 0;
  if (axis->n == RH_SPACE_MOST_VALUES || !rh_param_allows(param, value) ||
      (value != param->initial &&
       ((uint64_t)value - (uint64_t)param->min) % (uint64_t)param->step != 0))
    return;
  while (place < axis->n && axis->values[place] < value) place++;
  if (place < axis->n && axis->values[place] == value) return;
  memmove(&axis->values[place + 1], &axis->values[place],
          (axis->n - place) * sizeof axis->values[0]);
  axis->values[place] = value;
  axis->n++;
}

/* The nearest legal step at or below the value. */
static int64_t on_step(const rh_param *param, int64_t value) {
  if (value <= param->min) return value;
  uint64_t above = (uint64_t)value - (uint64_t)param->min;
  return value - (int64_t)(above % (uint64_t)param->step);
}

static void add_both_signs(rh_space_axis *axis, uint64_t magnitude) {
  if (magnitude > INT64_MAX) return;
  add_value(axis, on_step(axis->param, (int64_t)magnitude));
  if (axis->param->min < 0) add_value(axis, on_step(axis->param, -(int64_t)magnitude));
}

/* Powers of two around the default; a default of 0 gives no scale. */
static void add_powers(rh_space_axis *axis) {
  const rh_param *param = axis->param;
  uint64_t centre = (uint64_t)param->initial;
  if (param->initial < 0) centre = 0 - centre;
  uint64_t least = centre > FARTHEST ? centre / FARTHEST : 1;
  uint64_t most = centre && centre < INT64_MAX / FARTHEST ? centre * FARTHEST : INT64_MAX;
  for (uint32_t k = 0; k < 62; k++) {
    uint64_t power = (uint64_t)1 << k, between = power + power / 2;
    if (power >= least && power <= most) add_both_signs(axis, power);
    if (k && between >= least && between <= most) add_both_signs(axis, between);
  }
}

static void fill_axis(rh_space_axis *axis) {
  const rh_param *param = axis->param;
  uint64_t last = ((uint64_t)param->max - (uint64_t)param->min) / (uint64_t)param->step;
  add_value(axis, param->initial);
  add_value(axis, 0);
  if (param->choices || last < SHORT_RANGE) {
    for (uint64_t k = 0; k <= last && k < RH_SPACE_MOST_VALUES; k++)
      add_value(axis, (int64_t)((uint64_t)param->min + k * (uint64_t)param->step));
  } else {
    add_powers(axis);
  }
  for (uint32_t place = 0; place < axis->n; place++)
    if (axis->values[place] == param->initial) axis->initial = place;
}

/* Can a tuned setting hold every value?  A setting is one short word, but a choice may contain
 * spaces. */
static int fits(const rh_space_axis *axis) {
  char text[64];
  if (strlen(axis->param->key) >= RH_TUNED_WORD) return 0;
  for (uint32_t place = 0; place < axis->n; place++) {
    rh_param_format(axis->param, axis->values[place], text, sizeof text);
    if (strlen(text) >= RH_TUNED_WORD || strchr(text, ' ')) return 0;
  }
  return 1;
}

void rh_space_init(rh_space *space, const rh_param *params, uint32_t n) {
  *space = (rh_space){.size = 1};
  for (uint32_t k = 0; k < n && space->n_axes < RH_SPACE_MOST_AXES; k++) {
    rh_space_axis *axis = &space->axes[space->n_axes];
    if (params[k].flags & RH_PARAM_NOT_TUNED) continue;
    *axis = (rh_space_axis){.param = &params[k]};
    fill_axis(axis);
    if (axis->n < 2 || !fits(axis) || space->size > most_candidates / axis->n) continue;
    axis->weight = space->size;
    space->initial += axis->weight * axis->initial;
    space->size *= axis->n;
    space->n_axes++;
  }
}

static uint32_t place_of(const rh_space_axis *axis, uint64_t candidate) {
  return (uint32_t)(candidate / axis->weight % axis->n);
}

/* Is this value unordered with respect to the others? */
static int is_apart(const rh_space_axis *axis, uint32_t place) {
  return axis->param->choices || (axis->param->initial == 0 && place == axis->initial);
}

uint32_t rh_space_neighbours(const rh_space *space, uint64_t candidate, uint64_t *neighbours) {
  uint32_t n = 0;
  for (uint32_t k = 0; k < space->n_axes; k++) {
    const rh_space_axis *axis = &space->axes[k];
    uint32_t here = place_of(axis, candidate);
    uint64_t without = candidate - here * axis->weight;
    for (uint32_t place = 0; place < axis->n; place++) {
      int near = place + 1 == here || here + 1 == place;
      if (place != here && (near || is_apart(axis, here) || is_apart(axis, place)))
        neighbours[n++] = without + place * axis->weight;
    }
  }
  return n;
}

/* Moves the candidate along one axis. */
static int apply(const rh_space *space, const rh_tunedb_setting *setting, uint64_t *candidate) {
  char text[64];
  for (uint32_t k = 0; k < space->n_axes; k++) {
    const rh_space_axis *axis = &space->axes[k];
    if (strcmp(axis->param->key, setting->key) != 0) continue;
    for (uint32_t place = 0; place < axis->n; place++) {
      rh_param_format(axis->param, axis->values[place], text, sizeof text);
      if (strcmp(text, setting->value) != 0) continue;
      *candidate += (place - (uint64_t)place_of(axis, *candidate)) * axis->weight;
      return 1;
    }
  }
  return 0;
}

int rh_space_find(const rh_space *space, const rh_tunedb_settings *settings, uint64_t *candidate) {
  *candidate = space->initial;
  for (uint32_t k = 0; k < settings->n; k++)
    if (!apply(space, &settings->list[k], candidate)) return 0;
  return 1;
}

rh_tunedb_settings rh_space_settings(const rh_space *space, uint64_t candidate) {
  rh_tunedb_settings settings = {.n = 0};
  for (uint32_t k = 0; k < space->n_axes; k++) {
    const rh_space_axis *axis = &space->axes[k];
    uint32_t place = place_of(axis, candidate);
    if (place == axis->initial) continue;
    rh_tunedb_setting *setting = &settings.list[settings.n++];
    snprintf(setting->key, sizeof setting->key, "%s", axis->param->key);
    rh_param_format(axis->param, axis->values[place], setting->value, sizeof setting->value);
  }
  return settings;
}
