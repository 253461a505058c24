/* native: threads and vectors on the host; and superaccumulator, by the same threads. */
#define RH_PLUGIN_MIN_HOST_MINOR 2 /* RH_CANONICAL_ORDER, RH_ROUNDS_ONCE and other promises */
#include "native/contest.h"
#include "native/exact.h"
#include "native/layout.h"
#include "native/pool.h"
#include <redhost/canonical.h>
#include <redhost/kit.h>

#include <string.h>

static const char about[] =
    "What a careful program does without OpenCL, and so what the articles' devices have to beat on "
    "a CPU: the processor's widest vectors, several accumulators, and all its threads. The input "
    "is cut into blocks, whose number and length depend on n alone wherever the bits depend on "
    "them; threads that stay awake between calls take them in turn, and a tree combines their "
    "values in index order. Sums and products of floats, and user-defined operators that commute "
    "and round, are computed in the canonical order (docs/inside/bits.md), so that they have the "
    "same bits with any number of threads, any width of vectors, and on every device. Whether "
    "several threads pay for an array between 64 KiB and 4 MiB, and whether this processor reads "
    "faster in one page after the other, in eight of them in turn, or without reading far ahead, "
    "the first calls find out by trying them; whether vectors of 512 bits are faster than those of "
    "256 in as many registers, setup does. For argmin and argmax the extreme value is found first, "
    "and then located in the one block that contains it. Operators that do not commute are folded "
    "block by block in index order.";

enum { THREADS, SERIAL_BELOW, VECTORS, WALK, AWAKE };
static const rh_param params[] = {
    [THREADS] =
        RH_NUMBER("threads", 0, 0, 1024, "threads, including the caller's; 0: one per processor"),
    [SERIAL_BELOW] = {.key = "serial_below",
                      .doc = "bytes of input below which the caller works alone; -1: the first "
                             "calls find out, between 64 KiB and 4 MiB",
                      .min = -1,
                      .max = (int64_t)1 << 40,
                      .initial = -1,
                      .step = 1,
                      .flags = RH_PARAM_NOT_TUNED},
    [VECTORS] = RH_CHOICE("vectors", "auto|512|256|128|256vl", 5,
                          "the widest vectors used, in bits; 256vl: in the registers of AVX-512; "
                          "auto: the fastest of the processor's"),
    [WALK] = {.key = "walk",
              .doc =
                  "the way through memory: one page after the other, eight in turn, or one after "
                  "the other without reading far ahead; auto: the first blocks of a large input "
                  "find out",
              .choices = "auto|sequential|pages|in_step",
              .max = 3,
              .step = 1,
              .flags = RH_PARAM_NOT_TUNED},
    [AWAKE] = RH_NATIVE_AWAKE,
};

enum {
  /* A block is long compared with the cost of taking it; and short, where there are only a few. */
  BLOCK_BYTES = 1 << 16,
  SHORT_BLOCK_BYTES = 1 << 15,
  SHORT_BELOW = 1 << 20, /* bytes of input */
  MOST_BLOCKS = 1 << 10, /* so that blocks are short compared with n even with many threads */
  /* Where blocks decide nothing, they are longer, for each interrupts the stream from memory and
   * costs 40 ns in a cache; but each thread has some to give away, of a short job only one.  One is
   * searched again for the index of an element. */
  LONG_BLOCK_BYTES = 1 << 20,
  SEARCHED_BLOCK_BYTES = 1 << 15,
  BLOCKS_OF_A_THREAD = 16,
  BLOCKS_IF_SHORT = 2,
  BLOCK_MULTIPLE = 1 << 9, /* elements, so that every block is aligned like the start of the data */
  PAGES = 8,               /* that are read in turn, if so */
  LARGE_LOG = 25,          /* 32 MiB are more than most caches hold */
  LARGE_BYTES = 1 << LARGE_LOG,
  BLOCKS_RENEW = 1 << 16,
  ALONE_LOG = 16, /* below 64 KiB no other thread is worth its waking */
  ALL_LOG = 22,   /* and from 4 MiB on all are */
  CALLS_RENEW = 1 << 12,
  MOST_PARTS = 16
};
_Static_assert((int)MOST_BLOCKS <= (int)POOL_MOST_BLOCKS, "a ticket has no place for as many");

