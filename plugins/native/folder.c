#include "folder.h"
#include "counters.h"
#include "order.h"
#include "tiles.h"
#include <redhost/canonical.h>
#include <redhost/kit.h>

#include <string.h>

/* How a block is folded. */
enum { BY_FOLD, BY_BYTES, BY_KEY, BY_OPERATOR, BY_CANONICAL, BY_TILES, BY_REDUCE };

enum { TILE_ROWS = 4 };

/* ---- What an operator is ---- */

static int is_64_bit(rh_type type) {
  return type == RH_TYPE_i64 || type == RH_TYPE_u64 || type == RH_TYPE_f64;
}
static int is_float(rh_type type) { return type >= RH_TYPE_f16; }

/* The loops that suit an operator of which only its functions are known. */
static int how_in_general(const rh_op *op) {
  return op->flags & RH_OP_COMMUTATIVE && !(op->flags & RH_OP_EXACT) ? BY_CANONICAL : BY_OPERATOR;
}

/* The ABI's numbers never change their meaning; user-defined operators have other numbers. */
static int how_to_fold(const rh_op *op, rh_type type) {
  int otherwise = how_in_general(op);
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

int rh_native_folds_in_order(const rh_op *op, rh_type type) {
  return how_to_fold(op, type) == BY_OPERATOR;
}

static uint32_t size_of(rh_type type) {
  static const uint32_t sizes[NATIVE_TYPES] = {0, 1, 1, 2, 2, 4, 4, 8, 8, 2, 4, 8};
  return type < NATIVE_TYPES ? sizes[type] : 0;
}

static uint32_t form_of(const rh_op *op) {
  return RH_HAS(rh_op, op, form_operands) ? op->form : RH_FORM_OTHER;
}

/* Is the map's form one of f32 that become f64? */
static int is_wide(const rh_op *op) {
  return op->mapped_type == RH_TYPE_f64 && op->element_size == sizeof(float) &&
         (form_of(op) == RH_FORM_ELEMENT || form_of(op) == RH_FORM_PRODUCT);
}

static int is_sum(uint32_t op) { return op == RH_OP_sum || op == RH_OP_asum; }

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

/* ---- Choosing ---- */

/* The folded elements are the input's, or those that a user's operator maps them to. */
static void choose_elements(rh_native_folder *self, const rh_op *op, rh_type type) {
  self->op = op;
  self->type = type;
  if (folds_mapped(op)) {
    self->user = op;
    self->operand_bytes = op->element_size;
    if (size_of(op->mapped_type) == op->element_size) self->form = form_of(op);
    self->mapped = *op;
    self->mapped.id = op->mapped_op;
    self->mapped.element_size = size_of(op->mapped_type);
    self->op = &self->mapped;
    self->type = op->mapped_type;
  }
  self->how = how_to_fold(self->op, self->type);
  int is_general = self->how == BY_OPERATOR || self->how == BY_CANONICAL;
  /* These load their elements by the operator, which would map them again. */
  if (self->user && (is_general || self->how == BY_TILES)) {
    self->user = NULL;
    self->form = RH_FORM_OTHER;
    self->op = op;
    self->type = type;
    self->how = how_in_general(op);
    is_general = 1;
  }
  if (is_general && RH_HAS(rh_op, op, reduce) && op->reduce) self->how = BY_REDUCE;
}

/* Of values that are the host's of the built-in operator. */
static void choose_across(rh_native_folder *self, unsigned vectors) {
  int is_known = rh_native_folder_is_fast(self) || self->how == BY_TILES;
  const rh_op *user = self->user;
  uint32_t op = self->op->id;
  if (!is_known) return;
  self->is_widened = user && is_wide(user) && form_of(user) == RH_FORM_ELEMENT && op == RH_OP_sum;
  self->across =
      rh_native_across_find(vectors, self->is_widened ? NATIVE_SUM_WIDE : op, self->type);
  if (!self->across->bytes) self->across = NULL;
}

static void choose_loops(rh_native_folder *self) {
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
  if (self->user && is_wide(self->user) && op->id == RH_OP_sum)
    self->sum_of = form_of(self->user) == RH_FORM_ELEMENT ? self->lanes->sum_wide
                                                          : self->lanes->sum_wide_products;
  if (!self->form || !is_float(self->type)) return;
  if (op->id == RH_OP_sum) self->sum_of = self->lanes->sum_of[self->form][self->type];
  if (self->how == BY_KEY && self->form == RH_FORM_DISTANCE)
    self->distances = self->lanes->distances[self->type];
}

void rh_native_folder_choose(rh_native_folder *self, unsigned vectors, const rh_op *op,
                             rh_type type) {
  choose_elements(self, op, type);
  self->lanes = rh_native_lanes_find(vectors, self->op->id, self->type);
  choose_loops(self);
  choose_across(self, vectors);
}

int rh_native_folder_is_fast(const rh_native_folder *self) {
  return self->how == BY_FOLD || self->how == BY_BYTES || self->how == BY_KEY;
}

int rh_native_folder_can_step(const rh_native_folder *self) {
  int has_tiles = self->sum_of || (self->how == BY_FOLD && !self->user && is_float(self->type));
  return self->lanes->can_step && has_tiles;
}

int rh_native_folder_is_direct(const rh_native_folder *self) {
  return self->sum_of || (self->how == BY_FOLD && !self->user);
}

/* ---- A run ---- */

void rh_native_folder_take(rh_native_folder *self, const rh_run *run) {
  const rh_op *op = self->user ? self->user : self->op;
  self->input = (const unsigned char *)run->host_input + run->first * op->element_size;
  if (self->form == RH_FORM_ELEMENT) self->input = rh_native_operand_of(self, run, 0);
  for (uint32_t k = 0; k < 2 && (self->sum_of || self->distances); k++)
    self->operands[k] = rh_native_operand_of(self, run, k);
}

/* ---- One block ---- */

/* Combines the elements of a word to one element, as the scalar that the host holds. */
static uint64_t narrow(const rh_native_folder *self, uint64_t word) {
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

static void store(const rh_native_folder *self, uint64_t word, unsigned char *value) {
  uint32_t half = (uint32_t)word;
  if (self->key_bytes == sizeof half) memcpy(value, &half, sizeof half);
  else memcpy(value, &word, sizeof word);
}

static uint64_t stored(const rh_native_folder *self, const unsigned char *value) {
  uint32_t half;
  uint64_t word;
  memcpy(&half, value, sizeof half);
  if (self->key_bytes == sizeof half) return half;
  memcpy(&word, value, sizeof word);
  return word;
}

/* The value of n >= 1 elements from element `first` of x on.  A value of arg* has `first` as its
 * index until rh_native_folder_place() corrects it. */
static void fold_elements(const rh_native_folder *self, const unsigned char *x, uint64_t first,
                          uint64_t n, unsigned pages, unsigned char *value) {
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
  case BY_TILES: rh_native_tiles(self, x, first, n, value); return;
  case BY_CANONICAL: rh_canonical_fold(op, x, first, n, value); return;
  default: memcpy(value, op->identity, op->value_size); rh_op_fold(op, value, x, first, n);
  }
}

/* A piece at a time, which stays in the nearest cache. */
static void fold_mapped(const rh_native_folder *self, const unsigned char *x, uint64_t first,
                        uint64_t n, unsigned char *value) {
  enum { PIECE_BYTES = 1 << 14, LEVELS = 48, VALUE_BYTES = 16 };
  _Alignas(64) unsigned char piece[PIECE_BYTES];
  _Alignas(16) unsigned char one[16];
  const uint64_t most = PIECE_BYTES / self->op->element_size;
  _Alignas(16) unsigned char nodes[LEVELS * VALUE_BYTES];
  rh_native_counters all = {.op = self->op, .levels = LEVELS, .nodes = nodes};
  for (const uint64_t end = first + n; first < end; first += most) {
    uint64_t count = end - first < most ? end - first : most;
    self->user->map(self->user->user, x, first, count, piece);
    if (self->fold_rows)
      self->fold_rows(piece, count, rh_canonical_tile(self->user) / TILE_ROWS, one);
    else fold_elements(self, piece, 0, count, 1, one);
    rh_native_append(&all, 0, one);
    all.count++;
  }
  rh_native_join(&all, 0, value);
}

/* 0: it cannot be done. */
static int fold_in_registers(const rh_native_folder *self, uint64_t first, uint64_t n,
                             unsigned pages, unsigned char *value) {
  const unsigned char *a = self->operands[0] + first * self->operand_bytes;
  const unsigned char *b = self->operands[1] + first * self->operand_bytes;
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

void rh_native_folder_block(const rh_native_folder *self, uint64_t first, uint64_t n,
                            unsigned pages, unsigned char *value) {
  const unsigned char *x = self->input;
  if (self->operands[0] && fold_in_registers(self, first, n, pages, value)) return;
  if (self->user && self->form != RH_FORM_ELEMENT) fold_mapped(self, x, first, n, value);
  else if (self->how == BY_REDUCE) self->op->reduce(self->op->user, x, first, n, value);
  else fold_elements(self, x, first, n, pages, value);
}

void rh_native_folder_place(const rh_native_folder *self, uint64_t length, uint64_t base,
                            uint64_t n, unsigned char *value) {
  uint64_t first;
  if (!(self->op->flags & RH_OP_INDEXED)) return;
  memcpy(&first, value + INDEX_AT, sizeof first);
  if (first == UINT64_MAX) return; /* no element counts */
  if (length > base + n - first) length = base + n - first;
  if (self->how == BY_KEY && length > 1)
    first +=
        rh_native_locate(self->lanes, self->op->id, self->type,
                         self->input + first * self->op->element_size, length, stored(self, value));
  first -= base;
  memcpy(value + INDEX_AT, &first, sizeof first);
}
