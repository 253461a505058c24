/* An operation is what is reduced, and has one text: message to a child, comparison of ranks and of
 * parts, and what a partial's file says of itself.  The strategy and the device are not in it. */
#pragma once

#include "layout.h"

#include <jansson.h>

/* FULL: all that was computed is compared with an exact reference.  SAMPLED: of data in chunks,
 * some are. */
enum { RH_CHECK_FULL, RH_CHECK_SAMPLED, RH_CHECK_NONE };
const char *rh_check_name(uint32_t check);

typedef struct rh_operation {
  const rh_operator *op;   /* never null; borrowed */
  uint64_t n;              /* elements */
  uint32_t accuracy;       /* RH_ACCURACY_*; EXACT: the answer is the reference's */
  uint32_t check;          /* RH_CHECK_* */
  const char *what;        /* the data, for messages: "--size 2^34", "x.npy" */
  const rh_layout *layout; /* null: all elements are one segment; borrowed */
} rh_operation;

/* Is the exact answer asked for, of an operator whose values round? */
int rh_operation_rounds_once(const rh_operation *operation);

/* One line of JSON, with sorted keys, but "constants" in the operator's order: all that can change
 * the answer, but for `n`, which differs from part to part.  The member "operator" is op->key.
 * `more`: members of the caller's, such as "source"; null: none; taken in any case.  malloc'ed, or
 * null if out of memory. */
char *rh_operation_text(const rh_operation *operation, json_t *more);

/* The first thing that two texts say otherwise. */
enum { RH_SHOWN_BYTES = 100 };
typedef struct rh_difference {
  char member[64]; /* its place in the text: "source.files.0.bytes" */
  char values[2][RH_SHOWN_BYTES];
  char words[360]; /* "constant t is 2 and 3" */
} rh_difference;

/* 1 if they differ.  Accepts any texts. */
int rh_operation_differ(const char *a, const char *b, rh_difference *found);

/* 1 if another version of redhost, or one on a machine of another kind, wrote the text. */
int rh_operation_is_foreign(const char *text, rh_difference *found);
