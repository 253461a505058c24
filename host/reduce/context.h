/* What stands behind an rh_redhost: the caller's options, and what was opened for them so far. */
#ifndef RH_REDUCE_CONTEXT_H
#define RH_REDUCE_CONTEXT_H

#include "../cl/session.h"
#include "../plug/registry.h"

/* Devices are looked for when one is needed, and not before: host strategies and --list of a machine without a driver
 * never touch OpenCL. */
struct rh_redhost {
  rh_options options; /* strings owned */
  rh_cache cache;
  rh_cl_devices devices;
  int devices_found;
  const rh_cl_device *device; /* null until chosen */
  rh_cl_session session;
  int session_open;
  rh_registry registry; /* what `auto` chooses from */
  int registry_scanned;
  uint64_t registry_n;
};

rh_status rh_redhost_devices(rh_redhost *redhost, const rh_cl_devices **devices, rh_error *error);
rh_status rh_redhost_device(rh_redhost *redhost, const rh_cl_device **device, rh_error *error);
rh_status rh_redhost_session(rh_redhost *redhost, rh_cl_session **session, rh_error *error);

/* All strategies, asked about the chosen device and n elements.  Where there is no device at all, host strategies are
 * asked about the host and *no_device (may be null) says why. */
rh_status rh_redhost_registry(rh_redhost *redhost, uint64_t n, const rh_registry **registry,
                              rh_error *no_device, rh_error *error);

#endif
