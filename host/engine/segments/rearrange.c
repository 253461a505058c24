#include "rearrange.h"
#include "../../core/base/error.h"
#include "../../core/base/vocabulary.h"
#include "../../core/run/operand_data.h"
#include "share.h"

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

rh_status rh_rearrange_all(const rh_job_spec *spec, const void *data, rh_region *region,
                           uint64_t offsets[RH_MOST_OPERANDS], rh_error *error) {
  const rh_operator *op = spec->operation.op;
  const rh_layout *layout = spec->operation.layout;
  uint64_t bytes = rh_operand_layout(spec, offsets);
  rh_status status = rh_region_alloc(region, bytes ? bytes : 1, error);
  if (status == RH_E_NOMEM)
    rh_error_prefix(error, "%s: copying columns into rows", spec->operation.what);
  RH_TRY(status);
  for (uint32_t k = 0; k < op->n_operands; k++) {
    uint32_t size = rh_type_size(op->operands[k].type);
    task t = {layout, (const char *)data + spec->offsets[k], (char *)region->address + offsets[k],
              size};
    uint64_t each = PIECE_BYTES / (layout->length * size + 1) + 1;
    rh_share(layout->segments, each < 64 / size ? 64 / size : each, copy_some, &t);
  }
  return RH_OK;
}

/* ---- Axes ---- */

rh_axes rh_axes_merged(const rh_axes *axes) {
  rh_axes merged = {.n = 0};
  for (uint32_t k = 0; k < axes->n; k++) {
    uint32_t last = merged.n - 1;
    if (axes->lengths[k] == 1) continue;
    if (merged.n > 0 && merged.is_reduced[last] == axes->is_reduced[k]) {
      merged.lengths[last] *= axes->lengths[k];
      continue;
    }
    merged.lengths[merged.n] = axes->lengths[k];
    merged.is_reduced[merged.n++] = axes->is_reduced[k];
  }
  return merged;
}

int rh_axes_layout(const rh_axes *merged, rh_layout *layout) {
  uint64_t part[3] = {1, 1, 1}; /* outer, length, inner */
  uint32_t at = 0;
  for (uint32_t k = 0; k < merged->n; k++) {
    if (merged->is_reduced[k] && at > 0) return 0;
    if (merged->is_reduced[k])
      part[at = 1] = merged->lengths[k];
    else
      part[at == 0 ? 0 : 2] = merged->lengths[k];
  }
  *layout = rh_layout_axis(part[0], part[1], part[2]);
  return 1;
}

typedef struct permuted {
  const rh_axes *axes;
  uint64_t strides[64]; /* in elements */
  const unsigned char *from;
  unsigned char *to;
  uint32_t size;
  uint64_t length; /* of a segment */
} permuted;

/* Where element `k` of the axes of one kind is, in elements. */
static uint64_t place_of(const permuted *p, int is_reduced, uint64_t k) {
  uint64_t at = 0;
  for (uint32_t j = p->axes->n; j-- > 0;) {
    if (p->axes->is_reduced[j] != is_reduced) continue;
    at += k % p->axes->lengths[j] * p->strides[j];
    k /= p->axes->lengths[j];
  }
  return at;
}

static void permute_some(void *user, uint64_t first, uint64_t count) {
  const permuted *p = user;
  unsigned char *to = p->to + first * p->length * p->size;
  for (uint64_t s = first; s < first + count; s++) {
    const unsigned char *from = p->from + place_of(p, 0, s) * p->size;
    for (uint64_t k = 0; k < p->length; k++, to += p->size)
      memcpy(to, from + place_of(p, 1, k) * p->size, p->size);
  }
}

void rh_axes_rearrange(const rh_axes *merged, const void *from, uint32_t size, void *to) {
  permuted p = {.axes = merged, .from = from, .to = to, .size = size, .length = 1};
  uint64_t stride = 1, segments = 1;
  for (uint32_t k = merged->n; k-- > 0;) {
    p.strides[k] = stride;
    stride *= merged->lengths[k];
    if (merged->is_reduced[k])
      p.length *= merged->lengths[k];
    else
      segments *= merged->lengths[k];
  }
  rh_share(segments, PIECE_BYTES / (p.length * size + 1) + 1, permute_some, &p);
}
