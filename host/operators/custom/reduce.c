/* Reducing many elements in the canonical order (docs/inside/bits.md); what does not commute and is
 * exact, one after the other.
 *
 * Many tiles are reduced together, so that each operation of an expression is a loop over many
 * lanes.  Values are kept as one array for each field.
 *
 * A batch is a power of two of tiles, T.  Lane l of its tile t stands at l * T + (t's bits in
 * reverse order).  Then what a step combines are always the two halves of an array: the upper half
 * of the lanes and the lower, until each tile has one value; and then every tile and its
 * neighbour, until the batch has one. */
#include <redhost/canonical.h>

#include "internal.h"

enum {
  ROWS = RH_CANONICAL_ROWS,
  ROW_BYTES = RH_CANONICAL_ROW_BYTES,
  PIECE = 512,  /* lanes of rows that are combined together: they stay in the nearest cache */
  BATCH = 2048, /* lanes of a batch, at most */
  BATCH_BYTES = 1 << 16
};

/* Values as arrays of fields. */
typedef struct lanes {
  unsigned char *of[RH_MOST_FIELDS];
} lanes;

typedef struct batch {
  const rh_custom *of;
  const rh_arrays *arrays;
  uint64_t row;     /* lanes of a tile */
  uint64_t end;     /* elements from there on do not exist, and are the identity */
  lanes rows, made; /* four of PIECE lanes each, and what two and two of them combine to */
  lanes all, other; /* of all tiles */
} batch;

static uint32_t size_of(const rh_custom *of, uint32_t field) {
  return rh_type_size(of->fields[field].type);
}

/* ---- Memory ---- */

/* Returns what is left of the memory. */
static unsigned char *divide(const rh_custom *of, lanes *into, uint64_t n, unsigned char *from) {
  for (uint32_t k = 0; k < of->n_fields; k++) {
    into->of[k] = from;
    from += n * size_of(of, k);
  }
  return from;
}

/* ---- Combining ---- */

/* Combines the first n lanes with the next n: into `made`, which changes places with them. */
static void combine(const rh_custom *of, lanes *all, uint64_t n, lanes *made) {
  const void *variables[2 * RH_MOST_FIELDS] = {NULL};
  void *outputs[RH_MOST_FIELDS] = {NULL};
  const lanes kept = *all;
  for (uint32_t k = 0; k < of->n_fields; k++) {
    variables[k] = all->of[k];
    variables[of->n_fields + k] = all->of[k] + n * size_of(of, k);
    outputs[k] = made->of[k];
  }
  rh_exprs_eval(of->combine, variables, 0, n, NULL, outputs);
  *all = *made;
  *made = kept;
}

/* Combines the two halves of n lanes, a power of two, until there is one. */
static void halve(const rh_custom *of, lanes *all, uint64_t n, lanes *made, unsigned char *value) {
  for (uint64_t half = n / 2; half > 0; half /= 2) combine(of, all, half, made);
  for (uint32_t k = 0; k < of->n_fields; k++)
    memcpy(value + of->fields[k].offset, all->of[k], size_of(of, k));
}

/* ---- Rows ---- */

/* n is not 0.  Each copy doubles what is filled, because one for each lane took most of the time of
 * the short pieces that answers are compared with. */
static void put_identity(const rh_custom *of, const lanes *to, uint64_t at, uint64_t n) {
  for (uint32_t k = 0; k < of->n_fields; k++) {
    uint32_t size = size_of(of, k);
    unsigned char *start = to->of[k] + at * size;
    memcpy(start, of->identity + of->fields[k].offset, size);
    for (uint64_t filled = 1; filled < n; filled *= 2)
      memcpy(start + filled * size, start, (filled < n - filled ? filled : n - filled) * size);
  }
}

