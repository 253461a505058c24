/* native: threads and vectors on the host. */
#define RH_PLUGIN_MIN_HOST_MINOR 2 /* RH_CANONICAL_ORDER */
#include "native/contest.h"
#include "native/lanes.h"
#include "native/order.h"
#include "native/pool.h"
#include "native/tiles.h"
#include <redhost/canonical.h>
#include <redhost/kit.h>

#include <string.h>

static const char about[] =
    "What a careful program does without OpenCL, and so what the articles' devices have to beat on "
    "a CPU: the processor's widest vectors, several accumulators, and all its threads. The input "
    "is cut into blocks, whose number and length depend on n alone; threads that stay awake "
    "between calls take them in turn, and a tree combines their values in index order. Sums and "
    "products of floats, and user-defined operators that commute and round, are computed in the "
    "canonical order (docs/bits.md), so that they have the same bits with any number of threads, "
    "any width of vectors, and on every device. Whether several threads pay for an array between "
    "64 KiB and 4 MiB, and whether this processor reads memory faster in one page after the other "
    "or in eight of them in turn, the first calls find out by trying both. For argmin and argmax "
    "the extreme value is found first, and then located in the one block that contains it. "
    "Operators that do not commute are folded block by block in index order.";

enum { THREADS, SERIAL_BELOW, VECTORS, WALK, AWAKE };
enum { SEQUENTIAL = 1, IN_PAGES = 2 }; /* of `walk` */
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
    [VECTORS] = RH_CHOICE("vectors", "auto|512|256|128", 4,
                          "the widest vectors used, in bits; auto: the processor's"),
    [WALK] = {.key = "walk",
              .doc =
                  "the way through memory: one page after the other, or eight in turn; auto: the "
                  "first blocks of a large input find out",
              .choices = "auto|sequential|pages",
              .max = IN_PAGES,
              .step = 1,
              .flags = RH_PARAM_NOT_TUNED},
    [AWAKE] = {.key = "awake_us",
               .doc = "microseconds that threads stay awake after a call, waiting for the next "
                      "one; each of them keeps a processor busy meanwhile",
               .max = 10000000,
               .initial = 100,
               .step = 1,
               .flags = RH_PARAM_NOT_TUNED},
};

/* How a block is folded. */
enum { BY_FOLD, BY_BYTES, BY_KEY, BY_OPERATOR, BY_CANONICAL, BY_TILES, BY_REDUCE };

enum {
  /* A block is long compared with the cost of taking it; and short, where there are only a few. */
  BLOCK_BYTES = 1 << 16,
  SHORT_BLOCK_BYTES = 1 << 15,
  SHORT_BELOW = 1 << 20,   /* bytes of input */
  MOST_BLOCKS = 1 << 10,   /* so that blocks are short compared with n even with many threads */
  BLOCK_MULTIPLE = 1 << 9, /* elements, so that every block is aligned like the start of the data */
  TILE_ROWS = 4,
  PAGES = 8,             /* that are read in turn, if so */
  LARGE_BYTES = 1 << 25, /* more than most caches hold */
  LARGE_RENEW = 1 << 16, /* blocks */
  ALONE_LOG = 16,        /* below 64 KiB no other thread is worth its waking */
  ALL_LOG = 22,          /* and from 4 MiB on all are */
  CALLS_RENEW = 1 << 12
};
_Static_assert((int)MOST_BLOCKS <= (int)POOL_MOST_BLOCKS, "a ticket has no place for as many");

