/* One row from those of a point's processes. */
#pragma once

#include "../records/records.h"

/* The rows, at least one, belong to the same point, in the order of their processes, of which there
 * should be `wanted`.  If one is not ok, the worst one (wrong, then failed, then others) gives
 * *merged, with the number of its process in the reason.  Otherwise *merged has the median of each
 * process, all samples, the median of the medians and the 95 % interval of their mean by Student's
 * t distribution; other facts are the first one's.
 *
 * If some were timed by the host's clock because the device's was found wrong, those timed by the
 * device's are left out.  *merged owns its own memory and is nothing to finish on failure, which is
 * RH_E_NOMEM. */
rh_status rh_merge_processes(const rh_row *const *rows, uint32_t n, uint32_t wanted, rh_row *merged,
                             rh_error *error);
