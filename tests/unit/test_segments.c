/* host/engine/segments: a wrong segment is found.  unit.test_segmented has the bits of all. */
#include "../../host/choose/choose.h"
#include "custom_support.h"

enum { N = 1 << 12, LONG = 2 * RH_QUICK_ELEMENTS };

static rh_context *context;
static rh_array array;

static void set_up(void) {
  const rh_options options = {.struct_size = sizeof options, .plugin_path = PLUGINS_DIR};
  must(rh_context_open(&context, &options, &rh_choosing, &error));
}

static void tear_down(void) {
  rh_array_finish(&array);
  rh_context_close(context);
}

/* ---- Verdicts ---- */

/* The value of a segment, changed by the least that must be seen. */
static void spoil(const rh_operator *op, unsigned char *value) {
  double wide = 0;
  float narrow = 0;
  int is_sum = op->base == RH_OP_sum || op->base == RH_OP_asum, is_wide = op->type == RH_TYPE_f64;
  void *number = is_wide ? (void *)&wide : (void *)&narrow;
  size_t size = is_wide ? sizeof wide : sizeof narrow;
  if (rh_type_is_float(op->type) && (is_sum || op->base == RH_OP_prod)) {
    memcpy(number, value, size);
    wide = is_sum ? wide + 0x1p-34 : wide * (1 + 0x1p-48);
    narrow = is_sum ? narrow + 0x1p-5f : narrow * (1 + 0x1p-18f);
    memcpy(value, number, size);
  } else {
    value[op->abi->flags & RH_OP_INDEXED ? 8 : 0] ^= 1; /* the index, or the value */
  }
}

/* part: of several operators, the one whose value is wrong. */
static void try_wrong(const rh_operator *op, rh_layout layout, uint64_t s, uint32_t part) {
  rh_job_spec spec = {.strategy = "native",
                      .operation = {.op = op, .n = array.n, .what = "the data", .layout = &layout}};
  const void *data = rh_array_data(&array);
  rh_segments_check check;
  rh_segments segments;
  rh_found found;
  must(rh_layout_check(&layout, op, array.n, &error));
  must(rh_locate(context, &spec, &found, &error));
  spec.plugin = found.path;
  must(rh_segments_open(&segments, context, &spec, NULL, &error));
  must(rh_segments_bring(&segments, &data, &error));
  must(rh_segments_run(&segments, &error));
  uint32_t at = op->is_struct ? rh_custom_of(op)->parts[part].offset : 0;
  spoil(op, segments.values + s * segments.value_bytes + at);
  must(rh_segments_judge(&segments, 0, &check, &error));
  ck_assert_msg(check.is_wrong && check.wrong == s, "%s of %s: segment %llu is wrong", op->name,
                rh_type_name(op->type), (unsigned long long)s);
  ck_assert_int_eq(check.verdict.verdict, RH_VERDICT_WRONG);
  rh_segments_finish(&segments);
  rh_found_finish(&found);
}

CASES(verdicts, .set_up = set_up, .tear_down = tear_down)
TEST_LOOP(a_wrong_segment_is_named, RH_TYPE_i8, RH_TYPE_f64 + 1) {
  for (uint32_t number = RH_OP_sum; number <= RH_OP_argamax; number++) {
    const rh_operator *op = rh_operator_builtin(number, (rh_type)_i);
    if (!op) continue;
    rh_array_finish(&array);
    must(rh_array_generate(&array, "uniform", 3, (rh_type)_i, LONG, NULL, &error));
    try_wrong(op, rh_layout_axis(N / 16, 16, 1), 200, 0);
    try_wrong(op, rh_layout_axis(1, N / 256, 16), 7, 0);
    try_wrong(op, rh_layout_axis(N, 1, 1), N - 1, 0);
    if (number == RH_OP_prod && rh_type_is_float(op->type)) continue; /* 0, or infinite */
    try_wrong(op, rh_layout_axis(1, LONG, 1), 0, 0);                  /* by a reference */
  }
}

TEST_LOOP(a_wrong_part_is_found, 0, 3) {
  static const char *const names[] = {"minmax", "minmax", "mean"};
  static const rh_type types[] = {RH_TYPE_f32, RH_TYPE_i16, RH_TYPE_i16};
  OWNED(rh_custom) made = made_of(shipped_text(names[_i]), types[_i], NULL, 0);
  must(rh_array_generate(&array, "uniform", 3, types[_i], LONG, NULL, &error));
  for (uint32_t part = 0; part < made->n_parts; part++) {
    try_wrong(&made->face, rh_layout_axis(N / 16, 16, 1), 200, part);
    try_wrong(&made->face, rh_layout_axis(1, N / 16, 16), 7, part);
    try_wrong(&made->face, rh_layout_axis(1, LONG, 1), 0, part);
  }
}

/* ---- What is refused ---- */

static void refuse(rh_layout layout, const char *op, const char *message) {
  const rh_operator *of;
  must(rh_operator_find(&of, rh_op_from_name(op), RH_TYPE_f32, &error));
  must_refuse(rh_layout_check(&layout, of, 10, &error), message);
}

TEST(layouts_that_are_none) {
  static const uint64_t o[] = {0, 4, 3, 11, 11};
  refuse(rh_layout_offsets(o, o + 1, 2), "sum", "segment 1 ends before it begins");
  refuse(rh_layout_offsets(o + 2, o + 3, 1), "sum", "segment 0 ends at element 11, beyond");
  refuse(rh_layout_offsets(o + 3, o + 4, 1), "sum", "segment 0 ends at element 11, beyond");
  refuse(rh_layout_offsets(o, o, 1), "min", "segment 0 is empty, and min of no elements");
  refuse(rh_layout_axis(3, 0, 1), "argmax", "segment 0 is empty");
  refuse(rh_layout_axis(3, 4, 1), "sum", "3 segments of 4 elements are more than the 10");
  const rh_layout none = rh_layout_axis(0, 0, 1), empty = rh_layout_offsets(o, o, 1);
  const rh_operator *sum = rh_operator_builtin(RH_OP_sum, RH_TYPE_f32);
  must(rh_layout_check(&none, rh_operator_builtin(RH_OP_min, RH_TYPE_f32), 0, &error));
  must(rh_layout_check(&empty, sum, 10, &error));
}
