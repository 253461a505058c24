/* V22: calls OpenCL in query. */
#include "../right.h"
#include <CL/cl.h>

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  cl_uint n = 0;
  if (clGetPlatformIDs(0, NULL, &n) != CL_SUCCESS || n == 0)
    return rh_decline(answer, RH_WHY_DRIVER, "there is no OpenCL platform");
  return right_query(problem, values, answer);
}

RIGHT_BUT("opencl_in_query", .summary = "calls OpenCL in query", .query = query);
