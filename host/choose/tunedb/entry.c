#include "entry.h"
#include "../../core/base/error.h"
#include "../../core/plug/plugin.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* JSON readers that use doubles are exact up to here. */
static const uint64_t most_integer = (UINT64_C(1) << 53) - 1;
static const double most_seconds = 1e9;

/* ---- Reading ---- */

rh_status rh_tunedb_take_text(const json_t *object, const char *key, char *text, size_t size,
                              rh_error *error) {
  const json_t *value = json_object_get(object, key);
  *text = 0;
  if (!value) return RH_OK;
  const char *taken = json_string_value(value);
  if (!taken) return rh_fail(error, RH_E_FILE, "%s: is not a string", key);
  if (strlen(taken) >= size)
    return rh_fail(error, RH_E_FILE, "%s: is longer than %zu bytes", key, size - 1);
  if (!rh_is_plain_utf8(taken, strlen(taken)))
    return rh_fail(error, RH_E_FILE, "%s: has control characters", key);
  strcpy(text, taken);
  return RH_OK;
}

static rh_status take_flag(const json_t *object, const char *key, uint32_t *flag, rh_error *error) {
  const json_t *value = json_object_get(object, key);
  *flag = json_is_true(value);
  if (value && !json_is_boolean(value))
    return rh_fail(error, RH_E_FILE, "%s: is neither true nor false", key);
  return RH_OK;
}

static rh_status take_seconds(const json_t *object, const char *key, double *seconds,
                              rh_error *error) {
  const json_t *value = json_object_get(object, key);
  *seconds = 0;
  if (!value) return RH_OK;
  if (!json_is_number(value)) return rh_fail(error, RH_E_FILE, "%s: is not a number", key);
  double taken = json_number_value(value);
  if (!(taken >= 0 && taken <= most_seconds))
    return rh_fail(error, RH_E_FILE, "%s: %g is not from 0 to %g", key, taken, most_seconds);
  *seconds = taken;
  return RH_OK;
}

/* A whole number, or a string if it exceeds JSON's exact numbers. */
static rh_status take_count(const json_t *object, const char *key, uint64_t *n, rh_error *error) {
  const json_t *value = json_object_get(object, key);
  const char *digits = json_string_value(value);
  if (json_is_integer(value) && json_integer_value(value) >= 0 &&
      (uint64_t)json_integer_value(value) <= most_integer) {
    *n = (uint64_t)json_integer_value(value);
    return RH_OK;
  }
  errno = 0;
  if (digits && *digits && !digits[strspn(digits, "0123456789")]) {
    *n = strtoull(digits, NULL, 10);
    if (!errno) return RH_OK;
  }
  return rh_fail(error, RH_E_FILE, "%s: %s", key,
                 value ? "is neither a whole number below 2^53 nor one in quotes below 2^64"
                       : "is missing");
}

/* Missing: of whole arrays. */
static rh_status take_cut(const json_t *object, rh_cut *cut, int *known, rh_error *error) {
  char word[32];
  if (!json_object_get(object, "length") && !json_object_get(object, "distribution")) return RH_OK;
  RH_TRY(take_count(object, "length", &cut->length, error));
  RH_TRY(rh_tunedb_take_text(object, "distribution", word, sizeof word, error));
  if (!cut->length) return rh_fail(error, RH_E_FILE, "length: is 0");
  if (!*word) return rh_fail(error, RH_E_FILE, "distribution: is missing");
  cut->distribution = rh_lengths_from_name(word);
  if (!cut->distribution) *known = 0;
  return RH_OK;
}

/* A hash of 16 digits. */
static int read_hash(const char *digits, uint64_t *hash) {
  if (strlen(digits) != 16 || digits[strspn(digits, "0123456789abcdef")]) return 0;
  *hash = strtoull(digits, NULL, 16);
  return 1;
}

