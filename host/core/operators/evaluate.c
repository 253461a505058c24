/* The operator's functions on the host.  Values are kept as one array for each field while they
 * are combined, so that each operation of an expression is a loop over lanes. */
#include "../base/vocabulary.h"
#include "operator.h"
#include "ops.h"

#include <string.h>

enum {
  LANES = 128, /* that are combined together */
  FIELD_BYTES = 8 * LANES,
  ROWS = 4, /* of a tile */
  ROW_BYTES = 512,
  MOST_ROW = ROW_BYTES, /* lanes: of elements of one byte */
  MOST_NODES = 64
};

/* ---- Loading ---- */

/* outputs[k]: of the load's output k. */
static void load(const rh_operator *self, const rh_arrays *arrays, uint64_t first, uint64_t n,
                 void *const *outputs) {
  const void *operands[RH_MOST_OPERANDS] = {NULL};
  for (uint32_t k = 0; k < self->n_operands; k++)
    operands[k] = (const char *)arrays->operands[k] + first * rh_type_size(self->operands[k].type);
  rh_exprs_eval(self->load, operands, first, n, arrays->constants, outputs);
}

void rh_operator_map(const rh_operator *self, const rh_arrays *arrays, uint64_t first, uint64_t n,
                     void *to) {
  load(self, arrays, first, n, &to);
}

/* ---- Values as arrays of fields ---- */

typedef struct lanes {
  _Alignas(64) unsigned char of[RH_MOST_FIELDS][FIELD_BYTES];
} lanes;

static void pointers(lanes *from, uint32_t n, void **to) {
  for (uint32_t k = 0; k < n; k++) to[k] = from->of[k];
}

/* *a = combine(*a, *b), lane by lane.  `temporary`: as much room. */
static void combine_lanes(const rh_operator *self, lanes *a, const lanes *b, uint64_t at_b,
                          uint64_t n, lanes *temporary) {
  const void *variables[2 * RH_MOST_FIELDS] = {NULL};
  void *outputs[RH_MOST_FIELDS] = {NULL};
  uint32_t n_fields = self->n_fields;
  for (uint32_t k = 0; k < n_fields; k++) {
    variables[k] = a->of[k];
    variables[n_fields + k] = b->of[k] + at_b * rh_type_size(self->fields[k].type);
  }
  pointers(temporary, n_fields, outputs);
  rh_exprs_eval(self->combine, variables, 0, n, NULL, outputs);
  for (uint32_t k = 0; k < n_fields; k++)
    memcpy(a->of[k], temporary->of[k], n * rh_type_size(self->fields[k].type));
}

static void put(const rh_operator *self, lanes *to, uint64_t lane, const void *value) {
  for (uint32_t k = 0; k < self->n_fields; k++) {
    uint32_t size = rh_type_size(self->fields[k].type);
    memcpy(to->of[k] + lane * size, (const char *)value + self->fields[k].offset, size);
  }
}

static void get(const rh_operator *self, const lanes *from, uint64_t lane, void *value) {
  for (uint32_t k = 0; k < self->n_fields; k++) {
    uint32_t size = rh_type_size(self->fields[k].type);
    memcpy((char *)value + self->fields[k].offset, from->of[k] + lane * size, size);
  }
}

void rh_operator_combine(const rh_operator *self, void *a, const void *b) {
  if (self->code) {
    if (self->code->device) self->code->combine(self->code->device, a, b);
    return;
  }
  const void *variables[2 * RH_MOST_FIELDS] = {NULL};
  void *outputs[RH_MOST_FIELDS] = {NULL};
  _Alignas(16) unsigned char value[RH_ANY_VALUE_BYTES];
  for (uint32_t k = 0; k < self->n_fields; k++) {
    variables[k] = (const char *)a + self->fields[k].offset;
    variables[self->n_fields + k] = (const char *)b + self->fields[k].offset;
    outputs[k] = value + self->fields[k].offset;
  }
  rh_exprs_eval(self->combine, variables, 0, 1, NULL, outputs);
  for (uint32_t k = 0; k < self->n_fields; k++)
    memcpy((char *)a + self->fields[k].offset, value + self->fields[k].offset,
           rh_type_size(self->fields[k].type));
}