typedef struct native {
  const rh_op *op;
  rh_type type;
  const rh_op *user; /* an operator over mapped elements, of which `mapped` are folded; or null */
  rh_op mapped;
  uint32_t form; /* of the map, RH_FORM_* */
  int how;
  uint32_t key_bytes;
  const rh_native_lanes *lanes;
  rh_native_fold *fold;
  rh_native_tile_of *tile;
  rh_native_fold_rows *fold_rows; /* with tiles of the operands' rows; or null */
  rh_native_range_of *range;
  int wanted; /* of the range */
  /* What is computed in registers of two operands, which the caller of a run finds; or null. */
  rh_native_fold_two *sum_of;
  rh_native_distances *distances;
  const unsigned char *operands[2];
  int64_t serial_below;
  unsigned pages; /* that are read in turn; 0: as `walks` says */
  rh_native_contest walks;
  /* With all threads, or alone: by the logarithm of the input's bytes. */
  rh_native_contest threads[ALL_LOG - ALONE_LOG];
  uint64_t length;       /* of the job's blocks: the caller writes it before the job begins */
  rh_native_pool *pool;  /* null: the caller works alone */
  unsigned char *values; /* of the blocks */
} native;

/* ---- Blocks: a function of n alone, or the bits would depend on more ---- */

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

static uint64_t most_blocks(const rh_op *op, uint64_t max_n) {
  /* Fewer elements may be cut into shorter blocks, and so into more of them. */
  uint64_t blocks = rh_divide_up(max_n, shortest_block(op, 0));
  return blocks < MOST_BLOCKS ? blocks : MOST_BLOCKS;
}

/* ---- What an operator is ---- */

static int is_64_bit(rh_type type) {
  return type == RH_TYPE_i64 || type == RH_TYPE_u64 || type == RH_TYPE_f64;
}
static int is_float(rh_type type) {
  return type >= RH_TYPE_f16;
}

/* The ABI's numbers never change their meaning; user-defined operators have other numbers. */
static int how_to_fold(const rh_op *op, rh_type type) {
  int otherwise =
      op->flags & RH_OP_COMMUTATIVE && !(op->flags & RH_OP_EXACT) ? BY_CANONICAL : BY_OPERATOR;
  if (type == 0 || type >= NATIVE_TYPES) return otherwise;
  switch (op->id) {
  case RH_OP_sum:
  case RH_OP_asum: return BY_FOLD;
  case RH_OP_prod:
    if (!is_float(type)) return BY_FOLD;
    return op->value_size == NATIVE_PROD_BYTES ? BY_TILES : BY_CANONICAL;
  case RH_OP_and:
  case RH_OP_or:
  case RH_OP_xor: return is_float(type) ? BY_OPERATOR : BY_BYTES;
  case RH_OP_min:
  case RH_OP_max:
  case RH_OP_amax:
  case RH_OP_argmin:
  case RH_OP_argmax:
  case RH_OP_argamax: return BY_KEY;
  default: return otherwise;
  }
}

static uint32_t size_of(rh_type type) {
  static const uint32_t sizes[NATIVE_TYPES] = {0, 1, 1, 2, 2, 4, 4, 8, 8, 2, 4, 8};
  return type < NATIVE_TYPES ? sizes[type] : 0;
}

static uint32_t form_of(const rh_op *op) {
  return RH_HAS(rh_op, op, form_operands) ? op->form : RH_FORM_OTHER;
}

static int is_sum(uint32_t op) {
  return op == RH_OP_sum || op == RH_OP_asum;
}

/* Elements of a user's operator that the built-in one's loops can fold: not to be located again by
 * their index, unless they are an operand's; and, but for sums, with tiles of as many elements as
 * its operands' where the order counts. */
static int folds_mapped(const rh_op *op) {
  if (!RH_HAS(rh_op, op, map) || !op->map) return 0;
  if (op->flags & RH_OP_INDEXED && form_of(op) != RH_FORM_ELEMENT) return 0;
  return op->flags & RH_OP_EXACT || size_of(op->mapped_type) == op->element_size ||
         (is_sum(op->mapped_op) && is_float(op->mapped_type) && op->mapped_type != RH_TYPE_f16);
}

static rh_native_fold *fold_of(const rh_native_lanes *lanes, uint32_t op, rh_type type) {
  switch (op) {
  case RH_OP_sum: return lanes->sum[type];
  case RH_OP_asum: return lanes->asum[type];
  case RH_OP_prod: return lanes->prod[type];
  case RH_OP_and: return lanes->and_bytes;
  case RH_OP_or: return lanes->or_bytes;
  default: return lanes->xor_bytes;
  }
}

