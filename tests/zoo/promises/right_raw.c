/* Correct.  It takes the prelude, the context and the queue from the host, but otherwise calls
 * OpenCL directly, with its own programs, kernels, buffers, events and a queue; and it undoes every
 * change to the process. */
#include "../right.h"
#include <CL/cl.h>
#include <fcntl.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { GROUP, FINISH };
static const rh_param params[] = {
    [GROUP] = {.key = "group",
               .doc = "work-items",
               .min = 1,
               .max = 256,
               .initial = 64,
               .step = 1,
               .flags = RH_PARAM_POWER_OF_TWO | RH_PARAM_REBUILD},
    [FINISH] = {.key = "finish",
                .doc = "where the result ends up",
                .choices = "device|host",
                .max = 1,
                .step = 1},
};

enum { GROUPS = 8 };

typedef struct raw {
  const rh_host *host;
  cl_program program;
  cl_kernel parts, last;
  cl_mem partials;
  cl_command_queue queue;
  uint64_t group, value_size, max_n;
  int64_t on_host;
  int file;
} raw;

static const char source[] =
    "static rh_value tree(__local rh_value *scratch, rh_value mine) {\n"
    "  uint lid = get_local_id(0);\n"
    "  scratch[lid] = mine;\n"
    "  for (uint half_size = GROUP / 2; half_size > 0; half_size /= 2) {\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    if (lid < half_size) scratch[lid] = rh_combine(scratch[lid], scratch[lid + half_size]);\n"
    "  }\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  return scratch[0];\n"
    "}\n"
    "__kernel void parts(__global const rh_element *input, ulong first, ulong n,\n"
    "                    __local rh_value *scratch, __global rh_value *partials) {\n"
    "  rh_value mine = rh_identity();\n"
    "  for (ulong i = get_global_id(0); i < n; i += get_global_size(0))\n"
    "    mine = rh_combine(mine, rh_load(input + first, i));\n"
    "  rh_value value = tree(scratch, mine);\n"
    "  if (get_local_id(0) == 0) partials[get_group_id(0)] = value;\n"
    "}\n"
    "__kernel void last(__global const rh_value *partials, __local rh_value *scratch,\n"
    "                  __global rh_value *result, ulong at) {\n"
    "  rh_value mine = rh_identity();\n"
    "  for (uint i = get_local_id(0); i < 8; i += GROUP) mine = rh_combine(mine, partials[i]);\n"
    "  rh_value value = tree(scratch, mine);\n"
    "  if (get_local_id(0) == 0) result[at] = value;\n"
    "}\n";

QUERY(right_raw) {
  uint64_t group = (uint64_t)values[GROUP], size = problem->op->value_size;
  RH_TRY(right_knows(problem, answer));
  RH_TRY(rh_fit_group(problem, "group", values[GROUP], 64, size, &group, answer));
  answer->score = 1;
  answer->launches = 2;
  answer->finishes_on_host = values[FINISH] == 1;
  answer->scratch_bytes = (GROUPS + 1) * size;
  answer->local_bytes = group * size;
  answer->depth = rh_divide_up(problem->max_n, GROUPS * group) + GROUPS + 2 * rh_log2_up(group);
  return RH_OK;
}

/* ---- What it does to the process, and undoes ---- */

static void *do_nothing(void *nothing) { return nothing; }

static void change_and_restore(void) {
  locale_t own = newlocale(LC_ALL_MASK, "C.UTF-8", (locale_t)0), before = uselocale(own);
  sigset_t all, mask;
  pthread_t thread;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &mask);
  if (pthread_create(&thread, NULL, do_nothing, NULL) == 0) pthread_join(thread, NULL);
  pthread_sigmask(SIG_SETMASK, &mask, NULL);
  uselocale(before);
  if (own) freelocale(own);
  int file = open("/dev/zero", O_RDONLY | O_CLOEXEC);
  if (file >= 0) close(file);
}

/* ---- Setup and teardown ---- */

static void release(raw *self) {
  if (self->queue) clReleaseCommandQueue(self->queue);
  if (self->file >= 0) close(self->file);
  if (self->parts) clReleaseKernel(self->parts);
  if (self->last) clReleaseKernel(self->last);
  if (self->program) clReleaseProgram(self->program);
  if (self->partials) clReleaseMemObject(self->partials);
}

