/* Strategies of redhost's own that do no harm: what changes in a life of theirs, the host and the
 * drivers change. */
#ifndef RH_VERIFY_CONTROL_H
#define RH_VERIFY_CONTROL_H

#include <redhost/redhost.h>

/* Host code, or one that uses every service and, besides, OpenCL directly: queues, contexts,
 * programs, buffers, mapping, callbacks.  Its results are not right. */
const rh_strategy *rh_control_strategy(int is_host);

#endif
