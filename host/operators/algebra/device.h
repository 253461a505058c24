/* Does a device compute an operator as the host does? */
#pragma once

#include "../../core/cl/session.h"
#include "../custom/custom.h"

typedef struct rh_algebra_device {
  uint64_t n; /* triples of elements that were compared; 0: none */
  int is_wrong;
  char text[240]; /* "equal in 100000 triples on ..." */
} rh_algebra_device;

/* Loads and combines many triples of elements, in one launch.  They must be equal if every
 * operation has the same bits everywhere, and else close; NaN equals NaN.  Neither OpenCL C nor
 * built-in operators over inexact maps are compared.  Fails if the device does. */
rh_status rh_algebra_compare(const rh_custom *self, rh_cl_session *session,
                             rh_algebra_device *device, rh_error *error);
