#include "cl.h"

rh_opencl_functions rh_cl;

/* The user's library; else that of the process, so that a program's queues are used by the
 * functions that made them: Python's packages bring a loader of their own.  Else the system's. */
static rh_status find_library(rh_dl *dl, const char *wanted, rh_error *error) {
  if (!wanted && rh_dl_find_loaded(dl, "clGetPlatformIDs", "libOpenCL")) return RH_OK;
  const char *name = wanted ? wanted : "libOpenCL.so.1";
  rh_status status = rh_dl_open_library(dl, name, error);
  if (status != RH_DECLINED) return status;
  return rh_fail(error, RH_E_DEVICE,
                 "%s was not found%s. Install an OpenCL loader (package ocl-icd-libopencl1) and a "
                 "driver: the device vendor's, or PoCL, which runs on any CPU (package "
                 "pocl-opencl-icd)",
                 name, wanted ? " (REDHOST_OPENCL names it)" : "");
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
  if (status == RH_E_DEVICE) return status;
  return rh_error_prefix(error, status, "%s", wanted ? wanted : "OpenCL's library");
}

#define CL_STATUS_LIST(X)                                                                          \
  X(CL_SUCCESS)                                                                                    \
  X(CL_DEVICE_NOT_FOUND)                                                                           \
  X(CL_DEVICE_NOT_AVAILABLE)                                                                       \
  X(CL_COMPILER_NOT_AVAILABLE)                                                                     \
  X(CL_MEM_OBJECT_ALLOCATION_FAILURE)                                                              \
  X(CL_OUT_OF_RESOURCES)                                                                           \
  X(CL_OUT_OF_HOST_MEMORY)                                                                         \
  X(CL_PROFILING_INFO_NOT_AVAILABLE)                                                               \
  X(CL_MEM_COPY_OVERLAP)                                                                           \
  X(CL_BUILD_PROGRAM_FAILURE)                                                                      \
  X(CL_MAP_FAILURE)                                                                                \
  X(CL_MISALIGNED_SUB_BUFFER_OFFSET)                                                               \
  X(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)                                                  \
  X(CL_COMPILE_PROGRAM_FAILURE)                                                                    \
  X(CL_LINKER_NOT_AVAILABLE)                                                                       \
  X(CL_LINK_PROGRAM_FAILURE)                                                                       \
  X(CL_INVALID_VALUE)                                                                              \
  X(CL_INVALID_DEVICE_TYPE)                                                                        \
  X(CL_INVALID_PLATFORM)                                                                           \
  X(CL_INVALID_DEVICE)                                                                             \
  X(CL_INVALID_CONTEXT)                                                                            \
  X(CL_INVALID_QUEUE_PROPERTIES)                                                                   \
  X(CL_INVALID_COMMAND_QUEUE)                                                                      \
  X(CL_INVALID_HOST_PTR)                                                                           \
  X(CL_INVALID_MEM_OBJECT)                                                                         \
  X(CL_INVALID_BINARY)                                                                             \
  X(CL_INVALID_BUILD_OPTIONS)                                                                      \
  X(CL_INVALID_PROGRAM)                                                                            \
  X(CL_INVALID_PROGRAM_EXECUTABLE)                                                                 \
  X(CL_INVALID_KERNEL_NAME)                                                                        \
  X(CL_INVALID_KERNEL_DEFINITION)                                                                  \
  X(CL_INVALID_KERNEL)                                                                             \
  X(CL_INVALID_ARG_INDEX)                                                                          \
  X(CL_INVALID_ARG_VALUE)                                                                          \
  X(CL_INVALID_ARG_SIZE)                                                                           \
  X(CL_INVALID_KERNEL_ARGS)                                                                        \
  X(CL_INVALID_WORK_DIMENSION)                                                                     \
  X(CL_INVALID_WORK_GROUP_SIZE)                                                                    \
  X(CL_INVALID_WORK_ITEM_SIZE)                                                                     \
  X(CL_INVALID_GLOBAL_OFFSET)                                                                      \
  X(CL_INVALID_EVENT_WAIT_LIST)                                                                    \
  X(CL_INVALID_EVENT)                                                                              \
  X(CL_INVALID_OPERATION)                                                                          \
  X(CL_INVALID_BUFFER_SIZE)                                                                        \
  X(CL_INVALID_GLOBAL_WORK_SIZE)                                                                   \
  X(CL_INVALID_PROPERTY)

const char *rh_cl_status_name(cl_int code) {
  switch (code) {
#define RH_X(name)                                                                                 \
  case name: return #name;
    CL_STATUS_LIST(RH_X)
#undef RH_X
  case -1001: return "CL_PLATFORM_NOT_FOUND_KHR";
  default: return "unknown OpenCL error";
  }
}

/* Drivers allocate lazily, so any enqueued command may fail for lack of memory. */
rh_status rh_cl_fail(rh_error *error, cl_int code, const char *what) {
  int is_short = code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_HOST_MEMORY;
  rh_status status = is_short ? RH_E_DEVICE : RH_E_CL;
  rh_fail(error, status, "%s: %s (%d)", what, rh_cl_status_name(code), code);
  if (error) error->cl_code = code;
  return status;
}
