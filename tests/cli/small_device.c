/* OpenCL, as REDHOST_OPENCL names it, on devices with little memory: a part of it is what
 * calibration reads again and again, and cold inputs fill. */
#include <CL/cl.h>

#include "../suite/real.h"

cl_int clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t bytes, void *to,
                       size_t *needed) {
  const cl_ulong little = 64 << 20;
  REAL(clGetDeviceInfo);
  cl_int code = real(device, what, bytes, to, needed);
  if (code == CL_SUCCESS && to && what == CL_DEVICE_GLOBAL_MEM_SIZE)
    memcpy(to, &little, sizeof little);
  return code;
}
