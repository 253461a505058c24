/* OpenCL's error codes in words. */
#pragma once

#include "../base/error.h"
#include <CL/cl.h>

const char *rh_cl_status_name(cl_int code); /* "CL_OUT_OF_RESOURCES"; "unknown OpenCL error" */

/* `what` failed with `code`: "creating a buffer: CL_OUT_OF_RESOURCES (-5)".  Returns RH_E_CL, or
 * RH_E_DEVICE if the code means out of memory; the messages of memory.h also have sizes. */
rh_status rh_cl_fail(rh_error *error, cl_int code, const char *what);

/* Calls an OpenCL function that returns its status, and returns a failure to the caller. */
#define RH_CL_TRY(error, call, what)                                                               \
  do {                                                                                             \
    cl_int rh_cl_code = (call);                                                                    \
    if (rh_cl_code != CL_SUCCESS) return rh_cl_fail(error, rh_cl_code, what);                      \
  } while (0)
