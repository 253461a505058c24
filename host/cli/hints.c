#include "hints.h"
#include "../core/base/excerpt.h"

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
