/* Faults of instances: V31 to V40, V60, V63. */
#include "../right.h"

#include <CL/cl.h>
#include <fenv.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* V35: calls alloc() in teardown. */
BUT_TEARDOWN(alloc_in_teardown) {
  const right *self = instance;
  self->host->alloc(self->host, 64);
}

/* V32: every run leaks an OpenCL buffer. */
BUT_RUN(buffer_per_run) {
  const right *self = instance;
  static const char bytes[1 << 16];
  cl_int code;
  clCreateBuffer(self->host->context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof bytes,
                 (void *)(uintptr_t)bytes, &code);
  if (code != CL_SUCCESS) return self->host->fail(self->host, RH_E_CL, code, "a buffer");
  return right_run(instance, run);
}

/* V63 crash|fail: writes one byte before the memory from alloc(). */
SETUP(byte_before_alloc) {
  char *name = host->alloc(host, 13);
  if (!name) return RH_E_NOMEM;
  RH_TRY(right_setup(host, problem, values, instance));
  ((right *)*instance)->own = name;
  return RH_OK;
}

BUT_RUN(byte_before_alloc, .setup = byte_before_alloc_setup) {
  volatile char *name = ((right *)instance)->own;
  name[-1] = 'x';
  return right_run(instance, run);
}

/* V63: writes one byte past the memory from alloc(). */
BUT_RUN(byte_behind_alloc, .setup = byte_before_alloc_setup) {
  volatile char *name = ((right *)instance)->own;
  name[13] = 'x';
  return right_run(instance, run);
}

/* V39: refuses a host whose structs are larger than expected. */
BUT_SETUP(exact_sizes) {
  if (host->struct_size != sizeof(rh_host) || problem->struct_size != sizeof(rh_problem))
    return host->fail(host, RH_E_INVALID, 0, "built for another redhost");
  return right_setup(host, problem, values, instance);
}

/* V35: clears its scratch memory in setup, where nothing may be enqueued, and ignores the error. */
QUERY(fills_in_setup) {
  RH_TRY(right_query(problem, values, answer));
  answer->scratch_bytes = 64;
  return RH_OK;
}

BUT_SETUP(fills_in_setup, .query = fills_in_setup_query) {
  static const uint32_t zero;
  struct _cl_mem *scratch;
  RH_TRY(right_setup(host, problem, values, instance));
  RH_TRY(host->scratch(host, 64, &scratch));
  host->fill(host, scratch, 0, &zero, sizeof zero, 16);
  return RH_OK;
}

/* V37 crash|fail: uses the first instance's host for all instances. */
static const rh_host *first;

BUT_SETUP(first_host) {
  RH_TRY(right_setup(host, problem, values, instance));
  if (!first) first = host;
  ((right *)*instance)->host = first;
  return RH_OK;
}

/* V60: uses the first run's result_index for all later ones. */
BUT_RUN(first_index) {
  right *self = instance;
  if (self->runs++ == 0) self->own = (void *)(uintptr_t)run->result_index;
  rh_run with_first = *run;
  with_first.result_index = (uintptr_t)self->own;
  return right_launch(self, &with_first, run->first, run->n);
}

/* V60 crash|fail: uses the first run's input buffer for all later ones. */
BUT_RUN(first_input) {
  right *self = instance;
  if (self->runs++ == 0) self->own = run->input;
  rh_run with_first = *run;
  with_first.input = self->own;
  return right_launch(self, &with_first, run->first, run->n);
}

/* V60 crash|fail: uses the first run's result buffer for all later ones. */
BUT_RUN(first_result) {
  right *self = instance;
  if (self->runs++ == 0) self->own = run->result;
  rh_run with_first = *run;
  with_first.result = self->own;
  return right_launch(self, &with_first, run->first, run->n);
}

/* V40: after a failed run, every other run fails. */
BUT_RUN(gives_up) {
  right *self = instance;
  if (self->own) return self->host->fail(self->host, RH_E_INTERNAL, 0, "failed before");
  rh_status status = right_run(instance, run);
  if (status != RH_OK) self->own = self;
  return status;
}

/* V31 timeout: its kernel never ends. */
BUT_SETUP(hangs_in_kernel) {
  return right_setup_of(
      host, problem,
      RIGHT_KERNEL(WALK "__global volatile uint *word = (__global volatile uint *)result;"
                        "uint last = *word;"
                        "while (*word == last || *word != last) last = *word;",
                   STORE),
      instance);
}