/* Missing: any file. */
static rh_status take_plugin(const json_t *object, uint64_t *plugin, rh_error *error) {
  char digits[17];
  *plugin = 0;
  RH_TRY(rh_tunedb_take_text(object, "plugin", digits, sizeof digits, error));
  if (!json_object_get(object, "plugin") || read_hash(digits, plugin)) return RH_OK;
  return rh_fail(error, RH_E_FILE, "plugin: is not a hash of 16 digits");
}

/* Whether the plugin accepts it is checked when it is used. */
static rh_status take_setting(const char *key, const json_t *value, rh_tunedb_setting *setting,
                              rh_error *error) {
  const char *word = json_string_value(value);
  if (!*key || strlen(key) >= sizeof setting->key || strpbrk(key, " =") ||
      !rh_is_plain_utf8(key, strlen(key)))
    return rh_fail(error, RH_E_FILE, "params: '%s' is not the name of a parameter",
                   rh_quotable(key));
  if (!word || !*word || strlen(word) >= sizeof setting->value || strchr(word, ' ') ||
      !rh_is_plain_utf8(word, strlen(word)))
    return rh_fail(error, RH_E_FILE, "params: '%s' is not a short word in quotes", key);
  strcpy(setting->key, key);
  strcpy(setting->value, word);
  return RH_OK;
}

static rh_status take_settings(const json_t *object, rh_tunedb_entry *entry, rh_error *error) {
  const json_t *params = json_object_get(object, "params");
  const char *key;
  json_t *value;
  if (!params) return RH_OK;
  if (!json_is_object(params)) return rh_fail(error, RH_E_FILE, "params: is not an object");
  if (json_object_size(params) > RH_TUNED_MOST_SETTINGS)
    return rh_fail(error, RH_E_FILE, "params: are %zu, and at most %d can be",
                   json_object_size(params), RH_TUNED_MOST_SETTINGS);
  json_object_foreach((json_t *)params, key, value)
      RH_TRY(take_setting(key, value, &entry->settings[entry->n_settings++], error));
  return RH_OK;
}

/* A redhost that knows no operators of users keeps entries of operators that it does not know, and
 * does not use them; so such an entry names its operator where others name a built-in one. */
static const char own_prefix[] = "own:";

/* *op becomes the operator that the user's is based on. */
static rh_status take_own(const json_t *object, rh_tunedb_entry *entry, char op[32],
                          rh_error *error) {
  if (!read_hash(op + sizeof own_prefix - 1, &entry->own) || !entry->own)
    return rh_fail(error, RH_E_FILE, "op: '%s' is not own: and a hash of 16 digits",
                   rh_quotable(op));
  RH_TRY(rh_tunedb_take_text(object, "name", entry->own_name, sizeof entry->own_name, error));
  RH_TRY(rh_tunedb_take_text(object, "base", op, 32, error));
  return *op ? RH_OK : rh_fail(error, RH_E_FILE, "base: is missing");
}

static rh_status take_problem(const json_t *object, rh_tunedb_entry *entry, int *known,
                              rh_error *error) {
  char op[32], type[32];
  RH_TRY(rh_tunedb_take_text(object, "op", op, sizeof op, error));
  RH_TRY(rh_tunedb_take_text(object, "type", type, sizeof type, error));
  if (!*op) return rh_fail(error, RH_E_FILE, "op: is missing");
  if (!*type) return rh_fail(error, RH_E_FILE, "type: is missing");
  if (strncmp(op, own_prefix, sizeof own_prefix - 1) == 0)
    RH_TRY(take_own(object, entry, op, error));
  entry->op = rh_operator_builtin(rh_op_from_name(op), rh_type_from_name(type));
  *known = entry->op != NULL;
  RH_TRY(take_cut(object, &entry->cut, known, error));
  return take_count(object, "n", &entry->n, error);
}

