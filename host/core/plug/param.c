#include "param.h"
#include "../base/error.h"
#include "../base/text.h"
#include "plugin.h"
#include <redhost/plugin.h>

#include <stdio.h>
#include <string.h>

static const uint32_t known_flags = RH_PARAM_POWER_OF_TWO | RH_PARAM_REBUILD | RH_PARAM_NOT_TUNED;

static int key_is_valid(const char *key) {
  size_t length = key ? strnlen(key, 64) : 0;
  if (length < 1 || length > 63 || key[0] < 'a' || key[0] > 'z') return 0;
  return strspn(key, "abcdefghijklmnopqrstuvwxyz0123456789_-") == length;
}

static int is_power_of_two(int64_t value) {
  return value > 0 && (value & (value - 1)) == 0;
}

/* 0 means "none" or "automatic" if the range begins with it, so it is allowed, too. */
static int fits_power_of_two(const rh_param *param, int64_t value) {
  return is_power_of_two(value) || (value == 0 && param->min == 0);
}

/* "host|device": distinct, nonempty words. */
static rh_status check_choices(const rh_param *param, rh_error *error) {
  const char *all = param->choices;
  int64_t n = 0;
  if (strnlen(all, 1025) > 1024 || !rh_is_plain_utf8(all, strlen(all)))
    return rh_fail(error, RH_E_PLUGIN, "its choices are too long or not plain UTF-8");
  for (const char *word = all; word; n++) {
    size_t length = strcspn(word, "|");
    if (length == 0) return rh_fail(error, RH_E_PLUGIN, "an empty choice in '%.80s'", all);
    for (const char *other = all; other != word; other += strcspn(other, "|") + 1)
      if (strcspn(other, "|") == length && memcmp(other, word, length) == 0)
        return rh_fail(error, RH_E_PLUGIN, "two choices '%.*s'", (int)length, word);
    word = word[length] ? word + length + 1 : NULL;
  }
  if (param->min != 0 || param->max != n - 1)
    return rh_fail(error, RH_E_PLUGIN, "%lld choices, but its range is %lld to %lld", (long long)n,
                   (long long)param->min, (long long)param->max);
  return RH_OK;
}

static rh_status check_range(const rh_param *param, rh_error *error) {
  if (param->min > param->initial || param->initial > param->max)
    return rh_fail(error, RH_E_PLUGIN, "its default %lld is not within %lld to %lld",
                   (long long)param->initial, (long long)param->min, (long long)param->max);
  if (param->step <= 0)
    return rh_fail(error, RH_E_PLUGIN, "its step is %lld", (long long)param->step);
  if (param->flags & ~known_flags || param->reserved)
    return rh_fail(error, RH_E_PLUGIN, "unknown flags 0x%x",
                   (param->flags & ~known_flags) | param->reserved);
  if (param->flags & RH_PARAM_POWER_OF_TWO && !fits_power_of_two(param, param->initial))
    return rh_fail(error, RH_E_PLUGIN, "its default %lld is not a power of two",
                   (long long)param->initial);
  return RH_OK;
}

rh_status rh_param_judge(const rh_param *param, rh_error *error) {
  if (!key_is_valid(param->key))
    return rh_fail(error, RH_E_PLUGIN, "its key is not of the form [a-z][a-z0-9_-]*");
  rh_status status = check_range(param, error);
  if (status == RH_OK && param->choices) status = check_choices(param, error);
  if (status == RH_OK && (!param->doc || strnlen(param->doc, 513) > 512 ||
                          !rh_is_plain_utf8(param->doc, strlen(param->doc))))
    status = rh_fail(error, RH_E_PLUGIN, "its doc is null, too long or not plain UTF-8");
  if (status != RH_OK) rh_error_prefix(error, "'%s'", param->key);
  return status;
}

int rh_param_allows(const rh_param *param, int64_t value, char *expected, size_t bytes) {
  int inside = value >= param->min && value <= param->max;
  if (inside && param->flags & RH_PARAM_POWER_OF_TWO) inside = fits_power_of_two(param, value);
  if (inside || !expected) return inside;
  long long min = (long long)param->min, max = (long long)param->max;
  if (param->choices)
    snprintf(expected, bytes, "expected one of %s", param->choices);
  else if (param->flags & RH_PARAM_POWER_OF_TWO)
    snprintf(expected, bytes, "expected %sa power of two from %lld to %lld",
             min == 0 ? "0 or " : "", min == 0 ? 1 : min, max);
  else
    snprintf(expected, bytes, "expected %lld to %lld", min, max);
  return 0;
}

const rh_param *rh_strategy_param(const rh_strategy *strategy, uint32_t k) {
  const void *at = (const char *)strategy->params + (uint64_t)k * strategy->param_stride;
  return at;
}
