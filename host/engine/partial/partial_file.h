/* A partial as bytes, for another process or another day: docs/inside/partial-file.md says what
 * each byte is. */
#pragma once

#include "partial.h"

enum { RH_PARTIAL_VERSION = 2 };

/* malloc'ed.  text: of rh_partial_describe(); null for ranks of one job, which have compared theirs
 * already, and then pay no checksum. */
rh_status rh_partial_write(const rh_partial *partial, const char *text, void **bytes,
                           uint64_t *size, rh_error *error);

/* Facts that are known before reading. */
typedef struct rh_partial_about {
  const char *text;           /* all that partials must have in common to be merged */
  uint64_t first, n, whole_n; /* whole_n: UINT64_MAX if it is not known */
} rh_partial_about;

/* How many bytes the file has that begins with these, RH_PARTIAL_HEAD_BYTES if there are so many.
 * 0: it is not a partial. */
enum { RH_PARTIAL_HEAD_BYTES = 120 };
uint64_t rh_partial_file_bytes(const void *begin, uint64_t n);

/* Accepts any bytes, into which the text points then.  RH_E_FILE, in a sentence: cut,
 * damaged, newer, or of a machine that is not like this one. */
rh_status rh_partial_look(rh_partial_about *about, const void *bytes, uint64_t size,
                          rh_error *error);

/* Adds what was written, by merging.  Accepts any bytes.  RH_E_FILE if they are not of the
 * partial's operator and check, or damaged; RH_E_INVALID if both have an element.  keeps_edges: 1
 * as rh_partial_merge_edges(). */
rh_status rh_partial_read(rh_partial *partial, const void *bytes, uint64_t size, int keeps_edges,
                          rh_error *error);
