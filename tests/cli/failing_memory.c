/* For LD_PRELOAD: the OpenCL function REDHOST_TEST_FAILING_CALL fails with
 * REDHOST_TEST_FAILING_CODE, as if another process held the device's memory, for buffers (or reads
 * and writes) of at least REDHOST_TEST_FAILING_BYTES.  REDHOST_TEST_PCI_BUS: devices have that bus
 * and slot REDHOST_TEST_PCI_SLOT, or 2 << 3, as NVIDIA's tell them.  REDHOST_TEST_OWN_MEMORY:
 * devices have memory of their own, as GPUs do.  REDHOST_TEST_DRIVER_VERSION: what every driver
 * reports.  REDHOST_TEST_SLOW_DEVICE: of the device with this in its name, clFinish takes 0.1 s
 * more.  The call `pinned' is clCreateBuffer for memory of the driver's. */
#include <CL/cl.h>
#include <stdlib.h>
#include <time.h>

#include "../suite/real.h"

static cl_int code_of(const char *call, size_t bytes) {
  const char *failing = getenv("REDHOST_TEST_FAILING_CALL"),
             *code = getenv("REDHOST_TEST_FAILING_CODE"),
             *least = getenv("REDHOST_TEST_FAILING_BYTES");
  if (!failing || strcmp(failing, call) != 0 || (least && bytes < strtoull(least, NULL, 10)))
    return CL_SUCCESS;
  return code ? atoi(code) : CL_MEM_OBJECT_ALLOCATION_FAILURE;
}

cl_int clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t bytes, void *to,
                       size_t *needed) {
  enum { PCI_BUS_ID_NV = 0x4008, PCI_SLOT_ID_NV = 0x4009 };
  REAL(clGetDeviceInfo);
  const char *bus = getenv("REDHOST_TEST_PCI_BUS");
  const char *version = getenv("REDHOST_TEST_DRIVER_VERSION");
  if (what == CL_DRIVER_VERSION && version) {
    if (needed) *needed = strlen(version) + 1;
    if (to && bytes <= strlen(version)) return CL_INVALID_VALUE;
    if (to) memcpy(to, version, strlen(version) + 1);
    return CL_SUCCESS;
  }
  if (what == CL_DEVICE_HOST_UNIFIED_MEMORY && getenv("REDHOST_TEST_OWN_MEMORY")) {
    *(cl_bool *)to = CL_FALSE;
    return CL_SUCCESS;
  }
  if (!bus || (what != PCI_BUS_ID_NV && what != PCI_SLOT_ID_NV))
    return real(device, what, bytes, to, needed);
  const char *slot = getenv("REDHOST_TEST_PCI_SLOT");
  *(cl_uint *)to = (cl_uint)atoi(what == PCI_BUS_ID_NV ? bus : slot ? slot : "16");
  return CL_SUCCESS;
}

cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, size_t bytes, void *host,
                      cl_int *code) {
  REAL(clCreateBuffer);
  cl_int failure = code_of(flags & CL_MEM_ALLOC_HOST_PTR ? "pinned" : "clCreateBuffer", bytes);
  if (failure == CL_SUCCESS) return real(context, flags, bytes, host, code);
  if (code) *code = failure;
  return NULL;
}

cl_context clCreateContext(const cl_context_properties *properties, cl_uint n,
                           const cl_device_id *devices,
                           void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *),
                           void *user, cl_int *code) {
  REAL(clCreateContext);
  cl_int failure = code_of("clCreateContext", 0);
  if (failure == CL_SUCCESS) return real(properties, n, devices, notify, user, code);
  if (code) *code = failure;
  return NULL;
}

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                              const size_t *offset, const size_t *global, const size_t *local,
                              cl_uint n, const cl_event *events, cl_event *event) {
  REAL(clEnqueueNDRangeKernel);
  cl_int failure = code_of("clEnqueueNDRangeKernel", 0);
  return failure ? failure
                 : real(queue, kernel, dimensions, offset, global, local, n, events, event);
}

cl_int clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer, cl_bool waits, size_t offset,
                           size_t bytes, void *to, cl_uint n, const cl_event *events,
                           cl_event *event) {
  REAL(clEnqueueReadBuffer);
  cl_int failure = code_of("clEnqueueReadBuffer", bytes);
  return failure ? failure : real(queue, buffer, waits, offset, bytes, to, n, events, event);
}

static void slow_down(cl_command_queue queue) {
  static const struct timespec while_asleep = {.tv_nsec = 100 * 1000 * 1000};
  const char *slow = getenv("REDHOST_TEST_SLOW_DEVICE");
  char name[256] = "";
  cl_device_id device;
  if (slow &&
      clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL) == CL_SUCCESS &&
      clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL) == CL_SUCCESS &&
      strstr(name, slow))
    nanosleep(&while_asleep, NULL);
}

cl_int clFinish(cl_command_queue queue) {
  slow_down(queue);
  REAL(clFinish);
  cl_int failure = code_of("clFinish", 0);
  return failure ? failure : real(queue);
}
