/* host/engine/segments: a wrong segment is found.  unit.test_segmented has the bits of all. */
#include "../../host/choose/choose.h"
#include "../suite/suite.h"

OWNS(rh_custom, rh_custom_destroy)

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

static rh_custom *shipped(const char *of, rh_type type) {
  rh_definition definition = {0};
  rh_operand operands[RH_MOST_OPERANDS] = {{.type = type}};
  rh_custom *made = NULL;
  const char *name, *text;
  for (size_t k = 0; (text = rh_library_text(k, &name)) && strcmp(name, of) != 0; k++) continue;
  ck_assert(text != NULL);
  must(rh_definition_read(&definition, text, strlen(text), "test", &error));
  must(rh_custom_create(&made, &definition, operands, 1, NULL, 0, &error));
  rh_definition_finish(&definition);
  return made;
}

/* ---- Verdicts ---- */

/* The value of a segment, changed by the least that must be seen. */
static void spoil(const rh_operator *op, unsigned char *value) {
  double wide;
  float narrow;
  uint64_t index;
  int is_sum = op->base == RH_OP_sum || op->base == RH_OP_asum;
  if (is_sum && op->type == RH_TYPE_f64) {
    memcpy(&wide, value, sizeof wide);
    wide += 0x1p-34;
    memcpy(value, &wide, sizeof wide);
  } else if (is_sum && rh_type_is_float(op->type)) {
    memcpy(&narrow, value, sizeof narrow);
    narrow += 0x1p-5f;
    memcpy(value, &narrow, sizeof narrow);
  } else if (op->base == RH_OP_prod && rh_type_is_float(op->type)) {
    memcpy(&wide, value, sizeof wide);
    memcpy(&narrow, value, sizeof narrow);
    wide *= 1 + 0x1p-48;
    narrow *= 1 + 0x1p-18f;
    memcpy(value, op->type == RH_TYPE_f64 ? (void *)&wide : (void *)&narrow,
           op->type == RH_TYPE_f64 ? sizeof wide : sizeof narrow);
  } else if (op->abi->flags & RH_OP_INDEXED) {
    memcpy(&index, value + 8, sizeof index);
    index++;
    memcpy(value + 8, &index, sizeof index);
  } else {
    value[0] ^= 1;
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
  OWNED(rh_custom) made = shipped(names[_i], types[_i]);
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
  must_fail(rh_layout_check(&layout, of, 10, &error), RH_E_USAGE, message);
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