/* `pages` of the ways in a contest, the one that stays without a clear winner first: of all inputs;
 * and of those from memory whose loops can read in step. */
static const unsigned ways[] = {1, PAGES}, ways_in_step[] = {NATIVE_IN_STEP, 1, PAGES};

typedef struct native {
  const rh_op *whole, *op; /* op: by its elements blocks are cut */
  uint32_t n_parts;
  rh_native_part *parts;
  int64_t serial_below;
  uint64_t longest; /* elements of a block, where it may be longer than block_length(); or 0 */
  uint64_t takers;  /* threads, the caller included */
  uint64_t few;     /* the length of the block that so many elements make, and fewer */
  const rh_native_folder *direct; /* what folds so few without a block; or null */
  unsigned pages; /* that are read in turn, or another way of lanes.h; or the blocks find out */
  /* The classes go by the logarithm of the input's bytes: with all threads, or alone; and one page
   * after the other or several in turn, where all large inputs are one class. */
  rh_native_contest threads[ALL_LOG - ALONE_LOG], walks[LARGE_LOG - ALONE_LOG + 1];
  /* The one that blocks go by that find out, and its ways: `pages` of each. */
  rh_native_contest *walk;
  const unsigned *ways, *large_ways;
  rh_native_pool *pool; /* null: the caller works alone */
  uint64_t base;        /* where what the blocks make up begins, in the run */
  rh_native_layout layout;
  int is_layout; /* 1: a block is one of its blocks */
} native;

/* ---- Blocks: a function of n alone where the bits depend on them ---- */

static uint64_t shortest_block(const rh_op *op, uint64_t n) {
  uint64_t size = op->element_size ? op->element_size : BLOCK_BYTES;
  uint64_t elements = (n < SHORT_BELOW / size ? SHORT_BLOCK_BYTES : BLOCK_BYTES) / size;
  return elements < BLOCK_MULTIPLE ? BLOCK_MULTIPLE : elements;
}

/* A power of two of tiles, so that a block is a node of the canonical tree. */
static uint64_t block_length(const rh_op *op, uint64_t n) {
  uint64_t length = shortest_block(op, n);
  while (rh_divide_up(n, length) > MOST_BLOCKS) length *= 2;
  return length;
}

static uint64_t length_of_blocks(const native *self, uint64_t n) {
  if (n <= self->few) return self->few; /* a division would take longer than the reduction */
  uint64_t length = block_length(self->op, n);
  if (!self->longest) return length;
  uint64_t bytes = n * self->op->element_size;
  uint64_t most = bytes < 1 << ALL_LOG ? BLOCKS_IF_SHORT : BLOCKS_OF_A_THREAD;
  while (length < self->longest && n / length > most * self->takers) length *= 2;
  return length;
}

static uint64_t most_blocks(const rh_op *op, uint64_t max_n) {
  /* Fewer elements may be cut into shorter blocks, and so into more of them. */
  uint64_t blocks = rh_divide_up(max_n, shortest_block(op, 0));
  return blocks < MOST_BLOCKS ? blocks : MOST_BLOCKS;
}

/* The parts one after the other: a block's elements stay in a cache. */
static void fold_block(const native *self, uint32_t block, uint64_t first, uint64_t n,
                       unsigned pages) {
  for (const rh_native_part *p = self->parts; p < self->parts + self->n_parts; p++, pages = 1)
    rh_native_folder_block(&p->folder, first, n, pages,
                           p->values + (uint64_t)block * p->folder.op->value_size);
}

