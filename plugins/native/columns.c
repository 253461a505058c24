#include "columns.h"

#include <redhost/kit.h>
#include <string.h>

enum {
  MOST = 8, /* rows that are folded at once */
  LEAST_CUT_BYTES = 1 << 11
};

/* Rows without a gap are one long row: lanes are taken by as many neighbours as there are in
 * `chunk`. */
typedef struct fold {
  const rh_native_folder *folder;
  const rh_native_across *by;
  const rh_native_columns *of;
  uint64_t chunk, size;  /* elements' bytes where they are read */
  uint64_t beside;       /* bytes of a part of the values of a chunk */
  unsigned char *none;   /* a chunk of elements that change nothing; of size 0 until it is needed */
  unsigned char *mapped; /* MOST chunks; or null */
  int has_none;
} fold;

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* An element that changes no other; of arg*, no other above it. */
static uint64_t element_of_none(uint32_t op, rh_type type) {
  static const uint64_t one[] = {0x3c00, 0x3f800000, UINT64_C(0x3ff) << 52};
  static const uint64_t infinity[] = {0x7c00, 0x7f800000, UINT64_C(0x7ff) << 52};
  static const uint64_t sign[] = {0x8000, 0x80000000, UINT64_C(1) << 63};
  int is_float = type >= RH_TYPE_f16, of = is_float ? (int)(type - RH_TYPE_f16) : 0;
  int is_signed = !is_float && type % 2 == 1; /* i8, i16, ... have odd numbers */
  uint64_t half = UINT64_C(1) << (is_float ? 0 : 8 * (1u << (type - 1) / 2) - 1);
  switch (op) {
  case RH_OP_sum: return is_float ? sign[of] : 0;
  case RH_OP_prod: return is_float ? one[of] : 1;
  case RH_OP_and: return UINT64_MAX;
  case RH_OP_min:
  case RH_OP_argmin: return is_float ? infinity[of] : is_signed ? half - 1 : UINT64_MAX;
  case RH_OP_max:
  case RH_OP_argmax: return is_float ? infinity[of] | sign[of] : is_signed ? half : 0;
  default: return 0;
  }
}

static const unsigned char *nothing(fold *f) {
  uint64_t element = element_of_none(f->folder->op->id, f->folder->type);
  uint64_t n = f->chunk * f->of->width * f->size;
  if (f->folder->is_widened) element = element_of_none(RH_OP_sum, RH_TYPE_f32);
  if (f->has_none) return f->none;
  memcpy(f->none, &element, f->size); /* the lower bytes of a word */
  for (uint64_t at = f->size; at < n; at *= 2) memcpy(f->none + at, f->none, least(at, n - at));
  f->has_none = 1;
  return f->none;
}

/* Elements before the first line of a cache, where the lines of all rows begin at the same ones and
 * loads that cross them would cost more than one more call; else all n. */
static uint64_t to_next_line(const fold *f, const void *x, uint64_t n) {
  uint64_t first = (LINE_BYTES - (uintptr_t)x % LINE_BYTES) % LINE_BYTES / f->size;
  int are_alike = f->of->stride * f->size % LINE_BYTES == 0;
  return are_alike && first > 0 && n * f->size >= LEAST_CUT_BYTES ? first : n;
}

/* Lanes that begin with row rows[0], rows[1], ..., `lanes` of each; UINT64_MAX: none.  1, 4 or 8
 * of them, which stand `apart` rows apart, where rows count. */
static void take(fold *f, const uint64_t *rows, uint32_t count, uint64_t lanes, uint64_t apart,
                 unsigned char *to) {
  const rh_op *map = f->mapped ? f->folder->user : NULL;
  const void *x[MOST];
  uint64_t n = lanes * f->of->width;
  for (uint32_t k = 0; k < count; k++) {
    uint64_t at = f->of->first + rows[k] * f->of->stride;
    if (rows[k] == UINT64_MAX) {
      x[k] = nothing(f);
    } else if (map) {
      unsigned char *mapped = f->mapped + k * f->chunk * f->of->width * f->size;
      map->map(map->user, f->of->x, at, n, mapped);
      x[k] = mapped;
    } else {
      x[k] = f->of->x + at * f->size;
    }
  }
  for (uint64_t part = to_next_line(f, x[0], n); n > 0; n -= part, part = n) {
    if (count == 1) f->by->one(x[0], part, to, f->beside);
    else if (count <= 4) f->by->four(x, apart, part, to, f->beside);
    else f->by->eight(x, apart, part, to, f->beside);
    for (uint32_t k = 0; k < count; k++) x[k] = (const char *)x[k] + part * f->size;
    to += part * f->by->bytes;
  }
}