static int extremes_of(uint32_t op) {
  switch (op) {
  case RH_OP_min:
  case RH_OP_argmin: return NATIVE_LEAST;
  case RH_OP_max:
  case RH_OP_argmax: return NATIVE_MOST;
  default: return NATIVE_LEAST | NATIVE_MOST;
  }
}

/* ---- One block ---- */

/* Combines the elements of a word to one element, as the scalar that the host holds. */
static uint64_t narrow(const native *self, uint64_t word) {
  uint32_t bits = 8 * self->op->element_size;
  for (uint32_t half = 32; half >= bits; half /= 2) {
    uint64_t upper = word >> half;
    word = self->op->id == RH_OP_and  ? word & upper
           : self->op->id == RH_OP_or ? word | upper
                                      : word ^ upper;
  }
  if (bits == 64) return word;
  uint64_t sign = (uint64_t)1 << (bits - 1), low = word & (2 * sign - 1);
  return self->type % 2 == 1 ? (low ^ sign) - sign : low; /* i8, i16, ... have odd numbers */
}

static void store(const native *self, uint64_t word, unsigned char *value) {
  uint32_t half = (uint32_t)word;
  if (self->key_bytes == sizeof half)
    memcpy(value, &half, sizeof half);
  else
    memcpy(value, &word, sizeof word);
}

static uint64_t stored(const native *self, const unsigned char *value) {
  uint32_t half;
  uint64_t word;
  memcpy(&half, value, sizeof half);
  if (self->key_bytes == sizeof half) return half;
  memcpy(&word, value, sizeof word);
  return word;
}

/* The offset of the index in a value of arg*. */
enum { INDEX_AT = 8 };

/* The value of n >= 1 elements from element `first` of x on.  A value of arg* has `first` as its
 * index until find_place() corrects it. */
static void fold_elements(const native *self, const unsigned char *x, uint64_t first, uint64_t n,
                          unsigned pages, unsigned char *value) {
  const rh_op *op = self->op;
  const unsigned char *from = x + first * op->element_size;
  rh_native_range range;
  uint64_t word;
  switch (self->how) {
  case BY_FOLD: self->fold(from, n, pages, value); return;
  case BY_BYTES:
    self->fold(from, n * op->element_size, pages, &word);
    store(self, narrow(self, word), value);
    return;
  case BY_KEY:
    self->range(from, n, self->wanted, pages, &range);
    store(self, rh_native_key(op->id, self->type, &range), value);
    if (op->flags & RH_OP_INDEXED) memcpy(value + INDEX_AT, &first, sizeof first);
    return;
  case BY_TILES: rh_native_tiles(op, self->tile, x, first, n, value); return;
  case BY_CANONICAL: rh_canonical_fold(op, x, first, n, value); return;
  default: memcpy(value, op->identity, op->value_size); op->fold(value, x, first, n);
  }
}

/* Consecutive values of as many elements each: a binary counter, as for the tiles of the canonical
 * order, of which each is a node. */
typedef struct pieces {
  _Alignas(16) unsigned char nodes[48][16];
  uint64_t count;
} pieces;

static void append_piece(const rh_op *op, pieces *to, unsigned char *value) {
  uint32_t k = 0;
  for (; to->count >> k & 1; k++) {
    op->combine(to->nodes[k], value);
    memcpy(value, to->nodes[k], op->value_size);
  }
  memcpy(to->nodes[k], value, op->value_size);
  to->count++;
}

static void join_pieces(const rh_op *op, pieces *all, unsigned char *value) {
  uint32_t k = 0;
  while (!(all->count >> k & 1)) k++;
  memcpy(value, all->nodes[k], op->value_size);
  for (k++; all->count >> k; k++) {
    if (!(all->count >> k & 1)) continue;
    op->combine(all->nodes[k], value);
    memcpy(value, all->nodes[k], op->value_size);
  }
}

