/* An operator of the user's, evaluated on a device: a work-item for each run of elements. */
#pragma once

#include "../../core/cl/session.h"
#include "custom.h"

typedef struct rh_on_device rh_on_device;

/* Builds it for the session's device, to run on its queue.  most: runs at once.  RH_E_BUILD with
 * the compiler's log in *log, or null, if the operator's text does not compile. */
rh_status rh_on_device_create(rh_on_device **made, const rh_custom *custom,
                              const rh_cl_session *session, uint64_t most, rh_text *log,
                              rh_error *error);
void rh_on_device_destroy(rh_on_device *self); /* null is legal */

/* Elements first .. first+n-1 in runs of `length`, from the identity on: values[k] = that of run
 * k, op.value_size bytes apart. */
rh_status rh_on_device_runs(rh_on_device *self, const rh_arrays *arrays, uint64_t first, uint64_t n,
                            uint64_t length, void *values, rh_error *error);

/* The rest does nothing after its first failure, which is kept, or where `self` is null. */

void rh_on_device_identity(rh_on_device *self, void *value);
/* *value = that of elements first .. first+n-1, n > 0; needs room for so many runs. */
enum { RH_ON_DEVICE_RUNS = 256 };
void rh_on_device_reduce(rh_on_device *self, const rh_arrays *arrays, uint64_t first, uint64_t n,
                         void *value);
/* *a = combine(*a, *b). */
void rh_on_device_combine(rh_on_device *self, void *a, const void *b);
rh_status rh_on_device_status(const rh_on_device *self, rh_error *error);
