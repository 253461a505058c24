/* host/engine/segments: every segment of every layout has the bits of its elements alone, whoever
 * reduces it, and a wrong one is found. */
#include "../../host/choose/known.h"
#include "../../host/choose/locate.h"
#include "../../host/core/base/vocabulary.h"
#include "../../host/core/data/array.h"
#include "../../host/core/operation/ops.h"
#include "../../host/core/operation/result.h"
#include "../../host/engine/io/element.h"
#include "../../host/engine/segments/columns.h"
#include "../../host/engine/segments/quick.h"
#include "../../host/engine/segments/referee.h"
#include "../../host/operators/custom/custom.h"
#include "../../host/operators/custom/file.h"
#include "../suite/suite.h"

OWNS(rh_custom, rh_custom_destroy)

enum { N = 1 << 12, LONG = 2 * RH_QUICK_ELEMENTS, MANY = 1 << 20 };

static rh_context *context;
static rh_array array;
static uint64_t starts[N], stops[N];

static void set_up(void) {
  const rh_options options = {.struct_size = sizeof options, .plugin_path = PLUGINS_DIR};
  must(rh_context_open(&context, &options, &rh_choosing, &error));
}

static void tear_down(void) {
  rh_array_finish(&array);
  rh_context_close(context);
}

static int has_device(void) {
  const rh_cl_device *device;
  return rh_context_device(context, &device, NULL) == RH_OK;
}

/* ---- Layouts ---- */

/* With gaps, overlaps, empty segments, and one that is much longer than the others. */
static rh_layout scattered(uint64_t n, int may_be_empty) {
  uint64_t count = 0, at = n;
  for (uint64_t k = 0; k < 60 && at > 400; k++, count++) {
    uint64_t length = k % 7 == 3 ? !may_be_empty : k * k % 129 + 1;
    starts[count] = at - 5 * k % 300 - length;
    stops[count] = starts[count] + length;
    at -= length / 2;
  }
  starts[count] = 1;
  stops[count++] = n - 3;
  return rh_layout_offsets(starts, stops, count);
}

static const uint64_t shapes[][3] = {
    {N, 1, 1},    {N / 2, 2, 1}, {200, 17, 1}, {4, 1000, 1}, {1, N, 1},   {1, 2, N / 2},
    {1, 3, 1301}, {1, 37, 100},  {1, 700, 5},  {1, 1300, 3}, {5, 37, 20}, {300, 2, 3},
    {2, 600, 3},  {300, 3, 1},   {300, 4, 1},  {200, 5, 1},  {200, 6, 1}, {200, 7, 1},
    {200, 8, 1},  {200, 9, 1},   {1, 1, 1},    {0, 5, 1},    {3, 0, 2},   {128, 1, 30}};
enum { SHAPES = sizeof shapes / sizeof *shapes, LAYOUTS = SHAPES + 2 };

/* Many of each of a few lengths. */
static rh_layout alike(uint64_t n) {
  uint64_t count = 0;
  for (uint64_t at = 1; at + 70 < n && count < N; at = stops[count++]) {
    starts[count] = at;
    stops[count] = at + (count % 50 == 7 ? 70 : count * count % 11 % 6 + 1);
  }
  return rh_layout_offsets(starts, stops, count);
}

static rh_layout layout_of(int k, const rh_operator *op) {
  if (k == SHAPES + 1) return alike(N);
  if (k == SHAPES) return scattered(N, !op->needs_an_element);
  return rh_layout_axis(shapes[k][0], shapes[k][1], shapes[k][2]);
}

/* ---- A segment alone ---- */

/* Its elements, one behind the other. */
static void gather(const rh_layout *layout, uint64_t s, uint32_t size, char *to) {
  uint64_t stride = layout->kind == RH_LAYOUT_AXIS ? layout->inner : 1;
  const char *from = (const char *)rh_array_data(&array) + rh_layout_first(layout, s) * size;
  for (uint64_t k = 0; k < rh_layout_length(layout, s); k++)
    memcpy(to + k * size, from + k * stride * size, size);
}

static void locate(rh_job_spec *spec, rh_found *found, const char *strategy) {
  spec->strategy = strategy;
  must(rh_locate(context, spec, found, &error));
  spec->strategy = found->name;
  spec->plugin = found->path;
}