/* ---- One tile ---- */

/* Lanes of a tile are halved from the last step to the first: the lanes k, k + step, k + 2 step,
 * ... are those from k and from k + step on by twice the step.  So a lane is used as soon as it is
 * there, and what is kept stays in the nearest cache. */
typedef struct tile {
  fold f;
  uint64_t row;          /* lanes */
  uint64_t first, n;     /* its rows */
  uint64_t used;         /* lanes */
  uint64_t room;         /* bytes of values */
  unsigned char *levels; /* a room for each step */
} tile;

/* How many of the lanes k, k + step, ... there are.  Steps are powers of two: a leaf takes as long
 * as a few divisions. */
static uint64_t lanes_from(const tile *t, uint64_t k, uint64_t step) {
  int bits = __builtin_ctzll(step);
  return least(t->row >> bits, (t->used - k + step - 1) >> bits);
}

static int is_leaf(const tile *t, uint64_t k, uint64_t step) {
  return lanes_from(t, k, step) <= (t->n > t->row ? MOST / RH_CANONICAL_ROWS : MOST);
}

/* The rows of lane k and of the lanes `step` on, in the order in which take() folds them.  How many
 * that are. */
static uint32_t rows_of(const tile *t, uint64_t k, uint64_t step, uint64_t *rows) {
  static const uint32_t of_four[] = {0, 2, 1, 3}, of_eight[] = {0, 4, 2, 6, 1, 5, 3, 7};
  uint64_t lanes = lanes_from(t, k, step);
  int has_more = k + t->row < t->n;
  uint32_t count = has_more ? RH_CANONICAL_ROWS * (uint32_t)lanes : lanes <= 4 ? 4 : MOST;
  if (!has_more && lanes == 1) count = 1;
  for (uint32_t j = 0; j < count; j++) {
    uint64_t lane = count == MOST ? of_eight[j] : of_four[j], at = k + lane * step;
    if (has_more) {
      lane = j / RH_CANONICAL_ROWS;
      at = k + lane * step + j % RH_CANONICAL_ROWS * t->row;
    }
    rows[j] = (count == 1 || lane < lanes) && at < t->n ? t->first + at : UINT64_MAX;
  }
  return count;
}

/* A chunk may end with lanes that have a row less than those before, or are not there. */
static void take_leaf(tile *t, uint64_t k, uint64_t step, unsigned char *to) {
  uint64_t rows[MOST], value = t->f.of->width * t->f.by->bytes, chunk = t->f.chunk;
  uint64_t cut = t->n & (chunk - 1);
  uint64_t begins[] = {0, cut}, ends[] = {cut, chunk};
  for (int part = 0; part < 2; part++) {
    uint64_t from = k + begins[part], lanes = ends[part] - begins[part];
    if (lanes == 0 || from >= t->used) continue;
    uint32_t count = rows_of(t, from, step, rows);
    take(&t->f, rows, count, lanes, 0, to + begins[part] * value);
  }
}

static void take_steps(tile *t, uint64_t k, uint64_t step, unsigned char *levels,
                       unsigned char *to) {
  if (is_leaf(t, k, step)) {
    take_leaf(t, k, step, to);
    return;
  }
  take_steps(t, k, 2 * step, levels + t->room, to);
  take_steps(t, k + step, 2 * step, levels + t->room, levels);
  t->f.by->merge(to, levels, step, least(t->f.chunk, t->used - k - step) * t->f.of->width,
                 t->f.beside);
}

/* A chunk's lanes onto its first one. */
static void join_lanes(const fold *f, uint64_t lanes, unsigned char *to) {
  uint64_t value = f->of->width * f->by->bytes;
  for (uint64_t half = f->chunk / 2; half > 0; half /= 2) {
    if (lanes <= half) continue;
    f->by->merge(to, to + half * value, half, (lanes - half) * f->of->width, f->beside);
    lanes = half;
  }
}

