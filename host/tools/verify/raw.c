#include "raw.h"
#include "../../core/base/random.h"
#include "imports.h"

#include <CL/cl.h>
#include <string.h>

static rh_raw_seen seen;

/* A kernel's local-memory arguments stay set from launch to launch. */
enum { MOST_LOCALS = 64 };
static struct {
  cl_kernel kernel;
  cl_uint index;
  size_t bytes;
} locals[MOST_LOCALS];
static size_t n_locals;

static void set_local(cl_kernel kernel, cl_uint index, size_t bytes) {
  size_t k = 0;
  while (k < n_locals && (locals[k].kernel != kernel || locals[k].index != index)) k++;
  if (k == MOST_LOCALS) return;
  if (k == n_locals) n_locals++;
  locals[k].kernel = kernel;
  locals[k].index = index;
  locals[k].bytes = bytes;
}

/* A released kernel may have had this handle. */
static void forget_kernel(cl_kernel kernel) {
  size_t kept = 0;
  for (size_t k = 0; k < n_locals; k++)
    if (locals[k].kernel != kernel) locals[kept++] = locals[k];
  n_locals = kept;
}

static cl_kernel watch_kernel(cl_program program, const char *name, cl_int *code) {
  cl_kernel kernel = clCreateKernel(program, name, code);
  if (kernel) forget_kernel(kernel);
  return kernel;
}

static cl_int watch_kernels(cl_program program, cl_uint n, cl_kernel *kernels, cl_uint *n_there) {
  cl_uint made = 0;
  cl_int code = clCreateKernelsInProgram(program, n, kernels, &made);
  for (cl_uint k = 0; code == CL_SUCCESS && kernels && k < made && k < n; k++)
    forget_kernel(kernels[k]);
  if (n_there) *n_there = made;
  return code;
}

static void note_code(const char *text, size_t bytes) {
  seen.code = rh_random_mix(seen.code + bytes + 1);
  for (size_t k = 0; k < bytes; k++) seen.code = rh_random_mix(seen.code ^ (unsigned char)text[k]);
}

static cl_int watch_set_arg(cl_kernel kernel, cl_uint index, size_t bytes, const void *value) {
  if (!value) set_local(kernel, index, bytes);
  return clSetKernelArg(kernel, index, bytes, value);
}

static cl_int watch_launch(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                           const size_t *offset, const size_t *global, const size_t *local,
                           cl_uint n, const cl_event *events, cl_event *event) {
  uint64_t bytes = 0;
  for (size_t k = 0; k < n_locals; k++)
    if (locals[k].kernel == kernel) bytes += locals[k].bytes;
  if (bytes > seen.local_bytes) seen.local_bytes = bytes;
  seen.launches++;
  return clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, n, events, event);
}

static cl_mem watch_buffer(cl_context context, cl_mem_flags flags, size_t bytes, void *host,
                           cl_int *code) {
  if (!(flags & CL_MEM_USE_HOST_PTR)) seen.buffer_bytes += bytes;
  return clCreateBuffer(context, flags, bytes, host, code);
}

static cl_program watch_source(cl_context context, cl_uint n, const char **strings,
                               const size_t *lengths, cl_int *code) {
  for (cl_uint k = 0; strings && k < n; k++)
    if (strings[k]) note_code(strings[k], lengths && lengths[k] ? lengths[k] : strlen(strings[k]));
  return clCreateProgramWithSource(context, n, strings, lengths, code);
}

static cl_int watch_build(cl_program program, cl_uint n, const cl_device_id *devices,
                          const char *options, void (*notify)(cl_program, void *), void *user) {
  if (options) note_code(options, strlen(options));
  return clBuildProgram(program, n, devices, options, notify, user);
}

typedef void function(void);

void rh_raw_watch(const char *path) {
  static const rh_redirect watched[] = {
      {"clCreateKernel", (function *)watch_kernel},
      {"clCreateKernelsInProgram", (function *)watch_kernels},
      {"clSetKernelArg", (function *)watch_set_arg},
      {"clEnqueueNDRangeKernel", (function *)watch_launch},
      {"clCreateBuffer", (function *)watch_buffer},
      {"clCreateProgramWithSource", (function *)watch_source},
      {"clBuildProgram", (function *)watch_build},
  };
  rh_imports_redirect(path, watched, sizeof watched / sizeof *watched);
  rh_raw_take();
}

void rh_raw_forget_kernels(void) {
  n_locals = 0;
}

rh_raw_seen rh_raw_take(void) {
  rh_raw_seen taken = seen;
  seen = (rh_raw_seen){0};
  return taken;
}
