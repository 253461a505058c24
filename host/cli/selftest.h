/* An unchecked run is only as good as the last check: drivers break, too. */
#ifndef RH_CLI_SELFTEST_H
#define RH_CLI_SELFTEST_H

#include "app.h"

/* Before the first unchecked run of a strategy on a device: V42 and V43 of --verify, quickly, in children.  Passing is
 * remembered in the cache, by the plugin's file, the device and its driver.  Failing is RH_E_WRONG.  device: null for a
 * strategy that runs on the host. */
rh_status rh_selftest(const rh_app *app, const char *strategy, const char *plugin,
                      const rh_cl_device *device, rh_error *error);

#endif
