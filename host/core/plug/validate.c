/* Validates a plugin's descriptor as data, without calling the plugin. */
#include "plug.h"

enum { MOST_BYTES_OF_STRUCT = 1 << 16 /* a larger size is garbage, not a later version */ };

static const uint64_t known_promises =
    RH_KEEPS_ORDER | RH_CANONICAL_ORDER | RH_KEEPS_FP_CONTROL | RH_SERVES_LAYOUTS | RH_ROUNDS_ONCE;
static const uint64_t known_needs = RH_FP64 | RH_INT64_ATOMICS | RH_SUBGROUPS |
                                    RH_WORK_GROUP_COLLECTIVES | RH_INTEL_SUBGROUP_BLOCKS |
                                    RH_DEVICE_SCOPE_ATOMICS;
static const uint32_t known_kinds = RH_DEVICE_HOST | RH_DEVICE_ANY_CL;

static int is_word(const char *word) {
  size_t length = word ? strnlen(word, 64) : 0;
  return length >= 1 && length <= 63 &&
         strspn(word, "abcdefghijklmnopqrstuvwxyz0123456789_-") == length;
}

int rh_strategy_name_is_valid(const char *name) {
  return is_word(name) && name[0] != '_' && name[0] != '-';
}

/* ---- A parameter ---- */

static const uint32_t known_flags = RH_PARAM_POWER_OF_TWO | RH_PARAM_REBUILD | RH_PARAM_NOT_TUNED;

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
  if (!rh_param_allows(param, param->initial))
    return rh_fail(error, RH_E_PLUGIN, "its default %lld is not a power of two",
                   (long long)param->initial);
  return RH_OK;
}

/* Checks key, doc, range, step, choices and flags. */
static rh_status judge_param(const rh_param *param, rh_error *error) {
  if (!is_word(param->key) || param->key[0] < 'a' || param->key[0] > 'z')
    return rh_fail(error, RH_E_PLUGIN, "its key is not of the form [a-z][a-z0-9_-]*");
  rh_status status = check_range(param, error);
  if (status == RH_OK && param->choices) status = check_choices(param, error);
  if (status == RH_OK && (!param->doc || strnlen(param->doc, 513) > 512 ||
                          !rh_is_plain_utf8(param->doc, strlen(param->doc))))
    status = rh_fail(error, RH_E_PLUGIN, "its doc is null, too long or not plain UTF-8");
  return rh_error_prefix(error, status, "'%s'", param->key);
}

int rh_param_allows(const rh_param *param, int64_t value) {
  if (value < param->min || value > param->max) return 0;
  if (!(param->flags & RH_PARAM_POWER_OF_TWO)) return 1;
  /* 0 means "none" or "automatic" if the range begins with it, so it is allowed, too. */
  return value > 0 ? (value & (value - 1)) == 0 : value == 0 && param->min == 0;
}

const rh_param *rh_strategy_param(const rh_strategy *strategy, uint32_t k) {
  const void *at = (const char *)strategy->params + (uint64_t)k * strategy->param_stride;
  return at;
}

static rh_status check_size(const char *what, uint32_t size, uint32_t least, rh_error *error) {
  if (size >= least && size <= MOST_BYTES_OF_STRUCT) return RH_OK;
  return rh_fail(error, RH_E_PLUGIN, "%s of %u bytes; in ABI 1.0 it has %u", what, size, least);
}

rh_status rh_validate_version(const rh_plugin *plugin, rh_error *error) {
  if (plugin->magic != RH_MAGIC)
    return rh_fail(error, RH_E_PLUGIN,
                   "redhost_plugin_v1 is not a descriptor: magic 0x%08x, not 0x%08x", plugin->magic,
                   RH_MAGIC);
  RH_TRY(check_size("descriptor", plugin->struct_size, RH_SIZE_1_0(rh_plugin, build), error));
  if (plugin->abi_major != RH_ABI_MAJOR)
    return rh_fail(error, RH_E_PLUGIN, "ABI %u, this redhost supports %u", plugin->abi_major,
                   RH_ABI_MAJOR);
  if (plugin->min_host_minor > RH_ABI_MINOR)
    return rh_fail(error, RH_E_PLUGIN, "needs ABI %u.%u, this redhost supports %u.%u", RH_ABI_MAJOR,
                   plugin->min_host_minor, RH_ABI_MAJOR, RH_ABI_MINOR);
  if (plugin->flags & ~RH_PLUGIN_UNLOADABLE)
    return rh_fail(error, RH_E_PLUGIN, "unknown flags 0x%x", plugin->flags & ~RH_PLUGIN_UNLOADABLE);
  if (plugin->reserved)
    return rh_fail(error, RH_E_PLUGIN, "reserved is %u, expected 0", plugin->reserved);
  return RH_OK;
}

