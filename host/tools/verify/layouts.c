/* V85: many segments in one run. */
#include "internal.h"

enum { MOST_ELEMENTS = 8400, MOST_SEGMENTS = 4200 };

/* Around a tile, so that segments begin within those of others; columns; lengths of 1 and 2. */
static const uint64_t shapes[][3] = {{4, 2049, 1}, {1, 700, 6},  {40, 3, 1},  {1, 9, 1},
                                     {3, 513, 1},  {2, 37, 5},   {1, 2, 700}, {1, 2051, 3},
                                     {4100, 1, 1}, {33, 129, 1}, {3, 0, 2}};
/* With empty ones, gaps, overlaps, and backwards. */
static const uint64_t starts[] = {700, 5, 5, 0, 1201, 512, 8000, 8000, 1},
                      stops[] = {4750, 5, 6, 1500, 1203, 1024, 8000, 8002, 513};
/* Back to back, of all lengths, none empty; and the same lengths backwards. */
static const uint64_t offsets[] = {3,  4,   6,   10,        15,   24,   41,   42,  43,
                                   75, 140, 269, 269 + 257, 1100, 5700, 5701, 8399},
                      others[] = {3,    2701, 2702, 7302, 7876, 8133, 8262, 8327, 8359,
                                  8360, 8361, 8378, 8387, 8392, 8396, 8398, 8399};
enum {
  SHAPES = RH_COUNT(shapes),
  SCATTERED = RH_COUNT(starts),
  TOGETHER = RH_COUNT(offsets) - 1,
  LAYOUTS = SHAPES + 3
};

/* Offsets stay, but for the last layout's. */
static rh_layout layout_of(uint32_t k) {
  rh_layout layout = rh_layout_offsets(offsets, offsets + 1, TOGETHER);
  if (k < SHAPES) return rh_layout_axis(shapes[k][0], shapes[k][1], shapes[k][2]);
  if (k == SHAPES) layout = rh_layout_offsets(starts, stops, SCATTERED);
  layout.offsets_stay = k < LAYOUTS - 1;
  return layout;
}

/* The two instances: one gets all segments, the other each of them alone. */
typedef struct both {
  rh_rig many, alone;
  const rh_layout *layout;
  unsigned char values[(MOST_SEGMENTS + 1) * 16]; /* of all segments, and one more */
} both;

/* The elements of segment s are all that `alone` is given. */
static rh_status compare_segment(both *b, uint64_t s) {
  _Alignas(16) unsigned char value[16];
  rh_rig *rig = &b->alone;
  uint32_t size = rig->row.element_size;
  uint64_t n = rh_layout_length(b->layout, s), first = rh_layout_first(b->layout, s);
  uint64_t stride = b->layout->kind == RH_LAYOUT_AXIS ? b->layout->inner : 1;
  memcpy(value, b->values + s * rig->row.value_size, rig->row.value_size);
  RH_TRY(rh_rig_fill(rig, "zeros", 1, n, 0));
  for (uint64_t k = 0; k < n; k++)
    memcpy(rig->place->memory + k * size,
           rh_fixture_at(b->many.place, b->many.first + first + k * stride), size);
  RH_TRY(rh_fixture_write(rig->place, rig->error));
  RH_TRY(rh_rig_run(rig));
  RH_TRY(rh_rig_judge(rig, value));
  int is_fixed = rig->row.flags & RH_OP_EXACT || rig->strategy->promises & RH_CANONICAL_ORDER;
  if (!is_fixed || rh_rig_gave(rig, value)) return RH_OK;
  return rh_trial_fail(rig->trial, "its bits are not those of the segment alone");
}

/* Of very many segments the first, the last, and some between. */
static rh_status compare_all(both *b) {
  enum { ENDS = 12, EVERY = 61 };
  rh_rig *many = &b->many;
  for (uint64_t s = 0; s < b->layout->segments; s++) {
    if (s >= ENDS && s + ENDS < b->layout->segments && s % EVERY != 0) continue;
    RH_TRY(rh_error_prefix(many->error, compare_segment(b, s),
                           "%s of %s, segment %llu of %llu (elements %llu on, %llu of them)",
                           rh_op_name(many->op), rh_type_name(many->type), (unsigned long long)s,
                           (unsigned long long)b->layout->segments,
                           (unsigned long long)rh_layout_first(b->layout, s),
                           (unsigned long long)rh_layout_length(b->layout, s)));
  }
  const unsigned char *end = b->values + b->layout->segments * many->row.value_size;
  for (uint32_t k = 0; k < many->row.value_size; k++)
    if (end[k] != RH_POISON)
      return rh_trial_fail(many->trial, "writes behind the value of the last segment");
  return RH_OK;
}

/* The layout that a run gets is the host's. */
static rh_status run_all(both *b) {
  rh_layout before = *b->many.with.segments;
  RH_TRY(rh_rig_run(&b->many));
  if (memcmp(&before, b->many.with.segments, sizeof before) == 0) return RH_OK;
  return rh_trial_fail(b->many.trial, "the run changes its layout");
}

