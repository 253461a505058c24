/* Text made of lines "KEY\tVALUE" with unique keys, and the differences between two such texts. */
#pragma once

#include "../../core/base/text.h"

/* Tabs and newlines in keys and values are replaced.  An existing key keeps its value. */
void rh_lines_add(rh_text *lines, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Adds the first line of a file as value; nothing if it cannot be read. */
void rh_lines_add_file(rh_text *lines, const char *key, const char *path);
/* 1 and the value, or 0. */
int rh_lines_get(const rh_text *lines, const char *key, char *value, size_t bytes);
void rh_lines_copy(rh_text *to, const rh_text *from);

/* Which difference counts. */
enum {
  RH_LINES_ALL,   /* a key that is new, gone, or has another value */
  RH_LINES_LOST,  /* gone, or another value */
  RH_LINES_GAINED /* new */
};

/* One difference, for messages: "HOME: /root" and " is gone". */
typedef struct rh_lines_change {
  char key[512], what[640], how[256];
} rh_lines_change;

/* 1 and the first difference, or 0 if there is none.  New lines that are in `allowed` do not
 * count. */
int rh_lines_differ(const rh_text *before, const rh_text *allowed, const rh_text *after, int which,
                    rh_lines_change *change);

/* Adds each key that only `after` has, with `value`. */
void rh_lines_note_new(rh_text *to, const rh_text *before, const rh_text *after, const char *value);

/* Applies the changes between `before` and `after` to `lines`.  Lines that already differ from
 * `before` are kept.  New lines go to `added`. */
void rh_lines_redo(rh_text *lines, rh_text *added, const rh_text *before, const rh_text *after);
