/* Errors: a status and a message. */
#pragma once

#include <redhost/redhost.h>

/* Fills *error (which may be null) and returns `status`, so that `return rh_fail(...)` reads well.
 */
rh_status rh_fail(rh_error *error, rh_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Prepends "<prefix>: " to the message. */
void rh_error_prefix(rh_error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

const char *rh_status_text(rh_status status); /* "an OpenCL call failed" */

/* Returns a failure to the caller. */
#define RH_TRY(call)                                                                               \
  do {                                                                                             \
    rh_status rh_try_status = (call);                                                              \
    if (rh_try_status != RH_OK) return rh_try_status;                                              \
  } while (0)