void rh_operator_combine_all(const rh_operator *self, const void *a, const void *b, void *result,
                             uint32_t n) {
  lanes left, right, temporary;
  const unsigned char *from_a = a, *from_b = b;
  unsigned char *to = result;
  for (uint32_t done = 0, count; done < n; done += count) {
    count = n - done < LANES ? n - done : LANES;
    for (uint32_t k = 0; k < count; k++) {
      put(self, &left, k, from_a + (size_t)(done + k) * RH_ANY_VALUE_BYTES);
      put(self, &right, k, from_b + (size_t)(done + k) * RH_ANY_VALUE_BYTES);
    }
    combine_lanes(self, &left, &right, 0, count, &temporary);
    memset(to + (size_t)done * RH_ANY_VALUE_BYTES, 0, (size_t)count * RH_ANY_VALUE_BYTES);
    for (uint32_t k = 0; k < count; k++)
      get(self, &left, k, to + (size_t)(done + k) * RH_ANY_VALUE_BYTES);
  }
}

void rh_operator_load(const rh_operator *self, void *value, const rh_arrays *arrays,
                      uint64_t index) {
  if (self->code) {
    rh_operator_reduce(self, arrays, index, 1, value);
    return;
  }
  void *outputs[RH_MOST_FIELDS] = {NULL};
  for (uint32_t k = 0; k < self->n_fields; k++) outputs[k] = (char *)value + self->fields[k].offset;
  load(self, arrays, index, 1, outputs);
}

static void fold_by_code(const rh_operator *self, void *accumulator, const rh_arrays *arrays,
                         uint64_t first, uint64_t n) {
  _Alignas(16) unsigned char value[RH_ANY_VALUE_BYTES];
  rh_operator_reduce(self, arrays, first, n, value);
  rh_operator_combine(self, accumulator, value);
}

void rh_operator_fold(const rh_operator *self, void *accumulator, const rh_arrays *arrays,
                      uint64_t first, uint64_t n) {
  if (self->code) {
    fold_by_code(self, accumulator, arrays, first, n);
    return;
  }
  lanes loaded;
  void *outputs[RH_MOST_FIELDS] = {NULL};
  _Alignas(16) unsigned char value[RH_ANY_VALUE_BYTES];
  pointers(&loaded, self->n_fields, outputs);
  for (uint64_t end = first + n; first < end; first += LANES) {
    uint64_t count = end - first < LANES ? end - first : LANES;
    load(self, arrays, first, count, outputs);
    for (uint64_t k = 0; k < count; k++) {
      get(self, &loaded, k, value);
      rh_operator_combine(self, accumulator, value);
    }
  }
}

/* ---- The canonical order (docs/bits.md) ---- */

/* The elements that stand above each other in a tile. */
static uint64_t row_of(const rh_operator *self) {
  return ROW_BYTES / self->op.element_size;
}

/* Lanes at .. at+n-1 of a row, of which those from `end` on do not exist and are the identity. */
static void load_lanes(const rh_operator *self, const rh_arrays *arrays, uint64_t at, uint64_t n,
                       uint64_t end, lanes *to) {
  void *outputs[RH_MOST_FIELDS] = {NULL};
  uint64_t exist = at >= end ? 0 : end - at < n ? end - at : n;
  pointers(to, self->n_fields, outputs);
  if (exist) load(self, arrays, at, exist, outputs);
  for (uint64_t k = exist; k < n; k++) put(self, to, k, self->identity);
}

