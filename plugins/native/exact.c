/* superaccumulator: sums of floats, exact and rounded once, by the threads of native. */
#include "exact.h"
#include "pool.h"

#include <redhost/exact.h>
#include <redhost/kit.h>
#include <stdatomic.h>
#include <string.h>

static const char about[] =
    "The exact sum, rounded once, to nearest even: the same bits in any order, with any number of "
    "threads, and within half a unit of the last digit. Floating-point additions carry most of "
    "it: a block is added to running sums in doubles, and the processor's inexact flag says "
    "afterwards whether one of the additions has rounded. Where none did, that was all. Otherwise "
    "the block is taken back and added with more care: f32 in two classes of magnitude; f64 with "
    "what each addition loses (Knuth's TwoSum), or without the few elements that are much larger "
    "than the others; and at last as integers, to a bin for each exponent (Kulisch's long "
    "accumulator; Neal, Fast exact summation using small and large superaccumulators, 2015). Each "
    "thread has an accumulator of its own, and merging them loses nothing. redhost/exact.h is the "
    "code, for other plugins, too.";

enum { THREADS, SERIAL_BELOW, VECTORS, AWAKE };
static const rh_param params[] = {
    [THREADS] =
        RH_NUMBER("threads", 0, 0, 1024, "threads, including the caller's; 0: one per processor"),
    [SERIAL_BELOW] = {.key = "serial_below",
                      .doc = "bytes of input below which the caller works alone",
                      .max = (int64_t)1 << 40,
                      .initial = 1 << 18,
                      .step = 1,
                      .flags = RH_PARAM_NOT_TUNED},
    [VECTORS] = RH_CHOICE("vectors", "auto|512|256|128", 4, "the widest vectors used, in bits"),
    [AWAKE] = RH_NATIVE_AWAKE,
};

enum {
  LEAST_BLOCK = 16 * RH_EXACT_BLOCK, /* elements: long compared with the cost of taking it */
  BLOCKS_OF_A_THREAD = 16
};

/* A thread takes any that is free: there are as many as threads. */
typedef struct own {
  atomic_flag is_taken;
  rh_accumulator accumulator;
} own;

typedef struct exact {
  const rh_op *op;
  rh_type type;
  uint64_t size; /* of an element */
  uint64_t serial_below;
  uint32_t n_own;
  own *own;
  rh_native_pool *pool; /* null: the caller works alone */
  const unsigned char *input;
} exact;

/* Also of a map of the only operand, x or (f64)x.  Older hosts have none. */
static uint32_t id_of(const rh_op *op) {
  int is_map = RH_HAS(rh_op, op, form) && op->form == RH_FORM_ELEMENT && !op->n_operands;
  return is_map ? op->mapped_op : op->id;
}

static int is_sum(const rh_problem *problem) {
  uint32_t id = id_of(problem->op);
  return id == RH_OP_sum || id == RH_OP_asum;
}

static int is_of_floats(const rh_problem *problem) {
  return problem->type >= RH_TYPE_f16 && problem->type <= RH_TYPE_f64;
}

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  (void)values;
  if (!is_sum(problem)) return rh_decline(answer, RH_WHY_OP, "sums only: sum and asum");
  if (!is_of_floats(problem))
    return rh_decline(answer, RH_WHY_TYPE, "sums of floats only; those of integers are exact");
  answer->score = problem->device->kind & (RH_DEVICE_GPU | RH_DEVICE_ACCELERATOR) ? 150 : 800;
  answer->finishes_on_host = 1;
  answer->depth = 1;
  return RH_OK;
}

