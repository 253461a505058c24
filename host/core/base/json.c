#include "base.h"

json_t *rh_json_number(double number) { return isfinite(number) ? json_real(number) : json_null(); }

json_t *rh_json_bytes(const char *s) {
  if (!s) return json_null();
  json_t *whole = json_string(s);
  RH_FREED(char) copy = whole ? NULL : strdup(s);
  if (!copy) return whole;
  rh_make_ascii(copy);
  return json_string(copy);
}

static json_t *next_value(char letter, va_list *args) {
  uint64_t number;
  switch (letter) {
  case 's': return rh_json_bytes(va_arg(*args, const char *));
  case 'u':
    number = va_arg(*args, uint64_t);
    return number == UINT64_MAX ? json_null() : json_integer((json_int_t)number);
  case 'i': return json_integer(va_arg(*args, int));
  case 'n': return json_integer(va_arg(*args, int64_t));
  case 'b': return json_boolean(va_arg(*args, int));
  case 'f': return rh_json_number(va_arg(*args, double));
  default: return va_arg(*args, json_t *);
  }
}

json_t *rh_json(const char *members, ...) {
  json_t *object = json_object();
  int failed = !object;
  va_list args;
  va_start(args, members);
  for (const char *at = members; *at; at += strspn(at, " ")) {
    char name[64];
    size_t length = strcspn(at, ":");
    snprintf(name, sizeof name, "%.*s", (int)length, at);
    at += length + 1;
    json_t *value = next_value(*at++, &args);
    int may_lack = *at == '?';
    at += may_lack;
    if (value || !may_lack)
      failed |= json_object_set_new(object, name, value ? value : json_null());
  }
  va_end(args);
  if (!failed) return object;
  json_decref(object);
  return NULL;
}
