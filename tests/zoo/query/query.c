/* Faults of query: V22 to V30, V59. */
#include "../right.h"

#include <CL/cl.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* V22: every query leaks memory. */
static struct answered {
  struct answered *before;
  uint64_t n;
  char room[1000];
} * all;

BUT_QUERY(allocates_in_query) {
  struct answered *note = malloc(sizeof *note);
  if (note) *note = (struct answered){all, problem->max_n, {0}};
  all = note;
  return right_query(problem, values, answer);
}

/* V28 crash: setup crashes for problems that query declines. */
QUERY(crashes_after_no) {
  if (problem->op->flags & RH_OP_INDEXED)
    return rh_decline(answer, RH_WHY_OP, "%s has an index", problem->op->name);
  return right_query(problem, values, answer);
}

static const char *const known = "an operator", *volatile unknown;

BUT_SETUP(crashes_after_no, .query = crashes_after_no_query) {
  const char *what = problem->op->flags & RH_OP_INDEXED ? unknown : known;
  if (*what == 0) return RH_E_INTERNAL;
  return right_setup(host, problem, values, instance);
}

/* V28: query accepts every operator, but setup declines all but sum, and does not call
 * host->fail(). */
BUT_SETUP(declines_without_a_word) {
  if (problem->op->id != RH_OP_sum) return RH_DECLINED;
  return right_setup(host, problem, values, instance);
}

/* V26 crash: divides by a parameter whose range begins with 0. */
enum { SHARE };
static const rh_param divides_by_parameter_params[] = {
    [SHARE] = RH_NUMBER("share", 1, 0, 64, "a part; 0: a crash")};

/* A division by zero does not raise it on every machine. */
static int32_t divide(int64_t by) {
  if (by == 0) __builtin_trap();
  return (int32_t)(64 / by % 2);
}

BUT_ANSWER(divides_by_parameter, answer->score = divide(values[SHARE]),
           RH_PARAMS(divides_by_parameter_params));

/* V28: query accepts every operator, but setup supports sum only. */
BUT_SETUP(fails_after_yes) {
  if (problem->op->id != RH_OP_sum)
    return host->fail(host, RH_E_INTERNAL, 0, "only sums are implemented");
  return right_setup(host, problem, values, instance);
}

/* V27 crash: divides by the number of levels of its tree, which is 0 for a group of 1. */
BUT_QUERY(group_of_one) {
  right shape;
  RH_TRY(right_plan(problem, &shape, answer));
  answer->score = divide((int64_t)rh_log2_up(shape.group));
  return RH_OK;
}

/* V25: treats every unknown operator as min. */
BUT_SETUP(guesses_operator) {
  if (problem->op->id <= RH_OP_affine) return right_setup(host, problem, values, instance);
  return right_setup_of(
      host, problem,
      RIGHT_KERNEL("mine = rh_load(input, 0);"
                   "for (ulong i = 0; i < n; i++) mine = min(mine, rh_load(input, i));",
                   STORE),
      instance);
}

/* V27: always uses 64 work-items and their local memory, even if the device has less. */
BUT_DEVICE(ignores_limits, device->max_group = RIGHT_GROUP; device->local_bytes = UINT64_MAX);

/* V59: its score grows once it has run. */
static int32_t learned = 1;

QUERY(learns) {
  RH_TRY(right_query(problem, values, answer));
  answer->score = learned;
  return RH_OK;
}

BUT_FIRST(learns, learned = 7, .query = learns_query);

/* V29: obtains more scratch memory than declared if its parameter has its greatest value. */
enum { PAD };
static const rh_param more_at_end_params[] = {[PAD] = RH_NUMBER("pad", 0, 0, 4096, "bytes")};

QUERY(more_at_end) {
  RH_TRY(right_query(problem, values, answer));
  answer->scratch_bytes = values[PAD] ? 64 : 0;
  return RH_OK;
}

