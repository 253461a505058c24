/* V13: lists the OpenCL platforms when it is loaded, which loads every driver. */
#include "zoo.h"
#include <CL/cl.h>

ZOO(maps_opencl);

ZOO_ON_LOAD {
  cl_uint n;
  clGetPlatformIDs(0, NULL, &n);
}
