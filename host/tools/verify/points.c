#include "points.h"
#include "../../core/base/random.h"
#include "../../core/plug/plugin.h"

#include <string.h>

/* A random legal value of the parameter. */
static int64_t random_value(const rh_param *param, uint64_t *state) {
  uint64_t span = (uint64_t)param->max - (uint64_t)param->min;
  /* Uniform in the magnitude: ranges are wide, and most faults show at small values. */
  uint64_t bits = rh_random_next(state) % 33, mask = ((uint64_t)1 << bits) - 1;
  uint64_t offset = rh_random_next(state) & mask;
  int64_t value = param->min + (int64_t)(span == UINT64_MAX ? offset : offset % (span + 1));
  if (param->step > 1) value -= (value - param->min) % param->step;
  if (param->flags & RH_PARAM_POWER_OF_TWO) {
    value = (int64_t)1 << rh_random_next(state) % 12;
    if (value < param->min) value = param->min;
    if (value > param->max) value = param->max;
  }
  return value;
}

int64_t rh_end_value(const rh_param *param, int greatest) {
  int64_t value = greatest ? param->max : param->min;
  if (greatest && param->step > 1) value -= (value - param->min) % param->step;
  if (!(param->flags & RH_PARAM_POWER_OF_TWO) || rh_param_allows(param, value, NULL, 0))
    return value;
  for (value = 1; value <= param->max / 2 && (greatest || value < param->min);) value *= 2;
  return value;
}

static void defaults(const rh_strategy *strategy, int64_t params[RH_MAX_PARAMS]) {
  rh_error unused;
  rh_params_resolve(strategy, NULL, 0, params, &unused);
}

uint32_t rh_n_points(const rh_strategy *strategy) {
  return strategy->n_params == 0 ? 1 : 1 + 2 * strategy->n_params + 2;
}

void rh_point(const rh_trial *trial, uint32_t k, int64_t params[RH_MAX_PARAMS]) {
  const rh_strategy *strategy = trial->strategy;
  uint32_t n = strategy->n_params;
  defaults(strategy, params);
  if (k == 0 || n == 0) return;
  if (--k < 2 * n) {
    params[k / 2] = rh_end_value(rh_strategy_param(strategy, k / 2), k % 2);
    return;
  }
  k -= 2 * n;
  uint64_t state = rh_random_mix(trial->seed + k);
  for (uint32_t j = 0; j < n; j++)
    params[j] = k < 2 ? rh_end_value(rh_strategy_param(strategy, j), (int)k)
                      : random_value(rh_strategy_param(strategy, j), &state);
}

void rh_point_words(const rh_strategy *strategy, const int64_t *params, rh_text *words) {
  int64_t usual[RH_MAX_PARAMS];
  defaults(strategy, usual);
  for (uint32_t k = 0; k < strategy->n_params; k++) {
    char value[64];
    const rh_param *param = rh_strategy_param(strategy, k);
    if (params[k] == usual[k]) continue;
    rh_param_format(param, params[k], value, sizeof value);
    rh_text_add(words, " --param %s=%s", param->key, value);
  }
}
