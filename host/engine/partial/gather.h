/* The partials of all ranks become one, in every rank alike. */
#pragma once

#include "../ranks/ranks.h"
#include "partial_file.h"

/* Every rank calls it with its own, of one job.  all: initialised and empty.  keeps_edges: 1 as
 * rh_partial_merge_edges(). */
rh_status rh_partial_gather(rh_partial *all, const rh_partial *mine, rh_ranks *ranks,
                            int keeps_edges, rh_error *error);
