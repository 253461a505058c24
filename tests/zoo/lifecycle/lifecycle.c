/* Faults of instances: V31 to V40, V60, V63. */
#include "../right.h"
#include "../rounding.h"

#include <CL/cl.h>
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

SETUP(with_name) {
  char *name = host->alloc(host, 13);
  if (!name) return RH_E_NOMEM;
  RH_TRY(right_setup(host, problem, values, instance));
  ((right *)*instance)->own = name;
  return RH_OK;
}

/* V63 crash|fail: writes one byte before the memory from alloc(). */
BUT_FIRST(byte_before_alloc, ((volatile char *)self->own)[-1] = 'x', .setup = with_name_setup);

/* V63: writes one byte past the memory from alloc(). */
BUT_FIRST(byte_behind_alloc, ((volatile char *)self->own)[13] = 'x', .setup = with_name_setup);

/* V39: refuses a host whose structs are larger than expected. */
BUT_SETUP(exact_sizes) {
  if (host->struct_size != sizeof(rh_host) || problem->struct_size != sizeof(rh_problem))
    return host->fail(host, RH_E_INVALID, 0, "built for another redhost");
  return right_setup(host, problem, values, instance);
}

QUERY(with_scratch) {
  RH_TRY(right_query(problem, values, answer));
  answer->scratch_bytes = 64;
  return RH_OK;
}

/* V35: clears its scratch memory in setup, where nothing may be enqueued, and ignores the error. */
BUT_SETUP(fills_in_setup, .query = with_scratch_query) {
  static const uint32_t zero;
  struct _cl_mem *scratch;
  RH_TRY(right_setup(host, problem, values, instance));
  RH_TRY(host->scratch(host, 64, &scratch));
  host->fill(host, scratch, 0, &zero, sizeof zero, 16);
  return RH_OK;
}

/* V37 crash|fail: uses the first instance's host for all instances. */
static const rh_host *first;
BUT_THEN(first_host, self->host = first = first ? first : host);

/* V60: uses the first run's result_index for all later ones. */
BUT_TOLD(first_index, if (self->runs++ == 0) self->own = (void *)(uintptr_t)run->result_index;
         told.result_index = (uintptr_t)self->own);

/* V60 crash|fail: uses the first run's input buffer for all later ones. */
BUT_TOLD(first_input, told.input = self->own = self->runs++ ? self->own : run->input);

/* V60 crash|fail: uses the first run's result buffer for all later ones. */
BUT_TOLD(first_result, told.result = self->own = self->runs++ ? self->own : run->result);

/* V40: after a failed run, every other run fails. */
BUT_RUN(gives_up) {
  right *self = instance;
  if (self->own) return self->host->fail(self->host, RH_E_INTERNAL, 0, "failed before");
  rh_status status = right_run(instance, run);
  if (status != RH_OK) self->own = self;
  return status;
}

/* V31 timeout: its kernel never ends. */
BUT_KERNEL(hangs_in_kernel,
           WALK "__global volatile uint *word = (__global volatile uint *)result;"
                "uint last = *word;"
                "while (*word == last || *word != last) last = *word;",
           STORE);

/* V31 timeout: setup never returns. */
BUT_SETUP(hangs_in_setup) {
  while (right_setup(host, problem, values, instance) == RH_OK) pause();
  return RH_E_INTERNAL;
}

/* V37: the kernel is a static variable, so all instances use that of the last setup. */
static struct _cl_kernel *kernel;

SETUP(last_kernel) {
  RH_TRY(right_setup(host, problem, values, instance));
  kernel = ((const right *)*instance)->kernel;
  return RH_OK;
}

BUT_FIRST(last_kernel, self->kernel = kernel, .setup = last_kernel_setup);

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

BUT_TEARDOWN(leaks_on_failure, .setup = leaks_on_failure_setup) { free(((right *)instance)->own); }

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
BUT_TOLD(loses_one_late, told.n -= self->runs++ >= 60 && run->n > 0);

/* V32: every run leaks memory. */
BUT_RUN(memory_per_run) {
  enum { BYTES = 1 << 18 };
  char *volatile forgotten = malloc(BYTES);
  if (forgotten) memset(forgotten, 1, BYTES);
  return right_run(instance, run);
}

/* V37 crash|fail: the instance is a static variable. */
static right only;
BUT_THEN(one_instance, only = *self; *instance = &only);

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

/* Reads what a later 1.x may append to a struct. */
#define READ_BEHIND(type, it)                                                                      \
  (void)((const volatile struct {                                                                  \
    type of_1_0;                                                                                   \
    uint64_t appended;                                                                             \
  } *)(it))                                                                                        \
      ->appended

