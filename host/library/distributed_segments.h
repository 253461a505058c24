/* Segments of the elements that all ranks hold. */
#pragma once

#include "../engine/ranks/ranks.h"
#include "part_request.h"

/* What all ranks must have in common of them, for rh_operation_text().  A new reference. */
struct json_t *rh_distributed_segments_text(const rh_segmentation *asked);

/* All ranks have agreed on *asked, but for n, data and outputs, and rank r has elements starts[r] ..
 * starts[r + 1] - 1 of the whole. */
rh_status rh_distributed_segments(rh_redhost *redhost, const rh_part_request *asked,
                                  rh_ranks *ranks, const uint64_t *starts, rh_result *result,
                                  rh_error *error);
