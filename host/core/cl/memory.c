#include "memory.h"
#include "../base/error.h"
#include "../base/format.h"
#include "nvml.h"

#include <stdio.h>
#include <string.h>

/* Does the code mean out of memory?  Drivers allocate lazily, so any enqueued command may fail
 * with it. */
static int cl_is_short(cl_int code) {
  return code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_HOST_MEMORY;
}

/* Free memory in bytes; 0 if it is unknown, as with most drivers. */
static uint64_t free_bytes(const rh_cl_device *device) {
  enum { GLOBAL_FREE_MEMORY_AMD = 0x4039 };
  size_t KiB[2] = {0}; /* the total, and the largest block */
  if (!strstr(device->extensions, "cl_amd_device_attribute_query") ||
      clGetDeviceInfo(device->id, GLOBAL_FREE_MEMORY_AMD, sizeof KiB, KiB, NULL) != CL_SUCCESS)
    return rh_nvml_free_bytes(device);
  return (uint64_t)KiB[0] << 10;
}

/* "of which 1 GiB is free and 7 GiB are held". */
static void add_known(const rh_cl_device *device, char *text, size_t size) {
  char free[32], held[32];
  uint64_t all = device->about.global_bytes, now = free_bytes(device);
  if (now)
    snprintf(text, size, "of which %s are free and %s are held", rh_format_bytes(free, now),
             rh_format_bytes(held, now < all ? all - now : 0));
  else
    snprintf(text, size, "other processes may hold a part of it");
}

rh_status rh_cl_fail_short(rh_error *error, cl_int code, const char *what,
                           const rh_cl_device *device, uint64_t bytes, int allocates) {
  char wanted[32], all[32], known[96];
  int about_memory = cl_is_short(code) ||
                     (allocates && (code == CL_OUT_OF_RESOURCES || code == CL_INVALID_BUFFER_SIZE));
  if (!about_memory) return rh_cl_fail(error, code, what);
  add_known(device, known, sizeof known);
  rh_format_bytes(wanted, bytes);
  rh_fail(error, RH_E_DEVICE, "%s: not enough memory: %s%s%s has %s in all, %s", what,
          bytes ? wanted : "", bytes ? " are wanted, and " : "", device->name,
          rh_format_bytes(all, device->about.global_bytes), known);
  if (error) error->cl_code = code;
  return RH_E_DEVICE;
}

rh_status rh_cl_buffer(const rh_cl_session *session, cl_mem_flags flags, uint64_t bytes, void *host,
                       const char *what, cl_mem *buffer, rh_error *error) {
  cl_int code;
  *buffer = clCreateBuffer(session->context, flags, bytes, host, &code);
  if (code == CL_SUCCESS) return RH_OK;
  *buffer = NULL;
  return rh_cl_fail_short(error, code, what, session->device, bytes, 1);
}
