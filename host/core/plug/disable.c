#include "internal.h"

#include <fnmatch.h>

#define VARIABLE "REDHOST_PLUGIN_DISABLE"

/* The first pattern of the comma-separated list that matches.  A pattern longer than any name
 * matches nothing. */
static int is_listed(const char *name, char *pattern, size_t bytes) {
  for (const char *at = rh_env(VARIABLE); at;) {
    size_t length = strcspn(at, ",");
    if (length > 0 && length < bytes) {
      memcpy(pattern, at, length);
      pattern[length] = 0;
      if (fnmatch(pattern, name, 0) == 0) return 1;
    }
    at = at[length] ? at + length + 1 : NULL;
  }
  return 0;
}

int rh_is_disabled_file(const char *path, char *reason, size_t bytes) {
  char name[256], stem[256], pattern[256];
  const char *slash = strrchr(path, '/');
  snprintf(name, sizeof name, "%s", slash ? slash + 1 : path);
  snprintf(stem, sizeof stem, "%s", name);
  size_t length = strlen(stem), suffix = strlen(rh_is_foreign(path)         ? RH_FOREIGN_SUFFIX
                                                : rh_is_operator_file(path) ? RH_OPERATOR_SUFFIX
                                                                            : ".so");
  if (length > suffix) stem[length - suffix] = 0; /* a file of --plugin may have any name */
  if (!is_listed(name, pattern, sizeof pattern) && !is_listed(stem, pattern, sizeof pattern))
    return 0;
  snprintf(reason, bytes, "is disabled by '%s' in " VARIABLE, pattern);
  return 1;
}

int rh_is_disabled_strategy(const char *name, char *reason, size_t bytes) {
  char pattern[256];
  if (!is_listed(name, pattern, sizeof pattern)) return 0;
  snprintf(reason, bytes, "offers '%s', which is disabled by '%s' in " VARIABLE, name, pattern);
  return 1;
}
