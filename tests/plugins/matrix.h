/* Every case of strategy x operator x type x size x data, checked by tier 1 (equal) or tier 2 (a
 * proved bound). */
#ifndef TESTS_MATRIX_H
#define TESTS_MATRIX_H

#include "bench.h"
#include "cover.h"

/* How many sizes and kinds of data: a few for an interpreter that watches every access, a covering
 * set for each commit, everything at night. */
enum { EXTENT_TINY, EXTENT_COVERING, EXTENT_ALL };

typedef struct matrix {
  rh_context *context;
  const rh_strategy *strategy;
  int extent;
  cover_extent pairs;       /* of operators and types; large sizes are on few of them */
  char *const *settings;    /* as bench_begin() takes them */
  uint64_t cases, declined; /* counted */
  char failure[1024];       /* the first one, with a line that reproduces it */
} matrix;

/* No sizes above this; 0: no limit.  For strategies that are slow on purpose. */
extern uint64_t matrix_most;

/* Runs the cases of the types first to last: 1 if all passed.  What the strategy declines is asked
 * about on all of them. */
int matrix_run(matrix *m, rh_type first, rh_type last);

#endif
