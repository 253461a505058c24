/* A partial as bytes, for another process or another day: docs/beyond-one-device.md says what each
 * byte is. */
#pragma once

#include "partial.h"

enum { RH_PARTIAL_VERSION = 1 };

/* What partials must have in common to be merged.  Ranks have compared it already. */
typedef struct rh_partial_label {
  const char *text; /* lines of agree.h: all that can change an answer */
  const char *own;  /* a user's operator, as rh_custom_hear() reads it; or "" */
} rh_partial_label;

/* malloc'ed.  label: null for ranks of one job, which then pay no checksum. */
rh_status rh_partial_write(const rh_partial *partial, const rh_partial_label *label, void **bytes,
                           uint64_t *size, rh_error *error);

/* What there is to know before reading. */
typedef struct rh_partial_about {
  rh_partial_label label;
  uint32_t check;
  uint64_t first, n, whole_n; /* whole_n: UINT64_MAX if it is not known */
} rh_partial_about;

/* How many bytes the file has that begins with these, RH_PARTIAL_HEAD_BYTES if there are so many.
 * 0: it is not a partial. */
enum { RH_PARTIAL_HEAD_BYTES = 128 };
uint64_t rh_partial_file_bytes(const void *begin, uint64_t n);

/* Accepts any bytes, into which the label's texts point then.  RH_E_FILE, in a sentence: cut,
 * damaged, newer, or of a machine that is not like this one. */
rh_status rh_partial_look(rh_partial_about *about, const void *bytes, uint64_t size,
                          rh_error *error);

/* Adds what was written, by merging.  Accepts any bytes.  RH_E_FILE if they are not of the
 * partial's operator and check, or damaged; RH_E_INVALID if both have an element.  keeps_edges: 1
 * as rh_partial_merge_edges(). */
rh_status rh_partial_read(rh_partial *partial, const void *bytes, uint64_t size, int keeps_edges,
                          rh_error *error);
