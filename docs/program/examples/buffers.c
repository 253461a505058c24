/* A buffer of the program's own, reduced in the program's own command queue: nothing is copied, and
 * results of rows stay on the device.  SPDX-License-Identifier: MIT */
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <redhost/redhost.h>

#include <stdio.h>

enum { N = 100000, ROWS = 100 };

static float x[N];

static int fail(const char *why) {
  fprintf(stderr, "buffers: %s\n", why);
  return 1;
}

/* The sum of the first N floats of a buffer, when the commands before it in the queue are done. */
static int print_sum(rh_redhost *redhost, cl_mem buffer) {
  rh_request request = {
      .struct_size = sizeof request, .type = RH_TYPE_f32, .op = "sum", .n = N, .data_on_device = 1};
  rh_call_spec call = {.struct_size = sizeof call, .n = N, .buffers = &buffer};
  rh_result result = {.struct_size = sizeof result};
  rh_prepared *sum;
  rh_error error;
  if (rh_prepare(redhost, &request, &sum, &error) != RH_OK) return fail(error.message);
  rh_status status = rh_prepared_call(sum, &call, &result, &error);
  rh_prepared_destroy(sum);
  if (status != RH_OK) return fail(error.message);
  printf("sum %g\n", result.value.f);
  return 0;
}

/* The sum of each row, in another buffer: the call only enqueues commands, as others may follow
 * that read the sums there. */
static int print_rows(rh_redhost *redhost, cl_command_queue queue, cl_mem buffer, cl_mem sums) {
  rh_segmentation rows = {.struct_size = sizeof rows, .length = N / ROWS};
  rh_request request = {.struct_size = sizeof request,
                        .type = RH_TYPE_f32,
                        .op = "sum",
                        .n = N,
                        .result_on_device = 1,
                        .segments = &rows};
  rh_call_spec call = {
      .struct_size = sizeof call, .n = N, .buffers = &buffer, .values = sums, .index = 0};
  float last = 0;
  rh_prepared *prepared;
  rh_error error;
  if (rh_prepare(redhost, &request, &prepared, &error) != RH_OK) return fail(error.message);
  rh_status status = rh_prepared_call(prepared, &call, NULL, &error);
  clEnqueueReadBuffer(queue, sums, CL_TRUE, (ROWS - 1) * sizeof last, sizeof last, &last, 0, NULL,
                      NULL);
  rh_prepared_destroy(prepared);
  if (status != RH_OK) return fail(error.message);
  printf("row %d %g\n", ROWS - 1, last);
  return 0;
}

static int print_all(cl_command_queue queue, cl_mem buffer, cl_mem sums) {
  rh_options options = {.struct_size = sizeof options, .queue = queue};
  rh_redhost *redhost;
  rh_error error;
  if (rh_open(&redhost, &options, &error) != RH_OK) return fail(error.message);
  int failed = print_sum(redhost, buffer) || print_rows(redhost, queue, buffer, sums);
  rh_close(redhost);
  return failed;
}

int main(void) {
  cl_platform_id platform;
  cl_device_id device;
  cl_int code = CL_SUCCESS;
  for (int k = 0; k < N; k++) x[k] = 0.5f;
  if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS ||
      clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS)
    return fail("there is no OpenCL device");
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &code);
  cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof x, NULL, &code);
  cl_mem sums = clCreateBuffer(context, CL_MEM_READ_WRITE, ROWS * sizeof *x, NULL, &code);
  clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, sizeof x, x, 0, NULL, NULL);
  int failed = print_all(queue, buffer, sums);
  clReleaseMemObject(sums);
  clReleaseMemObject(buffer);
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
  return failed;
}