static void compare(const rh_segments *segments, const char *what) {
  const rh_operation *operation = &segments->spec.operation;
  const rh_operator *op = operation->op;
  uint32_t size = rh_type_size(op->operands[0].type);
  rh_job_spec spec = {.operation = {.op = op, .n = operation->layout->longest, .what = "a copy"}};
  char *copy = malloc((spec.operation.n + 1) * size);
  unsigned char value[RH_MOST_VALUE_BYTES];
  rh_found found;
  rh_job job = {.context = context};
  locate(&spec, &found, "native");
  must(rh_job_init(&job, context, &spec, &error));
  job.data = (rh_data){.host = copy};
  must(rh_job_instantiate(&job, &error));
  for (uint64_t s = 0; s < segments->n; s++) {
    uint64_t n = rh_layout_length(operation->layout, s);
    gather(operation->layout, s, size, copy);
    must(rh_instance_call(job.instance, &job.data, n, value, &error));
    const void *got = segments->values + s * segments->value_bytes;
    int is_same = op->is_struct || op->abi->id >= RH_FIRST_USER_OP
                      ? memcmp(value, got, segments->value_bytes) == 0
                      : rh_op_same_values(op->abi, op->type, value, got);
    if (!is_same)
      ck_abort_msg("%s of %s, %s: segment %llu of %llu", op->name, rh_type_name(op->type), what,
                   (unsigned long long)s, (unsigned long long)segments->n);
  }
  rh_job_finish(&job);
  rh_found_finish(&found);
  free(copy);
}

/* ---- One problem ---- */

typedef struct problem {
  const rh_operator *op;
  rh_layout layout;
  rh_job_spec spec;
  rh_found found;
  rh_segments segments;
} problem;

/* Of `segments` on a CPU, where it does without: work-items that share a segment. */
static const rh_setting shared[] = {{"members", "8"}, {"group", "64"}};
static uint64_t n_settings; /* of them, that are used */

static void reduce(problem *p, const char *strategy) {
  p->spec = (rh_job_spec){
      .operation = {.op = p->op, .n = array.n, .what = "the data", .layout = &p->layout},
      .settings = shared,
      .n_settings = n_settings};
  must(rh_layout_check(&p->layout, p->op, array.n, &error));
  locate(&p->spec, &p->found, strategy);
  const void *data = rh_array_data(&array);
  must(rh_segments_open(&p->segments, context, &p->spec, NULL, &error));
  must(rh_segments_bring(&p->segments, &data, &error));
  must(rh_segments_run(&p->segments, &error));
  ck_assert(!p->segments.is_loop);
}

static void finish(problem *p) {
  rh_segments_finish(&p->segments);
  rh_found_finish(&p->found);
}

static void check(const problem *p, const char *what) {
  rh_segments_check check;
  must(rh_segments_judge(&p->segments, 0, &check, &error));
  ck_assert_msg(!check.is_wrong, "%s of %s, %s: segment %llu is judged as wrong: %s", p->op->name,
                rh_type_name(p->op->type), what, (unsigned long long)check.wrong,
                check.verdict.text);
  ck_assert_uint_eq(check.n, p->segments.n);
}

/* What is stored of many values at once is what each is decoded to. */
static void compare_columns(const rh_segments *segments, const char *what) {
  const rh_operator *op = segments->spec.operation.op;
  rh_columns columns;
  char *stored = malloc((segments->n + 1) * sizeof(uint64_t)), one[sizeof(uint64_t)];
  rh_columns_find(&columns, op);
  for (uint32_t k = 0; k < columns.n + columns.names.indexed; k++) {
    uint32_t column = k < columns.n ? k : RH_COLUMN_VALUE;
    rh_type type = k < columns.n ? columns.list[k].type : columns.names.type;
    rh_columns_store(&columns, column, segments, stored);
    for (uint64_t s = 0; s < segments->n; s++) {
      rh_result result = {.struct_size = sizeof result};
      rh_segments_result(segments, s, &result);
      uint32_t size = rh_element_store(type, rh_columns_word(&result, column), one);
      if (memcmp(one, stored + s * size, size) != 0)
        ck_abort_msg("%s of %s, %s: result %u of segment %llu", op->name, rh_type_name(op->type),
                     what, column, (unsigned long long)s);
    }
  }
  free(stored);
}

static void try_layout(const rh_operator *op, int k, const char *strategy) {
  char what[128];
  problem p = {.op = op, .layout = layout_of(k, op)};
  if (op->needs_an_element && p.layout.longest == 0) return;
  snprintf(what, sizeof what, "%s on layout %d", strategy, k);
  reduce(&p, strategy);
  compare(&p.segments, what);
  compare_columns(&p.segments, what);
  check(&p, what);
  finish(&p);
}

