/* Correct: it undoes every change to the process, and releases all its OpenCL objects. */
#include "../right.h"
#include <CL/cl.h>
#include <fcntl.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

typedef struct tidy {
  right base; /* first, because right.h casts the instance to it */
  cl_command_queue queue;
  cl_mem buffer;
  int file;
} tidy;

enum { BUFFER_BYTES = 1 << 20 };

/* Memory obtained without the host's services is declared like any other. */
QUERY(tidy) {
  RH_TRY(right_query(problem, values, answer));
  answer->scratch_bytes = BUFFER_BYTES;
  return RH_OK;
}

static void *do_nothing(void *nothing) { return nothing; }

static void start_and_join(void) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, do_nothing, NULL) == 0) pthread_join(thread, NULL);
}

static void open_and_close(void) {
  int file = open("/dev/zero", O_RDONLY | O_CLOEXEC);
  if (file >= 0) close(file);
}

static void change_and_restore(void) {
  locale_t own = newlocale(LC_ALL_MASK, "C.UTF-8", (locale_t)0), before = uselocale(own);
  sigset_t all, mask;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &mask);
  pthread_sigmask(SIG_SETMASK, &mask, NULL);
  uselocale(before);
  if (own) freelocale(own);
}

/* Creates and uses its own queue and buffer. */
static rh_status begin_directly(tidy *self, const rh_host *host) {
  const cl_uint word = 1;
  cl_int code;
  self->queue = clCreateCommandQueue(host->context, host->device, 0, &code);
  if (code != CL_SUCCESS) return host->fail(host, RH_E_CL, code, "creating a queue");
  self->buffer = clCreateBuffer(host->context, CL_MEM_READ_WRITE, BUFFER_BYTES, NULL, &code);
  if (code == CL_SUCCESS)
    code = clEnqueueWriteBuffer(self->queue, self->buffer, CL_TRUE, 0, sizeof word, &word, 0, NULL,
                                NULL);
  if (code == CL_SUCCESS) return RH_OK;
  if (self->buffer) clReleaseMemObject(self->buffer);
  clReleaseCommandQueue(self->queue);
  return host->fail(host, RH_E_CL, code, "filling a buffer");
}

SETUP(tidy) {
  start_and_join();
  open_and_close();
  change_and_restore();
  tidy *self = host->alloc(host, sizeof *self);
  rh_answer answer = {0};
  if (!self) return RH_E_NOMEM;
  *instance = self;
  self->base.host = host;
  if (right_plan(problem, &self->base, &answer) != RH_OK)
    return host->fail(host, RH_DECLINED, 0, answer.reason);
  RH_TRY(right_build(&self->base, RIGHT_KERNEL(WALK, STORE), ""));
  RH_TRY(begin_directly(self, host));
  self->file = open("/dev/zero", O_RDONLY | O_CLOEXEC); /* open until teardown */
  return RH_OK;
}

RUN(tidy) {
  start_and_join();
  open_and_close();
  change_and_restore();
  return right_run(instance, run);
}

BUT_TEARDOWN(tidy, .summary = "leaves everything as it was", .query = tidy_query,
             .setup = tidy_setup, .run = tidy_run) {
  tidy *self = instance;
  change_and_restore();
  if (self->file >= 0) close(self->file);
  clReleaseMemObject(self->buffer);
  clReleaseCommandQueue(self->queue);
}

RIGHT_PLUGIN;