static cl_int build(raw *self, const rh_problem *problem) {
  const char *texts[] = {problem->op->prelude, source};
  char options[32];
  cl_device_id device = self->host->device;
  cl_int code;
  snprintf(options, sizeof options, "-DGROUP=%u", (unsigned)self->group);
  self->program = clCreateProgramWithSource(self->host->context, 2, texts, NULL, &code);
  if (code == CL_SUCCESS) code = clBuildProgram(self->program, 1, &device, options, NULL, NULL);
  if (code == CL_SUCCESS) self->parts = clCreateKernel(self->program, "parts", &code);
  if (code == CL_SUCCESS) self->last = clCreateKernel(self->program, "last", &code);
  if (code == CL_SUCCESS)
    self->partials = clCreateBuffer(self->host->context, CL_MEM_READ_WRITE,
                                    (GROUPS + 1) * self->value_size, NULL, &code);
  if (code == CL_SUCCESS) self->queue = clCreateCommandQueue(self->host->context, device, 0, &code);
  if (code == CL_SUCCESS)
    code = clEnqueueWriteBuffer(self->queue, self->partials, CL_TRUE, 0, 1, "", 0, NULL, NULL);
  return code;
}

SETUP(right_raw) {
  rh_answer answer = {0};
  if (right_raw_query(problem, values, &answer) != RH_OK)
    return host->fail(host, RH_DECLINED, 0, answer.reason);
  raw *self = calloc(1, sizeof *self);
  if (!self) return RH_E_NOMEM;
  *self = (raw){.host = host,
                .group = (uint64_t)values[GROUP],
                .max_n = problem->max_n,
                .value_size = problem->op->value_size,
                .on_host = values[FINISH],
                .file = open("/dev/zero", O_RDONLY | O_CLOEXEC)}; /* until teardown */
  change_and_restore();
  cl_int code = build(self, problem);
  *instance = self;
  if (code == CL_SUCCESS) return RH_OK;
  release(self);
  free(self);
  return host->fail(host, RH_E_CL, code, "raw.cl");
}

static cl_int launch_parts(const raw *self, const rh_run *run, cl_event *done) {
  size_t local = self->group, global = GROUPS * local;
  cl_mem input = run->input;
  cl_ulong first = run->first, n = run->n;
  cl_int code = clSetKernelArg(self->parts, 0, sizeof input, &input);
  code |= clSetKernelArg(self->parts, 1, sizeof first, &first);
  code |= clSetKernelArg(self->parts, 2, sizeof n, &n);
  code |= clSetKernelArg(self->parts, 3, self->group * self->value_size, NULL);
  code |= clSetKernelArg(self->parts, 4, sizeof self->partials, &self->partials);
  if (code != CL_SUCCESS) return code;
  return clEnqueueNDRangeKernel(self->host->queue, self->parts, 1, NULL, &global, &local, 0, NULL,
                                done);
}

static cl_int launch_last(const raw *self, cl_mem result, cl_ulong at, cl_event after) {
  size_t local = self->group;
  cl_int code = clSetKernelArg(self->last, 0, sizeof self->partials, &self->partials);
  code |= clSetKernelArg(self->last, 1, self->group * self->value_size, NULL);
  code |= clSetKernelArg(self->last, 2, sizeof result, &result);
  code |= clSetKernelArg(self->last, 3, sizeof at, &at);
  if (code != CL_SUCCESS) return code;
  return clEnqueueNDRangeKernel(self->host->queue, self->last, 1, NULL, &local, &local, 1, &after,
                                NULL);
}

RUN(right_raw) {
  const raw *self = instance;
  cl_event done = NULL;
  change_and_restore();
  if (run->n > self->max_n)
    return self->host->fail(self->host, RH_E_INVALID, 0, "more elements than it was set up for");
  cl_int code = launch_parts(self, run, &done);
  cl_mem to = self->on_host ? self->partials : run->result;
  if (code == CL_SUCCESS)
    code = launch_last(self, to, self->on_host ? GROUPS : run->result_index, done);
  if (done) clReleaseEvent(done);
  if (code == CL_SUCCESS && self->on_host)
    code =
        clEnqueueReadBuffer(self->host->queue, self->partials, CL_TRUE, GROUPS * self->value_size,
                            self->value_size, run->host_result, 0, NULL, NULL);
  return code == CL_SUCCESS ? RH_OK : self->host->fail(self->host, RH_E_CL, code, "running");
}

BUT_TEARDOWN(right_raw, .summary = "OpenCL's own calls throughout", RH_PARAMS(params),
             .query = right_raw_query, .setup = right_raw_setup, .run = right_raw_run) {
  change_and_restore();
  release(instance);
  free(instance);
}

RIGHT_PLUGIN;
