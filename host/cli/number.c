#include "number.h"
#include "../core/base/error.h"
#include "../core/base/format.h"
#include "../tools/records/records.h"

#include <ctype.h>
#include <stdlib.h>

const rh_number rh_number_timeout = {"--timeout",
                                     "seconds, more than 0 and less than 1e9, as in 2 or 0.5", 1e9};
const rh_number rh_number_max_time = {
    "--max-time", "seconds for each point, more than 0 and less than 1e6, as in 2 or 0.5", 1e6};
const rh_number rh_number_budget = {
    "--budget", "seconds, more than 0 and less than 1e6, as in 300 or 0.5", 1e6};
const rh_number rh_number_precision = {
    "--precision", "percent, more than 0 and less than 100, as in 2 or 0.5", 100};
const rh_number rh_number_threshold = {
    "--threshold", "percent, more than 0 and less than 1000, as in 5 or 0.5", 1000};

/* Skips at least one digit; null if there is none. */
static const char *skip_digits(const char *p) {
  if (!p || !isdigit((unsigned char)*p)) return NULL;
  while (isdigit((unsigned char)*p)) p++;
  return p;
}

/* Needed because strtod also accepts spaces, signs, infinities, NaN and hexadecimal numbers. */
static int is_decimal(const char *text) {
  const char *p = skip_digits(text);
  if (p && *p == '.') p = skip_digits(p + 1);
  if (p && (*p == 'e' || *p == 'E')) {
    p++;
    p = skip_digits(*p == '+' || *p == '-' ? p + 1 : p);
  }
  return p && !*p;
}

rh_status rh_number_parse(const rh_number *number, const char *text, double *value,
                          rh_error *error) {
  double typed = 0;
  if (!text) return RH_OK;
  if (is_decimal(text) && rh_read_decimal(text, NULL, &typed) != 0)
    return rh_fail(error, RH_E_NOMEM, "no memory for a number");
  /* Still 0 if the text is not a decimal. */
  if (typed <= 0 || typed >= number->below)
    return rh_fail(error, RH_E_USAGE, "%s '%s': expected %s", number->option, text,
                   number->expected);
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

rh_status rh_processes_parse(const char *text, uint32_t *n, rh_error *error) {
  uint32_t typed;
  if (!text) return RH_OK;
  const char *end = count(text, &typed);
  if (!end || *end || typed > RH_MAX_PROCESSES)
    return rh_fail(error, RH_E_USAGE, "--processes '%s': expected a number from 1 to %d", text,
                   RH_MAX_PROCESSES);
  *n = typed;
  return RH_OK;
}