static const char *const kinds[] = {"uniform", "swing", "nan", "ends"};

static void try_all(rh_type type, const char *strategy) {
  for (uint32_t number = RH_OP_sum; number <= RH_OP_argamax; number++) {
    const rh_operator *op = rh_operator_builtin(number, type);
    if (!op) continue;
    const char *kind = kinds[number % (sizeof kinds / sizeof *kinds)];
    rh_array_finish(&array);
    must(rh_array_generate(&array, kind, number, type, N, NULL, &error));
    for (int k = 0; k < LAYOUTS; k++) try_layout(op, k, strategy);
  }
}

CASES(bits, .set_up = set_up, .tear_down = tear_down)
TEST_LOOP(of_all_operators_and_layouts, RH_TYPE_i8, RH_TYPE_f64 + 1) {
  try_all((rh_type)_i, "native");
}

/* Of maps, by loops of the built-in operator; several of them at once. */
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

TEST_LOOP(of_mapped_operators, 0, 5) {
  static const char *const names[] = {"any", "all", "mean", "minmax", "meanvar"};
  static const rh_type types[] = {RH_TYPE_u8, RH_TYPE_f16, RH_TYPE_f32, RH_TYPE_f64};
  for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
    OWNED(rh_custom) made = shipped(names[_i], types[t]);
    rh_array_finish(&array);
    must(rh_array_generate(&array, "swing", 5, types[t], N, NULL, &error));
    for (int k = 0; k < LAYOUTS; k++) try_layout(&made->face, k, "native");
  }
}

/* All of them at once, by one work-item each or by several.  A program takes PoCL seconds to
 * compile: --verify (V85) has the other pairs. */
TEST_LOOP(in_one_run_on_a_device, 0, 3) {
  static const struct {
    uint32_t number;
    rh_type type;
    uint64_t n_settings;
  } tried[] = {
      {RH_OP_sum, RH_TYPE_f32, 0}, {RH_OP_argmax, RH_TYPE_u8, 2}, {RH_OP_affine, RH_TYPE_u64, 0}};
  if (!has_device()) return;
  must(rh_array_generate(&array, "swing", 5, tried[_i].type, N, NULL, &error));
  n_settings = tried[_i].n_settings;
  for (int k = 0; k <= SHAPES; k++)
    try_layout(rh_operator_builtin(tried[_i].number, tried[_i].type), k, "segments");
  n_settings = 0;
}

/* Worth all threads; and columns that are cut. */
static void try_giants(const char *strategy, size_t most) {
  static const rh_type types[] = {RH_TYPE_f32, RH_TYPE_u8};
  static const uint32_t numbers[] = {RH_OP_sum, RH_OP_argmax};
  for (size_t t = 0; t < most; t++)
    for (size_t k = 0; k < most; k++) {
      problem p = {.op = rh_operator_builtin(numbers[k], types[t])};
      rh_array_finish(&array);
      must(rh_array_generate(&array, "uniform", 7, types[t], MANY + 100, NULL, &error));
      starts[0] = 60;
      stops[0] = MANY + 60; /* a giant */
      starts[1] = 0;
      stops[1] = 60;
      starts[2] = MANY / 2;
      stops[2] = MANY + 1;
      const rh_layout layouts[] = {rh_layout_offsets(starts, stops, 3),
                                   rh_layout_axis(1, MANY / 4, 4)};
      for (size_t j = 0; j < 2; j++) {
        p.layout = layouts[j];
        reduce(&p, strategy);
        compare(&p.segments, j ? "columns" : "a giant");
        check(&p, j ? "columns" : "a giant");
        finish(&p);
      }
    }
}

TEST(of_giants_and_long_columns) {
  try_giants("native", 2);
  if (has_device()) try_giants("segments", 1);
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
  rh_segments_check check;
  problem p = {.op = op, .layout = layout};
  reduce(&p, "native");
  uint32_t at = op->is_struct ? rh_custom_of(op)->parts[part].offset : 0;
  spoil(op, p.segments.values + s * p.segments.value_bytes + at);
  must(rh_segments_judge(&p.segments, 0, &check, &error));
  ck_assert_msg(check.is_wrong && check.wrong == s, "%s of %s: segment %llu is wrong", op->name,
                rh_type_name(op->type), (unsigned long long)s);
  ck_assert_int_eq(check.verdict.verdict, RH_VERDICT_WRONG);
  finish(&p);
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
