/* An output file for the user that replaces another, whole or not at all, and leaves its owner, its
 * mode and links as they are.  For redhost's own files see file.h. */
#pragma once

#include <stdint.h>
#include <stdio.h>

typedef struct rh_draft {
  char *path;      /* where links lead to */
  char *temporary; /* in the same directory; null: none yet, or `path` itself is written to */
  int is_unnamed;  /* 1: what is written gets its first name at the end */
  char *text;      /* of what cannot be replaced without a loss: kept in memory to the end */
  size_t bytes;
  FILE *out;
} rh_draft;

/* A device or a pipe is written to directly; a write-protected file is refused.  0, or -1 with
 * errno, and then there is nothing to finish. */
int rh_draft_begin(rh_draft *draft, const char *path);

/* Before anything is written: room for as many bytes.  0, or -1 with errno. */
int rh_draft_reserve(rh_draft *draft, uint64_t bytes);

/* Would both replace one file? */
int rh_draft_is_same(const rh_draft *a, const rh_draft *b);

/* Replaces the file by what was written to draft->out. 0, or -1 with errno. */
int rh_draft_end(rh_draft *draft);

/* Discards an unfinished draft; zero-initialised is fine. */
void rh_draft_finish(rh_draft *draft);
