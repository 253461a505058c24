#include "segments.h"

enum {
  PIECE_BYTES = 1 << 18, /* of segments that are copied at once: they stay in a cache */
  LINE_BYTES = 64,
  AT_ONCE = 128 /* lines of the array that stay in the nearest cache */
};

/* `count` runs of `length` elements: of the array, `next` elements from one to the next, and
 * `apart` from one run to the next; of the copy, side by side, and `row` from one to the next. */
typedef struct block {
  uint64_t count, length, next, apart, row;
} block;

#define COPY(word)                                                                                 \
  {                                                                                                \
    const word *x = from;                                                                          \
    word *rows = to;                                                                               \
    for (uint64_t at = 0, end; at < b->length; at = end) {                                         \
      end = b->next <= b->apart || b->length - at < AT_ONCE ? b->length : at + AT_ONCE;            \
      for (uint64_t j = 0; j < b->count; j++)                                                      \
        for (uint64_t k = at; k < end; k++) rows[j * b->row + k] = x[j * b->apart + k * b->next];  \
    }                                                                                              \
    return;                                                                                        \
  }
static void copy_block(const block *b, const void *from, uint32_t size, void *to) {
  if (b->next == 1 && b->length * size >= LINE_BYTES) {
    for (uint64_t j = 0; j < b->count; j++)
      memcpy((char *)to + j * b->row * size, (const char *)from + j * b->apart * size,
             b->length * size);
    return;
  }
  switch (size) {
  case 1: COPY(uint8_t)
  case 2: COPY(uint16_t)
  case 4: COPY(uint32_t)
  default: COPY(uint64_t)
  }
}

/* ---- Axes ---- */

/* Slowest first, as they are stored. */
static rh_axes sorted(const rh_axes *axes) {
  rh_axes all = {.n = 0};
  for (uint32_t k = 0; k < axes->n; k++) {
    uint32_t at = all.n;
    if (axes->list[k].length == 1) continue;
    for (; at > 0 && all.list[at - 1].stride < axes->list[k].stride; at--)
      all.list[at] = all.list[at - 1];
    all.list[at] = axes->list[k];
    all.n++;
  }
  return all;
}

rh_axes rh_axes_merged(const rh_axes *axes) {
  const rh_axes all = sorted(axes);
  rh_axes merged = {.n = 0};
  for (uint32_t k = 0; k < all.n; k++) {
    const rh_axis *next = &all.list[k];
    rh_axis *last = &merged.list[merged.n ? merged.n - 1 : 0];
    if (merged.n > 0 && last->is_reduced == next->is_reduced &&
        last->stride == next->length * next->stride) {
      last->length *= next->length;
      last->stride = next->stride;
    } else {
      merged.list[merged.n++] = *next;
    }
  }
  return merged;
}

rh_axes rh_axes_of(const rh_layout *layout) {
  uint64_t inner = layout->inner, length = layout->length;
  return (rh_axes){
      .n = 3,
      .list = {{layout->segments / inner, length * inner, 0}, {length, inner, 1}, {inner, 1, 0}}};
}

int rh_axes_layout(const rh_axes *merged, rh_layout *layout) {
  uint64_t part[3] = {1, 1, 1}; /* outer, length, inner */
  uint64_t stride = 1, length = 1, segments = 1;
  uint32_t at = 0, fits = 1, is_empty = 0;
  for (uint32_t k = merged->n; k-- > 0;) {
    fits &= merged->list[k].stride == stride;
    is_empty |= merged->list[k].length == 0;
    stride *= merged->list[k].length;
  }
  for (uint32_t k = 0; k < merged->n; k++) {
    const rh_axis *axis = &merged->list[k];
    fits &= !axis->is_reduced || at == 0;
    if (axis->is_reduced) at = 1;
    part[axis->is_reduced ? 1 : 2 * at] = axis->length;
    *(axis->is_reduced ? &length : &segments) *= axis->length;
  }
  if (is_empty) fits = 0;
  *layout = fits ? rh_layout_axis(part[0], part[1], part[2]) : rh_layout_axis(segments, length, 1);
  return (int)(fits | is_empty);
}

typedef struct permuted {
  const rh_axes *axes;
  const char *from;
  char *to;
  uint32_t size;
  rh_elements some;
} permuted;

/* Where element `k` of the axes of one kind is, in elements. */
static uint64_t place_of(const rh_axes *axes, uint32_t is_reduced, uint64_t k) {
  uint64_t at = 0;
  for (uint32_t j = axes->n; j-- > 0;) {
    const rh_axis *axis = &axes->list[j];
    if (axis->is_reduced != is_reduced) continue;
    at += k % axis->length * axis->stride;
    k /= axis->length;
  }
  return at;
}

/* The one of a kind that runs fastest. */
static rh_axis last_of(const rh_axes *axes, uint32_t is_reduced) {
  for (uint32_t k = axes->n; k-- > 0;)
    if (axes->list[k].is_reduced == is_reduced) return axes->list[k];
  return (rh_axis){.length = 1, .stride = 1};
}

/* Copies b->count segments from `s` on, by runs along the fastest axis that is reduced. */
static void permute_block(const permuted *p, uint64_t s, block *b, char *to) {
  const rh_axis inner = last_of(p->axes, 1);
  const char *from = p->from + place_of(p->axes, 0, s) * p->size;
  for (uint64_t k = 0; k < p->some.n; k += b->length, to += b->length * p->size) {
    uint64_t at = p->some.begin + k;
    b->length = inner.length - at % inner.length;
    if (b->length > p->some.n - k) b->length = p->some.n - k;
    copy_block(b, from + place_of(p->axes, 1, at) * p->size, p->size, to);
  }
}

int rh_axes_rows(const rh_axes *merged, uint64_t n, uint64_t *starts, uint64_t *stops) {
  const rh_axis along = last_of(merged, 1);
  uint32_t reduced = 0, are_rows = along.stride == 1;
  for (uint32_t k = 0; k < merged->n; k++) {
    are_rows &= merged->list[k].length > 0;
    reduced += merged->list[k].is_reduced;
  }
  if (!are_rows || reduced != 1) return 0;
  for (uint64_t s = 0; s < n; s++) {
    starts[s] = place_of(merged, 0, s);
    stops[s] = starts[s] + along.length;
  }
  return 1;
}

static void permute_some(void *user, uint64_t first, uint64_t count) {
  const permuted *p = user;
  const rh_axis side = last_of(p->axes, 0), inner = last_of(p->axes, 1);
  /* Columns are taken by the line's worth: what else a line holds would be read in vain. */
  uint64_t most = inner.stride > side.stride ? LINE_BYTES / p->size : UINT64_MAX;
  block b = {.next = inner.stride, .apart = side.stride, .row = p->some.n};
  for (uint64_t done = 0; done < count; done += b.count) {
    uint64_t s = p->some.segment + first + done;
    b.count = side.length - s % side.length;
    if (b.count > count - done) b.count = count - done;
    if (b.count > most) b.count = most;
    permute_block(p, s, &b, p->to + (first + done) * p->some.n * p->size);
  }
}

void rh_axes_rearrange(const rh_axes *merged, const void *from, uint32_t size,
                       const rh_elements *some, int by_all, void *to) {
  permuted p = {merged, from, to, size, *some};
  uint64_t each = PIECE_BYTES / (some->n * size + 1) + 1;
  if (by_all)
    rh_share(some->segments, each < LINE_BYTES / size ? LINE_BYTES / size : each, permute_some, &p);
  else permute_some(&p, 0, some->segments);
}
