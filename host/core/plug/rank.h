/* A plugin's file name determines the kind of plugin, and which of two in one directory takes
 * precedence. */
#pragma once

#include <string.h>

#define RH_FOREIGN_SUFFIX  ".foreign.json"
#define RH_OPERATOR_SUFFIX ".op.json"

/* Does a name stand before the suffix? */
static inline int rh_has_suffix(const char *path, const char *suffix) {
  size_t length = strlen(path), ending = strlen(suffix);
  return length > ending && strcmp(path + length - ending, suffix) == 0;
}

/* Is it a description of a foreign function, not a shared object? */
static inline int rh_is_foreign(const char *path) {
  return rh_has_suffix(path, RH_FOREIGN_SUFFIX);
}

/* Is it an operator, not a plugin? */
static inline int rh_is_operator_file(const char *path) {
  return rh_has_suffix(path, RH_OPERATOR_SUFFIX);
}

/* Is the file called NAME.so, NAME.foreign.json or NAME.op.json? */
static inline int rh_bears_name(const char *path, const char *name) {
  const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
  size_t length = strlen(name);
  return strncmp(base, name, length) == 0 &&
         (strcmp(base + length, ".so") == 0 || strcmp(base + length, RH_FOREIGN_SUFFIX) == 0 ||
          strcmp(base + length, RH_OPERATOR_SUFFIX) == 0);
}

/* Compares like strcmp: the file named after the strategy or operator first, then by bytes. */
static inline int rh_rank_files(const char *a, const char *b, const char *name) {
  int of_a = rh_bears_name(a, name), of_b = rh_bears_name(b, name);
  return of_a != of_b ? of_b - of_a : strcmp(a, b);
}