/* Other elements, by the same offsets where these stay, else by others. */
static rh_status run_before(both *b, const char *kind) {
  const rh_layout earlier = rh_layout_offsets(others, others + 1, TOGETHER);
  if (b->layout->kind != RH_LAYOUT_OFFSETS) return RH_OK;
  RH_TRY(rh_rig_fill(&b->many, kind, b->many.trial->seed + 1, MOST_ELEMENTS, 5));
  if (!b->layout->offsets_stay) RH_TRY(rh_rig_take_segments(&b->many, &earlier));
  RH_TRY(run_all(b));
  memset(b->values, RH_POISON, sizeof b->values);
  if (b->layout->offsets_stay) return RH_OK;
  return rh_rig_take_segments(&b->many, b->layout);
}

static rh_status try_both(both *b, rh_trial *trial, rh_pair pair, uint64_t results_at) {
  uint64_t n =
      b->layout->kind == RH_LAYOUT_AXIS ? b->layout->segments * b->layout->length : MOST_ELEMENTS;
  const rh_rig_with with = {.segments = b->layout, .results_at = results_at};
  memset(b->values, RH_POISON, sizeof b->values);
  RH_TRY(rh_rig_open(&b->many, trial, pair, MOST_ELEMENTS, &with));
  b->many.results = b->values;
  RH_TRY(rh_rig_open(&b->alone, trial, pair, MOST_ELEMENTS, NULL));
  const char *kind = pair.op == RH_OP_affine ? "hash" : "swing";
  RH_TRY(run_before(b, kind));
  RH_TRY(rh_rig_fill(&b->many, kind, trial->seed, n, 5));
  RH_TRY(run_all(b));
  return compare_all(b);
}

/* *served: whether query accepts the layout. */
static rh_status try_layout(rh_trial *trial, rh_pair pair, const rh_layout *layout,
                            uint64_t results_at, int *served) {
  static both b; /* too large for a stack */
  memset(&b, 0, sizeof b);
  b.layout = layout;
  rh_status status = try_both(&b, trial, pair, results_at);
  *served |= status == RH_OK;
  rh_rig_finish(&b.many);
  rh_rig_finish(&b.alone);
  return rh_unless_declined(status);
}

/* A later host may have other kinds of layout. */
static rh_status try_unknown(rh_trial *trial, rh_pair pair) {
  rh_layout layout = rh_layout_axis(3, 5, 1);
  RH_FINISHED(rh_rig) rig;
  layout.kind = 77;
  const rh_rig_with with = {.segments = &layout, .results_at = 1};
  if (rh_rig_open(&rig, trial, pair, MOST_ELEMENTS, &with) == RH_DECLINED) return RH_OK;
  return rh_trial_fail(trial, "query accepts a layout of kind 77, which is unknown");
}

/* Kernels may store several values of 8 bytes at once, of small elements. */
static int has_wide_values(rh_pair pair) {
  const rh_op *row = rh_op_find(pair.op, pair.type);
  return row->element_size <= 2 && row->value_size == 8;
}

/* The first one has wide values, and one of them shows in which order parts are combined. */
static rh_status choose_pairs(rh_trial *trial, rh_pairs *pairs) {
  enum { QUICKLY = 4 };
  uint32_t has_affine = 0, wide = 0;
  RH_TRY(rh_served_pairs(trial, MOST_ELEMENTS, RH_MOST_PAIRS, pairs));
  while (wide < pairs->n && !has_wide_values(pairs->list[wide])) wide++;
  if (wide < pairs->n) {
    const rh_pair first = pairs->list[0];
    pairs->list[0] = pairs->list[wide];
    pairs->list[wide] = first;
  }
  if (trial->quick && pairs->n > QUICKLY) pairs->n = QUICKLY;
  for (uint32_t k = 0; k < pairs->n; k++) has_affine |= pairs->list[k].op == RH_OP_affine;
  if (pairs->n < RH_MOST_PAIRS && !has_affine && trial->strategy->promises & RH_KEEPS_ORDER)
    pairs->list[pairs->n++] = (rh_pair){RH_OP_affine, RH_TYPE_u64};
  return RH_OK;
}

/* Results begin at an index that is odd or even in turn, so that some are aligned for wider stores
 * than a value needs, and others are not. */
RH_TEST(85, "every segment of a layout as if it were alone, as promised", RH_RUN_TEST(3, 0.5)) {
  rh_pairs pairs;
  int served = 0;
  if (!(trial->strategy->promises & RH_SERVES_LAYOUTS))
    return rh_trial_skip(trial, "does not promise to serve layouts");
  RH_TRY(choose_pairs(trial, &pairs));
  for (uint32_t k = 0; k < pairs.n; k++)
    for (uint32_t j = 0; j < LAYOUTS; j++) {
      const rh_pair pair = pairs.list[k];
      const rh_layout layout = layout_of(j);
      int some_are_empty = j == SHAPES || layout.longest == 0;
      if (!some_are_empty || !rh_operator_builtin(pair.op, pair.type)->needs_an_element)
        RH_TRY(try_layout(trial, pair, &layout, 2 - (j + k) % 2, &served));
    }
  if (served) return try_unknown(trial, pairs.list[0]);
  return rh_trial_fail(trial, "promises to serve layouts, and declines every one");
}