static void work(void *user, const rh_native_job *job, uint32_t block) {
  native *self = user;
  uint64_t first = block * job->length;
  uint64_t n = job->n - first < job->length ? job->n - first : job->length;
  uint32_t trial;
  if (self->is_layout) {
    rh_native_layout_block(&self->layout, block);
    return;
  }
  first += self->base;
  unsigned pages = self->parts[0].folder.pages;
  if (pages != NATIVE_BLOCKS_FIND_OUT) {
    fold_block(self, block, first, n, pages);
    return;
  }
  pages = self->ways[rh_native_contest_begin(self->walk, &trial)];
  double start = trial < CONTEST_OVER ? rh_native_seconds() : 0;
  fold_block(self, block, first, n, pages);
  if (trial < CONTEST_OVER)
    rh_native_contest_end(self->walk, trial, (rh_native_seconds() - start) / (double)n);
}

/* Neighbours in index order, so that the tree does not depend on which thread took which block. */
static void combine_blocks(const rh_native_part *p, uint32_t blocks) {
  const rh_op *op = p->folder.op;
  for (uint64_t apart = 1; apart < blocks; apart *= 2)
    for (uint64_t k = 0; k + apart < blocks; k += 2 * apart)
      rh_op_combine(op, p->values + k * op->value_size, p->values + (k + apart) * op->value_size);
}

/* ---- The strategy ---- */

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  const rh_op *op = problem->op;
  uint64_t length = block_length(op, problem->max_n), tile = rh_canonical_tile(op);
  (void)values;
  /* A GPU's data are in its own memory. */
  answer->score = problem->device->kind & (RH_DEVICE_GPU | RH_DEVICE_ACCELERATOR) ? 150 : 900;
  answer->finishes_on_host = 1;
  if (rh_problem_layout(problem)) RH_TRY(rh_native_layout_query(problem, answer));
  if (rh_native_folds_in_order(op, problem->type))
    answer->depth = (length < problem->max_n ? length : problem->max_n) +
                    rh_log2_up(most_blocks(op, problem->max_n));
  else answer->depth = rh_log2_up(tile) + rh_log2_up(rh_divide_up(problem->max_n, tile));
  return RH_OK;
}

static uint64_t most_elements(const rh_problem *problem) {
  const rh_layout *layout = rh_problem_layout(problem);
  if (!layout) return problem->max_n;
  return layout->segments > (UINT64_C(1) << 48) / (layout->longest + 1)
             ? UINT64_C(1) << 48
             : layout->segments * layout->longest;
}

/* The number of threads that the largest input has work for. */
static unsigned threads_for(const rh_problem *problem, const int64_t *values) {
  uint64_t n = most_elements(problem), blocks = most_blocks(problem->op, n);
  uint64_t threads = values[THREADS] ? (uint64_t)values[THREADS] : rh_native_processors();
  uint64_t bytes = n * problem->op->element_size, least = 1 << ALONE_LOG;
  if (values[SERIAL_BELOW] >= 0) least = (uint64_t)values[SERIAL_BELOW];
  if (bytes < least) return 1;
  return (unsigned)(threads < blocks ? threads : blocks);
}

/* The operators of one pass, each by loops of its own; 0: not all of them have such loops. */
static int take_apart(native *self, unsigned vectors, const rh_op *op) {
  if (!RH_HAS(rh_op, op, parts) || op->n_parts > MOST_PARTS) return 0;
  for (uint32_t k = 0; k < op->n_parts; k++) {
    const rh_op_part *from = &op->parts[k];
    rh_native_part *p = &self->parts[k];
    rh_native_folder_choose(&p->folder, vectors, from->op, from->op->mapped_type);
    p->value_at = from->value_at;
    p->index_at = from->index_at;
    if (!rh_native_folder_is_fast(&p->folder)) return 0;
  }
  self->n_parts = op->n_parts;
  return op->n_parts > 0;
}