/* V31 timeout: setup never returns. */
BUT_SETUP(hangs_in_setup) {
  while (right_setup(host, problem, values, instance) == RH_OK) pause();
  return RH_E_INTERNAL;
}

/* V37: the kernel is a static variable, so all instances use that of the last setup. */
static struct _cl_kernel *kernel;

SETUP(last_kernel) {
  RH_TRY(right_setup(host, problem, values, instance));
  const right *self = *instance;
  kernel = self->kernel;
  return RH_OK;
}

BUT_RUN(last_kernel, .setup = last_kernel_setup) {
  right *self = instance;
  self->kernel = kernel;
  return right_run(self, run);
}

/* V33: releases its own buffer in teardown, which is not called after a failed setup. */
SETUP(leaks_buffer_on_failure) {
  cl_int code;
  cl_mem buffer = clCreateBuffer(host->context, CL_MEM_READ_WRITE, 64, NULL, &code);
  if (code != CL_SUCCESS) return host->fail(host, RH_E_CL, code, "a buffer");
  RH_TRY(right_setup(host, problem, values, instance));
  ((right *)*instance)->own = buffer;
  return RH_OK;
}

BUT_TEARDOWN(leaks_buffer_on_failure, .setup = leaks_buffer_on_failure_setup) {
  clReleaseMemObject(((right *)instance)->own);
}

/* V33: frees its own memory in teardown, which is not called after a failed setup. */
SETUP(leaks_on_failure) {
  void *memory = malloc(1 << 16);
  if (!memory) return host->fail(host, RH_E_NOMEM, 0, "no memory");
  memset(memory, 1, 1 << 16);
  RH_TRY(right_setup(host, problem, values, instance));
  ((right *)*instance)->own = memory;
  return RH_OK;
}

BUT_TEARDOWN(leaks_on_failure, .setup = leaks_on_failure_setup) {
  free(((right *)instance)->own);
}

/* V36 crash|fail: its own thread still calls the host after teardown. */
static void *talk(void *of) {
  const rh_host *host = of;
  usleep(100000);
  host->log(host, RH_LOG_DEBUG, "still here");
  return NULL;
}

BUT_TEARDOWN(logs_afterwards) {
  pthread_t thread;
  right *self = instance;
  if (pthread_create(&thread, NULL, talk, (void *)(uintptr_t)self->host) == 0)
    pthread_detach(thread);
}

/* V32: from the 61st run on, the last element is lost. */
BUT_RUN(loses_one_late) {
  right *self = instance;
  uint64_t lost = self->runs++ >= 60 && run->n > 0;
  return right_launch(self, run, run->first, run->n - lost);
}

/* V32: every run leaks memory. */
BUT_RUN(memory_per_run) {
  enum { BYTES = 1 << 18 };
  char *volatile forgotten = malloc(BYTES);
  if (forgotten) memset(forgotten, 1, BYTES);
  return right_run(instance, run);
}

/* V37 crash|fail: the instance is a static variable. */
static right only;

BUT_SETUP(one_instance) {
  void *made;
  RH_TRY(right_setup(host, problem, values, &made));
  only = *(const right *)made;
  *instance = &only;
  return RH_OK;
}

/* V39 crash: calls a made-up function past the end of the 1.0 host table. */
typedef struct my_host {
  rh_host of_1_0;
  void (*progress)(const rh_host *, double done);
} my_host;

BUT_SETUP(own_fields) {
  const my_host *mine = (const my_host *)host;
  if (host->struct_size >= sizeof *mine) mine->progress(host, 0.0);
  return right_setup(host, problem, values, instance);
}

/* V38 crash: reads a field that was added to rh_device after 1.0, without RH_HAS. */
typedef struct reads_behind_device_newer {
  rh_device of_1_0;
  uint64_t appended;
} reads_behind_device_newer;

BUT_QUERY(reads_behind_device) {
  const volatile reads_behind_device_newer *there =
      (const volatile reads_behind_device_newer *)problem->device;
  (void)there->appended;
  return right_query(problem, values, answer);
}

/* V38 crash: reads a field that was added to rh_host after 1.0, without RH_HAS. */
typedef struct reads_behind_host_newer {
  rh_host of_1_0;
  uint64_t appended;
} reads_behind_host_newer;

BUT_SETUP(reads_behind_host) {
  const volatile reads_behind_host_newer *there = (const volatile reads_behind_host_newer *)host;
  (void)there->appended;
  return right_setup(host, problem, values, instance);
}

