#include "cl.h"

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

rh_status rh_cl_fail(rh_error *error, cl_int code, const char *what) {
  int is_short = code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_HOST_MEMORY;
  rh_status status = is_short ? RH_E_DEVICE : RH_E_CL;
  rh_fail(error, status, "%s: %s (%d)", what, rh_cl_status_name(code), code);
  if (error) error->cl_code = code;
  return status;
}