static void choose_parts(native *self, unsigned vectors, const rh_problem *problem) {
  self->whole = self->op = problem->op;
  if (take_apart(self, vectors, problem->op)) return;
  self->n_parts = 1;
  self->parts[0] = (rh_native_part){.index_at = INDEX_AT};
  rh_native_folder_choose(&self->parts[0].folder, vectors, problem->op, problem->type);
  self->op = self->parts[0].folder.op;
}

static rh_status reserve_values(native *self, const rh_host *host, uint64_t blocks) {
  for (rh_native_part *p = self->parts; p < self->parts + self->n_parts; p++) {
    p->values = host->alloc(host, (blocks + 1) * p->folder.op->value_size);
    if (!p->values) return RH_E_NOMEM;
  }
  return RH_OK;
}

/* The contests that blocks are timed for.  From memory all ways read nearly alike, so that a small
 * gain is one. */
static void open_walks(native *self) {
  rh_native_contest *walk = &self->walks[LARGE_LOG - ALONE_LOG];
  for (uint32_t k = ALL_LOG - ALONE_LOG; k <= LARGE_LOG - ALONE_LOG && self->takers > 1; k++)
    self->walks[k].together = (uint32_t)self->takers;
  int can_step = rh_native_folder_can_step(&self->parts[0].folder);
  self->large_ways = can_step ? ways_in_step : ways;
  walk->ways = can_step ? 3 : 2;
  walk->part = 0.97;
}

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  static const unsigned pages_of[] = {NATIVE_BLOCKS_FIND_OUT, 1, PAGES, NATIVE_IN_STEP};
  unsigned threads = threads_for(problem, values);
  native *self = host->alloc(host, sizeof *self);
  if (!self) return RH_E_NOMEM;
  self->parts = host->alloc(host, MOST_PARTS * sizeof *self->parts);
  if (!self->parts) return RH_E_NOMEM;
  self->serial_below = values[SERIAL_BELOW];
  self->pages = pages_of[values[WALK]];
  choose_parts(self, (unsigned)values[VECTORS], problem);
  self->few = block_length(self->op, 1);
  if (self->n_parts == 1 && rh_native_folder_is_direct(&self->parts[0].folder))
    self->direct = &self->parts[0].folder;
  self->takers = threads;
  open_walks(self);
  /* The order of what the vector loops fold is canonical or does not matter. */
  if (self->n_parts == 1 && rh_native_folder_is_fast(&self->parts[0].folder))
    self->longest = (self->op->flags & RH_OP_INDEXED ? SEARCHED_BLOCK_BYTES : LONG_BLOCK_BYTES) /
                    self->op->element_size;
  void *memory = threads > 1 ? host->alloc(host, rh_native_pool_bytes(threads)) : NULL;
  if ((threads > 1 && !memory) ||
      reserve_values(self, host, most_blocks(self->op, problem->max_n)) != RH_OK)
    return RH_E_NOMEM;
  if (memory)
    self->pool = rh_native_pool_start(memory, threads, (uint64_t)values[AWAKE], work, self,
                                      &self->parts[0].folder.input);
  *instance = self;
  if (!rh_problem_layout(problem)) return RH_OK;
  self->layout =
      (rh_native_layout){.whole = self->whole, .parts = self->parts, .n_parts = self->n_parts};
  return rh_native_layout_setup(&self->layout, host, problem, threads);
}

/* It takes as few blocks as may be: nobody else takes any of them. */
static void alone(native *self, rh_native_job *job) {
  for (; job->blocks > 1 && job->length < self->longest; job->length *= 2)
    job->blocks = (job->blocks + 1) / 2;
  for (uint32_t block = 0; block < job->blocks; block++) work(self, job, block);
}

static uint64_t size_class(uint64_t bytes) { return rh_log2_up(bytes + 1) - 1 - ALONE_LOG; }

/* With all threads, or alone if that was clearly faster for inputs of this length.  Nothing is
 * learnt from calls while threads wake up: in a loop of short calls all trials would be over before
 * the first of them came, and being woken for nothing would lose against working alone.  Threads
 * that are asleep at every call, because there is time between calls, count with what they cost. */