/* V38 crash: reads a field that was added to rh_op after 1.0, without RH_HAS. */
typedef struct reads_behind_op_newer {
  rh_op of_1_0;
  uint64_t appended;
} reads_behind_op_newer;

BUT_QUERY(reads_behind_op) {
  const volatile reads_behind_op_newer *there = (const volatile reads_behind_op_newer *)problem->op;
  (void)there->appended;
  return right_query(problem, values, answer);
}

/* V38 crash: reads a field that was added to rh_problem after 1.0, without RH_HAS. */
typedef struct reads_behind_problem_newer {
  rh_problem of_1_0;
  uint64_t appended;
} reads_behind_problem_newer;

BUT_SETUP(reads_behind_problem) {
  const volatile reads_behind_problem_newer *there =
      (const volatile reads_behind_problem_newer *)problem;
  (void)there->appended;
  return right_setup(host, problem, values, instance);
}

/* V38 crash: reads a field that was added to rh_run after 1.0, without RH_HAS. */
typedef struct reads_behind_run_newer {
  rh_run of_1_0;
  uint64_t appended;
} reads_behind_run_newer;

BUT_RUN(reads_behind_run) {
  const volatile reads_behind_run_newer *there = (const volatile reads_behind_run_newer *)run;
  (void)there->appended;
  return right_run(instance, run);
}

/* V34: never releases a reference to the input. */
BUT_RUN(retains_buffer) {
  right *self = instance;
  if (self->runs++ == 0) clRetainMemObject(run->input);
  return right_run(instance, run);
}

/* V34: never releases a reference to the host's context. */
BUT_SETUP(retains_context) {
  RH_TRY(right_setup(host, problem, values, instance));
  clRetainContext(host->context);
  return RH_OK;
}

/* V34: never releases a reference to its kernel. */
BUT_SETUP(retains_kernel) {
  RH_TRY(right_setup(host, problem, values, instance));
  clRetainKernel(((right *)*instance)->kernel);
  return RH_OK;
}

/* V34: never releases a reference to the host's queue. */
BUT_SETUP(retains_queue) {
  RH_TRY(right_setup(host, problem, values, instance));
  clRetainCommandQueue(host->queue);
  return RH_OK;
}

/* V35: run changes the rounding mode. */
BUT_RUN(rounds_in_run) {
#if defined(__x86_64__) || defined(__i386__)
  unsigned short word; /* inline assembly, because fesetround is in libm */
  __asm__ volatile("fnstcw %0" : "=m"(word));
  word = (unsigned short)(word | FE_UPWARD);
  __asm__ volatile("fldcw %0" : : "m"(word));
#else
  fesetround(FE_UPWARD);
#endif
  return right_run(instance, run);
}

/* V35: calls scratch() in run, where it is not allowed, and ignores the error. */
BUT_RUN(scratch_in_run) {
  const right *self = instance;
  struct _cl_mem *scratch;
  self->host->scratch(self->host, 64, &scratch);
  return right_run(instance, run);
}

/* V33: ignores a failed scratch() and reports success. */
BUT_SETUP(swallows_failures, .query = fills_in_setup_query) {
  struct _cl_mem *scratch;
  RH_TRY(right_setup(host, problem, values, instance));
  host->scratch(host, 64, &scratch);
  return RH_OK;
}

/* V31 crash: teardown requires that a run has set up its state. */
RUN(teardown_after_run) {
  right *self = instance;
  self->own = self;
  return right_run(instance, run);
}

BUT_TEARDOWN(teardown_after_run, .run = teardown_after_run_run) {
  right *self = instance, *last = self->own;
  last->runs = 0;
}

/* V36: leaves a thread behind. */
static void *wait(void *nothing) {
  pause();
  return nothing;
}

BUT_SETUP(thread_stays) {
  pthread_t thread;
  RH_TRY(right_setup(host, problem, values, instance));
  if (pthread_create(&thread, NULL, wait, NULL)) return RH_E_INTERNAL;
  pthread_detach(thread);
  return RH_OK;
}

/* V32: the 61st run fails. */
BUT_RUN(tires) {
  right *self = instance;
  if (self->runs++ >= 60)
    return self->host->fail(self->host, RH_E_INTERNAL, 0, "was run too often");
  return right_run(instance, run);
}

/* V32: from the 201st run on, the last element is lost. */
BUT_RUN(tires_later) {
  right *self = instance;
  return right_launch(self, run, run->first, run->n - (self->runs++ >= 200 && run->n > 0));
}