BUT_SETUP(more_at_end, RH_PARAMS(more_at_end_params), .query = more_at_end_query) {
  struct _cl_mem *scratch;
  RH_TRY(right_setup(host, problem, values, instance));
  return values[PAD] ? host->scratch(host, (uint64_t)values[PAD], &scratch) : RH_OK;
}

/* V29: creates an OpenCL buffer that its answer does not declare. */
SETUP(more_buffers) {
  cl_int code;
  RH_TRY(right_setup(host, problem, values, instance));
  right *self = *instance;
  self->own = clCreateBuffer(host->context, CL_MEM_READ_WRITE, 4096, NULL, &code);
  return self->own ? RH_OK : host->fail(host, RH_E_CL, code, "a buffer");
}

BUT_TEARDOWN(more_buffers, .setup = more_buffers_setup) {
  const right *self = instance;
  clReleaseMemObject(self->own);
}

/* V29: launches its kernel twice, but declares one launch. */
BUT_FIRST(more_launches, RH_TRY(right_run(instance, run)));

/* V29: uses twice the declared local memory. */
BUT_THEN(more_local, self->local_bytes *= 2);

/* V29: obtains scratch memory that its answer does not declare. */
BUT_THEN(more_scratch, struct _cl_mem *more; RH_TRY(host->scratch(host, 4096, &more)));

/* V27 timeout: halves its group until it fits, which never happens without local memory. */
BUT_QUERY(never_fits) {
  volatile uint64_t group = RIGHT_GROUP;
  while (group * problem->op->value_size > problem->device->local_bytes) group = (group + 1) / 2;
  return right_query(problem, values, answer);
}

/* V24: declines with a reason but without a code. */
BUT_QUERY(no_code) {
  if (problem->op->flags & RH_OP_INDEXED)
    return rh_decline(answer, RH_WHY_NONE, "%s has an index", problem->op->name);
  return right_query(problem, values, answer);
}

/* V24: declines with a code but without a reason. */
BUT_QUERY(no_sentence) {
  if (problem->op->flags & RH_OP_INDEXED) {
    answer->why = RH_WHY_OP;
    return RH_DECLINED;
  }
  return right_query(problem, values, answer);
}

/* V30: counts in a variable that all threads share. */
static volatile uint64_t levels;

BUT_QUERY(one_at_a_time) {
  right shape;
  RH_TRY(right_plan(problem, &shape, answer));
  levels = 0;
  for (uint64_t width = 1; width < shape.group; width *= 2) {
    levels++;
    sched_yield(); /* so that other threads interfere even on few cores */
  }
  answer->depth = rh_divide_up(problem->max_n, shape.group) + levels;
  return RH_OK;
}

/* V23 crash: its table lacks an entry for one operator and type. */
static const int32_t one = 1, *volatile none;

BUT_ANSWER(one_pair_crashes,
           answer->score = *(problem->op->id == RH_OP_prod && problem->type == RH_TYPE_f16 ? none
                                                                                           : &one));

/* V22: calls OpenCL in query. */
BUT_QUERY(opencl_in_query) {
  cl_uint n = 0;
  if (clGetPlatformIDs(0, NULL, &n) != CL_SUCCESS || n == 0)
    return rh_decline(answer, RH_WHY_DRIVER, "there is no OpenCL platform");
  return right_query(problem, values, answer);
}

/* V22: one of 65536 identical questions gets another answer. */
static uint64_t rare_answer_asked;

BUT_ANSWER(rare_answer,
           answer->score = __atomic_add_fetch(&rare_answer_asked, 1, __ATOMIC_RELAXED) % 65536 ? 1
                                                                                               : 2);

/* V59: its score depends on the address of the question. */
BUT_ANSWER(score_by_address, answer->score = (int32_t)((uintptr_t)problem->device / 16 % 2));

/* V59: its score depends on a random number, rarely. */
BUT_ANSWER(score_by_chance, answer->score = random() % 1000000 ? 1 : 2);