/* A piece at a time, which stays in the nearest cache. */
static void fold_mapped(const native *self, const unsigned char *x, uint64_t first, uint64_t n,
                        unsigned char *value) {
  enum { PIECE_BYTES = 1 << 14 };
  _Alignas(64) unsigned char piece[PIECE_BYTES];
  _Alignas(16) unsigned char one[16];
  const uint64_t most = PIECE_BYTES / self->op->element_size;
  pieces all;
  all.count = 0;
  for (const uint64_t end = first + n; first < end; first += most) {
    uint64_t count = end - first < most ? end - first : most;
    self->user->map(self->user, x, first, count, piece);
    if (self->fold_rows)
      self->fold_rows(piece, count, rh_canonical_tile(self->user) / TILE_ROWS, one);
    else
      fold_elements(self, piece, 0, count, 1, one);
    append_piece(self->op, &all, one);
  }
  join_pieces(self->op, &all, value);
}

/* 0: it cannot be done. */
static int fold_in_registers(const native *self, uint64_t first, uint64_t n, unsigned pages,
                             unsigned char *value) {
  const unsigned char *a = self->operands[0] + first * self->op->element_size;
  const unsigned char *b = self->operands[1] + first * self->op->element_size;
  rh_native_range range;
  if (self->sum_of) {
    self->sum_of(a, b, n, pages, value);
    return 1;
  }
  if (!self->distances || n < NATIVE_LEAST_DISTANCES) return 0;
  self->distances(a, b, n, self->wanted, pages, &range);
  store(self, rh_native_key(self->op->id, self->type, &range), value);
  return 1;
}

static void fold_block(const native *self, const unsigned char *x, uint64_t first, uint64_t n,
                       unsigned pages, unsigned char *value) {
  if (self->operands[0] && fold_in_registers(self, first, n, pages, value)) return;
  if (self->user && self->form != RH_FORM_ELEMENT)
    fold_mapped(self, x, first, n, value);
  else if (self->how == BY_REDUCE)
    self->op->reduce(self->op, x, first, n, value);
  else
    fold_elements(self, x, first, n, pages, value);
}

/* Replaces the index of the block's first element by the index of the element itself. */
static void find_place(const native *self, const unsigned char *x, uint64_t n,
                       unsigned char *value) {
  uint64_t first, length = block_length(self->op, n);
  memcpy(&first, value + INDEX_AT, sizeof first);
  if (length > n - first) length = n - first;
  first += rh_native_locate(self->lanes, self->op->id, self->type,
                            x + first * self->op->element_size, length, stored(self, value));
  memcpy(value + INDEX_AT, &first, sizeof first);
}

static void work(void *user, const rh_native_job *job, uint32_t block) {
  native *self = user;
  uint64_t length = self->length, first = block * length;
  uint64_t n = job->n - first < length ? job->n - first : length;
  unsigned char *value = self->values + (uint64_t)block * self->op->value_size;
  uint32_t trial;
  if (self->pages || job->n * self->op->element_size < LARGE_BYTES) {
    fold_block(self, job->input, first, n, self->pages ? self->pages : 1, value);
    return;
  }
  unsigned pages = rh_native_contest_begin(&self->walks, &trial) ? PAGES : 1;
  double start = trial < CONTEST_OVER ? rh_native_seconds() : 0;
  fold_block(self, job->input, first, n, pages, value);
  if (trial < CONTEST_OVER)
    rh_native_contest_end(&self->walks, trial, (rh_native_seconds() - start) / (double)n);
}

/* ---- The strategy ---- */

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  const rh_op *op = problem->op;
  uint64_t length = block_length(op, problem->max_n), tile = rh_canonical_tile(op);
  (void)values;
  /* A GPU's data are in its own memory. */
  answer->score = problem->device->kind & (RH_DEVICE_GPU | RH_DEVICE_ACCELERATOR) ? 150 : 900;
  answer->finishes_on_host = 1;
  if (how_to_fold(op, problem->type) == BY_OPERATOR)
    answer->depth = (length < problem->max_n ? length : problem->max_n) +
                    rh_log2_up(most_blocks(op, problem->max_n));
  else
    answer->depth = rh_log2_up(tile) + rh_log2_up(rh_divide_up(problem->max_n, tile));
  return RH_OK;
}

