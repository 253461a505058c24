/* Control strategies, which themselves change nothing in the process.  Whatever changes while one
 * runs was changed by the host or a driver. */
#pragma once

#include <redhost/redhost.h>

/* One runs host code.  The other uses every service and also calls OpenCL directly: queues,
 * contexts, programs, buffers, mappings, callbacks.  Their results are wrong. */
const rh_strategy *rh_control_strategy(int is_host);
