/* A preloaded library that makes the k-th call of a function fail.
 *
 *   REDHOST_FAULT       "PATTERNS:K[:TIMES]": the K-th call, from 1, of the functions that match
 *   one of the patterns
 *                       (with commas between; a * at the end stands for the rest) fails, and TIMES
 *                       - 1 more behind it; TIMES is 1, or 0 for all
 *   REDHOST_FAULT_BY    "own" (the default): only calls made by redhost's own code and its
 *   libraries for JSON and
 *                       foreign functions count; "all": every call after the start of main,
 *                       drivers' included
 *   REDHOST_FAULT_IN    only in a process that has this as its first argument ("--probe"); "-" is
 *   the process that
 *                       has none of redhost's words for its children
 *   REDHOST_FAULT_FILE  the end of a file's path: of read(), only calls on this file count
 *   REDHOST_FAULT_CUT   a file: none of these calls fails, and before each of them the file is cut
 *   to its first 4096 bytes
 *   REDHOST_FAULT_LOG   a file: the name of the function is added for each call that failed
 */
#ifndef RH_TESTS_FAULT_H
#define RH_TESTS_FAULT_H

/* 1: this call of `function`, made from `caller`, is to fail.  May cut the file instead. */
int fault_is_due(const char *function, const void *caller);

/* 1: `fd` is the file of REDHOST_FAULT_FILE, or none is named. */
int fault_is_file(int fd);

/* The function that this library stands before. */
void *fault_real(const char *function);

#define CALLER __builtin_return_address(0)

/* The real function behind this one, found once. */
#define REAL(type, name, parameters)                                                               \
  static type(*real) parameters;                                                                   \
  if (!real) {                                                                                     \
    void *found = fault_real(#name);                                                               \
    memcpy(&real, &found, sizeof real);                                                            \
  }

#endif
