#include "columns.h"

#include <redhost/kit.h>
#include <string.h>

/* ---- One tile ---- */

/* Lanes of a tile are halved from the last step to the first: the lanes k, k + step, k + 2 step,
 * ... are those from k and from k + step on by twice the step.  So a lane is used as soon as it is
 * there, and what is kept stays in the nearest cache.  Lanes are taken by as many neighbours as
 * there are in `chunk`. */
typedef struct tile {
  const rh_native_folder *folder;
  const rh_native_across *by;
  const rh_native_columns *of;
  uint64_t row, chunk, size; /* lanes of a row; elements' bytes where they are read */
  uint64_t first, n;         /* its rows */
  uint64_t used;             /* lanes */
  uint64_t room, beside;     /* bytes of values, and of a part of them */
  unsigned char *levels;     /* a room for each step, and one for a row */
  unsigned char *mapped;     /* four rows; or null */
} tile;

static uint64_t least(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

/* n elements of each of `rows` rows from `lane` on, `row` lanes apart. */
static void take_rows(const tile *t, uint64_t lane, uint64_t rows, uint64_t n, unsigned char *to) {
  uint64_t apart = t->row * t->of->stride;
  uint64_t at = t->of->first + (t->first + lane) * t->of->stride;
  const unsigned char *x = t->of->x + at * t->size;
  unsigned char *spare = t->levels;
  if (t->mapped) {
    const rh_op *map = t->folder->user;
    for (uint64_t r = 0; r < rows; r++)
      map->map(map->user, t->of->x, at + r * apart, n, t->mapped + r * n * t->size);
    x = t->mapped;
    apart = n;
  }
  if (rows == RH_CANONICAL_ROWS) {
    t->by->four(x, apart, t->row, n, to, t->beside);
    return;
  }
  t->by->one(x, n, to, t->beside);
  for (uint64_t r = 1; r < rows; r++) {
    t->by->one(x + r * apart * t->size, n, spare, t->beside);
    t->by->merge(to, spare, r * t->row, n, t->beside);
  }
}

/* Lanes k on, `chunk` of them or up to the last; those at the end of a tile have a row less. */
static void take_lanes(const tile *t, uint64_t k, unsigned char *to) {
  uint64_t end = least(k + t->chunk, t->used), value = t->of->width * t->by->bytes;
  for (uint64_t rows = (t->n + t->row - 1) / t->row; rows > 0; rows--) {
    uint64_t stop = least(t->n - (rows - 1) * t->row, end);
    if (stop <= k) continue;
    take_rows(t, k, rows, (stop - k) * t->of->width, to);
    to += (stop - k) * value;
    k = stop;
  }
}

static void take_steps(const tile *t, uint64_t k, uint64_t step, unsigned char *levels,
                       unsigned char *to) {
  if (step == t->row) {
    take_lanes(t, k, to);
    return;
  }
  take_steps(t, k, 2 * step, levels + t->room, to);
  if (k + step >= t->used) return;
  take_steps(t, k + step, 2 * step, levels + t->room, levels);
  t->by->merge(to, levels, step, least(t->chunk, t->used - k - step) * t->of->width, t->beside);
}

/* to = a value of each column. */
static void take_tile(const tile *t, unsigned char *to) {
  uint64_t lanes = least(t->chunk, t->used), value = t->of->width * t->by->bytes;
  take_steps(t, 0, t->chunk, t->levels + t->room, to);
  for (uint64_t half = t->chunk / 2; half > 0; half /= 2) {
    if (lanes <= half) continue;
    t->by->merge(to, to + half * value, half, (lanes - half) * t->of->width, t->beside);
    lanes = half;
  }
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
    t->by->merge(kept, to->value, tile_of << k, t->of->width, t->beside);
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
    t->by->merge(all->nodes[k], value, tile_of << k, t->of->width, t->beside);
    value = all->nodes[k];
  }
  return value;
}

#define PUT(word, second_word)                                                                     \
  for (uint64_t j = 0; j < n; j++, at += to->apart) {                                              \
    memcpy(at, values + j * sizeof(word), sizeof(word));                                           \
    if (second) {                                                                                  \
      int64_t wide = ((const second_word *)(const void *)second)[j];                               \
      memcpy(at + to->second, &wide, sizeof wide);                                                 \
    }                                                                                              \
  }
static void put_all(const tile *t, const unsigned char *values, const rh_native_values *to) {
  uint64_t n = t->of->width, bytes = t->by->bytes;
  const unsigned char *second = t->by->parts > 1 ? values + t->beside : NULL;
  unsigned char *at = to->at;
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
  return rh_native_map_of(folder) ? 1 << 14 : 1 << 12;
}

uint64_t rh_native_columns_width(const rh_native_folder *folder) {
  return folder->across ? bytes_at_once(folder) / folder->across->bytes : 0;
}

/* Rows without a gap are one long row: as many lanes as there is room for are taken together. */
static uint64_t chunk_of(const rh_native_folder *folder, const rh_native_columns *of,
                         uint64_t row) {
  uint64_t chunk = 1, most = bytes_at_once(folder) / (of->width * folder->across->bytes);
  while (of->stride == of->width && chunk < row && 2 * chunk <= most) chunk *= 2;
  return chunk;
}

/* Where the order does not matter, as few lanes as make whole tiles. */
static uint64_t row_of(const rh_native_folder *folder, uint64_t rows) {
  const rh_op *whole = folder->user ? folder->user : folder->op;
  uint64_t row = 1, most = RH_CANONICAL_ROW_BYTES / whole->element_size;
  if (!(folder->op->flags & RH_OP_EXACT)) return most;
  while (row < most && RH_CANONICAL_ROWS * row < rows) row *= 2;
  return row;
}

void rh_native_columns_fold(const rh_native_folder *folder, const rh_native_columns *of,
                            const rh_native_values *to) {
  const rh_op *map = of->is_mapped ? NULL : rh_native_map_of(folder);
  tile t = {.folder = folder, .by = folder->across, .of = of, .size = folder->op->element_size};
  t.row = row_of(folder, of->rows);
  t.chunk = chunk_of(folder, of, t.row);
  t.beside = t.chunk * of->width * t.by->bytes;
  t.room = t.by->parts * t.beside;
  uint64_t tile_of = RH_CANONICAL_ROWS * t.row, tiles = rh_divide_up(of->rows, tile_of);
  uint64_t nodes = rh_log2_up(tiles + 1) + 2, steps = rh_log2_up(t.row / t.chunk) + 2;
  uint64_t mapped = map ? RH_CANONICAL_ROWS * t.chunk * of->width * t.size : 0;
  _Alignas(64) unsigned char memory[(nodes + steps) * t.room + mapped + 1];
  counter all = {.value = memory, .count = 0};
  for (uint64_t k = 0; k < nodes - 1; k++) all.nodes[k] = memory + (k + 1) * t.room;
  t.levels = memory + nodes * t.room;
  t.mapped = map ? t.levels + steps * t.room : NULL;
  for (t.first = 0; t.first < of->rows; t.first += tile_of) {
    t.n = least(of->rows - t.first, tile_of);
    t.used = least(t.n, t.row);
    take_tile(&t, all.value);
    append(&t, &all, tile_of);
  }
  put_all(&t, join(&t, &all, tile_of), to);
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
