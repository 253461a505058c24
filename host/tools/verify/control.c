#include "control.h"

#include <CL/cl.h>
#include <string.h>
#include <unistd.h>

#define SOURCE                                                                                     \
  "__kernel void control(__global uint *to, __local uint *all) {\n"                                \
  "  all[get_local_id(0)] = 1;\n"                                                                  \
  "  barrier(CLK_LOCAL_MEM_FENCE);\n"                                                              \
  "  to[get_global_id(0)] = all[0];\n}\n"

enum { WORDS = 64, BYTES = WORDS * sizeof(cl_uint) };

typedef struct control {
  const rh_host *host;
  struct _cl_kernel *kernel;
  struct _cl_mem *scratch;
  cl_command_queue queue; /* its own, in the host's context */
  cl_mem buffer;
  cl_context context; /* its own */
} control;

/* ---- Using OpenCL directly, as a plugin may ---- */

/* Errors are ignored: not every device supports every call. */

static void CL_CALLBACK note_event(cl_event event, cl_int state, void *called) {
  (void)event;
  (void)state;
  __atomic_store_n((int *)called, 1, __ATOMIC_RELEASE);
}

/* The first callback starts the driver's callback thread.  `called` is static because a callback
 * may come late. */
static void call_back(cl_event event) {
  enum { LOOKS = 1000, PAUSE_US = 1000 };
  static int called;
  __atomic_store_n(&called, 0, __ATOMIC_RELEASE);
  if (clSetEventCallback(event, CL_COMPLETE, note_event, &called) != CL_SUCCESS) return;
  clWaitForEvents(1, &event);
  for (int k = 0; k < LOOKS && !__atomic_load_n(&called, __ATOMIC_ACQUIRE); k++) usleep(PAUSE_US);
}

static void move_words(cl_command_queue queue, cl_mem buffer) {
  cl_uint words[WORDS] = {0};
  cl_event event;
  cl_int code = clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, BYTES, words, 0, NULL, &event);
  if (code == CL_SUCCESS) {
    call_back(event);
    clReleaseEvent(event);
  }
  clFinish(queue);
  void *at =
      clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ, 0, BYTES, 0, NULL, NULL, &code);
  if (code == CL_SUCCESS) clEnqueueUnmapMemObject(queue, buffer, at, 0, NULL, NULL);
  clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, BYTES, words, 0, NULL, NULL);
  clFinish(queue);
}

static void launch_in(cl_command_queue queue, cl_program program, cl_mem buffer) {
  const size_t global = WORDS, local = 1;
  cl_int code;
  cl_kernel kernel = clCreateKernel(program, "control", &code);
  if (code != CL_SUCCESS) return;
  clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
  clSetKernelArg(kernel, 1, sizeof(cl_uint), NULL);
  clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
  clFinish(queue);
  clReleaseKernel(kernel);
}

static void use_program(cl_context context, cl_device_id device, cl_command_queue queue,
                        cl_mem buffer) {
  const char *source = SOURCE;
  cl_int code;
  cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &code);
  if (code != CL_SUCCESS) return;
  if (clBuildProgram(program, 1, &device, "", NULL, NULL) == CL_SUCCESS)
    launch_in(queue, program, buffer);
  clReleaseProgram(program);
}

static void use_context(cl_context context, cl_device_id device) {
  cl_int code;
  cl_command_queue queue =
      clCreateCommandQueue(context, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code);
  if (code != CL_SUCCESS) queue = clCreateCommandQueue(context, device, 0, &code);
  if (code != CL_SUCCESS) return;
  cl_mem buffer =
      clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, BYTES, NULL, &code);
  if (code == CL_SUCCESS) {
    move_words(queue, buffer);
    use_program(context, device, queue, buffer);
    clReleaseMemObject(buffer);
  }
  clReleaseCommandQueue(queue);
}

/* ---- The strategy on a device ---- */

static rh_status query(const rh_problem *problem, const int64_t *params, rh_answer *answer) {
  (void)problem;
  (void)params;
  answer->launches = 1;
  answer->scratch_bytes = BYTES;
  answer->local_bytes = sizeof(cl_uint);
  return RH_OK;
}

static void begin_directly(control *self) {
  cl_int code;
  self->queue = clCreateCommandQueue(self->host->context, self->host->device,
                                     CL_QUEUE_PROFILING_ENABLE, &code);
  self->buffer = clCreateBuffer(self->host->context, CL_MEM_READ_WRITE, BYTES, NULL, &code);
  self->context = clCreateContext(NULL, 1, &self->host->device, NULL, NULL, &code);
}

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *params,
                       void **instance) {
  struct _cl_program *program;
  uint32_t unused;
  (void)problem;
  (void)params;
  control *self = host->alloc(host, sizeof *self);
  if (!self) return RH_E_NOMEM;
  *instance = self;
  self->host = host;
  rh_status status = host->build(host, "control.cl", SOURCE, "", &program);
  if (status == RH_OK) status = host->kernel(host, program, "control", &self->kernel, &unused);
  if (status == RH_OK) status = host->scratch(host, BYTES, &self->scratch);
  if (status == RH_OK) begin_directly(self);
  return status;
}

static rh_status run(void *instance, const rh_run *run) {
  control *self = instance;
  const uint32_t zero = 0;
  const rh_arg args[] = {{RH_ARG_BUFFER, sizeof self->scratch, &self->scratch},
                         {RH_ARG_LOCAL, sizeof(cl_uint), NULL}};
  (void)run;
  rh_status status =
      self->host->fill(self->host, self->scratch, 0, &zero, sizeof zero, BYTES / sizeof zero);
  if (status == RH_OK)
    status = self->host->launch(self->host, self->kernel, WORDS, 1, args, 2, "control");
  if (self->queue && self->buffer) move_words(self->queue, self->buffer);
  if (self->context) use_context(self->context, self->host->device);
  return status;
}

static void teardown(void *instance) {
  control *self = instance;
  if (self->queue) clReleaseCommandQueue(self->queue);
  if (self->buffer) clReleaseMemObject(self->buffer);
  if (self->context) clReleaseContext(self->context);
}

/* ---- The strategy on the host ---- */

static rh_status host_query(const rh_problem *problem, const int64_t *params, rh_answer *answer) {
  (void)problem;
  (void)params;
  answer->finishes_on_host = 1;
  return RH_OK;
}

static rh_status host_setup(const rh_host *host, const rh_problem *problem, const int64_t *params,
                            void **instance) {
  (void)problem;
  (void)params;
  *instance = host->alloc(host, 1);
  return *instance ? RH_OK : RH_E_NOMEM;
}

static rh_status host_run(void *instance, const rh_run *run) {
  (void)instance;
  (void)run;
  return RH_OK;
}

#define CONTROL(kinds, ...)                                                                        \
  {                                                                                                \
    .struct_size = sizeof(rh_strategy), .device_kinds = kinds, .name = "control",                  \
    .summary = "changes nothing", .about = "", .version = "1.0", .author = "the redhost authors",  \
    .license = "MIT", .determinism = RH_BITS_VARY, __VA_ARGS__                                     \
  }

const rh_strategy *rh_control_strategy(int is_host) {
  static const rh_strategy on_host =
      CONTROL(RH_DEVICE_HOST, .query = host_query, .setup = host_setup, .run = host_run);
  static const rh_strategy on_device =
      CONTROL(RH_DEVICE_ANY_CL, .query = query, .setup = setup, .run = run, .teardown = teardown);
  return is_host ? &on_host : &on_device;
}