static void as_measured(native *self, rh_native_job *job, uint64_t bytes) {
  uint32_t trial;
  rh_native_contest *contest = &self->threads[size_class(bytes)];
  if (rh_native_pool_is_waking(self->pool)) {
    rh_native_pool_run(self->pool, job);
    return;
  }
  rh_native_contest_renew(contest, 1, CALLS_RENEW);
  unsigned is_alone = rh_native_contest_begin(contest, &trial);
  double start = trial < CONTEST_OVER ? rh_native_seconds() : 0;
  if (is_alone) alone(self, job);
  else rh_native_pool_run(self->pool, job);
  if (trial < CONTEST_OVER)
    rh_native_contest_end(contest, trial, (rh_native_seconds() - start) / (double)bytes);
}

static void fold_with_threads(native *self, rh_native_job *job, uint64_t bytes) {
  if (!self->pool ||
      (self->serial_below >= 0 ? bytes < (uint64_t)self->serial_below : bytes < 1 << ALONE_LOG))
    alone(self, job);
  else if (self->serial_below >= 0 || bytes >= 1 << ALL_LOG) rh_native_pool_run(self->pool, job);
  else as_measured(self, job, bytes);
}

/* Nothing is learnt of the walk before it is known whether threads pay. */
static int threads_are_chosen(native *self, uint64_t bytes) {
  if (!self->pool) return 1;
  if (rh_native_pool_is_waking(self->pool)) return 0;
  return self->serial_below >= 0 ||
         atomic_load_explicit(&self->threads[size_class(bytes)].decided, memory_order_relaxed);
}

/* It is not written where it stays: every thread would ask for its line anew, beside the
 * input's. */
static void take_walk(native *self, unsigned pages) {
  rh_native_folder *folder = &self->parts[0].folder;
  if (folder->pages != pages) folder->pages = pages;
}

/* Several pages in turn, if that was clearly faster, as it may be from a cache, too: a sum of 2^18
 * u8 takes 0.8 of the time on a Zen 3.  Whole calls are timed: their blocks are few and short. */
static void try_whole(native *self, rh_native_job *job, uint64_t bytes) {
  uint32_t trial;
  rh_native_contest *walk = &self->walks[size_class(bytes)];
  rh_native_contest_renew(walk, 1, CALLS_RENEW);
  take_walk(self, ways[rh_native_contest_begin(walk, &trial)]);
  double start = trial < CONTEST_OVER ? rh_native_seconds() : 0;
  fold_with_threads(self, job, bytes);
  if (trial < CONTEST_OVER)
    rh_native_contest_end(walk, trial, (rh_native_seconds() - start) / (double)bytes);
}

/* Tries them by timing blocks, of which one call has enough for all trials. */
static void try_blocks(native *self, rh_native_job *job, uint64_t bytes) {
  uint64_t class = size_class(bytes < LARGE_BYTES ? bytes : LARGE_BYTES);
  rh_native_contest *walk = &self->walks[class];
  rh_native_contest_renew(walk, job->blocks, BLOCKS_RENEW);
  if (self->walk != walk) {
    self->walk = walk;
    self->ways = bytes < LARGE_BYTES ? ways : self->large_ways;
  }
  take_walk(self, NATIVE_BLOCKS_FIND_OUT);
  fold_with_threads(self, job, bytes);
}

static void fold_blocks(native *self, rh_native_job *job) {
  uint64_t bytes = job->n * self->op->element_size;
  int finds_out = self->pages == NATIVE_BLOCKS_FIND_OUT;
  if (finds_out && bytes >= 1 << ALL_LOG) {
    try_blocks(self, job, bytes);
  } else if (finds_out && bytes >= 1 << ALONE_LOG && threads_are_chosen(self, bytes)) {
    try_whole(self, job, bytes);
  } else {
    take_walk(self, finds_out ? 1 : self->pages);
    fold_with_threads(self, job, bytes);
  }
  for (uint32_t k = 0; k < self->n_parts; k++) combine_blocks(&self->parts[k], job->blocks);
}

