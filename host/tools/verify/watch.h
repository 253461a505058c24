/* The services that a plugin under test gets: they note what is called when, fail where the test
 * says so, and hand on. */
#ifndef RH_VERIFY_WATCH_H
#define RH_VERIFY_WATCH_H

#include "rig.h"

/* After rh_services_init(&rig->services, ...). */
rh_host rh_watching_host(rh_rig *rig);

#endif