/* The number of threads that the largest input has work for. */
static unsigned threads_for(const rh_problem *problem, const int64_t *values) {
  uint64_t blocks = most_blocks(problem->op, problem->max_n);
  uint64_t threads = values[THREADS] ? (uint64_t)values[THREADS] : rh_native_processors();
  uint64_t bytes = problem->max_n * problem->op->element_size, least = 1 << ALONE_LOG;
  if (values[SERIAL_BELOW] >= 0) least = (uint64_t)values[SERIAL_BELOW];
  if (bytes < least) return 1;
  return (unsigned)(threads < blocks ? threads : blocks);
}

/* What is folded: the input's elements, or those that a user's operator maps them to. */
static void choose_elements(native *self, const rh_problem *problem) {
  const rh_op *op = problem->op;
  self->op = op;
  self->type = problem->type;
  if (folds_mapped(op)) {
    self->user = op;
    if (size_of(op->mapped_type) == op->element_size) self->form = form_of(op);
    self->mapped = *op;
    self->mapped.id = op->mapped_op;
    self->mapped.element_size = size_of(op->mapped_type);
    self->op = &self->mapped;
    self->type = op->mapped_type;
  }
  self->how = how_to_fold(self->op, self->type);
  int is_general = self->how == BY_OPERATOR || self->how == BY_CANONICAL;
  /* Tiles load their elements by the operator, which would map them again. */
  if (self->user && (is_general || self->how == BY_TILES)) {
    self->user = NULL;
    self->form = RH_FORM_OTHER;
    self->op = op;
    self->type = problem->type;
    self->how = BY_CANONICAL;
    is_general = 1;
  }
  if (is_general && RH_HAS(rh_op, op, reduce) && op->reduce) self->how = BY_REDUCE;
}

static void choose_loops(native *self) {
  const rh_op *op = self->op;
  self->key_bytes = is_64_bit(self->type) ? 8 : 4;
  if (self->how == BY_FOLD || self->how == BY_BYTES)
    self->fold = fold_of(self->lanes, op->id, self->type);
  if (self->how == BY_KEY) {
    self->range = self->lanes->range[self->type];
    self->wanted = extremes_of(op->id);
  }
  if (self->how == BY_TILES) self->tile = self->lanes->prod_tile[self->type];
  int has_other_rows = self->user && self->user->element_size != op->element_size;
  if (has_other_rows && self->how == BY_FOLD && is_float(self->type))
    self->fold_rows = op->id == RH_OP_sum ? self->lanes->sum_rows[self->type]
                                          : self->lanes->asum_rows[self->type];
  if (!self->form || !is_float(self->type)) return;
  if (op->id == RH_OP_sum) self->sum_of = self->lanes->sum_of[self->form][self->type];
  if (self->how == BY_KEY && self->form == RH_FORM_DISTANCE)
    self->distances = self->lanes->distances[self->type];
}

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  static const unsigned bits[] = {512, 512, 256, 128};
  unsigned threads = threads_for(problem, values);
  native *self = host->alloc(host, sizeof *self);
  if (!self) return RH_E_NOMEM;
  self->lanes = rh_native_lanes_find(bits[values[VECTORS]]);
  self->serial_below = values[SERIAL_BELOW];
  self->pages = values[WALK] == SEQUENTIAL ? 1 : values[WALK] == IN_PAGES ? PAGES : 0;
  choose_elements(self, problem);
  choose_loops(self);
  uint64_t blocks = most_blocks(self->op, problem->max_n);
  self->values = host->alloc(host, (blocks + 1) * self->op->value_size);
  void *memory = threads > 1 ? host->alloc(host, rh_native_pool_bytes(threads)) : NULL;
  if (!self->values || (threads > 1 && !memory)) return RH_E_NOMEM;
  if (memory)
    self->pool = rh_native_pool_start(memory, threads, (uint64_t)values[AWAKE], work, self);
  *instance = self;
  return RH_OK;
}