/* V38 crash: reads a field that was added to rh_device after 1.0, without RH_HAS. */
BUT_ANSWER(reads_behind_device, READ_BEHIND(rh_device, problem->device));

/* V38 crash: reads a field that was added to rh_host after 1.0, without RH_HAS. */
BUT_THEN(reads_behind_host, READ_BEHIND(rh_host, host));

/* V38 crash: reads a field that was added to rh_op after 1.0, without RH_HAS. */
BUT_ANSWER(reads_behind_op, READ_BEHIND(rh_op, problem->op));

/* V38 crash: reads a field that was added to rh_problem after 1.0, without RH_HAS. */
BUT_THEN(reads_behind_problem, READ_BEHIND(rh_problem, problem));

/* V38 crash: reads a field that was added to rh_run after 1.0, without RH_HAS. */
BUT_FIRST(reads_behind_run, READ_BEHIND(rh_run, run));

/* V34: never releases a reference to the input. */
BUT_FIRST(retains_buffer, if (self->runs++ == 0) clRetainMemObject(run->input));

/* V34: never releases a reference to the host's context. */
BUT_THEN(retains_context, clRetainContext(host->context));

/* V34: never releases a reference to its kernel. */
BUT_THEN(retains_kernel, clRetainKernel(self->kernel));

/* V34: never releases a reference to the host's queue. */
BUT_THEN(retains_queue, clRetainCommandQueue(host->queue));

/* V35: run changes the rounding mode. */
BUT_FIRST(rounds_in_run, round_upward());

/* V35: calls scratch() in run, where it is not allowed, and ignores the error. */
BUT_FIRST(scratch_in_run, struct _cl_mem *scratch; self->host->scratch(self->host, 64, &scratch));

/* V33: ignores a failed scratch() and reports success. */
BUT_THEN(swallows_failures, struct _cl_mem *scratch;
         host->scratch(host, 64, &scratch), .query = with_scratch_query);

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
BUT_TOLD(tires_later, told.n -= self->runs++ >= 200 && run->n > 0);

/* V33 crash: does not check whether alloc() failed. */
BUT_SETUP(trusts_alloc) {
  right *more = host->alloc(host, sizeof *more);
  more->max_n = problem->max_n;
  return right_setup(host, problem, values, instance);
}

/* With notes for all work-items in scratch memory, and a kernel that writes them and one more. */
static rh_status set_up_notes(const rh_host *host, const rh_problem *problem, const char *options,
                              void **instance) {
  static const char source[] =
      RIGHT_KERNEL(WALK, STORE) "__kernel void note(__global rh_value *notes, int last) {\n"
                                "  for (int k = 0; k < last; k++) notes[k] = rh_identity();\n"
                                "  notes[AT] = rh_identity();\n}\n";
  struct _cl_program *program;
  struct _cl_kernel *note;
  struct _cl_mem *notes;
  RH_TRY(right_begin(host, problem, instance));
  right *self = *instance;
  void **own = host->alloc(host, 2 * sizeof *own);
  if (!own) return RH_E_NOMEM;
  RH_TRY(host->build(host, "right.cl", source, options, &program));
  RH_TRY(rh_group_kernel(host, program, "right", self->group, &self->kernel));
  RH_TRY(host->kernel(host, program, "note", &note, NULL));
  RH_TRY(host->scratch(host, (uint64_t)RIGHT_GROUP * problem->op->value_size, &notes));
  own[0] = note;
  own[1] = notes;
  self->own = own;
  return RH_OK;
}

RUN(with_notes) {
  const right *self = instance;
  void **own = self->own;
  int32_t last = RIGHT_GROUP;
  rh_arg args[] = {{RH_ARG_BUFFER, sizeof own[1], &own[1]}, {RH_ARG_VALUE, sizeof last, &last}};
  RH_TRY(self->host->launch(self->host, own[0], 1, 1, args, 2, "note"));
  return right_run(instance, run);
}

/* V63 crash|fail: writes one value before its scratch memory. */
BUT_SETUP(value_before_scratch, .run = with_notes_run) {
  return set_up_notes(host, problem, "-DAT=-1", instance);
}

/* V63: writes one value past its scratch memory. */
BUT_SETUP(value_behind_scratch, .run = with_notes_run) {
  return set_up_notes(host, problem, "-DAT=last", instance);
}

/* V60 crash|fail: host code that uses the first run's host_result for all later ones. */
ON_HOST(first_host_result) {
  right *self = instance;
  if (!self->own) self->own = run->host_result;
  return on_host_fold(self, run, self->own, run->first, run->n);
}

RIGHT_PLUGIN;
