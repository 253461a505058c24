/* Strategies that reduce many segments in one run: V61, V85 and what breaks them. */
#define RH_PLUGIN_MIN_HOST_MINOR 2
#include "../right.h"
#include <redhost/canonical.h>

#include <string.h>

typedef struct layouts {
  const rh_op *op;
  unsigned char *column; /* a segment's elements, in a row */
} layouts;

QUERY(layouts) {
  const rh_layout *of = rh_problem_layout(problem);
  if (of && of->kind != RH_LAYOUT_AXIS && of->kind != RH_LAYOUT_OFFSETS)
    return rh_decline(answer, RH_WHY_SIZE, "layout kind %u is unknown", of->kind);
  answer->finishes_on_host = 1;
  answer->depth = rh_log2_up(rh_canonical_tile(problem->op)) +
                  rh_log2_up(rh_divide_up(problem->max_n, rh_canonical_tile(problem->op)));
  return RH_OK;
}

SETUP(layouts) {
  layouts *self = host->alloc(host, sizeof *self);
  if (!self) return RH_E_NOMEM;
  self->op = problem->op;
  self->column = host->alloc(host, (problem->max_n + 1) * problem->op->element_size);
  *instance = self;
  return self->column ? RH_OK : RH_E_NOMEM;
}

/* Segment s, in a row. */
static const unsigned char *bring(const layouts *self, const rh_run *run, uint64_t s) {
  const rh_layout *of = run->layout;
  uint32_t size = self->op->element_size;
  uint64_t stride = of->kind == RH_LAYOUT_AXIS ? of->inner : 1;
  const unsigned char *from =
      (const unsigned char *)run->host_input + (run->first + rh_layout_first(of, s)) * size;
  for (uint64_t k = 0; k < rh_layout_length(of, s); k++)
    memcpy(self->column + k * size, from + k * stride * size, size);
  return self->column;
}

static void fold(const layouts *self, const unsigned char *x, uint64_t n, void *value) {
  memcpy(value, self->op->identity, self->op->value_size);
  /* What is exact is so in any order; 2^32 elements in the canonical one take half a minute. */
  if (self->op->flags & RH_OP_EXACT) self->op->fold(value, x, 0, n);
  else if (n) rh_canonical_fold(self->op, x, 0, n, value);
}

typedef void reduce(const layouts *self, const rh_run *run, uint64_t s, unsigned char *value);

static rh_status run_all(void *instance, const rh_run *run, reduce *one) {
  const layouts *self = instance;
  uint32_t size = self->op->element_size;
  const unsigned char *x = (const unsigned char *)run->host_input + run->first * size;
  if (!rh_run_layout(run)) fold(self, x, run->n, run->host_result);
  for (uint64_t s = 0; rh_run_layout(run) && s < run->layout->segments; s++)
    one(self, run, s, (unsigned char *)run->host_result + s * self->op->value_size);
  return RH_OK;
}

#define SERVES_BUT(name_, summary_)                                                                \
  static reduce name_##_one;                                                                       \
  BUT_RUN(name_, .summary = summary_, .device_kinds = RH_DEVICE_HOST,                              \
          .promises = RH_CANONICAL_ORDER | RH_SERVES_LAYOUTS,                                      \
          .determinism = RH_BITS_SAME_EVERYWHERE, .query = layouts_query,                          \
          .setup = layouts_setup) {                                                                \
    return run_all(instance, run, name_##_one);                                                    \
  }                                                                                                \
  static void name_##_one(const layouts *self, const rh_run *run, uint64_t s, unsigned char *value)

/* Nothing is wrong with it: the measure of the others. */
SERVES_BUT(right_layouts, "every segment as if it were alone") {
  fold(self, bring(self, run, s), rh_layout_length(run->layout, s), value);
}

SERVES_BUT(column_too_short, "V85: the last row of columns is left out") {
  uint64_t n = rh_layout_length(run->layout, s);
  fold(self, bring(self, run, s), n - (run->layout->inner > 1 && n > 1), value);
}

SERVES_BUT(empty_skipped, "V85: nothing is written for empty segments") {
  if (rh_layout_length(run->layout, s))
    fold(self, bring(self, run, s), rh_layout_length(run->layout, s), value);
}

SERVES_BUT(index_of_all, "V85: indices count from the array's start") {
  uint64_t index;
  fold(self, bring(self, run, s), rh_layout_length(run->layout, s), value);
  if (!(self->op->flags & RH_OP_INDEXED)) return;
  memcpy(&index, value + 8, sizeof index);
  index += rh_layout_first(run->layout, s);
  memcpy(value + 8, &index, sizeof index);
}

SERVES_BUT(tiles_of_all, "V85: tiles are those of the array") {
  _Alignas(16) unsigned char part[16];
  const unsigned char *x = bring(self, run, s);
  uint64_t n = rh_layout_length(run->layout, s), tile = rh_canonical_tile(self->op), many;
  memcpy(value, self->op->identity, self->op->value_size);
  for (uint64_t at = rh_layout_first(run->layout, s); n > 0; at += many, n -= many) {
    many = tile - at % tile < n ? tile - at % tile : n;
    fold(self, x, many, part);
    self->op->combine(value, part);
    x += many * self->op->element_size;
  }
}

SERVES_BUT(result_one_off, "V85: values from the 4000th on stand one place later") {
  uint64_t last = run->layout->segments - 1;
  fold(self, bring(self, run, s), rh_layout_length(run->layout, s),
       s >= 4000 && s < last ? value + self->op->value_size : value);
}

static const unsigned char *in_place(const layouts *self, const rh_run *run, uint64_t first) {
  return (const unsigned char *)run->host_input + (run->first + first) * self->op->element_size;
}

SERVES_BUT(begins_in_32_bits, "V61: the first element of a segment modulo 2^32") {
  uint64_t first = rh_layout_first(run->layout, s), n = rh_layout_length(run->layout, s);
  fold(self, first >> 32 ? in_place(self, run, (uint32_t)first) : bring(self, run, s), n, value);
}

SERVES_BUT(product_in_32_bits, "V61: the number of a row times its length modulo 2^32") {
  const rh_layout *of = run->layout;
  int is_row = of->kind == RH_LAYOUT_AXIS && of->inner == 1;
  uint32_t first = (uint32_t)s * (uint32_t)of->length;
  fold(self, is_row ? in_place(self, run, first) : bring(self, run, s), rh_layout_length(of, s),
       value);
}

SERVES_BUT(layout_used_up, "V85: the run leaves another layout behind") {
  fold(self, bring(self, run, s), rh_layout_length(run->layout, s), value);
  if (s + 1 == run->layout->segments) ((rh_layout *)(uintptr_t)run->layout)->longest = 0;
}

RIGHT_PLUGIN;