static void alone(native *self, const rh_native_job *job) {
  for (uint32_t block = 0; block < job->blocks; block++) work(self, job, block);
}

/* With all threads, or alone if that was clearly faster for inputs of this length.  As long as the
 * threads have not woken up, both take the same time; then all of them are called, and wake up. */
static void as_measured(native *self, const rh_native_job *job, uint64_t bytes) {
  uint32_t trial;
  rh_native_contest *contest = &self->threads[rh_log2_up(bytes + 1) - 1 - ALONE_LOG];
  rh_native_contest_renew(contest, CALLS_RENEW);
  unsigned is_alone = rh_native_contest_begin(contest, &trial);
  double start = trial < CONTEST_OVER ? rh_native_seconds() : 0;
  if (is_alone)
    alone(self, job);
  else
    rh_native_pool_run(self->pool, job);
  if (trial < CONTEST_OVER)
    rh_native_contest_end(contest, trial, (rh_native_seconds() - start) / (double)bytes);
}

static void fold_blocks(native *self, const rh_native_job *job, uint64_t length) {
  const rh_op *op = self->op;
  uint64_t bytes = job->n * op->element_size;
  self->length = length;
  rh_native_contest_renew(&self->walks, LARGE_RENEW);
  if (!self->pool ||
      (self->serial_below >= 0 ? bytes < (uint64_t)self->serial_below : bytes < 1 << ALONE_LOG))
    alone(self, job);
  else if (self->serial_below >= 0 || bytes >= 1 << ALL_LOG)
    rh_native_pool_run(self->pool, job);
  else
    as_measured(self, job, bytes);
  /* Neighbours in index order, so that the tree does not depend on which thread took which
   * block. */
  for (uint64_t apart = 1; apart < job->blocks; apart *= 2)
    for (uint64_t k = 0; k + apart < job->blocks; k += 2 * apart)
      op->combine(self->values + k * op->value_size, self->values + (k + apart) * op->value_size);
}

/* Element 0 of the run in an operand. */
static const unsigned char *operand_of(const native *self, const rh_run *run, uint32_t k) {
  if (RH_HAS(rh_run, run, host_operands) && run->n_operands)
    return run->host_operands[self->user->form_operands[k]];
  return (const unsigned char *)run->host_input + run->first * self->user->element_size;
}

/* What the folds of a user's operator get as their elements. */
static const unsigned char *input_of(native *self, const rh_run *run) {
  if (self->form == RH_FORM_ELEMENT) return operand_of(self, run, 0);
  for (uint32_t k = 0; k < 2 && (self->sum_of || self->distances); k++)
    self->operands[k] = operand_of(self, run, k);
  return (const unsigned char *)run->host_input + run->first * self->user->element_size;
}

static rh_status run(void *instance, const rh_run *run) {
  native *self = instance;
  const rh_op *op = self->op;
  const unsigned char *x = (const unsigned char *)run->host_input + run->first * op->element_size;
  if (self->user) x = input_of(self, run);
  uint64_t length = block_length(op, run->n);
  if (run->n == 0) {
    memcpy(run->host_result, op->identity, op->value_size);
    return RH_OK;
  }
  if (run->n <= length) {
    fold_block(self, x, 0, run->n, 1, run->host_result);
  } else {
    rh_native_job job = {x, run->n, (uint32_t)rh_divide_up(run->n, length)};
    fold_blocks(self, &job, length);
    memcpy(run->host_result, self->values, op->value_size);
  }
  if (self->how == BY_KEY && op->flags & RH_OP_INDEXED)
    find_place(self, x, run->n, run->host_result);
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
    .promises = RH_KEEPS_ORDER | RH_CANONICAL_ORDER,
    .determinism = RH_BITS_SAME_EVERYWHERE,
    RH_PARAMS(params),
    .query = query,
    .setup = setup,
    .run = run,
    .extension = rh_serves_any,
    .teardown = teardown,
};
RH_PLUGIN(&strategy);
