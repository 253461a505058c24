/* What compilers say of a program, with places in the files that it was made of. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* A place that a line of a log names, "far.cl:3:5: ". */
typedef struct rh_log_place {
  const char *file, *after; /* in the log: the name, and what follows the place */
  size_t length;            /* of the name */
  uint32_t line, column;
} rh_log_place;

/* The place that a line of a log begins with, or has behind "error: ".  0: there is none. */
int rh_log_place_of(const char *line, rh_log_place *place);

/* The log with the places that #line directives of `source` give; malloc'ed, null if out of memory.
 * Some compilers count the lines of the whole program, as in "<kernel>:46:3: error: ...". */
char *rh_log_in_files(const char *log, const char *source);

/* Line `line` of a file that `source` has behind #line directives; null: it has none. */
const char *rh_source_line(const char *source, const char *file, size_t file_length, uint32_t line,
                           size_t *length);
