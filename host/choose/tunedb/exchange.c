#include "tunedb.h"

rh_status rh_pass_refuse(const rh_exchange *x, const char *key, const char *format, ...) {
  char what[256];
  va_list args;
  va_start(args, format);
  vsnprintf(what, sizeof what, format, args);
  va_end(args);
  return rh_fail(x->error, RH_E_FILE, "%s%s%s: %s", x->within ? x->within : "",
                 x->within ? "." : "", key, what);
}

const json_t *rh_pass_value(const rh_exchange *x, const char *key) {
  const json_t *value = json_object_get(x->object, key);
  return x->has_nulls && json_is_null(value) ? NULL : value;
}

rh_status rh_pass_put(const rh_exchange *x, const char *key, json_t *value) {
  if (json_object_set_new(x->object, key, value) == 0) return RH_OK;
  return rh_fail(x->error, RH_E_NOMEM, "no memory for a JSON object");
}

rh_status rh_pass_number(const rh_exchange *x, const char *key, double most, double *is) {
  if (!x->reads) return rh_pass_put(x, key, rh_json_number(*is));
  const json_t *value = rh_pass_value(x, key);
  if (!value) return RH_OK;
  if (!json_is_number(value)) return rh_pass_refuse(x, key, "is not a number");
  double taken = json_number_value(value);
  if (!(taken >= 0 && taken <= most))
    return rh_pass_refuse(x, key, "%g is not from 0 to %g", taken, most);
  *is = taken;
  return RH_OK;
}

rh_status rh_pass_seconds(const rh_exchange *x, const char *key, double *is) {
  return rh_pass_number(x, key, RH_JSON_MOST_SECONDS, is);
}

rh_status rh_pass_integer(const rh_exchange *x, const char *key, uint64_t most, uint64_t *is) {
  if (!x->reads) return rh_pass_put(x, key, json_integer((json_int_t)*is));
  const json_t *value = rh_pass_value(x, key);
  if (!value) return RH_OK;
  json_int_t taken = json_integer_value(value);
  if (!json_is_integer(value)) return rh_pass_refuse(x, key, "is not a whole number");
  if (taken < 0 || (uint64_t)taken > most)
    return rh_pass_refuse(x, key, "%lld is not from 0 to %llu", (long long)taken,
                          (unsigned long long)most);
  *is = (uint64_t)taken;
  return RH_OK;
}

rh_status rh_pass_count(const rh_exchange *x, const char *key, uint32_t *is) {
  uint64_t taken = *is;
  RH_TRY(rh_pass_integer(x, key, UINT32_MAX, &taken));
  *is = (uint32_t)taken;
  return RH_OK;
}

rh_status rh_pass_flag(const rh_exchange *x, const char *key, uint32_t *is) {
  if (!x->reads) return rh_pass_put(x, key, json_boolean(*is));
  const json_t *value = rh_pass_value(x, key);
  if (value && !json_is_boolean(value)) return rh_pass_refuse(x, key, "is neither true nor false");
  if (value) *is = json_is_true(value);
  return RH_OK;
}

rh_status rh_pass_text(const rh_exchange *x, const char *key, char *is, size_t size) {
  if (!x->reads) return rh_pass_put(x, key, *is ? rh_json_bytes(is) : json_null());
  const json_t *value = rh_pass_value(x, key);
  const char *taken = json_string_value(value);
  if (!value) return RH_OK;
  if (!taken) return rh_pass_refuse(x, key, "is not a string");
  if (strlen(taken) >= size) return rh_pass_refuse(x, key, "is longer than %zu bytes", size - 1);
  if (!rh_is_plain_utf8(taken, strlen(taken)))
    return rh_pass_refuse(x, key, "has control characters");
  strcpy(is, taken);
  return RH_OK;
}

rh_status rh_pass_name(const rh_exchange *x, const char *key, char *is, size_t size) {
  if (!x->reads) return rh_pass_put(x, key, rh_json_bytes(is));
  *is = 0;
  RH_TRY(rh_pass_text(x, key, is, size));
  return *is ? RH_OK : rh_pass_refuse(x, key, "is missing");
}

rh_status rh_pass_word(const rh_exchange *x, const char *key, const char *is, char word[32],
                       const char *otherwise) {
  if (!x->reads) return rh_pass_put(x, key, rh_json_bytes(is));
  snprintf(word, 32, "%s", otherwise ? otherwise : "");
  return otherwise ? rh_pass_text(x, key, word, 32) : rh_pass_name(x, key, word, 32);
}
