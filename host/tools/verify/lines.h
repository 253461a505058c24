/* Text of lines "KEY\tVALUE", each key once, and what is different between two of them. */
#ifndef RH_VERIFY_LINES_H
#define RH_VERIFY_LINES_H

#include "../../core/base/text.h"

/* Neither a key nor a value keeps its tabs and newlines.  A key that is there already stays as it
 * is. */
void rh_lines_add(rh_text *lines, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* With the first line of a file as value; nothing where it cannot be read. */
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

/* One difference, for people: "HOME: /root" and " is gone". */
typedef struct rh_lines_change {
  char key[512], what[640], how[256];
} rh_lines_change;

/* The first difference: 1, or 0 where there is none.  New lines that stand in `allowed` do not
 * count. */
int rh_lines_differ(const rh_text *before, const rh_text *allowed, const rh_text *after, int which,
                    rh_lines_change *change);

/* Adds each key that `after` has and `before` has not, with `value`. */
void rh_lines_note_new(rh_text *to, const rh_text *before, const rh_text *after, const char *value);

/* Does to `lines` what was done between `before` and `after`, but for lines that in `lines` are not
 * as in `before`: those had been changed already, and stay so.  What is new goes to `added`. */
void rh_lines_redo(rh_text *lines, rh_text *added, const rh_text *before, const rh_text *after);

#endif
