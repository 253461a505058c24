/* The services for a plugin under test: they record each call, fail on the test's demand, and
 * otherwise forward to the real ones. */
#ifndef RH_VERIFY_WATCH_H
#define RH_VERIFY_WATCH_H

#include "rig.h"

/* After rh_services_init(&rig->services, ...). */
rh_host rh_watching_host(rh_rig *rig);

#endif
