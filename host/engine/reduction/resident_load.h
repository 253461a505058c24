/* Elements on their way to the devices where they stay: read or generated in pieces by all
 * processors, and each piece looked at for the check before it leaves. */
#pragma once

#include "../partial/partial.h"
#include "resident_part.h"
#include "source.h"

typedef struct rh_load_spec {
  rh_resident_part *const *parts; /* in the order of their elements, without a gap; each has some */
  uint32_t n_parts;               /* at most RH_MOST_WORKERS */
  const rh_source *source;        /* of known length, and read in any order */
  rh_partial *facts;              /* RH_CHECK_FULL or RH_CHECK_NONE; gets references only */
  const rh_reporter *reporter;
} rh_load_spec;

/* *failed: the part whose device failed, if one did, else n_parts. */
rh_status rh_resident_load(const rh_load_spec *spec, uint32_t *failed, rh_error *error);

/* rh_job_trust_on() some elements of a node, which are read or generated again. */
rh_status rh_resident_trust(rh_context *context, const rh_job_spec *whole, const rh_source *source,
                            const rh_resident_node *node, rh_error *error);
