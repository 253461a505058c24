/* OpenCL, as REDHOST_OPENCL names it, on devices with little memory: a part of it is what
 * calibration reads again and again, and cold inputs fill. */
#include <CL/cl.h>
#include <dlfcn.h>
#include <string.h>

cl_int clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t bytes, void *to,
                       size_t *needed) {
  const cl_ulong little = 64 << 20;
  cl_int (*real)(cl_device_id, cl_device_info, size_t, void *, size_t *);
  void *found = dlsym(RTLD_NEXT, "clGetDeviceInfo");
  memcpy(&real, &found, sizeof real);
  cl_int code = real(device, what, bytes, to, needed);
  if (code == CL_SUCCESS && to && what == CL_DEVICE_GLOBAL_MEM_SIZE)
    memcpy(to, &little, sizeof little);
  return code;
}