/* to = a value of each column. */
static void take_tile(tile *t, unsigned char *to) {
  take_steps(t, 0, t->f.chunk, t->levels, to);
  join_lanes(&t->f, least(t->f.chunk, t->used), to);
}

/* ---- Where the order does not matter ---- */

/* All rows from the first to the last, a few chunks at a time. */
static void take_all(fold *f, unsigned char *to, unsigned char *spare) {
  uint64_t n = f->of->rows, chunk = f->chunk, value = f->of->width * f->by->bytes, rows[MOST];
  uint64_t cut = n % chunk, begins[] = {0, cut}, ends[] = {cut, chunk};
  for (uint64_t row = 0; row < n; row += MOST * chunk) {
    unsigned char *of = row ? spare : to;
    for (int part = 0; part < 2; part++) {
      uint64_t from = row + begins[part], lanes = ends[part] - begins[part];
      if (lanes == 0 || from >= n) continue;
      uint64_t chunks = least(MOST, (n - from + chunk - 1) / chunk);
      for (uint64_t k = 0; k < MOST; k++) rows[k] = k < chunks ? from + k * chunk : UINT64_MAX;
      take(f, rows,
           chunks == 1   ? 1
           : chunks <= 4 ? 4
                         : MOST,
           lanes, chunk, of + begins[part] * value);
    }
    if (row) f->by->merge(to, spare, row, least(chunk, n - row) * f->of->width, f->beside);
  }
  join_lanes(f, chunk, to);
}

/* ---- All tiles ---- */

/* A binary counter: nodes[k] is of 2^k tiles where bit k of their number is set. */
typedef struct counter {
  unsigned char *nodes[64], *value;
  uint64_t count;
} counter;

static void append(const tile *t, counter *to, uint64_t tile_of) {
  uint32_t k = 0;
  unsigned char *kept;
  for (;; k++) {
    kept = to->nodes[k];
    if (!(to->count >> k & 1)) break;
    t->f.by->merge(kept, to->value, tile_of << k, t->f.of->width, t->f.beside);
    to->nodes[k] = to->value;
    to->value = kept;
  }
  to->nodes[k] = to->value;
  to->value = kept;
  to->count++;
}

static unsigned char *join(const tile *t, const counter *all, uint64_t tile_of) {
  uint32_t k = 0;
  while (!(all->count >> k & 1)) k++;
  unsigned char *value = all->nodes[k];
  for (k++; all->count >> k; k++) {
    if (!(all->count >> k & 1)) continue;
    t->f.by->merge(all->nodes[k], value, tile_of << k, t->f.of->width, t->f.beside);
    value = all->nodes[k];
  }
  return value;
}

/* Can values be made where they go, because they stand there one behind the other? */
static int is_plain(const fold *f, const rh_native_values *to) {
  return f->chunk == 1 && f->by->parts == 1 && to->apart == f->by->bytes;
}

#define PUT(word, second_word)                                                                     \
  for (uint64_t j = 0; j < n; j++, at += to->apart) {                                              \
    memcpy(at, values + j * sizeof(word), sizeof(word));                                           \
    if (second) {                                                                                  \
      int64_t wide = ((const second_word *)(const void *)second)[j];                               \
      memcpy(at + to->second, &wide, sizeof wide);                                                 \
    }                                                                                              \
  }
static void put_all(const fold *f, const unsigned char *values, const rh_native_values *to) {
  uint64_t n = f->of->width, bytes = f->by->bytes;
  const unsigned char *second = f->by->parts > 1 ? values + f->beside : NULL;
  unsigned char *at = to->at;
  if (values == at) return;
  if (!second && to->apart == bytes) {
    memcpy(at, values, n * bytes);
  } else if (bytes == sizeof(uint32_t)) {
    PUT(uint32_t, int32_t)
  } else {
    PUT(uint64_t, int64_t)
  }
}

/* Of a part of the lanes that are folded together.  A map is called for more at once. */
static uint64_t bytes_at_once(const rh_native_folder *folder) {
  return rh_native_map_of(folder) ? 1 << 13 : 1 << 12;
}

