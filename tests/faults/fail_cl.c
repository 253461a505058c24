/* OpenCL's functions, interposed before the loader's: each calls the real one, unless it is its
 * turn to fail. */
#include "fault.h"

#include <CL/cl.h>
#include <string.h>

/* A function that returns a status. */
#define STATUS(name, parameters, arguments)                                                        \
  cl_int name parameters {                                                                         \
    REAL(cl_int, name, parameters)                                                                 \
    return fault_is_due(#name, CALLER) ? CL_OUT_OF_RESOURCES : real arguments;                     \
  }

/* A function that releases something: it is released, whatever is returned. */
#define RELEASE(name, type)                                                                        \
  cl_int name(type thing) {                                                                        \
    REAL(cl_int, name, (type))                                                                     \
    int is_due = fault_is_due(#name, CALLER);                                                      \
    cl_int code = real(thing);                                                                     \
    return is_due ? CL_OUT_OF_RESOURCES : code;                                                    \
  }

/* A function that creates something and writes its status to *code. */
#define MAKES(type, name, parameters, arguments)                                                   \
  type name parameters {                                                                           \
    REAL(type, name, parameters)                                                                   \
    if (!fault_is_due(#name, CALLER)) return real arguments;                                       \
    if (code) *code = CL_OUT_OF_RESOURCES;                                                         \
    return NULL;                                                                                   \
  }

#define WAITS  cl_uint n_events, const cl_event *events, cl_event *event
#define WAITED n_events, events, event
#define ASKED  size_t bytes, void *to, size_t *needed
#define ANSWER bytes, to, needed

STATUS(clGetPlatformIDs, (cl_uint room, cl_platform_id *to, cl_uint *n), (room, to, n))
STATUS(clGetPlatformInfo, (cl_platform_id of, cl_platform_info what, ASKED), (of, what, ANSWER))
STATUS(clGetDeviceIDs,
       (cl_platform_id of, cl_device_type type, cl_uint room, cl_device_id *to, cl_uint *n),
       (of, type, room, to, n))
STATUS(clGetDeviceInfo, (cl_device_id of, cl_device_info what, ASKED), (of, what, ANSWER))
MAKES(cl_context, clCreateContext,
      (const cl_context_properties *properties, cl_uint n, const cl_device_id *devices,
       void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *user,
       cl_int *code),
      (properties, n, devices, notify, user, code))
STATUS(clRetainContext, (cl_context context), (context))
RELEASE(clReleaseContext, cl_context)
STATUS(clGetContextInfo, (cl_context of, cl_context_info what, ASKED), (of, what, ANSWER))
MAKES(cl_command_queue, clCreateCommandQueue,
      (cl_context context, cl_device_id device, cl_command_queue_properties properties,
       cl_int *code),
      (context, device, properties, code))
STATUS(clRetainCommandQueue, (cl_command_queue queue), (queue))
RELEASE(clReleaseCommandQueue, cl_command_queue)
STATUS(clGetCommandQueueInfo, (cl_command_queue of, cl_command_queue_info what, ASKED),
       (of, what, ANSWER))
MAKES(cl_mem, clCreateBuffer,
      (cl_context context, cl_mem_flags flags, size_t bytes, void *host, cl_int *code),
      (context, flags, bytes, host, code))
RELEASE(clReleaseMemObject, cl_mem)
MAKES(cl_program, clCreateProgramWithSource,
      (cl_context context, cl_uint n, const char **texts, const size_t *lengths, cl_int *code),
      (context, n, texts, lengths, code))
MAKES(cl_program, clCreateProgramWithBinary,
      (cl_context context, cl_uint n, const cl_device_id *devices, const size_t *lengths,
       const unsigned char **binaries, cl_int *states, cl_int *code),
      (context, n, devices, lengths, binaries, states, code))
STATUS(clBuildProgram,
       (cl_program program, cl_uint n, const cl_device_id *devices, const char *options,
        void(CL_CALLBACK *notify)(cl_program, void *), void *user),
       (program, n, devices, options, notify, user))
STATUS(clGetProgramInfo, (cl_program of, cl_program_info what, ASKED), (of, what, ANSWER))
STATUS(clGetProgramBuildInfo,
       (cl_program of, cl_device_id device, cl_program_build_info what, ASKED),
       (of, device, what, ANSWER))
RELEASE(clReleaseProgram, cl_program)
MAKES(cl_kernel, clCreateKernel, (cl_program program, const char *name, cl_int *code),
      (program, name, code))
STATUS(clSetKernelArg, (cl_kernel kernel, cl_uint k, size_t bytes, const void *value),
       (kernel, k, bytes, value))
STATUS(clGetKernelWorkGroupInfo,
       (cl_kernel of, cl_device_id device, cl_kernel_work_group_info what, ASKED),
       (of, device, what, ANSWER))
RELEASE(clReleaseKernel, cl_kernel)
STATUS(clWaitForEvents, (cl_uint n, const cl_event *events), (n, events))
STATUS(clGetEventProfilingInfo, (cl_event of, cl_profiling_info what, ASKED), (of, what, ANSWER))
STATUS(clGetEventInfo, (cl_event of, cl_event_info what, ASKED), (of, what, ANSWER))
RELEASE(clReleaseEvent, cl_event)
STATUS(clFlush, (cl_command_queue queue), (queue))
STATUS(clFinish, (cl_command_queue queue), (queue))
STATUS(clEnqueueReadBuffer,
       (cl_command_queue queue, cl_mem buffer, cl_bool waits, size_t at, size_t bytes, void *to,
        WAITS),
       (queue, buffer, waits, at, bytes, to, WAITED))
STATUS(clEnqueueWriteBuffer,
       (cl_command_queue queue, cl_mem buffer, cl_bool waits, size_t at, size_t bytes,
        const void *from, WAITS),
       (queue, buffer, waits, at, bytes, from, WAITED))
STATUS(clEnqueueCopyBuffer,
       (cl_command_queue queue, cl_mem from, cl_mem to, size_t at, size_t there, size_t bytes,
        WAITS),
       (queue, from, to, at, there, bytes, WAITED))
STATUS(clEnqueueFillBuffer,
       (cl_command_queue queue, cl_mem buffer, const void *pattern, size_t size, size_t at,
        size_t bytes, WAITS),
       (queue, buffer, pattern, size, at, bytes, WAITED))
MAKES(void *, clEnqueueMapBuffer,
      (cl_command_queue queue, cl_mem buffer, cl_bool waits, cl_map_flags flags, size_t at,
       size_t bytes, WAITS, cl_int *code),
      (queue, buffer, waits, flags, at, bytes, WAITED, code))
STATUS(clEnqueueUnmapMemObject, (cl_command_queue queue, cl_mem buffer, void *at, WAITS),
       (queue, buffer, at, WAITED))
STATUS(clEnqueueNDRangeKernel,
       (cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset,
        const size_t *global, const size_t *local, WAITS),
       (queue, kernel, dimensions, offset, global, local, WAITED))
