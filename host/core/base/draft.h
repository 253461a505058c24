/* A file for the user that takes the place of another, whole or not at all.  What redhost keeps for
 * itself: file.h. */
#ifndef RH_BASE_DRAFT_H
#define RH_BASE_DRAFT_H

#include <stdio.h>

typedef struct rh_draft {
  char *path;      /* where links lead to */
  char *temporary; /* beside it; null: `path` itself is written to */
  FILE *out;
} rh_draft;

/* The file that links at `path` lead to, malloc'ed: `path` where nothing is there.  Null with
 * errno. */
char *rh_draft_target(const char *path);

/* A device or a pipe is written to and stays what it is; a write-protected file is refused.  0, or
 * -1 with errno, and then there is nothing to finish. */
int rh_draft_begin(rh_draft *draft, const char *path);

/* What was written to draft->out takes the file's place.  0, or -1 with errno. */
int rh_draft_end(rh_draft *draft);

/* Drops what did not come to its end; zero-initialised is fine. */
void rh_draft_finish(rh_draft *draft);

#endif
