/* Segments of the elements that all ranks hold. */
#pragma once

#include "../engine/ranks/ranks.h"
#include "part_request.h"

/* All ranks must have this in common: a member for rh_operation_text(), and a new reference. */
struct json_t *rh_distributed_segments_text(const rh_segmentation *asked);

/* The ranks have agreed on *asked, but for n, data and outputs, and rank r has elements starts[r]
 * to starts[r + 1] - 1 of the whole. */
rh_status rh_distributed_segments(rh_redhost *redhost, const rh_part_request *asked,
                                  rh_ranks *ranks, const uint64_t *starts, rh_result *result,
                                  rh_error *error);
