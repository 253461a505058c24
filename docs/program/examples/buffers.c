/* A buffer of the program's own, reduced in the program's own command queue: nothing is copied.
 * SPDX-License-Identifier: MIT */
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <redhost/redhost.h>

#include <stdio.h>

enum { N = 100000 };

static float x[N];

/* The sum of the first N floats of a buffer, when the commands before it in the queue are done. */
static int print_sum(cl_command_queue queue, cl_mem buffer) {
  rh_options options = {.struct_size = sizeof options, .queue = queue};
  rh_request request = {
      .struct_size = sizeof request, .type = RH_TYPE_f32, .op = "sum", .n = N, .data_on_device = 1};
  rh_call_spec call = {.struct_size = sizeof call, .n = N, .buffers = &buffer};
  rh_result result = {.struct_size = sizeof result};
  rh_redhost *redhost;
  rh_prepared *sum = NULL;
  rh_error error;
  if (rh_open(&redhost, &options, &error) != RH_OK) {
    fprintf(stderr, "buffers: %s\n", error.message);
    return 1;
  }
  rh_status status = rh_prepare(redhost, &request, &sum, &error);
  if (status == RH_OK) status = rh_prepared_call(sum, &call, &result, &error);
  if (status == RH_OK)
    printf("sum %g\n", result.value.f);
  else
    fprintf(stderr, "buffers: %s\n", error.message);
  rh_prepared_destroy(sum);
  rh_close(redhost);
  return status != RH_OK;
}

int main(void) {
  cl_platform_id platform;
  cl_device_id device;
  cl_int code = CL_SUCCESS;
  for (int k = 0; k < N; k++) x[k] = 0.5f;
  if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS ||
      clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS) {
    fprintf(stderr, "buffers: there is no OpenCL device\n");
    return 1;
  }
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &code);
  cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof x, NULL, &code);
  clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, sizeof x, x, 0, NULL, NULL);
  int failed = print_sum(queue, buffer);
  clReleaseMemObject(buffer);
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
  return failed;
}
