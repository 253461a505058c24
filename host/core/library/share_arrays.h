/* A part whose elements are in memory. */
#pragma once

#include "../scale/share.h"
#include "kept.h"

typedef struct rh_share_arrays {
  rh_redhost *redhost;
  const void *const *arrays; /* one for each operand, */
  uint64_t first_element;    /* from this element of the whole on */
  const void *const *seam;   /* null, or the last tile's elements, if the arrays end within it */
  rh_kept_job *kept; /* with this operator, and set up for rh_share_chunk() elements or a ring */
} rh_share_arrays;

/* RH_E_WRONG for a wrong chunk. */
rh_status rh_share_reduce(rh_share *part, const rh_share_spec *spec, const rh_share_arrays *arrays,
                          rh_error *error);
