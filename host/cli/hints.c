#include "hints.h"
#include "../operators/expr/excerpt.h"

#include <stdio.h>
#include <string.h>

enum { ANY = 1000 }; /* not an rh_status */

typedef struct hint {
  int status;       /* rh_status; ANY: warnings, too */
  const char *part; /* of the library's message */
  const char *advice;
} hint;

static const hint hints[] = {
    {RH_E_USAGE, "unknown strategy '", "See redhost --list"},
    {RH_E_USAGE, "unknown strategy or operator '", "See redhost --list and redhost --ops"},
    {RH_DECLINED, "no strategy can serve ", "See redhost --list"},
    {RH_E_USAGE, "' has no such parameter", "See redhost --info NAME"},
    {RH_E_BUILD, "kernel build failed for '", "Option -v prints the build log"},
    {RH_E_FILE, "raw data needs an element type", "Name it with --type"},
    {RH_E_USAGE, "--input is given twice", "Several files are one list: --input x.npy,y.npy"},
    {RH_E_USAGE, "--where is given twice", "Two conditions are one: --where 'x > 0 && x < 5'"},
    {RH_E_USAGE, "--plugin is given twice", "Several go into a directory for --plugin-path"},
    {RH_DECLINED, "does not claim to commute",
     "If a and b may be exchanged, claim it: --commutes, or commutative in the operator's file"},
    {RH_E_FILE, "compressed by gzip", "As in: zcat x.npy.gz | redhost --input -"},
    {RH_E_FILE, "compressed by bzip2", "As in: bzcat x.npy.bz2 | redhost --input -"},
    {RH_E_FILE, "compressed by xz", "As in: xzcat x.npy.xz | redhost --input -"},
    {RH_E_FILE, "compressed by zstd", "As in: zstdcat x.npy.zst | redhost --input -"},
    {RH_E_FILE, "with numpy.loadtxt",
     "As in: python3 -c \"import numpy; numpy.save('x.npy', numpy.loadtxt('x.csv', "
     "delimiter=','))\""},
    {RH_E_USAGE, ", where !isnan(x)", "Option --where '!isnan(x)' says so"},
    {RH_E_USAGE, ", of the map x*x", "Option --map 'x*x' says so"},
    {RH_E_USAGE, ", of the map x >= 0 && x < 1", "As in --map 'x >= 0 && x < 1'"},
    {ANY, "turn the cache off", "Options --cache-dir and --no-cache do that"},
    {ANY, "auto: measured once, as little was known", "Option --no-measure leaves it out"},
    {ANY, "another cache directory", "Option --cache-dir names one"},
};

static const char *advice_on(int status, const char *message) {
  if (strstr(message, "redhost --")) return NULL; /* the program's own message */
  for (size_t k = 0; k < sizeof hints / sizeof *hints; k++)
    if ((hints[k].status == ANY || status == hints[k].status) && strstr(message, hints[k].part))
      return hints[k].advice;
  return NULL;
}

void rh_add_hint(rh_error *error) {
  const char *advice = advice_on(error->status, error->message);
  size_t length = strlen(error->message);
  if (advice)
    snprintf(error->message + length, sizeof error->message - length, "%s%s",
             length && error->message[length - 1] == '?' ? " " : ". ", advice);
}

const char *rh_hint_on(const char *warning) {
  return advice_on(RH_OK, warning);
}

void rh_point_at_place(char *text, size_t bytes, const char *message) {
  char line[RH_EXCERPT_BYTES];
  size_t column;
  *text = 0;
  if (!rh_excerpt_find(message, line, &column) || !*line) return;
  snprintf(text, bytes, "  %s\n  %*s^\n", line, (int)column, "");
}
