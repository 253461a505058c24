/* A preloaded library that gives PoCL's devices what an NVIDIA GPU has: memory of their own, as far
 * as they tell, and cl_nv_create_buffer, whose buffers the host sees while kernels write them.
 *
 *   REDHOST_TEST_VISIBLE  "early": writes are seen at once; "late": once the queue is finished;
 *                         "never": not at all */
#include <CL/cl.h>
#include <stdlib.h>

#include "../suite/real.h"

enum { MOST_BYTES = 64 };
static const char extra[] = " cl_nv_create_buffer";
static cl_mem visible;       /* the latest */
static void *mapped, *shown; /* what it is mapped to, and what the host is given instead */
static unsigned char copy[MOST_BYTES] __attribute__((aligned(64)));
static unsigned finishes;

unsigned visible_finishes(void); /* calls of clFinish so far */
unsigned visible_finishes(void) { return finishes; }

static int is_mode(const char *mode) {
  const char *wanted = getenv("REDHOST_TEST_VISIBLE");
  return wanted && strcmp(wanted, mode) == 0;
}

cl_int clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t bytes, void *to,
                       size_t *needed) {
  REAL(clGetDeviceInfo);
  size_t length = 0;
  size_t more = what == CL_DEVICE_EXTENSIONS ? strlen(extra) : 0;
  cl_int code = real(device, what, bytes > more ? bytes - more : bytes, to, &length);
  if (code == CL_SUCCESS && to && more) strcat(to, extra);
  if (code == CL_SUCCESS && to && what == CL_DEVICE_HOST_UNIFIED_MEMORY) memset(to, 0, bytes);
  if (needed) *needed = length + more;
  return code;
}

static cl_mem create_buffer_nv(cl_context context, cl_mem_flags flags, cl_bitfield nv, size_t bytes,
                               void *host, cl_int *code) {
  (void)nv;
  visible = clCreateBuffer(context, flags | CL_MEM_ALLOC_HOST_PTR, bytes, host, code);
  return visible;
}

void *clGetExtensionFunctionAddressForPlatform(cl_platform_id platform, const char *name) {
  REAL(clGetExtensionFunctionAddressForPlatform);
  if (strcmp(name, "clCreateBufferNV") != 0) return real(platform, name);
  cl_mem (*const create)(cl_context, cl_mem_flags, cl_bitfield, size_t, void *, cl_int *) =
      create_buffer_nv;
  void *address;
  memcpy(&address, &create, sizeof address);
  return address;
}

void *clEnqueueMapBuffer(cl_command_queue queue, cl_mem buffer, cl_bool waits, cl_map_flags flags,
                         size_t at, size_t bytes, cl_uint n, const cl_event *events,
                         cl_event *event, cl_int *code) {
  REAL(clEnqueueMapBuffer);
  void *address = real(queue, buffer, waits, flags, at, bytes, n, events, event, code);
  if (buffer != visible || !address) return address;
  mapped = address;
  shown = is_mode("early") ? address : copy;
  return shown;
}

cl_int clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem buffer, void *address, cl_uint n,
                               const cl_event *events, cl_event *event) {
  REAL(clEnqueueUnmapMemObject);
  if (buffer == visible && address == shown) {
    address = mapped;
    mapped = shown = NULL;
  }
  return real(queue, buffer, address, n, events, event);
}

cl_int clFinish(cl_command_queue queue) {
  REAL(clFinish);
  cl_int code = real(queue);
  finishes++;
  if (mapped && shown != mapped && is_mode("late")) memcpy(copy, mapped, sizeof copy / 4);
  return code;
}
