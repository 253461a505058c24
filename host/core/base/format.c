#include "base.h"

#include <locale.h>

/* Replaces the locale's decimal separator, which may be several bytes, by a point. */
static const char *with_point(char *text) {
  const char *point = localeconv()->decimal_point;
  size_t length = strlen(point);
  char *at = length ? strstr(text, point) : NULL;
  if (!at || strcmp(point, ".") == 0) return text;
  *at = '.';
  memmove(at + 1, at + length, strlen(at + length) + 1);
  return text;
}

const char *rh_format_digits(char text[32], double number, int digits) {
  snprintf(text, 32, "%.*g", digits, number);
  return with_point(text);
}

const char *rh_format_fixed(char text[32], double number, int decimals) {
  snprintf(text, 32, "%.*f", decimals, number);
  return with_point(text);
}

const char *rh_format_number(char text[32], double number) {
  for (int digits = 15; digits < 17; digits++) {
    snprintf(text, 32, "%.*g", digits, number);
    if (strtod(text, NULL) == number) return with_point(text);
  }
  return rh_format_digits(text, number, 17);
}

const char *rh_format_bytes(char text[32], uint64_t bytes) {
  static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  int k = 0;
  double value = (double)bytes;
  while (value >= 1024 && k < 6) {
    value /= 1024;
    k++;
  }
  snprintf(text, 32, value >= 1000 ? "%.0f %s" : "%.4g %s", value, units[k]);
  return with_point(text);
}

const char *rh_format_seconds(char text[32], double seconds) {
  if (seconds < 0.9995e-6) snprintf(text, 32, "%.3g ns", 1e9 * seconds);
  else if (seconds < 0.9995e-3) snprintf(text, 32, "%.3g us", 1e6 * seconds);
  else if (seconds < 0.9995) snprintf(text, 32, "%.3g ms", 1e3 * seconds);
  else snprintf(text, 32, "%.3g s", seconds);
  return with_point(text);
}

const char *rh_format_size(char text[32], uint64_t n) {
  if (n >= 1024 && (n & (n - 1)) == 0) snprintf(text, 32, "2^%d", __builtin_ctzll(n));
  else snprintf(text, 32, "%llu", (unsigned long long)n);
  return text;
}

int rh_read_digits(const char *text, uint64_t *number) {
  if (!text || !*text || text[strspn(text, "0123456789")]) return 0;
  errno = 0;
  *number = strtoull(text, NULL, 10);
  return errno == 0;
}

int rh_read_decimal(const char *text, char **end, double *number) {
  locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  if (!c) return -1;
  *number = strtod_l(text, end, c);
  freelocale(c);
  return 0;
}
