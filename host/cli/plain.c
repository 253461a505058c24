#include "plain.h"
#include "../core/base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *rh_plain(const char *s) {
  static char *shown[8];
  static unsigned next;
  if (!s) return "";
  if (rh_is_plain_utf8(s, strlen(s))) return s;
  char **slot = &shown[next++ % (sizeof shown / sizeof *shown)];
  free(*slot);
  *slot = strdup(s);
  if (!*slot) return "?";
  rh_make_plain(*slot);
  return *slot;
}

void rh_print_path(const char *path) {
  puts(isatty(STDOUT_FILENO) ? rh_plain(path) : path);
}
