/* For LD_PRELOAD: every driver reports the version REDHOST_TEST_DRIVER_VERSION. */
#include <CL/cl.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

typedef cl_int info_function(cl_device_id device, cl_device_info what, size_t bytes, void *to,
                             size_t *needed);

cl_int clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t bytes, void *to,
                       size_t *needed) {
  const char *version = getenv("REDHOST_TEST_DRIVER_VERSION");
  void *found = dlsym(RTLD_NEXT, "clGetDeviceInfo");
  info_function *real;
  memcpy(&real, &found, sizeof real); /* C does not convert these pointers */
  if (what != CL_DRIVER_VERSION || !version) return real(device, what, bytes, to, needed);
  if (needed) *needed = strlen(version) + 1;
  if (to && bytes <= strlen(version)) return CL_INVALID_VALUE;
  if (to) memcpy(to, version, strlen(version) + 1);
  return CL_SUCCESS;
}
