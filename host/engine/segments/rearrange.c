#include "rearrange.h"
#include "../../core/base/share.h"

#include <string.h>

enum { PIECE_BYTES = 1 << 18 }; /* of segments that are copied at once: they stay in a cache */

#define COPY(word)                                                                                 \
  for (uint64_t k = 0; k < length; k++, x += stride)                                               \
    for (uint64_t j = 0; j < count; j++)                                                           \
  ((word *)to)[j * length + k] = ((const word *)(const void *)x)[j]
/* `count` columns side by side, each of `length` elements. */
static void copy_columns(const unsigned char *x, uint64_t stride, uint64_t length, uint64_t count,
                         uint32_t size, void *to) {
  switch (size) {
  case 1: COPY(uint8_t); return;
  case 2: COPY(uint16_t); return;
  case 4: COPY(uint32_t); return;
  default: COPY(uint64_t);
  }
}

void rh_rearrange(const rh_layout *layout, const void *from, uint32_t size, uint64_t s,
                  uint64_t count, void *to) {
  uint64_t stride = layout->inner * size, most = 64 / size;
  while (count > 0) {
    uint64_t beside = layout->inner - s % layout->inner, n = count;
    if (n > beside) n = beside;
    if (n > most) n = most; /* a line's worth: what else a line holds would be read in vain */
    copy_columns((const unsigned char *)from + rh_layout_first(layout, s) * size, stride,
                 layout->length, n, size, to);
    to = (char *)to + n * layout->length * size;
    s += n;
    count -= n;
  }
}

/* One operand's. */
typedef struct task {
  const rh_layout *layout;
  const void *from;
  char *to;
  uint32_t size;
} task;

static void copy_some(void *user, uint64_t first, uint64_t count) {
  const task *t = user;
  rh_rearrange(t->layout, t->from, t->size, first, count,
               t->to + first * t->layout->length * t->size);
}

void rh_rearrange_all(const rh_layout *layout, const void *from, uint32_t size, void *to) {
  task t = {layout, from, to, size};
  uint64_t each = PIECE_BYTES / (layout->length * size + 1) + 1;
  rh_share(layout->segments, each < 64 / size ? 64 / size : each, copy_some, &t);
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
  const unsigned char *from;
  unsigned char *to;
  uint32_t size;
  uint64_t segment;       /* the first */
  uint64_t begin, length; /* of each, the elements that are copied */
} permuted;

/* Where element `k` of the axes of one kind is, in elements. */
static uint64_t place_of(const permuted *p, uint32_t is_reduced, uint64_t k) {
  uint64_t at = 0;
  for (uint32_t j = p->axes->n; j-- > 0;) {
    const rh_axis *axis = &p->axes->list[j];
    if (axis->is_reduced != is_reduced) continue;
    at += k % axis->length * axis->stride;
    k /= axis->length;
  }
  return at;
}

static void permute_some(void *user, uint64_t first, uint64_t count) {
  const permuted *p = user;
  unsigned char *to = p->to + first * p->length * p->size;
  for (uint64_t s = first; s < first + count; s++) {
    const unsigned char *from = p->from + place_of(p, 0, p->segment + s) * p->size;
    for (uint64_t k = 0; k < p->length; k++, to += p->size)
      memcpy(to, from + place_of(p, 1, p->begin + k) * p->size, p->size);
  }
}

void rh_axes_rearrange_some(const rh_axes *merged, const void *from, uint32_t size,
                            const rh_elements *some, void *to) {
  permuted p = {.axes = merged,
                .from = from,
                .to = to,
                .size = size,
                .segment = some->segment,
                .begin = some->begin,
                .length = some->n};
  rh_share(some->segments, PIECE_BYTES / (p.length * size + 1) + 1, permute_some, &p);
}

void rh_axes_rearrange(const rh_axes *merged, const void *from, uint32_t size, void *to) {
  rh_elements all = {.segments = 1, .n = 1};
  for (uint32_t k = 0; k < merged->n; k++)
    *(merged->list[k].is_reduced ? &all.n : &all.segments) *= merged->list[k].length;
  rh_axes_rearrange_some(merged, from, size, &all, to);
}
