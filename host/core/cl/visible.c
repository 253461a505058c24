#include "visible.h"

#include <string.h>

/* https://registry.khronos.org/OpenCL/extensions/nv/cl_nv_create_buffer.txt */
typedef cl_mem (*create_buffer_nv)(cl_context, cl_mem_flags, cl_bitfield, size_t, void *, cl_int *);
enum { LOCATION_HOST_NV = 1 << 0 };

static create_buffer_nv find_create(const rh_cl_device *device) {
  void *found = NULL;
  create_buffer_nv create = NULL;
  if (strstr(device->extensions, "cl_nv_create_buffer"))
    found = clGetExtensionFunctionAddressForPlatform(device->platform, "clCreateBufferNV");
  /* C has no cast from an object pointer to a function pointer */
  memcpy(&create, &found, sizeof create);
  return create;
}

/* Are a device command's writes visible here? */
static int shows(const rh_cl_visible *visible, const rh_cl_session *session, size_t bytes) {
  for (unsigned char byte = 0x5a; byte <= 0x5b; byte++) {
    if (clEnqueueFillBuffer(session->queue, visible->buffer, &byte, 1, 0, bytes, 0, NULL, NULL) !=
            CL_SUCCESS ||
        clFinish(session->queue) != CL_SUCCESS)
      return 0;
    const volatile unsigned char *seen = visible->address;
    for (size_t k = 0; k < bytes; k++)
      if (seen[k] != byte) return 0;
  }
  return 1;
}

void rh_cl_visible_init(rh_cl_visible *visible, rh_cl_session *session, size_t bytes) {
  create_buffer_nv create = find_create(session->device);
  cl_int code;
  if (!create) return;
  visible->buffer =
      create(session->context, CL_MEM_READ_WRITE, LOCATION_HOST_NV, bytes, NULL, &code);
  if (code != CL_SUCCESS) visible->buffer = NULL;
  if (!visible->buffer) return;
  visible->address = clEnqueueMapBuffer(session->queue, visible->buffer, CL_TRUE, CL_MAP_READ, 0,
                                        bytes, 0, NULL, NULL, &code);
  if (code != CL_SUCCESS) visible->address = NULL;
  if (!visible->address || !shows(visible, session, bytes)) rh_cl_visible_finish(visible, session);
}

void rh_cl_visible_finish(rh_cl_visible *visible, rh_cl_session *session) {
  if (visible->address) {
    clEnqueueUnmapMemObject(session->queue, visible->buffer, (void *)visible->address, 0, NULL,
                            NULL);
    clFinish(session->queue);
  }
  if (visible->buffer) clReleaseMemObject(visible->buffer);
  *visible = (rh_cl_visible){0};
}