/* With padding, of several parts. */
static void put_values(const native *self, unsigned char *result) {
  if (self->n_parts == 1 && self->whole->value_size == sizeof(uint64_t)) {
    memcpy(result, self->parts->values, sizeof(uint64_t)); /* mostly: without a call */
    return;
  }
  if (self->n_parts > 1) memcpy(result, self->whole->identity, self->whole->value_size);
  for (const rh_native_part *p = self->parts; p < self->parts + self->n_parts; p++)
    rh_native_part_put(p, p->values, result);
}

/* Elements `base` .. base+n-1 of the run that the folders took; indices count from `base`. */
static void reduce(native *self, uint64_t base, uint64_t n, unsigned char *result) {
  uint64_t length = length_of_blocks(self, n);
  self->base = base;
  if (n <= length) {
    fold_block(self, 0, base, n, 1);
  } else {
    rh_native_job job = {n, length, (uint32_t)rh_divide_up(n, length)};
    fold_blocks(self, &job);
    length = job.length;
  }
  for (const rh_native_part *p = self->parts; p < self->parts + self->n_parts; p++)
    rh_native_folder_place(&p->folder, length, base, n, p->values);
  put_values(self, result);
}

/* Giants one after the other, by all threads; then the rest. */
static void run_layout(native *self, const rh_run *run) {
  uint64_t size = self->whole->value_size;
  rh_native_job job = {run->n, 1, 0};
  rh_native_layout_begin(&self->layout, run, (unsigned)self->takers, &job.blocks);
  for (uint64_t s = 0; run->layout->longest >= self->layout.giant && s < run->layout->segments;
       s++) {
    uint64_t n = rh_layout_length(run->layout, s);
    if (rh_native_layout_is_giant(&self->layout, n))
      reduce(self, rh_layout_first(run->layout, s), n,
             (unsigned char *)run->host_result + s * size);
  }
  self->is_layout = 1;
  if (self->pool && job.blocks > 1) rh_native_pool_run(self->pool, &job);
  else
    for (uint32_t block = 0; block < job.blocks; block++) work(self, &job, block);
  self->is_layout = 0;
  rh_native_layout_end(&self->layout);
}

static rh_status run(void *instance, const rh_run *run) {
  native *self = instance;
  int has_layout = rh_run_layout(run) != NULL;
  if (self->direct && run->n - 1 < self->few && !has_layout) {
    rh_native_folder_directly(self->direct, run, run->host_result);
    return RH_OK;
  }
  if (run->n == 0 && !has_layout) {
    memcpy(run->host_result, self->whole->identity, self->whole->value_size);
    return RH_OK;
  }
  for (uint32_t k = 0; k < self->n_parts; k++) rh_native_folder_take(&self->parts[k].folder, run);
  if (has_layout) run_layout(self, run);
  else reduce(self, 0, run->n, run->host_result);
  return RH_OK;
}

static void teardown(void *instance) {
  native *self = instance;
  if (self->pool) rh_native_pool_stop(self->pool);
}

static const rh_strategy strategy = {
    RH_STRATEGY_SIZE,
    .name = "native",
    .summary = "threads and vectors on the host",
    .about = about,
    .version = "1.0",
    .author = "the redhost authors",
    .license = "MIT",
    .device_kinds = RH_DEVICE_HOST,
    .promises = RH_KEEPS_ORDER | RH_CANONICAL_ORDER | RH_KEEPS_FP_CONTROL | RH_SERVES_LAYOUTS,
    .determinism = RH_BITS_SAME_EVERYWHERE,
    RH_PARAMS(params),
    .query = query,
    .setup = setup,
    .run = run,
    .extension = rh_serves_any,
    .teardown = teardown,
};
RH_PLUGIN(&strategy, &rh_native_superaccumulator);
