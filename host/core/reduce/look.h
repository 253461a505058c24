/* A look at OpenCL's devices in a child, so that a driver that crashes takes down no more than
 * that. */
#ifndef RH_REDUCE_LOOK_H
#define RH_REDUCE_LOOK_H

#include "context.h"

/* RH_OK: the drivers start, or did when everything that decides it was the same.  RH_E_DEVICE: one
 * of them does not, and this process had better not ask for devices. */
rh_status rh_look_at_drivers(const rh_redhost *redhost, rh_error *error);

/* The child: `redhost --look` calls this and exits with what it returns. */
int rh_look_main(void);

#endif