/* Elements first .. first+n-1, to lanes `at` and on. */
static void load(const batch *self, uint64_t first, uint64_t n, const lanes *to, uint64_t at) {
  void *outputs[RH_MOST_FIELDS] = {NULL};
  uint64_t exist = first >= self->end ? 0 : self->end - first < n ? self->end - first : n;
  for (uint32_t k = 0; k < self->of->n_fields; k++)
    outputs[k] = to->of[k] + at * size_of(self->of, k);
  if (exist) rh_custom_load_fields(self->of, self->arrays, first, exist, outputs);
  if (exist < n) put_identity(self->of, to, at + exist, n - exist);
}

/* `width` lanes of `tiles` tiles from element `first` on: rows 0 and 1, 2 and 3, and the two
 * results, which are halves, too, if row 2 stands before row 1. */
static void combine_rows(batch *self, uint64_t first, uint64_t tiles, uint64_t width) {
  static const uint64_t order[ROWS] = {0, 2, 1, 3};
  uint64_t n = tiles * width;
  for (uint64_t k = 0; k < ROWS * tiles; k++)
    load(self, first + (k % tiles * ROWS + order[k / tiles]) * self->row, width, &self->rows,
         k * width);
  combine(self->of, &self->rows, 2 * n, &self->made);
  combine(self->of, &self->rows, n, &self->made);
}

/* ---- A batch ---- */

#define SPREAD(size, word)                                                                         \
  if (bytes == (size)) {                                                                           \
    const word *x = (const void *)from;                                                            \
    word *y = (void *)to;                                                                          \
    for (uint64_t j = 0; j < n; j++) y[j * apart] = x[j];                                          \
  }
static void spread(const unsigned char *from, unsigned char *to, uint64_t n, uint64_t apart,
                   uint32_t bytes) {
  SPREAD(4, uint32_t)
  SPREAD(8, uint64_t)
}

/* Lanes lane .. lane+width-1 of tiles tile .. tile+count-1 of the batch's T tiles. */
static void place(const batch *self, uint64_t tile, uint64_t count, uint64_t tiles, uint64_t lane,
                  uint64_t width) {
  for (uint32_t k = 0; k < self->of->n_fields; k++) {
    uint32_t size = size_of(self->of, k);
    for (uint64_t t = 0; t < count; t++)
      spread(self->rows.of[k] + t * width * size,
             self->all.of[k] + (lane * tiles + rh_bits_reversed(tile + t, tiles)) * size, width,
             tiles, size);
  }
}

/* *value = that of `tiles` tiles, a power of two, from element `first` on. */
static void reduce_batch(batch *self, uint64_t first, uint64_t tiles, unsigned char *value) {
  uint64_t width = self->row < PIECE ? self->row : PIECE;
  uint64_t many = PIECE / width < tiles ? PIECE / width : tiles;
  for (uint64_t tile = 0; tile < tiles; tile += many)
    for (uint64_t lane = 0; lane < self->row; lane += width) {
      combine_rows(self, first + tile * ROWS * self->row + lane, many, width);
      place(self, tile, many, tiles, lane, width);
    }
  halve(self->of, &self->all, self->row * tiles, &self->other, value);
}

/* ---- The tree above ---- */

/* A value of `tiles` tiles, a power of two. */
static void append(const rh_custom *of, rh_canonical_tiles *to, uint64_t tiles,
                   rh_canonical_value *value) {
  int k = __builtin_ctzll(tiles);
  for (; to->count >> k & 1; k++) {
    rh_custom_combine(of, &to->nodes[k], value);
    *value = to->nodes[k];
  }
  to->nodes[k] = *value;
  to->count += tiles;
}

