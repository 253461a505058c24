#include "plug.h"

/* The `place`-th word of "host|device" and its length; null after the last. */
static const char *choice(const char *choices, int64_t place, size_t *length) {
  const char *word = choices;
  for (; place > 0 && word; place--) {
    word = strchr(word, '|');
    if (word) word++;
  }
  if (word) *length = strcspn(word, "|");
  return word;
}

void rh_param_format(const rh_param *param, int64_t value, char *text, size_t size) {
  size_t length = 0;
  const char *word = param->choices ? choice(param->choices, value, &length) : NULL;
  if (word) snprintf(text, size, "%.*s", (int)length, word);
  else snprintf(text, size, "%lld", (long long)value);
}

void rh_param_range(const rh_param *param, char *text, size_t size) {
  if (!param->choices) {
    const char *rule = param->flags & RH_PARAM_POWER_OF_TWO ? ", a power of two" : "";
    int n =
        snprintf(text, size, "%lld to %lld%s", (long long)param->min, (long long)param->max, rule);
    if (param->step > 1 && n > 0 && (size_t)n < size)
      snprintf(text + n, size - (size_t)n, " in steps of %lld", (long long)param->step);
    return;
  }
  RH_FINISHED(rh_text) words = {0};
  size_t length;
  for (int64_t k = 0; k <= param->max; k++) {
    const char *word = choice(param->choices, k, &length);
    if (word) rh_text_add(&words, "%s%.*s", k ? " or " : "", (int)length, word);
  }
  snprintf(text, size, "%s", rh_text_get(&words));
}

static int parse_choice(const rh_param *param, const char *text, int64_t *value) {
  size_t length;
  for (int64_t k = 0; k <= param->max; k++) {
    const char *word = choice(param->choices, k, &length);
    if (!word || strlen(text) != length || strncmp(word, text, length) != 0) continue;
    *value = k;
    return 1;
  }
  return 0;
}

static int parse_number(const rh_param *param, const char *text, int64_t *value) {
  char *end;
  if (!isdigit((unsigned char)text[text[0] == '-'])) return 0; /* strtoll would skip blanks */
  errno = 0;
  long long number = strtoll(text, &end, 10);
  if (errno || end == text || *end) return 0;
  if (!rh_param_allows(param, number)) return 0;
  /* Unsigned, since a range may be wider than an int64_t. */
  if (((uint64_t)number - (uint64_t)param->min) % (uint64_t)param->step != 0) return 0;
  *value = number;
  return 1;
}

static rh_status unknown_key(const rh_strategy *strategy, const char *key, rh_error *error) {
  const char *keys[RH_MAX_PARAMS];
  for (uint32_t k = 0; k < strategy->n_params; k++) keys[k] = rh_strategy_param(strategy, k)->key;
  char hint[RH_SUGGESTION_BYTES];
  if (strategy->n_params == 0)
    return rh_fail(error, RH_E_USAGE, "parameter '%s': strategy '%s' has no parameters", key,
                   strategy->name);
  return rh_fail(error, RH_E_USAGE, "parameter '%s': strategy '%s' has no such parameter%s", key,
                 strategy->name, rh_suggest(hint, key, keys, strategy->n_params, ""));
}

int rh_params_find(const rh_strategy *strategy, const char *key) {
  for (uint32_t k = 0; k < strategy->n_params; k++)
    if (strcmp(rh_strategy_param(strategy, k)->key, key) == 0) return (int)k;
  return -1;
}

int rh_param_parse(const rh_param *param, const char *word, int64_t *value) {
  return param->choices ? parse_choice(param, word, value) : parse_number(param, word, value);
}

rh_status rh_params_set(const rh_strategy *strategy, const rh_setting *setting, int64_t *values,
                        rh_error *error) {
  int k = rh_params_find(strategy, setting->key);
  if (k < 0) return unknown_key(strategy, setting->key, error);
  const rh_param *param = rh_strategy_param(strategy, (uint32_t)k);
  if (rh_param_parse(param, setting->value, &values[k])) return RH_OK;
  char range[128];
  rh_param_range(param, range, sizeof range);
  return rh_fail(error, RH_E_USAGE, "parameter '%s=%s': strategy '%s' takes %s", setting->key,
                 setting->value, strategy->name, range);
}

rh_status rh_params_resolve(const rh_strategy *strategy, const rh_setting *settings,
                            uint64_t n_settings, int64_t *values, rh_error *error) {
  for (uint32_t k = 0; k < strategy->n_params; k++)
    values[k] = rh_strategy_param(strategy, k)->initial;
  for (uint64_t k = 0; k < n_settings; k++)
    RH_TRY(rh_params_set(strategy, &settings[k], values, error));
  return RH_OK;
}