/* V59: its score depends on the clock. */
BUT_ANSWER(score_by_clock, answer->score = (int32_t)(time(NULL) / 3600 % 1000));

/* V59: its score depends on the time-stamp counter, once a second. */
static int32_t second(void) {
#if defined(__x86_64__)
  return (int32_t)((__builtin_ia32_rdtsc() >> 31) % 1000);
#else
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int32_t)(now.tv_sec % 1000);
#endif
}

BUT_ANSWER(score_by_counter, answer->score = second());

/* V59: its score depends on the environment, which it reads without a library call. */
extern char **environ;

static int32_t variables(void) {
  int32_t n = 0;
  while (environ[n]) n++;
  return n % 1000;
}

BUT_ANSWER(score_by_environ, answer->score = variables());

/* V59: its score depends on a file. */
static int32_t from_file(void) {
  int score = 1;
  FILE *file = fopen("/proc/uptime", "re");
  if (file && fscanf(file, "%d", &score) != 1) score = 1;
  if (file) fclose(file);
  return score;
}

BUT_ANSWER(score_by_file, answer->score = from_file());

/* V59: its score depends on the previous question. */
static volatile uint64_t last;

static int32_t compare(uint64_t n) {
  uint64_t before = last;
  last = n;
  return before > n;
}

BUT_ANSWER(score_by_last_question, answer->score = compare(problem->max_n));

/* V59: its score depends on its load address. */
static const int32_t anything = 1;

BUT_ANSWER(score_by_load_address, answer->score = (int32_t)((uintptr_t)&anything >> 12 & 511));

/* V59: its score depends on a file that it opens by a raw system call. */
/* Not through the C library, whose functions can be intercepted by name. */
static long open_raw(const char *path) {
#if defined(__x86_64__)
  long result;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(257L), "D"((long)AT_FDCWD), "S"(path), "d"((long)O_RDONLY)
                   : "rcx", "r11", "memory");
  return result;
#else
  return open(path, O_RDONLY);
#endif
}

BUT_ANSWER(score_by_raw_file, answer->score = open_raw("/proc/uptime") >= 0 ? 7 : 1);

/* V59: its score depends on the calling thread. */
static __thread int32_t score_by_thread_asked __attribute__((tls_model("global-dynamic")));

BUT_ANSWER(score_by_thread,
           answer->score = (score_by_thread_asked = score_by_thread_asked ? score_by_thread_asked
                                                                          : 7) +
                           (int32_t)((uintptr_t)&score_by_thread_asked >> 12 & 255));

/* V59: its score depends on an environment variable. */
BUT_ANSWER(score_by_variable, answer->score = getenv("SCORE_OF_MINE") ? 7 : 1);

/* V22: answers the same question differently the second time. */
static int32_t second_thoughts_asked;

BUT_ANSWER(second_thoughts, answer->score = second_thoughts_asked++ % 2);

/* V25 crash: looks up an operator in a table without checking that it was found. */
static const char *volatile no_entry;

#define RH_X(name, number, more)                                                                   \
  case number: return #name;
static const char *name_of_operator(uint32_t id) {
  switch (id) { RH_OP_LIST(RH_X) }
  return no_entry;
}

static const char *name_of_type(rh_type type) {
  switch (type) { RH_TYPE_LIST(RH_X) }
  return no_entry;
}
#undef RH_X

BUT_QUERY(table_by_operator) {
  if (strcmp(name_of_operator(problem->op->id), "affine") == 0)
    return rh_decline(answer, RH_WHY_OP, "affine does not commute");
  return right_query(problem, values, answer);
}

/* V25 crash: looks up a type in a table without checking that it was found. */
BUT_QUERY(table_by_type) {
  int32_t score = *name_of_type(problem->type) == 'u';
  RH_TRY(right_query(problem, values, answer));
  answer->score = score;
  return RH_OK;
}

RIGHT_PLUGIN;
