/* The elements of a part of segments, brought together where a strategy reads them. */
#pragma once

#include "../../core/base/region.h"
#include "../../core/run/job.h"
#include "../segments/plan.h"
#include "../segments/rearrange.h"
#include "source.h"

/* Zero-initialised may be finished. */
typedef struct rh_elements_room {
  rh_region region;
  const void *operands[RH_MOST_OPERANDS]; /* of the latest part */
  uint32_t is_copy;                       /* 0: they are the source's own */
} rh_elements_room;
void rh_elements_finish(rh_elements_room *room);

/* axes: null, or those of which the part's segments are, in arrays. */
rh_status rh_elements_bring(rh_elements_room *room, const rh_source *source, const rh_axes *axes,
                            const rh_segments_part *part, const rh_job_spec *spec,
                            const atomic_int *stop, rh_error *error);

/* Elements first .. first+n-1 of pipes, which nothing needs. */
rh_status rh_elements_skip(rh_elements_room *room, const rh_source *source, uint64_t first,
                           uint64_t n, const atomic_int *stop, rh_error *error);
