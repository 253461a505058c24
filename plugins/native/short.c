#include "short.h"

#include <string.h>

enum {
  MOST_LENGTH = 512,
  MOST = 1024, /* segments at once */
  FEW = 4,     /* segments of one length are taken one by one */
  TURNED_BYTES = 1 << 14
};

/* A folder whose own loop is slow, as for products of floats and for maps, takes longer ones. */
static uint64_t longest(const rh_native_folder *folder, int is_axis) {
  if (!folder->across) return 0;
  if (folder->tile) return MOST_LENGTH;
  if (folder->is_widened) return 128;
  if (rh_native_folder_is_direct(folder)) return is_axis ? 16 : folder->type < RH_TYPE_f16 ? 8 : 0;
  if (folder->user) return folder->op->element_size > 4 ? 32 : 128; /* of doubles, two loops */
  return is_axis ? 32 : 8;
}

uint64_t rh_native_short(const rh_native_layout *layout) {
  uint64_t least = MOST_LENGTH, most;
  int is_axis = layout->of->kind == RH_LAYOUT_AXIS;
  if (layout->whole->n_operands > 0) return 0;
  for (uint32_t k = 0; k < layout->n_parts; k++) {
    most = longest(&layout->parts[k].folder, is_axis);
    if (most < least) least = most;
  }
  return least;
}

void rh_native_part_across(const rh_native_part *part, const rh_native_columns *columns,
                           unsigned char *values, uint64_t apart) {
  int is_indexed = (part->folder.op->flags & RH_OP_INDEXED) != 0;
  uint32_t second = is_indexed ? part->index_at : part->value_at + INDEX_AT;
  const rh_native_values to = {values + part->value_at, apart, (uint64_t)second - part->value_at};
  rh_native_columns_fold(&part->folder, columns, &to);
}

/* Segments of one length: one behind the other those from s on, the first at element `first`; else
 * those of a list. */
typedef struct batch {
  const rh_native_layout *layout;
  uint64_t length, s, first;
  const uint64_t *list; /* or null */
} batch;

/* Segments at .. at+n-1 of the batch, of one part. */
static void fold_part(const batch *b, const rh_native_part *part, uint64_t at, uint64_t n,
                      unsigned char *values) {
  _Alignas(64) unsigned char turned[2 * TURNED_BYTES], mapped[2 * TURNED_BYTES];
  const rh_op *map = rh_native_map_of(&part->folder);
  uint32_t size = b->layout->whole->element_size;
  uint64_t first = b->first + at * b->length, firsts[MOST];
  rh_native_columns columns = {0, n, b->length, n, turned, map != NULL};
  for (uint64_t j = 0; b->list && j < n; j++)
    firsts[j] = rh_layout_first(b->layout->of, b->list[at + j]);
  if (b->list) {
    rh_native_turn(part->folder.input, firsts, size, n, b->length, size, n * size, turned);
  } else if (b->length == 1) {
    columns = (rh_native_columns){first, n, 1, n, part->folder.input, 0};
  } else {
    rh_native_turn(part->folder.input + first * size, NULL, b->length * size, n, b->length, size,
                   n * size, turned);
  }
  if (columns.is_mapped) {
    map->map(map->user, turned, 0, n * b->length, mapped);
    columns.x = mapped;
  }
  rh_native_part_across(part, &columns, values, b->layout->whole->value_size);
}

static uint64_t largest_element(const rh_native_layout *layout) {
  uint64_t largest = layout->whole->element_size;
  for (uint32_t k = 0; k < layout->n_parts; k++) {
    uint64_t size = layout->parts[k].folder.op->element_size;
    if (size > largest) largest = size;
  }
  return largest;
}

/* As many at a time as stay in the nearest cache, and an odd number of lines, or columns would
 * fight for the same lines of it. */
static void fold_batch(const batch *b, uint64_t count) {
  const rh_native_layout *layout = b->layout;
  uint64_t size = layout->whole->value_size, element = largest_element(layout);
  uint64_t lines = TURNED_BYTES / (b->length * LINE_BYTES) | 1, most = lines * LINE_BYTES / element;
  _Alignas(16) unsigned char listed[b->list ? MOST * size : 1];
  if (b->list && most > MOST) most = MOST;
  for (uint64_t at = 0, n; at < count; at += n) {
    n = count - at < most ? count - at : most;
    unsigned char *values = b->list ? listed : layout->values + (b->s + at) * size;
    for (uint64_t j = 0; layout->n_parts > 1 && j < n; j++)
      memcpy(values + j * size, layout->whole->identity, size); /* with its padding */
    for (uint32_t k = 0; k < layout->n_parts; k++) fold_part(b, &layout->parts[k], at, n, values);
    for (uint64_t j = 0; b->list && j < n; j++)
      memcpy(layout->values + b->list[at + j] * size, listed + j * size, size);
  }
}

/* Of any length, at most MOST of them: in the order of their lengths. */
static void fold_sorted(const rh_native_layout *layout, uint64_t most, uint64_t s, uint64_t end) {
  uint64_t list[MOST], begins[MOST_LENGTH + 2] = {0}, at = 0;
  for (uint64_t j = s; j < end; j++) {
    uint64_t length = rh_layout_length(layout->of, j);
    if (length <= most) begins[length + 1]++;
  }
  for (uint64_t length = 0; length <= most; length++) begins[length + 1] += begins[length];
  for (uint64_t j = s; j < end; j++) {
    uint64_t length = rh_layout_length(layout->of, j);
    if (length <= most) list[begins[length]++] = j;
  }
  for (uint64_t length = 0; length <= most; at = begins[length++]) {
    const batch b = {layout, length, 0, 0, list + at};
    uint64_t count = begins[length] - at;
    if (length > 0 && count >= FEW) fold_batch(&b, count);
    for (uint64_t j = at; length > 0 && count < FEW && j < begins[length]; j++)
      rh_native_layout_row(layout, list[j]);
  }
}

/* Of one length, one behind the other? */
static int are_rows(const rh_layout *of, uint64_t s, uint64_t end) {
  uint64_t length = rh_layout_length(of, s), differ = 0;
  for (uint64_t j = s + 1; j < end; j++)
    differ |= (of->starts[j] ^ of->stops[j - 1]) | ((of->stops[j] - of->starts[j]) ^ length);
  return differ == 0;
}

void rh_native_short_rows(const rh_native_layout *layout, uint64_t most, uint64_t s, uint64_t end) {
  const rh_layout *of = layout->of;
  if (of->kind == RH_LAYOUT_AXIS) {
    const batch b = {layout, of->length, s, s * of->length, NULL};
    if (of->length - 1 < most) fold_batch(&b, end - s);
    return;
  }
  for (uint64_t n; s < end; s += n) {
    n = end - s < MOST ? end - s : MOST;
    const batch b = {layout, rh_layout_length(of, s), s, of->starts[s], NULL};
    if (b.length - 1 >= most || !are_rows(of, s, s + n)) fold_sorted(layout, most, s, s + n);
    else fold_batch(&b, n);
  }
}
