#include "internal.h"

/* A whole number, or a string if it exceeds JSON's exact numbers. */
static rh_status size(const rh_exchange *x, const char *key, uint64_t *n) {
  const uint64_t most = RH_JSON_MOST_INTEGER - 1;
  char digits[24];
  if (!x->reads) {
    snprintf(digits, sizeof digits, "%" PRIu64, *n);
    return rh_pass_put(x, key, *n <= most ? json_integer((json_int_t)*n) : json_string(digits));
  }
  const json_t *value = rh_pass_value(x, key);
  const char *word = json_string_value(value);
  if (!value) return rh_pass_refuse(x, key, "is missing");
  if (json_is_integer(value) && rh_pass_integer(x, key, most, n) == RH_OK) return RH_OK;
  if (rh_read_digits(word, n)) return RH_OK;
  return rh_pass_refuse(x, key,
                        "is neither a whole number below 2^53 nor one in quotes below 2^64");
}

/* Missing: of whole arrays. */
static rh_status cut(const rh_exchange *x, rh_tunedb_entry *entry) {
  char word[32];
  rh_cut *of = &entry->cut;
  if (x->reads ? !rh_pass_value(x, "length") && !rh_pass_value(x, "distribution") : !of->length)
    return RH_OK;
  RH_TRY(size(x, "length", &of->length));
  if (!of->length) return rh_pass_refuse(x, "length", "is 0");
  RH_TRY(rh_pass_word(x, "distribution", rh_lengths_name(of->distribution), word, NULL));
  if (x->reads && !(of->distribution = rh_lengths_from_name(word))) entry->op = NULL;
  return RH_OK;
}

/* A hash of 16 digits. */
static int read_hash(const char *digits, uint64_t *hash) {
  if (strlen(digits) != 16 || digits[strspn(digits, "0123456789abcdef")]) return 0;
  *hash = strtoull(digits, NULL, 16);
  return 1;
}

/* Missing: any file. */
static rh_status plugin(const rh_exchange *x, uint64_t *hash) {
  char digits[17] = "";
  if (x->reads ? !rh_pass_value(x, "plugin") : !*hash) return RH_OK;
  snprintf(digits, sizeof digits, "%016" PRIx64, *hash);
  RH_TRY(rh_pass_text(x, "plugin", digits, sizeof digits));
  return read_hash(digits, hash) ? RH_OK
                                 : rh_pass_refuse(x, "plugin", "is not a hash of 16 digits");
}

/* Whether the plugin accepts it is checked when it is used. */
static rh_status take_setting(const rh_exchange *x, const char *key, const json_t *value,
                              rh_tunedb_setting *setting) {
  const char *word = json_string_value(value);
  if (!*key || strlen(key) >= sizeof setting->key || strpbrk(key, " =") ||
      !rh_is_plain_utf8(key, strlen(key)))
    return rh_pass_refuse(x, "params", "'%s' is not the name of a parameter", rh_quotable(key));
  if (!word || !*word || strlen(word) >= sizeof setting->value || strchr(word, ' ') ||
      !rh_is_plain_utf8(word, strlen(word)))
    return rh_pass_refuse(x, "params", "'%s' is not a short word in quotes", key);
  strcpy(setting->key, key);
  strcpy(setting->value, word);
  return RH_OK;
}

static rh_status settings(const rh_exchange *x, rh_tunedb_entry *entry) {
  json_t *params = x->reads ? json_object_get(x->object, "params") : json_object(), *value;
  const char *key;
  for (uint32_t k = 0; !x->reads && k < entry->settings.n && k < RH_TUNED_MOST_SETTINGS; k++)
    json_object_set_new(params, entry->settings.list[k].key,
                        json_string(entry->settings.list[k].value));
  if (!x->reads) return rh_pass_put(x, "params", params);
  if (!params) return RH_OK;
  if (!json_is_object(params)) return rh_pass_refuse(x, "params", "is not an object");
  if (json_object_size(params) > RH_TUNED_MOST_SETTINGS)
    return rh_pass_refuse(x, "params", "are %zu, and at most %d can be", json_object_size(params),
                          RH_TUNED_MOST_SETTINGS);
  json_object_foreach(params, key, value)
      RH_TRY(take_setting(x, key, value, &entry->settings.list[entry->settings.n++]));
  return RH_OK;
}

