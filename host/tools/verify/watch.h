/* The services for a plugin under test: they record each call, fail on the test's demand, and
 * otherwise forward to the real ones. */
#pragma once

#include "rig.h"

/* After rh_services_init(&rig->services, ...). */
rh_host rh_watching_host(rh_rig *rig);