static void work(void *user, const rh_native_job *job, uint32_t block) {
  exact *self = user;
  uint64_t first = block * job->length;
  uint64_t n = job->n - first < job->length ? job->n - first : job->length;
  uint32_t k = 0;
  while (atomic_flag_test_and_set_explicit(&self->own[k].is_taken, memory_order_acquire))
    k = (k + 1) % self->n_own;
  rh_accumulator_add(&self->own[k].accumulator, self->input + first * self->size, n);
  atomic_flag_clear_explicit(&self->own[k].is_taken, memory_order_release);
}

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  static const unsigned bits[] = {0, 512, 256, 128};
  uint64_t bytes = problem->max_n * problem->op->element_size;
  unsigned threads = values[THREADS] ? (unsigned)values[THREADS] : rh_native_processors();
  if (!is_sum(problem) || !is_of_floats(problem))
    return host->fail(host, RH_E_INVALID, 0, "sums of floats only");
  if (bytes < (uint64_t)values[SERIAL_BELOW]) threads = 1;
  exact *self = host->alloc(host, sizeof *self);
  if (!self) return RH_E_NOMEM;
  self->op = problem->op;
  self->type = problem->type;
  self->size = problem->op->element_size;
  self->serial_below = (uint64_t)values[SERIAL_BELOW];
  self->n_own = threads;
  self->own = host->alloc(host, threads * sizeof *self->own);
  void *memory = threads > 1 ? host->alloc(host, rh_native_pool_bytes(threads)) : NULL;
  if (!self->own || (threads > 1 && !memory)) return RH_E_NOMEM;
  for (unsigned k = 0; k < threads; k++)
    rh_accumulator_init(&self->own[k].accumulator, self->type, id_of(problem->op) == RH_OP_asum,
                        bits[values[VECTORS]]);
  if (memory)
    self->pool =
        rh_native_pool_start(memory, threads, (uint64_t)values[AWAKE], work, self, &self->input);
  *instance = self;
  return RH_OK;
}

static uint64_t length_of_blocks(const exact *self, uint64_t n) {
  uint64_t length = rh_divide_up(n, (uint64_t)self->n_own * BLOCKS_OF_A_THREAD);
  length = rh_divide_up(length, RH_EXACT_BLOCK) * RH_EXACT_BLOCK;
  return length < LEAST_BLOCK ? LEAST_BLOCK : length;
}

static rh_status run(void *instance, const rh_run *run) {
  exact *self = instance;
  rh_exact_state state = {0};
  rh_native_job job = {run->n, run->n, 1};
  if (run->n == 0) {
    memcpy(run->host_result, self->op->identity, self->op->value_size);
    return RH_OK;
  }
  self->input = (const unsigned char *)run->host_input + run->first * self->size;
  if (self->pool && run->n * self->size >= self->serial_below) {
    job.length = length_of_blocks(self, run->n);
    job.blocks = (uint32_t)rh_divide_up(run->n, job.length);
  }
  if (job.blocks > 1) rh_native_pool_run(self->pool, &job);
  else work(self, &job, 0);
  for (uint32_t k = 0; k < self->n_own; k++)
    if (self->own[k].accumulator.n) rh_accumulator_take(&self->own[k].accumulator, &state);
  double wide = rh_exact_state_double(&state);
  float narrow = rh_exact_state_float(&state);
  if (self->op->value_size == sizeof wide) memcpy(run->host_result, &wide, sizeof wide);
  else memcpy(run->host_result, &narrow, sizeof narrow);
  return RH_OK;
}

static void teardown(void *instance) {
  exact *self = instance;
  if (self->pool) rh_native_pool_stop(self->pool);
}

const rh_strategy rh_native_superaccumulator = {
    RH_STRATEGY_SIZE,
    .name = "superaccumulator",
    .summary = "exact sums, rounded once, by threads and vectors on the host",
    .about = about,
    .version = "1.0",
    .author = "the redhost authors",
    .license = "MIT",
    .device_kinds = RH_DEVICE_HOST,
    .promises = RH_ROUNDS_ONCE,
    .determinism = RH_BITS_SAME_EVERYWHERE,
    RH_PARAMS(params),
    .query = query,
    .setup = setup,
    .run = run,
    .teardown = teardown,
    .extension = rh_serves_any,
};
