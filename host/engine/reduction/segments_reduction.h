/* A value for each segment of a source that is reduced in parts: of a stream, by several devices,
 * or by the ranks of a job.  Whole segments are done by the strategy's run over a layout; the parts
 * of longer ones are nodes of each segment's canonical tree, and are folded. */
#pragma once

#include "../ranks/ranks.h"
#include "../segments/plan.h"
#include "../segments/referee.h"
#include "source.h"
#include "worker.h"

typedef struct rh_segments_reduction_spec {
  const rh_reporter *reporter; /* of the progress, in the thread of the caller */
  const rh_source *source;     /* of known length */
  const rh_axes *axes;         /* null; or those of a layout of their copy, of arrays */
  /* Each with a strategy for the layout, which is in device->job; nothing is set up in it. */
  rh_worker *devices;
  uint32_t n_devices;
  uint32_t rank, size; /* of a job, each of which does some of the parts; size 1: all */
  /* Null, and every rank has all elements; or rank r has those from starts[r] on, with starts[size]
   * at the end, and after rh_segments_reduction_ends() what its parts need of those behind. */
  const uint64_t *starts;
  uint64_t chunk_bytes;   /* of a part's largest operand; 0: what suits the devices */
  uint32_t check;         /* RH_CHECK_* */
  const atomic_int *stop; /* null, or 1: another rank has failed */
} rh_segments_reduction_spec;

/* Read-only. */
typedef struct rh_segments_reduction {
  rh_segments_reduction_spec spec;
  rh_segments_plan plan;
  rh_segments *whole;
  rh_segments_check *found;
  uint64_t parts, n; /* all, and the elements that they bring */
  uint32_t was_read; /* 1: reading has begun */
  double seconds;
  struct rh_segments_state *state;
} rh_segments_reduction;

/* *whole gets the values, and is finished by the caller; *found what the check finds.  RH_E_USAGE
 * if a source that is read in order cannot serve the segments. */
rh_status rh_segments_reduction_open(rh_segments_reduction **reduction,
                                     const rh_segments_reduction_spec *spec, rh_segments *whole,
                                     rh_segments_check *found, rh_error *error);

/* ends[r] = the end of the elements that the parts of rank r need, for a spec with starts and
 * chunk_bytes. */
rh_status rh_segments_reduction_ends(const rh_segments_reduction_spec *spec,
                                     const rh_operation *operation, uint64_t *ends,
                                     rh_error *error);

/* Once.  It succeeds where a segment is wrong.  A device that fails leaves its parts to the others,
 * unless the source is read in order; its `failure` says why. */
rh_status rh_segments_reduction_run(rh_segments_reduction *reduction, rh_error *error);

/* What the ranks have come to, in all of them. */
rh_status rh_segments_reduction_gather(rh_segments_reduction *reduction, rh_ranks *ranks,
                                       rh_error *error);

void rh_segments_reduction_close(rh_segments_reduction *reduction); /* null is legal */
