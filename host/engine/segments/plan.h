/* Segments that are reduced in parts: whole ones, as many as lie close together; or of those that
 * are longer than a part the same elements of each of some that lie side by side.  The latter are
 * cut where the canonical tree of a segment (docs/inside/bits.md) has a node, so that a fold of the
 * parts' values has the bits of the segment reduced alone.  A sum that is rounded once has no such
 * nodes: its segments are all whole.
 *
 * A plan depends on its arguments only: all ranks of a job have the same. */
#pragma once

#include "../../core/operation/operation.h"

typedef struct rh_segments_part {
  uint64_t index;           /* of the part */
  uint64_t first, segments; /* places in the plan, of rh_segments_number() */
  uint32_t is_whole;        /* 1: whole segments */
  uint32_t level;           /* else of each elements begin .. begin+n-1: 2^level units, or */
  uint64_t begin, n;        /* as many as there are */
  uint64_t length;          /* of each of segments side by side; 0: any */
  /* Where the elements are: `rows` runs of `width`, of which the first begins at element `at`, and
   * each other `stride` behind the one before. */
  uint64_t at, rows, width, stride;
} rh_segments_part;

typedef struct rh_segments_plan {
  const rh_layout *layout;
  uint64_t unit;   /* elements of a segment: cuts are at multiples */
  uint64_t most;   /* elements of a part, where the unit lets them be so few */
  uint64_t *order; /* segments by where they begin; null: as they are numbered */
  uint64_t width;  /* segments side by side that are cut together */
  /* Null, or ascending elements at which parts end where they may: borrowed, and set after
   * rh_segments_plan_init(). */
  const uint64_t *borders;
  uint32_t n_borders;
  /* The next part begins at a place, and at an element of its segment. */
  uint64_t index, place, within;
} rh_segments_plan;

/* in_order: 1: elements are read once, from the first to the last.  Finished after a failure, too;
 * copies of a plan begin where it does, and share its order. */
rh_status rh_segments_plan_init(rh_segments_plan *plan, const rh_operation *of, uint64_t most,
                                int in_order, rh_error *error);
void rh_segments_plan_finish(rh_segments_plan *plan);

/* 0: there are no more. */
int rh_segments_plan_next(rh_segments_plan *plan, rh_segments_part *part);
/* The number of the segment at a place. */
uint64_t rh_segments_number(const rh_segments_plan *plan, uint64_t place);

/* The elements that are brought for a part. */
static inline uint64_t rh_segments_part_n(const rh_segments_part *part) {
  return part->rows * part->width;
}

/* The layout of a part's elements as they are brought, one run behind the other.  offsets: room for
 * 2 * part->segments numbers, of a layout by offsets. */
rh_layout rh_segments_part_layout(const rh_segments_plan *plan, const rh_segments_part *part,
                                  uint64_t *offsets);
