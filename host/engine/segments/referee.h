/* The check of every segment's value against an exact reference of that segment alone. */
#pragma once

#include "../../core/run/before_blame.h"
#include "segments.h"

/* Read-only. */
typedef struct rh_segments_check {
  uint64_t n;        /* segments that were compared */
  uint64_t unjudged; /* of them, those on which there is no verdict */
  uint64_t first_unjudged;
  rh_verdict verdict; /* of the first that is not judged, or of the wrong one */
  uint64_t worst;     /* the segment with the largest error, in parts of its bound */
  double part;        /* that part; 0: all are exact */
  uint32_t is_wrong;  /* 1: and segment `wrong` is */
  uint64_t wrong;
  rh_result got, expected; /* of that one */
  double seconds;
} rh_segments_check;

extern const rh_segments_check rh_segments_check_none; /* to begin with */
/* Takes checks in any order: the first wrong segment, the first without a verdict, and the worst
 * count. */
void rh_segments_check_add(rh_segments_check *check, const rh_segments_check *other);

/* After rh_segments_run().  The data must be those that were reduced: RH_E_FILE if they are seen to
 * have changed, where others than the strategy may write to them.  The call succeeds where a
 * segment is wrong, and blames the strategy.  Values that someone else made are judged, too: then
 * `spec`, `operands`, `n`, `values` and `value_bytes` are set, and of the job no strategy. */
rh_status rh_segments_judge(const rh_segments *segments, int may_change, rh_segments_check *check,
                            rh_error *error);

/* RH_E_WRONG with the segment that is wrong, or RH_OK. */
rh_status rh_segments_verdict(const rh_segments *segments, const rh_segments_check *check,
                              rh_error *error);
/* "3 of 10 segments are not judged: segment 4: ...", or null. */
const char *rh_segments_unjudged(const rh_segments_check *check, char text[640]);

/* As rh_job_self_test(), before unchecked runs of segments that are set up: of one segment, where
 * the strategy runs once for each; else of a few short ones of the same kind.  RH_E_WRONG, and the
 * strategy is blamed, if a value is wrong. */
rh_status rh_segments_self_test(rh_segments *segments, rh_error *error);
