/* OpenCL's functions, which are found when a device is first looked for: redhost links no library
 * of OpenCL, and starts without one.  Only core/cl calls them; what stands above has commands.h. */
#pragma once

#include "../base/error.h"
#include <CL/cl.h>

/* clang-format off */
#define RH_OPENCL_LIST(X)                                                                          \
  X(BuildProgram) X(CreateBuffer) X(CreateCommandQueue) X(CreateContext) X(CreateKernel)           \
  X(CreateProgramWithBinary) X(CreateProgramWithSource) X(CreateSubBuffer)                         \
  X(EnqueueBarrierWithWaitList) X(EnqueueCopyBuffer) X(EnqueueFillBuffer) X(EnqueueMapBuffer)      \
  X(EnqueueNDRangeKernel) X(EnqueueReadBuffer) X(EnqueueUnmapMemObject) X(EnqueueWriteBuffer)      \
  X(Finish) X(Flush) X(GetCommandQueueInfo) X(GetContextInfo) X(GetDeviceIDs) X(GetDeviceInfo)     \
  X(GetEventInfo) X(GetEventProfilingInfo) X(GetExtensionFunctionAddressForPlatform)               \
  X(GetKernelWorkGroupInfo) X(GetMemObjectInfo) X(GetPlatformIDs) X(GetPlatformInfo)               \
  X(GetProgramBuildInfo) X(GetProgramInfo) X(ReleaseCommandQueue) X(ReleaseContext)                \
  X(ReleaseEvent) X(ReleaseKernel) X(ReleaseMemObject) X(ReleaseProgram) X(RetainCommandQueue)     \
  X(RetainContext) X(SetEventCallback) X(SetKernelArg) X(WaitForEvents)
/* clang-format on */

typedef struct rh_opencl_functions {
#define RH_X(name) __typeof__(cl##name) *name;
  RH_OPENCL_LIST(RH_X)
#undef RH_X
} rh_opencl_functions;

/* Of the whole process; null until rh_opencl_open() has succeeded. */
extern rh_opencl_functions rh_cl;

/* RH_E_DEVICE: there is no libOpenCL, or it lacks a function.  [one thread at a time] */
rh_status rh_opencl_open(rh_error *error);
