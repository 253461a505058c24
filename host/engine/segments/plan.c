#include "segments.h"

#include <redhost/canonical.h>

enum {
  MOST_SEGMENTS = 1 << 22, /* of a part: empty ones have no elements */
  LEAST_BESIDE = 64        /* columns that are cut together */
};

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* ---- Their order ---- */

static int by_start(const void *a, const void *b, void *of_segments) {
  const uint64_t *starts = of_segments, x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  if (starts[x] != starts[y]) return starts[x] < starts[y] ? -1 : 1;
  return (x > y) - (x < y);
}

static rh_status sort(rh_segments_plan *plan, rh_error *error) {
  const rh_layout *layout = plan->layout;
  uint64_t n = layout->segments, sorted = 1;
  if (layout->kind == RH_LAYOUT_AXIS) return RH_OK;
  while (sorted < n && layout->starts[sorted] >= layout->starts[sorted - 1]) sorted++;
  if (sorted >= n) return RH_OK;
  RH_TRY(RH_NEW(&plan->order, n, "the order of segments", error));
  for (uint64_t s = 0; s < n; s++) plan->order[s] = s;
  qsort_r(plan->order, n, sizeof *plan->order, by_start, (void *)(uintptr_t)layout->starts);
  return RH_OK;
}

uint64_t rh_segments_number(const rh_segments_plan *plan, uint64_t place) {
  return plan->order ? plan->order[place] : place;
}

/* ---- A plan ---- */

/* Segments may be cut anywhere if no order changes the operator's values, and nowhere if values of
 * parts say less than the answer needs. */
static uint64_t unit_of(const rh_operation *of) {
  const rh_operator *op = of->op;
  if (rh_operation_rounds_once(of)) return UINT64_MAX;
  if (op->is_struct || rh_op_rounds(op->base, op->type)) return rh_canonical_tile(op->abi);
  return 1;
}

/* Columns are cut into bands where a unit of all of them is more than a part. */
static uint64_t width_of(const rh_segments_plan *plan, int in_order) {
  const rh_layout *layout = plan->layout;
  uint64_t rows = least(plan->unit, layout->length);
  if (layout->kind == RH_LAYOUT_OFFSETS || rows == 0) return 1;
  if (in_order || layout->inner <= plan->most / rows) return layout->inner;
  uint64_t width = plan->most / rows / LEAST_BESIDE * LEAST_BESIDE;
  return least(layout->inner, width ? width : LEAST_BESIDE);
}

rh_status rh_segments_plan_init(rh_segments_plan *plan, const rh_operation *of, uint64_t most,
                                int in_order, rh_error *error) {
  *plan = (rh_segments_plan){.layout = of->layout, .unit = unit_of(of), .most = most ? most : 1};
  plan->width = width_of(plan, in_order);
  return sort(plan, error);
}

void rh_segments_plan_finish(rh_segments_plan *plan) {
  free(plan->order);
  *plan = (rh_segments_plan){.order = NULL};
}

/* ---- Parts ---- */

uint32_t rh_borders_up_to(const uint64_t *borders, uint32_t n, uint64_t at) {
  uint32_t first = 0, end = n;
  while (first < end) {
    uint32_t middle = first + (end - first) / 2;
    if (borders[middle] > at) end = middle;
    else first = middle + 1;
  }
  return first;
}

/* The elements from `at` on up to the next border. */
static uint64_t before_border(const rh_segments_plan *plan, uint64_t at) {
  uint32_t next = rh_borders_up_to(plan->borders, plan->n_borders, at);
  return next < plan->n_borders ? plan->borders[next] - at : UINT64_MAX;
}

/* At most as many of them as a part may have. */
static uint64_t room_from(const rh_segments_plan *plan, uint64_t at) {
  return least(plan->most, before_border(plan, at));
}