/* The rows of n lanes from element `at` on: two of them, and the next two. */
static void take_rows(const rh_operator *self, const rh_arrays *arrays, uint64_t at, uint64_t n,
                      uint64_t end, lanes *one, lanes *other, lanes *temporary) {
  uint64_t row = row_of(self);
  lanes more;
  load_lanes(self, arrays, at, n, end, one);
  load_lanes(self, arrays, at + row, n, end, &more);
  combine_lanes(self, one, &more, 0, n, temporary);
  if (at + 2 * row >= end) return; /* combining with the identity changes nothing */
  load_lanes(self, arrays, at + 2 * row, n, end, other);
  load_lanes(self, arrays, at + 3 * row, n, end, &more);
  combine_lanes(self, other, &more, 0, n, temporary);
  combine_lanes(self, one, other, 0, n, temporary);
}

/* The value of elements first .. end-1, at most a tile. */
static void take_tile(const rh_operator *self, const rh_arrays *arrays, uint64_t first,
                      uint64_t end, void *value) {
  uint64_t row = row_of(self), width = row < LANES ? row : LANES;
  lanes one, other, temporary, all[MOST_ROW / LANES];
  uint64_t pieces = row / width;
  for (uint64_t k = 0; k < pieces; k++)
    take_rows(self, arrays, first + k * width, width, end, &all[k], &other, &temporary);
  /* The upper half of the lanes onto the lower half. */
  for (uint64_t half = pieces / 2; half > 0; half /= 2)
    for (uint64_t k = 0; k < half; k++)
      combine_lanes(self, &all[k], &all[k + half], 0, width, &temporary);
  one = all[0];
  for (uint64_t half = width / 2; half > 0; half /= 2)
    combine_lanes(self, &one, &one, half, half, &temporary);
  get(self, &one, 0, value);
}

/* Consecutive tiles: nodes[k] combines 2^k of them where bit k of `count` is set. */
typedef struct tiles {
  _Alignas(16) unsigned char nodes[MOST_NODES][RH_ANY_VALUE_BYTES];
  uint64_t count;
} tiles;

static void append(const rh_operator *self, tiles *to, unsigned char *value) {
  uint32_t k = 0;
  for (; to->count >> k & 1; k++) {
    rh_operator_combine(self, to->nodes[k], value);
    memcpy(value, to->nodes[k], self->op.value_size);
  }
  memcpy(to->nodes[k], value, self->op.value_size);
  to->count++;
}

static void join(const rh_operator *self, tiles *all, unsigned char *value) {
  memcpy(value, self->identity, self->op.value_size);
  for (uint32_t k = 0; k < MOST_NODES && all->count >> k; k++) {
    if (!(all->count >> k & 1)) continue;
    rh_operator_combine(self, all->nodes[k], value);
    memcpy(value, all->nodes[k], self->op.value_size);
  }
}

static void in_canonical_order(const rh_operator *self, const rh_arrays *arrays, uint64_t first,
                               uint64_t n, void *value) {
  _Alignas(16) unsigned char node[RH_ANY_VALUE_BYTES];
  uint64_t tile = ROWS * row_of(self), end = first + n;
  tiles all;
  all.count = 0;
  memset(node, 0, sizeof node);
  for (; first < end; first += tile) {
    take_tile(self, arrays, first, end - first < tile ? end : first + tile, node);
    append(self, &all, node);
  }
  join(self, &all, node);
  memcpy(value, node, self->op.value_size);
}

void rh_operator_reduce(const rh_operator *self, const rh_arrays *arrays, uint64_t first,
                        uint64_t n, void *value) {
  if (self->code) {
    memcpy(value, self->op.identity, self->op.value_size);
    if (self->code->device) self->code->reduce(self->code->device, arrays, first, n, value);
    return;
  }
  if (self->op.flags & RH_OP_COMMUTATIVE) {
    in_canonical_order(self, arrays, first, n, value);
    return;
  }
  memcpy(value, self->identity, self->op.value_size);
  rh_operator_fold(self, value, arrays, first, n);
}