/* At most `most` bytes; may be empty if `least` is 0, and have line breaks if `lines`. */
static rh_status check_text(const char *what, const char *s, size_t least, size_t most, int lines,
                            rh_error *error) {
  if (!s) return rh_fail(error, RH_E_PLUGIN, "%s is null", what);
  size_t length = strnlen(s, most + 1);
  if (length < least) return rh_fail(error, RH_E_PLUGIN, "%s is empty", what);
  if (length > most) return rh_fail(error, RH_E_PLUGIN, "%s is longer than %zu bytes", what, most);
  while (lines && strchr(s, '\n')) {
    size_t line = (size_t)(strchr(s, '\n') - s);
    if (!rh_is_plain_utf8(s, line)) break;
    s += line + 1;
  }
  if (!rh_is_plain_utf8(s, strlen(s)))
    return rh_fail(error, RH_E_PLUGIN, "%s is not plain UTF-8", what);
  return RH_OK;
}

rh_status rh_validate_texts(const rh_strategy *strategy, rh_error *error) {
  RH_TRY(check_text("the summary", strategy->summary, 1, 200, 0, error));
  RH_TRY(check_text("the text about it", strategy->about, 0, 16384, 1, error));
  RH_TRY(check_text("the version", strategy->version, 1, 63, 0, error));
  RH_TRY(check_text("the author", strategy->author, 0, 255, 0, error));
  return check_text("the license", strategy->license, 0, 255, 0, error);
}

static rh_status check_bits(const rh_strategy *strategy, rh_error *error) {
  uint64_t which = strategy->promises & (RH_CANONICAL_ORDER | RH_ROUNDS_ONCE);
  if (which == (RH_CANONICAL_ORDER | RH_ROUNDS_ONCE))
    return rh_fail(
        error, RH_E_PLUGIN,
        "promises the canonical order and sums that are rounded once, whose bits differ");
  if (which && strategy->determinism != RH_BITS_SAME_EVERYWHERE)
    return rh_fail(error, RH_E_PLUGIN,
                   "promises %s, whose bits are the same everywhere, but its "
                   "determinism is %u instead of %u (RH_BITS_SAME_EVERYWHERE)",
                   which == RH_ROUNDS_ONCE ? "sums that are rounded once" : "the canonical order",
                   strategy->determinism, RH_BITS_SAME_EVERYWHERE);
  if (strategy->reserved)
    return rh_fail(error, RH_E_PLUGIN, "a reserved field is 0x%x", strategy->reserved);
  return RH_OK;
}

rh_status rh_validate_promises(const rh_strategy *strategy, rh_error *error) {
  if (strategy->promises & ~known_promises)
    return rh_fail(error, RH_E_PLUGIN, "unknown promises 0x%llx",
                   (unsigned long long)(strategy->promises & ~known_promises));
  if (strategy->needs & ~known_needs)
    return rh_fail(error, RH_E_PLUGIN, "unknown needs 0x%llx",
                   (unsigned long long)(strategy->needs & ~known_needs));
  if (strategy->device_kinds == 0) return rh_fail(error, RH_E_PLUGIN, "runs on no kind of device");
  if (strategy->device_kinds & ~known_kinds)
    return rh_fail(error, RH_E_PLUGIN, "unknown kinds of device 0x%x",
                   strategy->device_kinds & ~known_kinds);
  if (strategy->determinism > RH_BITS_SAME_EVERYWHERE)
    return rh_fail(error, RH_E_PLUGIN, "unknown determinism %u", strategy->determinism);
  return check_bits(strategy, error);
}

