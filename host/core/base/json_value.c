#include "base.h"

json_t *rh_json_number(double number) { return isfinite(number) ? json_real(number) : json_null(); }

json_t *rh_json_bytes(const char *s) {
  if (!s) return json_null();
  json_t *whole = json_string(s);
  char *copy = whole ? NULL : strdup(s);
  if (!copy) return whole;
  rh_make_ascii(copy);
  whole = json_string(copy);
  free(copy);
  return whole;
}