/* The next elements of `width` segments of a length, whose first elements begin at `at`. */
static void cut_next(rh_segments_plan *plan, uint64_t at, uint64_t width, uint64_t stride,
                     uint64_t length, rh_segments_part *part) {
  uint64_t rows = plan->unit, left = length - plan->within;
  uint64_t behind = before_border(plan, at + plan->within * stride) / stride;
  while (rows < length && 2 * rows <= plan->most / width && plan->within % (2 * rows) == 0 &&
         least(2 * rows, left) <= behind) {
    rows *= 2;
    part->level++;
  }
  part->first = plan->place;
  part->segments = width;
  part->begin = plan->within;
  part->length = length;
  part->n = least(rows, left);
  part->is_whole = part->n == length;
  part->at = at + plan->within * stride;
  part->stride = stride;
  part->rows = width == stride ? 1 : part->n;
  part->width = width == stride ? part->n * width : width;
  plan->within += part->n;
  if (plan->within < length) return;
  plan->within = 0;
  plan->place += width;
}

/* Whole segments, whose elements are all those from `at` on. */
static void take_whole(rh_segments_plan *plan, uint64_t count, uint64_t at, uint64_t n,
                       rh_segments_part *part) {
  part->is_whole = 1;
  part->first = plan->place;
  part->segments = count;
  part->at = at;
  part->rows = 1;
  part->width = part->stride = n;
  plan->place += count;
}

static void next_by_offsets(rh_segments_plan *plan, rh_segments_part *part) {
  const rh_layout *layout = plan->layout;
  uint64_t begin = 0, end = 0, count = 0;
  for (; count < MOST_SEGMENTS && plan->place + count < layout->segments; count++) {
    uint64_t s = rh_segments_number(plan, plan->place + count);
    uint64_t start = layout->starts[s], stop = layout->stops[s];
    if (start == stop) continue;
    uint64_t from = begin < end ? begin : start, to = stop > end ? stop : end;
    if (to - from > room_from(plan, from)) {
      if (count == 0 && stop - start > plan->unit) {
        cut_next(plan, start, 1, 1, stop - start, part);
        return;
      }
      if (count > 0) break;
    }
    begin = from;
    end = to;
  }
  take_whole(plan, count, begin, end - begin, part);
}

static void next_along_axis(rh_segments_plan *plan, rh_segments_part *part) {
  const rh_layout *layout = plan->layout;
  uint64_t left = layout->segments - plan->place, inner = layout->inner, length = layout->length;
  part->n = length;
  if (length == 0) {
    take_whole(plan, least(left, MOST_SEGMENTS), 0, 0, part);
    return;
  }
  uint64_t column = plan->place % inner, at = (plan->place - column) * length + column;
  uint64_t blocks = column + plan->within ? 0 : room_from(plan, at) / length / inner;
  if (blocks > MOST_SEGMENTS / inner) blocks = MOST_SEGMENTS / inner ? MOST_SEGMENTS / inner : 1;
  if (blocks == 0) {
    cut_next(plan, at, least(plan->width, inner - column), inner, length, part);
    return;
  }
  uint64_t count = least(left, blocks * inner);
  take_whole(plan, count, at, count * length, part);
}

int rh_segments_plan_next(rh_segments_plan *plan, rh_segments_part *part) {
  if (plan->place >= plan->layout->segments) return 0;
  *part = (rh_segments_part){.index = plan->index++};
  if (plan->layout->kind == RH_LAYOUT_OFFSETS) next_by_offsets(plan, part);
  else next_along_axis(plan, part);
  return 1;
}

/* ---- What a strategy gets ---- */

rh_layout rh_segments_part_layout(const rh_segments_plan *plan, const rh_segments_part *part,
                                  uint64_t *offsets) {
  const rh_layout *layout = plan->layout;
  uint64_t n = part->segments;
  if (part->length > 0) return rh_layout_axis(1, part->n, n); /* cut, of one length */
  if (layout->kind == RH_LAYOUT_AXIS) {
    uint64_t inner = layout->length ? layout->inner : 1;
    return rh_layout_axis(n / inner, layout->length, inner);
  }
  for (uint64_t k = 0; k < n; k++) {
    uint64_t s = rh_segments_number(plan, part->first + k);
    int is_empty = layout->starts[s] == layout->stops[s];
    offsets[k] = is_empty ? 0 : layout->starts[s] - part->at;
    offsets[n + k] = is_empty ? 0 : layout->stops[s] - part->at;
  }
  return rh_layout_offsets(offsets, offsets + n, n);
}
