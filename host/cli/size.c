#include "size.h"
#include "../base/error.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t most = INT64_MAX;

/* a*b, or 0 where it is past 2^63-1. */
static int multiply(uint64_t *a, uint64_t b) {
  if (b != 0 && *a > most / b) return 0;
  *a *= b;
  return 1;
}

static int digits(const char **p, uint64_t *value) {
  if (!isdigit((unsigned char)**p)) return 0;
  for (*value = 0; isdigit((unsigned char)**p); (*p)++) {
    if (!multiply(value, 10)) return 0;
    *value += (uint64_t)(**p - '0');
    if (*value > most) return 0;
  }
  return 1;
}

/* "2^24": 1 and the power; 0 where it is none or too large. */
static int power(const char **p, uint64_t *value) {
  uint64_t base = *value, exponent;
  if (!digits(p, &exponent)) return 0;
  *value = 1;
  for (; exponent > 0 && base > 1; exponent--)
    if (!multiply(value, base)) return 0;
  if (base == 0 && exponent > 0) *value = 0;
  return 1;
}

/* ".5e6" and "e6" behind the whole part `value`: what comes out must be whole. */
static int scientific(const char **p, uint64_t *value) {
  uint64_t exponent = 0, fraction_digits = 0;
  if (**p == '.') {
    for ((*p)++; isdigit((unsigned char)**p); (*p)++, fraction_digits++)
      if (!multiply(value, 10) || (*value += (uint64_t)(**p - '0')) > most) return 0;
    if (fraction_digits == 0) return 0;
  }
  if (**p == 'e' || **p == 'E') {
    (*p)++;
    if (**p == '+') (*p)++;
    if (!digits(p, &exponent)) return 0;
  }
  for (; fraction_digits > exponent; fraction_digits--) {
    if (*value % 10 != 0) return 0;
    *value /= 10;
  }
  for (exponent -= fraction_digits; exponent > 0 && *value > 0; exponent--)
    if (!multiply(value, 10)) return 0;
  return 1;
}

static int unit(const char **p, uint64_t *value) {
  static const char letters[] = "kKMGT";
  static const uint64_t decimal[] = {1000, 1000, 1000000, 1000000000, 1000000000000};
  static const int binary[] = {10, 10, 20, 30, 40};
  const char *letter = **p ? strchr(letters, **p) : NULL;
  if (!letter) return 1;
  (*p)++;
  if (**p != 'i') return multiply(value, decimal[letter - letters]);
  (*p)++;
  return multiply(value, (uint64_t)1 << binary[letter - letters]);
}

static int parse(const char *p, uint64_t *value, int *bytes) {
  if (!digits(&p, value)) return 0;
  if (*p == '^') {
    p++;
    if (!power(&p, value)) return 0;
  } else if (*p == '.' || *p == 'e' || *p == 'E') {
    if (!scientific(&p, value)) return 0;
  }
  if (!unit(&p, value)) return 0;
  *bytes = *p == 'B';
  return p[*bytes] == 0;
}

rh_status rh_size_parse(const char *text, uint32_t element_size, const char *option, uint64_t *n,
                        rh_error *error) {
  int bytes = 0;
  uint64_t value = 0;
  if (strpbrk(text, ",:"))
    return rh_fail(error, RH_E_USAGE, "%s '%s': this mode takes one size", option, text);
  if (!parse(text, &value, &bytes))
    return rh_fail(
        error, RH_E_USAGE,
        "%s '%s': expected a whole number of elements from 0 to 2^63-1, as in 1000000, 1e6, "
        "16Mi, 2^24 or 64MiB",
        option, text);
  if (bytes && value % element_size != 0)
    return rh_fail(error, RH_E_USAGE,
                   "%s '%s': %llu bytes is not a multiple of %u, the element's size", option, text,
                   (unsigned long long)value, element_size);
  *n = bytes ? value / element_size : value;
  return RH_OK;
}

rh_status rh_seed_parse(const char *text, uint64_t *seed, rh_error *error) {
  char *end;
  *seed = 1;
  if (!text) return RH_OK;
  errno = 0;
  unsigned long long value = strtoull(text, &end, 10);
  if (errno || !isdigit((unsigned char)text[0]) || *end)
    return rh_fail(error, RH_E_USAGE, "--seed '%s': expected a whole number from 0 to 2^64-1",
                   text);
  *seed = value;
  return RH_OK;
}