uint64_t rh_native_columns_width(const rh_native_folder *folder) {
  return folder->across ? bytes_at_once(folder) / folder->across->bytes : 0;
}

/* Rows without a gap are one long row: as many lanes as there is room for are taken together. */
static uint64_t chunk_of(const rh_native_folder *folder, const rh_native_columns *of,
                         uint64_t row) {
  uint64_t chunk = 1, most = bytes_at_once(folder) / (of->width * folder->across->bytes);
  while (of->stride == of->width && 2 * chunk <= row && 2 * chunk <= most) chunk *= 2;
  return chunk;
}

static void fold_in_order(fold *f, uint64_t row, unsigned char *memory,
                          const rh_native_values *to) {
  uint64_t tile_of = RH_CANONICAL_ROWS * row, rows = f->of->rows;
  uint64_t nodes = rh_log2_up(rh_divide_up(rows, tile_of) + 1) + 2;
  tile t = {.f = *f, .row = row, .room = f->by->parts * f->beside};
  counter all = {.value = memory, .count = 0};
  for (uint64_t k = 0; k < nodes - 1; k++) all.nodes[k] = memory + (k + 1) * t.room;
  t.levels = memory + nodes * t.room;
  if (rows <= tile_of && is_plain(f, to)) all.value = to->at;
  for (t.first = 0; t.first < rows; t.first += tile_of) {
    t.n = least(rows - t.first, tile_of);
    t.used = least(t.n, t.row);
    take_tile(&t, all.value);
    append(&t, &all, tile_of);
  }
  put_all(f, join(&t, &all, tile_of), to);
}

void rh_native_columns_fold(const rh_native_folder *folder, const rh_native_columns *of,
                            const rh_native_values *to) {
  const rh_op *map = of->is_mapped ? NULL : rh_native_map_of(folder);
  const rh_op *whole = folder->user ? folder->user : folder->op;
  int is_free = (folder->op->flags & RH_OP_EXACT) != 0;
  uint64_t row = RH_CANONICAL_ROW_BYTES / whole->element_size;
  fold f = {.folder = folder, .by = folder->across, .of = of, .size = folder->op->element_size};
  if (folder->is_widened) f.size = whole->element_size;
  f.chunk = chunk_of(folder, of, is_free ? of->rows : row);
  f.beside = f.chunk * of->width * f.by->bytes;
  uint64_t tiles = rh_divide_up(of->rows, RH_CANONICAL_ROWS * row);
  uint64_t rooms = is_free ? 2 : rh_log2_up(tiles + 1) + rh_log2_up(row / f.chunk) + 3;
  uint64_t elements = f.chunk * of->width * f.size, values = rooms * f.by->parts * f.beside;
  _Alignas(64) unsigned char memory[values + (map ? MOST + 1 : 1) * elements + 1];
  f.none = memory + values;
  f.mapped = map ? f.none + elements : NULL;
  if (!is_free) {
    fold_in_order(&f, row, memory, to);
    return;
  }
  unsigned char *values_to = is_plain(&f, to) ? to->at : memory;
  take_all(&f, values_to, memory + f.by->parts * f.beside);
  put_all(&f, values_to, to);
}

/* ---- Columns from rows ---- */

/* A few rows at a time, so that what is written stands in a row, too. */
#define TURN(word)                                                                                 \
  for (uint64_t j = 0; j < width; j++) {                                                           \
    word *y = (word *)(void *)(to + j * apart) + k;                                                \
    for (uint64_t i = 0; i < n; i++) memcpy(&y[i], x[i] + j * sizeof(word), sizeof(word));         \
  }
void rh_native_turn(const unsigned char *from, const uint64_t *firsts, uint64_t stride,
                    uint64_t rows, uint64_t width, uint32_t size, uint64_t apart,
                    unsigned char *to) {
  enum { SIDE = 16 };
  const unsigned char *x[SIDE];
  for (uint64_t k = 0, n; k < rows; k += n) {
    n = least(rows - k, SIDE);
    for (uint64_t i = 0; i < n; i++) x[i] = from + (firsts ? firsts[k + i] : k + i) * stride;
    switch (size) {
    case 1: TURN(uint8_t) break;
    case 2: TURN(uint16_t) break;
    case 4: TURN(uint32_t) break;
    default: TURN(uint64_t)
    }
  }
}