/* V33 crash: does not check whether alloc() failed. */
BUT_SETUP(trusts_alloc) {
  right *more = host->alloc(host, sizeof *more);
  more->max_n = problem->max_n;
  return right_setup(host, problem, values, instance);
}

/* V63 crash|fail: writes one value before its scratch memory. */
/* The partial values of all work-items, and one extra. */
SETUP(value_before_scratch) {
  static const char source[] =
      RIGHT_KERNEL(WALK, STORE) "__kernel void note(__global rh_value *notes, int last) {\n"
                                "  for (int k = 0; k < last; k++) notes[k] = rh_identity();\n"
                                "  notes[-1] = rh_identity();\n}\n";
  struct _cl_program *program;
  struct _cl_kernel *note;
  struct _cl_mem *notes;
  RH_TRY(right_begin(host, problem, instance));
  right *self = *instance;
  void **own = host->alloc(host, 2 * sizeof *own);
  if (!own) return RH_E_NOMEM;
  RH_TRY(host->build(host, "right.cl", source, "", &program));
  RH_TRY(rh_group_kernel(host, program, "right", self->group, &self->kernel));
  RH_TRY(host->kernel(host, program, "note", &note, NULL));
  RH_TRY(host->scratch(host, (uint64_t)RIGHT_GROUP * problem->op->value_size, &notes));
  own[0] = note;
  own[1] = notes;
  self->own = own;
  return RH_OK;
}

BUT_RUN(value_before_scratch, .setup = value_before_scratch_setup) {
  const right *self = instance;
  void **own = self->own;
  int32_t last = RIGHT_GROUP;
  rh_arg args[] = {{RH_ARG_BUFFER, sizeof own[1], &own[1]}, {RH_ARG_VALUE, sizeof last, &last}};
  RH_TRY(self->host->launch(self->host, own[0], 1, 1, args, 2, "note"));
  return right_run(instance, run);
}

/* V63: writes one value past its scratch memory. */
/* The partial values of all work-items, and one extra. */
BUT_SETUP(value_behind_scratch, .run = value_before_scratch_run) {
  static const char source[] =
      RIGHT_KERNEL(WALK, STORE) "__kernel void note(__global rh_value *notes, int last) {\n"
                                "  for (int k = 0; k < last; k++) notes[k] = rh_identity();\n"
                                "  notes[last] = rh_identity();\n}\n";
  struct _cl_program *program;
  struct _cl_kernel *note;
  struct _cl_mem *notes;
  RH_TRY(right_begin(host, problem, instance));
  right *self = *instance;
  void **own = host->alloc(host, 2 * sizeof *own);
  if (!own) return RH_E_NOMEM;
  RH_TRY(host->build(host, "right.cl", source, "", &program));
  RH_TRY(rh_group_kernel(host, program, "right", self->group, &self->kernel));
  RH_TRY(host->kernel(host, program, "note", &note, NULL));
  RH_TRY(host->scratch(host, (uint64_t)RIGHT_GROUP * problem->op->value_size, &notes));
  own[0] = note;
  own[1] = notes;
  self->own = own;
  return RH_OK;
}

RH_PLUGIN(&strategy_alloc_in_teardown, &strategy_buffer_per_run, &strategy_byte_before_alloc,
          &strategy_byte_behind_alloc, &strategy_exact_sizes, &strategy_fills_in_setup,
          &strategy_first_host, &strategy_first_index, &strategy_first_input,
          &strategy_first_result, &strategy_gives_up, &strategy_hangs_in_kernel,
          &strategy_hangs_in_setup, &strategy_last_kernel, &strategy_leaks_buffer_on_failure,
          &strategy_leaks_on_failure, &strategy_logs_afterwards, &strategy_loses_one_late,
          &strategy_memory_per_run, &strategy_one_instance, &strategy_own_fields,
          &strategy_reads_behind_device, &strategy_reads_behind_host, &strategy_reads_behind_op,
          &strategy_reads_behind_problem, &strategy_reads_behind_run, &strategy_retains_buffer,
          &strategy_retains_context, &strategy_retains_kernel, &strategy_retains_queue,
          &strategy_rounds_in_run, &strategy_scratch_in_run, &strategy_swallows_failures,
          &strategy_teardown_after_run, &strategy_thread_stays, &strategy_tires,
          &strategy_tires_later, &strategy_trusts_alloc, &strategy_value_before_scratch,
          &strategy_value_behind_scratch);