rh_status rh_tunedb_entry_take(const json_t *object, rh_tunedb_entry *entry, int *known,
                               rh_error *error) {
  *entry = (rh_tunedb_entry){.n = 0};
  *known = 0;
  if (!json_is_object(object)) return rh_fail(error, RH_E_FILE, "is not an object");
  RH_TRY(rh_tunedb_take_text(object, "strategy", entry->strategy, sizeof entry->strategy, error));
  if (!rh_strategy_name_is_valid(entry->strategy))
    return rh_fail(error, RH_E_FILE, "strategy: '%s' is not the name of a strategy",
                   rh_quotable(entry->strategy));
  RH_TRY(take_plugin(object, &entry->plugin, error));
  RH_TRY(take_problem(object, entry, known, error));
  RH_TRY(take_settings(object, entry, error));
  RH_TRY(take_seconds(object, "time_s", &entry->time_s, error));
  RH_TRY(take_seconds(object, "latency_s", &entry->latency_s, error));
  RH_TRY(take_flag(object, "searched", &entry->searched, error));
  RH_TRY(take_flag(object, "trial", &entry->trial, error));
  RH_TRY(take_flag(object, "on_device", &entry->on_device, error));
  RH_TRY(take_flag(object, "failed", &entry->failed, error));
  if (!entry->failed) return RH_OK;
  entry->n_settings = 0;
  entry->time_s = entry->latency_s = 0;
  entry->searched = entry->trial = 0;
  return RH_OK;
}

/* ---- Writing ---- */

static json_t *pack_n(uint64_t n) {
  char digits[24];
  if (n <= most_integer) return json_integer((json_int_t)n);
  snprintf(digits, sizeof digits, "%" PRIu64, n);
  return json_string(digits);
}

static json_t *pack_settings(const rh_tunedb_entry *entry) {
  json_t *params = json_object();
  for (uint32_t k = 0; k < entry->n_settings && k < RH_TUNED_MOST_SETTINGS; k++)
    json_object_set_new(params, entry->settings[k].key, json_string(entry->settings[k].value));
  return params;
}

static int pack_own(json_t *object, const rh_tunedb_entry *entry, const char *base) {
  char op[32];
  snprintf(op, sizeof op, "%s%016" PRIx64, own_prefix, entry->own);
  int wrong = json_object_set_new(object, "op", json_string(op));
  wrong |= json_object_set_new(object, "base", json_string(base));
  if (*entry->own_name && rh_is_plain_utf8(entry->own_name, strlen(entry->own_name)))
    wrong |= json_object_set_new(object, "name", json_string(entry->own_name));
  return wrong;
}

json_t *rh_tunedb_entry_pack(const rh_tunedb_entry *entry) {
  char digits[20];
  const char *op = entry->op ? rh_op_name(entry->op->base) : NULL;
  const char *type = entry->op ? rh_type_name(entry->op->type) : NULL;
  json_t *object = json_object();
  snprintf(digits, sizeof digits, "%016" PRIx64, entry->plugin);
  int wrong = json_object_set_new(object, "strategy", json_string(entry->strategy));
  if (entry->plugin) wrong |= json_object_set_new(object, "plugin", json_string(digits));
  if (entry->own)
    wrong |= pack_own(object, entry, op ? op : "");
  else
    wrong |= json_object_set_new(object, "op", json_string(op ? op : ""));
  wrong |= json_object_set_new(object, "type", json_string(type ? type : ""));
  wrong |= json_object_set_new(object, "n", pack_n(entry->n));
  if (entry->cut.length) {
    const char *distribution = rh_lengths_name(entry->cut.distribution);
    wrong |= json_object_set_new(object, "length", pack_n(entry->cut.length));
    wrong |= json_object_set_new(object, "distribution", json_string(distribution));
  }
  if (entry->failed) {
    wrong |= json_object_set_new(object, "failed", json_true());
  } else {
    wrong |= json_object_set_new(object, "params", pack_settings(entry));
    wrong |= json_object_set_new(object, "time_s", json_real(entry->time_s));
    wrong |= json_object_set_new(object, "latency_s", json_real(entry->latency_s));
    if (entry->searched) wrong |= json_object_set_new(object, "searched", json_true());
    if (entry->trial) wrong |= json_object_set_new(object, "trial", json_true());
    if (entry->on_device) wrong |= json_object_set_new(object, "on_device", json_true());
  }
  if (!wrong) return object;
  json_decref(object);
  return NULL;
}
