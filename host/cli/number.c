#include "number.h"
#include "../core/base/error.h"
#include "../core/base/format.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

/* Skips at least one digit; null if there is none. */
static const char *skip_digits(const char *p) {
  if (!p || !isdigit((unsigned char)*p)) return NULL;
  while (isdigit((unsigned char)*p)) p++;
  return p;
}

/* Needed because strtod also accepts spaces, signs, infinities, NaN and hexadecimal numbers. */
static int is_decimal(const char *text) {
  const char *p = *text == '.' ? text : skip_digits(text);
  if (p && *p == '.') p = skip_digits(p + 1);
  if (p && (*p == 'e' || *p == 'E')) {
    p++;
    p = skip_digits(*p == '+' || *p == '-' ? p + 1 : p);
  }
  return p && !*p;
}

static rh_status unexpected(const char *option, const rh_range *range, const char *text,
                            rh_error *error) {
  if (range->expected)
    return rh_fail(error, RH_E_USAGE, "--%s '%.60s': expected %s", option, text, range->expected);
  return rh_fail(error, RH_E_USAGE, "--%s '%.60s': expected a number from %llu to %llu", option,
                 text, (unsigned long long)range->least, (unsigned long long)range->most);
}

rh_status rh_number_parse(const char *option, const rh_range *range, const char *text,
                          double *value, rh_error *error) {
  double typed = 0;
  if (is_decimal(text) && rh_read_decimal(text, NULL, &typed) != 0)
    return rh_fail(error, RH_E_NOMEM, "no memory for a number");
  /* Still 0 if the text is not a decimal. */
  if (typed <= 0 || typed >= range->below) return unexpected(option, range, text, error);
  *value = typed;
  return RH_OK;
}

rh_status rh_whole_parse(const char *option, const rh_range *range, const char *text,
                         uint64_t *value, rh_error *error) {
  const char *end = skip_digits(text);
  errno = 0;
  unsigned long long typed = end && !*end ? strtoull(text, NULL, 10) : 0;
  if (!end || *end || errno || typed < range->least || typed > range->most)
    return unexpected(option, range, text, error);
  *value = typed;
  return RH_OK;
}

/* Returns the position after the number, or null if it is invalid or out of bounds. */
static const char *count(const char *text, uint32_t *n) {
  enum { MOST = 1000000 };
  const char *end = skip_digits(text);
  *n = 0;
  for (const char *p = text; p != end && end; p++) {
    *n = *n * 10 + (uint32_t)(*p - '0');
    if (*n > MOST) return NULL;
  }
  return *n > 0 ? end : NULL;
}

rh_status rh_samples_parse(const char *text, uint32_t *least, uint32_t *most, rh_error *error) {
  if (!text) return RH_OK;
  uint32_t first, last;
  const char *p = count(text, &first);
  last = *most > first ? *most : first;
  if (p && *p == ':') p = count(p + 1, &last);
  if (!p || *p || last < first)
    return rh_fail(error, RH_E_USAGE,
                   "--samples '%s': expected MIN or MIN:MAX, whole numbers from 1 to 1000000, the "
                   "smaller one first, as in 20 or 20:200",
                   text);
  *least = first;
  *most = last;
  return RH_OK;
}