rh_status rh_validate_functions(const rh_strategy *strategy, rh_error *error) {
  if (!strategy->query || !strategy->setup || !strategy->run)
    return rh_fail(error, RH_E_PLUGIN, "%s is null",
                   !strategy->query   ? "query"
                   : !strategy->setup ? "setup"
                                      : "run");
  return RH_OK;
}

rh_status rh_validate_params(const rh_strategy *strategy, rh_error *error) {
  if (strategy->n_params == 0) return RH_OK;
  if (strategy->n_params > RH_MAX_PARAMS)
    return rh_fail(error, RH_E_PLUGIN, "%u parameters, at most %d are allowed", strategy->n_params,
                   RH_MAX_PARAMS);
  if (!strategy->params) return rh_fail(error, RH_E_PLUGIN, "params is null");
  RH_TRY(check_size("a parameter", strategy->param_stride, RH_SIZE_1_0(rh_param, reserved), error));
  if (strategy->param_stride % _Alignof(rh_param))
    return rh_fail(error, RH_E_PLUGIN, "parameters of %u bytes are not aligned",
                   strategy->param_stride);
  for (uint32_t k = 0; k < strategy->n_params; k++) {
    const rh_param *param = rh_strategy_param(strategy, k);
    RH_TRY(rh_error_prefix(error, judge_param(param, error), "parameter %u", k));
    for (uint32_t j = 0; j < k; j++)
      if (strcmp(rh_strategy_param(strategy, j)->key, param->key) == 0)
        return rh_fail(error, RH_E_PLUGIN, "two parameters '%s'", param->key);
  }
  return RH_OK;
}

static rh_status check_strategy(const rh_strategy *strategy, rh_error *error) {
  RH_TRY(rh_validate_promises(strategy, error));
  RH_TRY(rh_validate_functions(strategy, error));
  RH_TRY(rh_validate_texts(strategy, error));
  return rh_validate_params(strategy, error);
}

static rh_status check_names(const rh_plugin *plugin, uint32_t k, rh_error *error) {
  const rh_strategy *strategy = plugin->strategies[k];
  if (!strategy) return rh_fail(error, RH_E_PLUGIN, "strategy %u is null", k);
  rh_status status =
      check_size("it is", strategy->struct_size, RH_SIZE_1_0(rh_strategy, extension), error);
  if (status == RH_OK && !rh_strategy_name_is_valid(strategy->name))
    status = rh_fail(error, RH_E_PLUGIN, "its name is not of the form [a-z0-9][a-z0-9_-]{0,62}");
  RH_TRY(rh_error_prefix(error, status, "strategy %u", k));
  for (uint32_t j = 0; j < k; j++)
    if (strcmp(plugin->strategies[j]->name, strategy->name) == 0)
      return rh_fail(error, RH_E_PLUGIN, "two strategies '%s'", strategy->name);
  return RH_OK;
}

rh_status rh_validate_names(const rh_plugin *plugin, rh_error *error) {
  RH_TRY(check_text("the build note", plugin->build, 0, 255, 0, error));
  if (plugin->n_strategies < 1 || plugin->n_strategies > RH_MOST_STRATEGIES)
    return rh_fail(error, RH_E_PLUGIN, "%u strategies, expected 1 to %d", plugin->n_strategies,
                   RH_MOST_STRATEGIES);
  if (!plugin->strategies) return rh_fail(error, RH_E_PLUGIN, "strategies is null");
  for (uint32_t k = 0; k < plugin->n_strategies; k++) RH_TRY(check_names(plugin, k, error));
  return RH_OK;
}

rh_status rh_validate_each(const rh_plugin *plugin, rh_validate_strategy *judge, rh_error *error) {
  for (uint32_t k = 0; k < plugin->n_strategies; k++) {
    const rh_strategy *strategy = plugin->strategies[k];
    RH_TRY(rh_error_prefix(error, judge(strategy, error), "strategy '%s'", strategy->name));
  }
  return RH_OK;
}

rh_status rh_plugin_judge(const rh_plugin *plugin, rh_error *error) {
  RH_TRY(rh_validate_version(plugin, error));
  RH_TRY(rh_validate_names(plugin, error));
  return rh_validate_each(plugin, check_strategy, error);
}