/* A redhost that knows no operators of users keeps entries of operators that it does not know, and
 * does not use them; so such an entry names its operator where others name a built-in one. */
static const char own_prefix[] = "own:";

/* op: the operator that the user's is based on. */
static rh_status own(const rh_exchange *x, rh_tunedb_entry *entry, char op[32]) {
  char digits[32];
  snprintf(digits, sizeof digits, "%s%016" PRIx64, own_prefix, entry->own);
  RH_TRY(rh_pass_name(x, "op", digits, sizeof digits));
  if (!read_hash(digits + sizeof own_prefix - 1, &entry->own) || !entry->own)
    return rh_pass_refuse(x, "op", "'%s' is not own: and a hash of 16 digits", rh_quotable(digits));
  RH_TRY(rh_pass_name(x, "base", op, 32));
  int has_name = *entry->own_name && rh_is_plain_utf8(entry->own_name, strlen(entry->own_name));
  return x->reads || has_name ? rh_pass_text(x, "name", entry->own_name, sizeof entry->own_name)
                              : RH_OK;
}

static rh_status problem(const rh_exchange *x, rh_tunedb_entry *entry) {
  char op[32] = "", type[32] = "";
  if (!x->reads) {
    snprintf(op, sizeof op, "%s", rh_op_name(entry->op->base));
    snprintf(type, sizeof type, "%s", rh_type_name(entry->op->type));
  }
  const char *said = json_string_value(json_object_get(x->object, "op"));
  int is_own =
      x->reads ? said && strncmp(said, own_prefix, sizeof own_prefix - 1) == 0 : entry->own != 0;
  RH_TRY(is_own ? own(x, entry, op) : rh_pass_name(x, "op", op, sizeof op));
  RH_TRY(rh_pass_name(x, "type", type, sizeof type));
  entry->op = rh_operator_builtin(rh_op_from_name(op), rh_type_from_name(type));
  RH_TRY(size(x, "n", &entry->n));
  return cut(x, entry);
}

/* Written only where it is 1. */
static rh_status rare_flag(const rh_exchange *x, const char *key, uint32_t *flag) {
  return x->reads || *flag ? rh_pass_flag(x, key, flag) : RH_OK;
}

static rh_status keys(const rh_exchange *x, rh_tunedb_entry *entry) {
  RH_TRY(rh_pass_name(x, "strategy", entry->strategy, sizeof entry->strategy));
  if (x->reads && !rh_strategy_name_is_valid(entry->strategy))
    return rh_pass_refuse(x, "strategy", "'%s' is not the name of a strategy",
                          rh_quotable(entry->strategy));
  RH_TRY(plugin(x, &entry->plugin));
  RH_TRY(problem(x, entry));
  RH_TRY(rare_flag(x, "failed", &entry->failed));
  if (entry->failed && !x->reads) return RH_OK;
  RH_TRY(settings(x, entry));
  RH_TRY(rh_pass_seconds(x, "time_s", &entry->time_s));
  RH_TRY(rh_pass_seconds(x, "latency_s", &entry->latency_s));
  RH_TRY(rare_flag(x, "searched", &entry->searched));
  RH_TRY(rare_flag(x, "trial", &entry->trial));
  return rare_flag(x, "on_device", &entry->on_device);
}

rh_status rh_tunedb_entry_take(const json_t *object, rh_tunedb_entry *entry, rh_error *error) {
  const rh_exchange x = {.reads = 1, .object = (json_t *)object, .error = error};
  *entry = (rh_tunedb_entry){.n = 0};
  if (!json_is_object(object)) return rh_fail(error, RH_E_FILE, "is not an object");
  RH_TRY(keys(&x, entry));
  if (!entry->failed) return RH_OK;
  entry->settings.n = 0;
  entry->time_s = entry->latency_s = 0;
  entry->searched = entry->trial = 0;
  return RH_OK;
}

json_t *rh_tunedb_entry_pack(const rh_tunedb_entry *entry) {
  const rh_exchange x = {.object = json_object()};
  rh_tunedb_entry same = *entry; /* which is not changed when it is written */
  if (entry->op && keys(&x, &same) == RH_OK) return x.object;
  json_decref(x.object);
  return NULL;
}
