/* An output file for the user that replaces another, whole or not at all, and leaves its owner, its
 * mode and links as they are.  For redhost's own files see file.h. */
#pragma once

#include <stdio.h>

typedef struct rh_draft {
  char *path;      /* where links lead to */
  char *temporary; /* in the same directory; null: `path` itself is written to */
  char *text;      /* of what cannot be replaced without a loss: kept in memory to the end */
  size_t bytes;
  FILE *out;
} rh_draft;

/* A device or a pipe is written to directly; a write-protected file is refused.  0, or -1 with
 * errno, and then there is nothing to finish. */
int rh_draft_begin(rh_draft *draft, const char *path);

/* Replaces the file by what was written to draft->out. 0, or -1 with errno. */
int rh_draft_end(rh_draft *draft);

/* Discards an unfinished draft; zero-initialised is fine. */
void rh_draft_finish(rh_draft *draft);