/* `tiles` tiles from element `first` on, a power of two. */
static void append_batches(const rh_custom *self, const rh_arrays *arrays, uint64_t first,
                           uint64_t end, uint64_t tiles, rh_canonical_tiles *to) {
  rh_canonical_value node = {{0}};
  uint64_t row = ROW_BYTES / self->op.element_size, many = BATCH;
  while (many > row && many * self->op.value_size > BATCH_BYTES) many /= 2;
  uint64_t each = tiles < many / row ? tiles : many / row;
  _Alignas(64) unsigned char room[(6 * PIECE + 2 * many) * self->op.value_size], *at = room;
  batch b = {.of = self, .arrays = arrays, .row = row, .end = end};
  at = divide(self, &b.made, 2 * PIECE, divide(self, &b.rows, ROWS * PIECE, at));
  divide(self, &b.other, many, divide(self, &b.all, many, at));
  for (uint64_t done = 0; done < tiles; done += each, first += each * ROWS * row) {
    reduce_batch(&b, first, each, node.bytes);
    append(self, to, each, &node);
  }
}

static void reduce_tiles(const rh_custom *self, const rh_arrays *arrays, uint64_t first, uint64_t n,
                         void *value) {
  rh_canonical_value node = {{0}};
  rh_canonical_tiles all;
  uint64_t tile = rh_canonical_tile(&self->op), end = first + n, tiles = RH_MOMENTS_MOST_TILES;
  for (all.count = 0; first < end; first += tiles * tile) {
    uint64_t whole = (end - first) / tile;
    while (tiles > (whole ? whole : 1)) tiles /= 2;
    uint64_t elements = whole ? tiles * tile : end - first;
    if (self->is_moments && rh_moments_reduce(self, arrays, first, elements, &node))
      append(self, &all, tiles, &node);
    else append_batches(self, arrays, first, end, tiles, &all);
  }
  rh_canonical_join(&self->op, &all, value);
}

/* ---- Operators that do not commute: neighbours first, from the elements on ---- */

/* A tile is a whole number of such pieces, so that tiles need no care of their own. */
static void reduce_in_order(const rh_custom *self, const rh_arrays *arrays, uint64_t first,
                            uint64_t n, void *value) {
  enum { ELEMENTS = 256 };
  rh_canonical_value node = {{0}};
  _Alignas(64) unsigned char room[3 * ELEMENTS * self->op.value_size];
  batch b = {.of = self, .arrays = arrays, .end = first + n};
  divide(self, &b.made, ELEMENTS,
         divide(self, &b.all, ELEMENTS, divide(self, &b.rows, ELEMENTS, room)));
  rh_canonical_tiles all;
  for (all.count = 0; first < b.end; first += ELEMENTS) {
    load(&b, first, ELEMENTS, &b.rows, 0);
    /* Element e stands where e's bits in reverse order say, so that here, too, what a step combines
     * are halves. */
    for (uint32_t k = 0; k < self->n_fields; k++)
      for (uint64_t e = 0, size = size_of(self, k); e < ELEMENTS; e++)
        memcpy(b.all.of[k] + rh_bits_reversed(e, ELEMENTS) * size, b.rows.of[k] + e * size, size);
    halve(self, &b.all, ELEMENTS, &b.made, node.bytes);
    rh_canonical_append(&self->op, &all, &node);
  }
  rh_canonical_join(&self->op, &all, value);
}

void rh_custom_reduce(const rh_custom *self, const rh_arrays *arrays, uint64_t first, uint64_t n,
                      void *value) {
  uint32_t flags = self->op.flags;
  if (self->code) {
    memcpy(value, self->op.identity, self->op.value_size);
    rh_on_device_reduce(self->code->device, arrays, first, n, 1, value);
  } else if (n == 0 || (flags & RH_OP_EXACT && !(flags & RH_OP_COMMUTATIVE))) {
    memcpy(value, self->identity, self->op.value_size);
    rh_custom_fold(self, value, arrays, first, n);
  } else if (!(flags & RH_OP_COMMUTATIVE)) {
    reduce_in_order(self, arrays, first, n, value);
  } else if (self->is_moments && n < rh_canonical_tile(&self->op)) {
    rh_moments_reduce(self, arrays, first, n, value); /* short segments need no tree */
  } else {
    reduce_tiles(self, arrays, first, n, value);
  }
}
