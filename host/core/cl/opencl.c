#include "cl.h"

rh_opencl_functions rh_cl;

static rh_status not_found(const char *wanted, rh_error *error) {
  return rh_fail(error, RH_E_DEVICE,
                 "%s was not found%s. Install an OpenCL loader (package ocl-icd-libopencl1) and a "
                 "driver: the device vendor's, or PoCL, which runs on any CPU (package "
                 "pocl-opencl-icd)",
                 wanted ? wanted : "libOpenCL.so.1", wanted ? " (REDHOST_OPENCL names it)" : "");
}

/* The user's library; else that of the process, so that a program's queues are used by the
 * functions that made them: Python's packages bring a loader of their own.  Else the system's. */
static rh_status find_library(rh_dl *dl, const char *wanted, rh_error *error) {
  if (!wanted && rh_dl_find_loaded(dl, "clGetPlatformIDs", "libOpenCL")) return RH_OK;
  rh_status status = rh_dl_open_library(dl, wanted ? wanted : "libOpenCL.so.1", error);
  return status == RH_DECLINED ? not_found(wanted, error) : status;
}

rh_status rh_opencl_open(rh_error *error) {
#define RH_X(name) "cl" #name,
  static const char *const names[] = {RH_OPENCL_LIST(RH_X)};
#undef RH_X
  enum { N = sizeof names / sizeof *names };
  union {
    rh_opencl_functions functions;
    void (*each[N])(void);
  } found;
  const char *wanted = rh_env("REDHOST_OPENCL");
  rh_dl dl;
  if (rh_cl.Finish) return RH_OK;
  rh_status status = find_library(&dl, wanted, error);
  for (int k = 0; k < N && status == RH_OK; k++)
    status = rh_dl_function(&dl, names[k], &found.each[k], error);
  if (status == RH_OK) rh_cl = found.functions;
  else if (status != RH_E_DEVICE)
    rh_error_prefix(error, "%s", wanted ? wanted : "OpenCL's library");
  return status;
}
