#include "hints.h"

#include <stdio.h>
#include <string.h>

typedef struct hint {
  rh_status status;
  const char *part; /* of the library's message */
  const char *advice;
} hint;

static const hint hints[] = {
    {RH_E_USAGE, "unknown strategy '", "See redhost --list"},
    {RH_DECLINED, "no strategy can serve ", "See redhost --list"},
    {RH_E_USAGE, "' has no such parameter", "See redhost --info NAME"},
    {RH_E_BUILD, "kernel build failed for '", "Option -v prints the build log"},
    {RH_E_FILE, "raw data needs an element type", "Name it with --type"},
};

static const hint *find_hint(const rh_error *error) {
  for (size_t k = 0; k < sizeof hints / sizeof *hints; k++)
    if (error->status == hints[k].status && strstr(error->message, hints[k].part)) return &hints[k];
  return NULL;
}

void rh_add_hint(rh_error *error) {
  const hint *found = find_hint(error);
  size_t length = strlen(error->message);
  if (!found || strstr(error->message, "redhost --")) return; /* the program's own message */
  snprintf(error->message + length, sizeof error->message - length, "%s%s",
           length && error->message[length - 1] == '?' ? " " : ". ", found->advice);
}
