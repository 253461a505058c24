/* How much of what is split each of several devices should have. */
#pragma once

#include "source.h"
#include "worker.h"

/* weights[k]: as the speed of device k; 0 of one that has a failure.  Equal devices with one
 * strategy have equal ones; otherwise one of each kind reduces a small part of the data.  *failed:
 * the device that failed at that, or n_devices. */
rh_status rh_resident_weigh(const rh_worker *devices, uint32_t n_devices, const rh_source *source,
                            double *weights, uint32_t *failed, rh_error *error);
