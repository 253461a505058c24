/* rh_reduce() and rh_prepare() over segments: each has the bits of its elements alone, whatever the
 * layout, and a wrong one is named. */
#include <stdint.h>

#include "../../host/library/library.h"
#include "queue.h"

static rh_result result = {.struct_size = sizeof result}; /* of the latest call */

enum { N = 4096, MOST_SEGMENTS = N + 1 };

static _Alignas(64) unsigned char data[N * 8], others[N * 8], alone[2][N * 8];
static const char *kind = "uniform";

static void fill(rh_type type, unsigned char *to, unsigned seed) {
  rh_generate(kind, seed, type, N, 0, N, to);
}

/* ---- Which elements, by the definition ---- */

typedef struct segment {
  uint64_t n, at[N];
} segment;
static segment segments[MOST_SEGMENTS];
static uint64_t n_segments;

static void no_segments(uint64_t n) {
  n_segments = n;
  for (uint64_t s = 0; s < n; s++) segments[s].n = 0;
}

/* All places along the axes, the largest stride slowest. */
static void by_axes(const rh_segmentation *of, const uint64_t *strides) {
  uint32_t order[RH_MOST_AXES];
  uint64_t all = 1, count = 1;
  for (uint32_t k = 0; k < of->n_axes; k++) {
    uint32_t at = k;
    for (; at > 0 && strides[order[at - 1]] < strides[k]; at--) order[at] = order[at - 1];
    order[at] = k;
    all *= of->lengths[k];
    if (!(of->reduced >> k & 1)) count *= of->lengths[k];
  }
  no_segments(count);
  for (uint64_t e = 0; e < all; e++) {
    uint64_t rest = e, at = 0, s = 0, places[RH_MOST_AXES];
    for (uint32_t k = of->n_axes; k-- > 0; rest /= of->lengths[order[k]])
      places[k] = rest % of->lengths[order[k]];
    for (uint32_t k = 0; k < of->n_axes; k++) {
      at += places[k] * strides[order[k]];
      if (!(of->reduced >> order[k] & 1)) s = s * of->lengths[order[k]] + places[k];
    }
    segments[s].at[segments[s].n++] = at;
  }
}

static void by_offsets(const rh_segmentation *of) {
  no_segments(of->n_segments);
  for (uint64_t s = 0; s < n_segments; s++)
    for (uint64_t k = of->starts[s]; k < of->stops[s]; k++) segments[s].at[segments[s].n++] = k;
}

/* ---- One problem ---- */

typedef struct problem {
  rh_request request;
  rh_input inputs[2];
  uint32_t n_results; /* columns: of the fields, or of an index and its element */
  rh_type types[RH_MOST_RESULTS];
} problem;

static _Alignas(64) unsigned char results[RH_MOST_RESULTS][MOST_SEGMENTS * 8];

static void set_data(problem *p, const void *x, const void *y) {
  if (p->request.inputs) {
    p->inputs[0].data = x;
    p->inputs[1].data = y;
    p->request.inputs = p->inputs;
  } else {
    p->request.data = x;
  }
}

static rh_result reduce_alone(const problem *of, const segment *s) {
  problem p = *of;
  uint32_t size = rh_type_size(p.request.type);
  for (uint64_t k = 0; k < s->n; k++) {
    memcpy(alone[0] + k * size, data + s->at[k] * size, size);
    memcpy(alone[1] + k * size, others + s->at[k] * size, size);
  }
  set_data(&p, alone[0], alone[1]);
  p.request.n = s->n;
  p.request.segments = NULL;
  p.request.outputs = NULL;
  p.request.n_outputs = 0;
  p.request.unchecked = 1;
  must(rh_reduce(redhost, &p.request, spoilt(&result), &error));
  return result;
}

static int is_nan(rh_type type, const void *element) {
  double x;
  if (!rh_type_is_float(type)) return 0;
  rh_element_load(type, element, &x);
  return isnan(x);
}

static void compare(const problem *p, const rh_result *expected, uint64_t s, const char *what) {
  for (uint32_t k = 0; k < p->n_results; k++) {
    unsigned char want[8];
    const void *word = expected->n_fields            ? (const void *)&expected->fields[k].value
                       : expected->indexed && k == 0 ? (const void *)&expected->index
                                                     : (const void *)&expected->value;
    uint32_t size = rh_element_store(p->types[k], word, want);
    const unsigned char *got = results[k] + s * size;
    if (memcmp(got, want, size) != 0 && !(is_nan(p->types[k], got) && is_nan(p->types[k], want)))
      ck_abort_msg("%s of %s, %s: result %u of segment %llu of %llu",
                   p->request.op ? p->request.op : p->request.reduce, rh_type_name(p->request.type),
                   what, k, (unsigned long long)s, (unsigned long long)n_segments);
  }
}

/* The types of what it gives are those of a first result. */
static void find_results(problem *p) {
  const segment one = {.n = 1};
  result = reduce_alone(p, &one);
  p->n_results = result.n_fields ? result.n_fields : 1 + result.indexed;
  for (uint32_t k = 0; k < p->n_results; k++)
    p->types[k] = result.n_fields ? result.fields[k].type : result.type;
  if (!result.n_fields && result.indexed) p->types[0] = RH_TYPE_i64;
}

static void make_outputs(const problem *p, rh_output *outputs) {
  memset(results, 0xAA, sizeof results);
  for (uint32_t k = 0; k < p->n_results; k++)
    outputs[k] = (rh_output){.type = p->types[k], .data = results[k], .n = n_segments};
  if (p->n_results == 2 && p->types[0] == RH_TYPE_i64 && !p->request.finalize && p->request.op &&
      strncmp(p->request.op, "arg", 3) == 0)
    outputs[1].name = "value";
}

static void compare_all(const problem *p, const char *what) {
  for (uint64_t s = 0; s < n_segments; s++) {
    const rh_result expected = reduce_alone(p, &segments[s]);
    compare(p, &expected, s, what);
  }
}

static void try_call(problem *p, const rh_segmentation *of, const char *what) {
  rh_output outputs[RH_MOST_RESULTS];
  set_data(p, data, others);
  p->request.n = N;
  p->request.segments = of;
  p->request.outputs = outputs;
  p->request.n_outputs = p->n_results;
  make_outputs(p, outputs);
  must(rh_reduce(redhost, &p->request, spoilt(&result), &error));
  compare_all(p, what);
}

/* The same segments again. */
static void try_prepared(problem *p, const char *what) {
  rh_output outputs[RH_MOST_RESULTS];
  const void *arrays[] = {data, others};
  p->request.outputs = NULL;
  p->request.n_outputs = 0;
  OWNED(rh_prepared) prepared = prepare(redhost, &p->request);
  const rh_call_spec call = SIZED(rh_call_spec, .n_operands = p->request.inputs ? 2 : 1, .n = N,
                                  .arrays = arrays, .outputs = outputs, .n_outputs = p->n_results);
  for (unsigned seed = 0; seed < 2; seed++) {
    fill(p->request.type, data, seed);
    make_outputs(p, outputs);
    must(rh_prepared_call(prepared, &call, spoilt(&result), &error));
    compare_all(p, what);
  }
}

/* ---- Operators ---- */

static const rh_request operators[] = {
    {.op = "sum"},
    {.op = "min"},
    {.op = "argmax"},
    {.op = "meanvar"},
    {.op = "dot"},
    {.op = "sum,max", .where = "x > 0"},
    {.reduce = "a != 0 ? a : b", .identity = "0"}, /* the first that is not 0 */
    {.op = "sum", .map = "x*(i+1)+n"},
};
enum { OPERATORS = sizeof operators / sizeof *operators };

static problem make_problem(rh_type type, int k) {
  problem p = {.request = operators[k]};
  p.request.struct_size = sizeof p.request;
  p.request.type = type;
  p.request.unchecked_op = 1; /* its laws have tests of their own */
  if (k == 4) {
    p.inputs[0].type = p.inputs[1].type = type;
    p.request.inputs = p.inputs;
    p.request.n_inputs = 2;
  }
  return p;
}

/* ---- Layouts ---- */

static const uint64_t box[] = {3, 4, 5}, c_order[] = {20, 5, 1}, fortran[] = {1, 3, 12};

static void in_both_orders(problem *p, const char *name) {
  for (uint32_t reduced = 1; reduced < 8; reduced++)
    for (int order = 0; order < 2; order++) {
      const rh_segmentation of = SIZED(rh_segmentation, .n_axes = 3, .reduced = reduced,
                                       .lengths = box, .strides = order ? fortran : NULL);
      char what[64];
      snprintf(what, sizeof what, "%s, axes %u in order %d", name, reduced, order);
      by_axes(&of, order ? fortran : c_order);
      try_call(p, &of, what);
    }
}

static const uint64_t none_of[] = {4, 0, 3}, eight[] = {2, 1, 3, 2, 1, 2, 3, 5};
static const uint64_t c_eight[] = {180, 180, 60, 30, 30, 15, 5, 1}, c_none[] = {3, 3, 1};
static const uint64_t slice[] = {9, 6}, gaps[] = {16, 2}, windows[] = {20, 8}, sliding[] = {1, 1};
static const uint64_t no_rows[] = {0, 5, 1}, far_rows[] = {2, 1, 1}, no_elements[] = {5, 4, 0};
static const uint64_t apart[] = {5, 3, 100}, padded[] = {700, 130, 1}, near[] = {700, 30, 1};
static const uint64_t any[] = {1, 9, 7};
static const uint64_t one[] = {N}, tiny[] = {100, 2}, c_tiny[] = {2, 1}, unit[] = {1};

static const struct {
  uint32_t n, reduced;
  const uint64_t *lengths, *strides, *given;
  int is_empty;
} axes[] = {
    {2, 2, slice, gaps, gaps, 0},           {2, 1, slice, gaps, gaps, 0},
    {2, 2, windows, sliding, sliding, 0},   {8, 0xA5, eight, c_eight, NULL, 0},
    {8, 0x3C, eight, c_eight, NULL, 0},     {1, 1, one, unit, NULL, 0},
    {2, 2, tiny, c_tiny, NULL, 0},          {2, 1, tiny, c_tiny, NULL, 0},
    {3, 4, apart, padded, padded, 0},       {3, 4, apart, near, near, 0},
    {3, 5, apart, padded, padded, 0},       {3, 2, apart, padded, padded, 0},
    {3, 4, no_rows, far_rows, far_rows, 0}, {3, 1, no_rows, far_rows, far_rows, 1},
    {3, 4, no_elements, any, any, 1},       {3, 3, no_elements, any, any, 0},
    {3, 2, none_of, c_none, NULL, 1},       {3, 1, none_of, c_none, NULL, 0},
};

static int needs_an_element(const problem *p) {
  return p->request.op && (strstr(p->request.op, "min") || strstr(p->request.op, "max"));
}

/* With gaps, overlaps, empty segments, and one that is much longer than the others; then many of
 * each of a few lengths. */
static void of_offsets(problem *p, const char *name) {
  static uint64_t starts[N], stops[N];
  rh_segmentation of = SIZED(rh_segmentation, .starts = starts, .stops = stops);
  for (uint64_t at = N, s = 0; s < 60 && at > 400; of.n_segments = ++s) {
    uint64_t length = s % 7 == 3 ? (uint64_t)needs_an_element(p) : s * s % 129 + 1;
    starts[s] = at - 5 * s % 300 - length;
    stops[s] = starts[s] + length;
    at -= length / 2;
  }
  starts[of.n_segments] = 1;
  stops[of.n_segments++] = N - 3;
  by_offsets(&of);
  try_call(p, &of, name);
  of.n_segments = 0;
  for (uint64_t at = 1; at + 70 < N; at = stops[of.n_segments++]) {
    uint64_t s = of.n_segments;
    starts[s] = at;
    stops[s] = at + (s % 50 == 7 ? 70 : s * s % 11 % 6 + 1);
  }
  by_offsets(&of);
  try_call(p, &of, name);
  if (p->request.unchecked_op) try_prepared(p, name);
}

static void of_many_kinds(problem *p, const char *name) {
  for (size_t k = 0; k < sizeof axes / sizeof *axes; k++) {
    const rh_segmentation of =
        SIZED(rh_segmentation, .n_axes = axes[k].n, .reduced = axes[k].reduced,
              .lengths = axes[k].lengths, .strides = axes[k].given);
    char what[64];
    if (axes[k].is_empty && needs_an_element(p)) continue;
    snprintf(what, sizeof what, "%s, axes of kind %zu", name, k);
    by_axes(&of, axes[k].strides);
    try_call(p, &of, what);
  }
  of_offsets(p, name);
  const rh_segmentation of = SIZED(rh_segmentation, .length = 64);
  const uint64_t rows[] = {N / 64, 64}, row_strides[] = {64, 1};
  by_axes(&(rh_segmentation){.n_axes = 2, .reduced = 2, .lengths = rows}, row_strides);
  try_call(p, &of, "length");
  try_prepared(p, "length");
}

static const uint64_t shapes[][3] = {
    {1003, 1, 1}, {N / 2, 2, 1}, {200, 17, 1}, {4, 1000, 1}, {1, N, 1},   {1, 2, N / 2},
    {1, 3, 1301}, {1, 37, 100},  {1, 700, 5},  {1, 1300, 3}, {5, 37, 20}, {300, 2, 3},
    {2, 600, 3},  {300, 3, 1},   {300, 4, 1},  {200, 5, 1},  {200, 6, 1}, {200, 7, 1},
    {200, 8, 1},  {200, 9, 1},   {1, 1, 1},    {0, 5, 1},    {3, 0, 2},   {128, 1, 30}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* Rows and columns of all shapes. */
static void of_shapes(problem *p, const char *name) {
  for (size_t k = 0; k < SHAPES; k++) {
    const uint64_t *shape = shapes[k], strides[] = {shape[1] * shape[2], shape[2], 1};
    const rh_segmentation of = SIZED(rh_segmentation, .n_axes = 3, .reduced = 2, .lengths = shape);
    char what[64];
    if (shape[1] == 0 && needs_an_element(p)) continue;
    snprintf(what, sizeof what, "%s, shape %zu", name, k);
    by_axes(&of, strides);
    try_call(p, &of, what);
    const rh_kept *kept = &redhost->kept;
    for (uint32_t j = 0; j < kept->n; j++)
      ck_assert(!kept->jobs[j]->segmented || !kept->jobs[j]->segmented->segments.is_loop);
  }
}

/* Columns, and axes that are copied. */
static void on_a_device(problem *p, const char *name) {
  static const uint64_t few[] = {3, 7, 4}, strides[] = {28, 4, 1};
  for (uint32_t reduced = 1; reduced < 7; reduced += 2) {
    const rh_segmentation of =
        SIZED(rh_segmentation, .n_axes = 3, .reduced = reduced, .lengths = few);
    by_axes(&of, strides);
    try_call(p, &of, name);
    if (reduced == 5) try_prepared(p, name);
  }
}

/* An operator by its name. */
static void try_named(const char *op, rh_type type, const char *strategy, const char *of_kind,
                      const rh_setting *settings, uint64_t n_settings) {
  problem p = {.request = request_for(strategy, op, type, NULL, 0)};
  p.request.settings = settings;
  p.request.n_settings = n_settings;
  kind = of_kind;
  fill(type, data, 1);
  find_results(&p);
  of_shapes(&p, op);
  of_offsets(&p, op);
}

typedef void layouts(problem *p, const char *name);

static void try_one(rh_type type, int k, const char *strategy, layouts *those) {
  problem p = make_problem(type, k);
  if (p.request.reduce && those == on_a_device) return; /* it does not commute */
  p.request.strategy = strategy;
  fill(type, data, 0);
  fill(type, others, 99);
  find_results(&p);
  those(&p, strategy ? strategy : "auto");
}

static void try_all(rh_type type, const char *strategy, layouts *those) {
  for (int k = 0; k < OPERATORS; k++) try_one(type, k, strategy, those);
}

/* Setups for segments of all lengths. */
static void set_up_many(void) {
  set_up();
  redhost->context->options.kept_setups = 64;
}

CASES(bits, .set_up = set_up_many, .tear_down = tear_down)
TEST_LOOP(of_axes_in_both_orders, RH_TYPE_i8, RH_TYPE_f64 + 1) {
  try_all((rh_type)_i, "native", in_both_orders);
}
TEST_LOOP(of_all_kinds_of_segments, RH_TYPE_i8, RH_TYPE_f64 + 1) {
  try_all((rh_type)_i, NULL, of_many_kinds);
}
TEST(of_a_strategy_that_runs_once_for_each) {
  try_all(RH_TYPE_f32, "serial", in_both_orders);
  try_all(RH_TYPE_i16, "onepass", on_a_device);
}
TEST_LOOP(of_all_operators, RH_TYPE_i8, RH_TYPE_f64 + 1) {
  static const char *const kinds[] = {"uniform", "swing", "nan", "ends"};
  for (uint32_t op = RH_OP_sum; op <= RH_OP_argamax; op++)
    if (rh_op_is_defined(op, (rh_type)_i))
      try_named(rh_op_name(op), (rh_type)_i, "native", kinds[op % 4], NULL, 0);
}
/* Of maps, by loops of the built-in operator; several of them at once. */
TEST_LOOP(of_mapped_operators, 0, 5) {
  static const char *const ops[] = {"any", "all", "mean", "minmax", "meanvar"};
  static const rh_type types[] = {RH_TYPE_u8, RH_TYPE_f16, RH_TYPE_f32, RH_TYPE_f64};
  for (size_t t = 0; t < 4; t++) try_named(ops[_i], types[t], "native", "swing", NULL, 0);
}
/* By one work-item each, or by several; a program takes PoCL seconds to compile. */
TEST_LOOP(in_one_run_on_a_device, 0, 3) {
  static const rh_setting shared[] = {{"members", "8"}, {"group", "64"}};
  if (_i == 0) try_named("sum", RH_TYPE_f32, "segments", "swing", NULL, 0);
  if (_i == 1) try_named("argmax", RH_TYPE_u8, "segments", "swing", shared, 2);
  if (_i == 2) try_named("affine", RH_TYPE_u64, "segments", "swing", NULL, 0);
}

/* Worth all threads; and columns that are cut. */
TEST_LOOP(of_giants_and_long_columns, 0, 5) {
  enum { MANY = 1 << 20 };
  static const rh_type types[] = {RH_TYPE_f32, RH_TYPE_u8};
  static const uint64_t starts[] = {60, 0, MANY / 2}, stops[] = {MANY + 60, 60, MANY + 1};
  static const uint64_t lengths[] = {MANY / 4, 4};
  static unsigned char x[(MANY + 100) * 4], column[MANY];
  const char *strategy = _i < 4 ? "native" : "segments", *op = _i % 2 ? "argmax" : "sum";
  rh_type type = types[_i / 2 % 2];
  uint32_t size = rh_type_size(type);
  const rh_segmentation of[] = {
      SIZED(rh_segmentation, .starts = starts, .stops = stops, .n_segments = 3),
      SIZED(rh_segmentation, .n_axes = 2, .reduced = 1, .lengths = lengths)};
  problem p = {.request = request_for("native", op, type, x, MANY + 100), .n_results = 1};
  rh_generate("uniform", 7, type, MANY + 100, 0, MANY + 100, x);
  find_results(&p);
  p.n_results = 1;
  for (int j = 0; j < 2; j++) {
    rh_output output[RH_MOST_RESULTS];
    n_segments = j ? 4 : 3;
    make_outputs(&p, output);
    rh_request request = request_for(strategy, op, type, x, MANY + 100);
    request.segments = &of[j];
    request.outputs = output;
    request.n_outputs = 1;
    must(rh_reduce(redhost, &request, spoilt(&result), &error));
    for (uint64_t s = 0; s < n_segments; s++) {
      for (uint64_t k = 0; j && k < MANY / 4; k++)
        memcpy(column + k * size, x + (4 * k + s) * size, size);
      request = request_for("native", op, type, j ? column : x + starts[s] * size,
                            j ? MANY / 4 : stops[s] - starts[s]);
      must(rh_reduce(redhost, &request, spoilt(&result), &error));
      compare(&p, &result, s, j ? "columns" : "a giant");
    }
  }
}

/* ---- Buffers of the caller ---- */

static const uint64_t skipped[] = {3, 5}; /* elements of the buffers, before the operands */
enum { BEFORE = 2, AFTER = 3 };           /* values around those that are written */

static void write_data(const problem *p, unsigned char *from, unsigned seed, uint64_t first,
                       cl_mem buffer) {
  uint32_t size = rh_type_size(p->request.type);
  fill(p->request.type, from, seed);
  must_cl(
      clEnqueueWriteBuffer(queue, buffer, CL_TRUE, first * size, N * size, from, 0, NULL, NULL));
}

static void compare_values(const problem *p, const rh_prepared *prepared,
                           const unsigned char *values, const char *what) {
  uint32_t bytes = rh_prepared_value_bytes(prepared);
  for (uint64_t k = 0; k < BEFORE + n_segments + AFTER; k++) {
    rh_result found = {.struct_size = sizeof found};
    if (k >= BEFORE && k < BEFORE + n_segments) {
      const segment *s = &segments[k - BEFORE];
      const rh_result expected = reduce_alone(p, s);
      rh_prepared_decode(prepared, values + k * bytes, s->n, &found);
      must_be_same(&found, &expected, what);
    } else {
      for (uint32_t j = 0; j < bytes; j++) ck_assert_uint_eq(values[k * bytes + j], 0xAA);
    }
  }
}

/* Enqueued before the elements are there, so that a wait would last; then those of other elements
 * in arrays of the host. */
static void try_buffers(problem *p, const rh_segmentation *of, const char *what) {
  static unsigned char read[(BEFORE + MOST_SEGMENTS + AFTER) * RH_ANY_VALUE_BYTES];
  const uint64_t room = (N + skipped[1]) * 8;
  cl_mem buffers[] = {make_buffer(NULL, room), make_buffer(NULL, room)};
  cl_mem staged[] = {make_buffer(NULL, room), make_buffer(NULL, room)};
  rh_output outputs[RH_MOST_RESULTS];
  cl_int code;
  cl_event gate = clCreateUserEvent(context, &code);
  set_data(p, NULL, NULL);
  p->request.n = N;
  p->request.segments = of;
  p->request.outputs = NULL;
  p->request.n_outputs = 0;
  p->request.result_on_device = 1;
  rh_prepared *prepared = prepare(on_queue, &p->request);
  p->request.result_on_device = 0;
  uint64_t bytes = (BEFORE + n_segments + AFTER) * rh_prepared_value_bytes(prepared);
  rh_call_spec call =
      SIZED(rh_call_spec, .n_operands = p->request.inputs ? 2 : 1, .n = N, .buffers = buffers,
            .first = skipped, .values = make_buffer(NULL, bytes), .index = BEFORE);
  must_cl(code);
  write_data(p, data, 0, skipped[0], staged[0]);
  write_data(p, others, 99, skipped[1], staged[1]);
  must_cl(clEnqueueMarkerWithWaitList(queue, 1, &gate, NULL));
  must_cl(clEnqueueFillBuffer(queue, call.values, "\xAA", 1, 0, bytes, 0, NULL, NULL));
  for (int k = 0; k < 2; k++)
    must_cl(clEnqueueCopyBuffer(queue, staged[k], buffers[k], 0, 0, room, 0, NULL, NULL));
  must(rh_prepared_call(prepared, &call, NULL, &error));
  must_cl(clSetUserEventStatus(gate, CL_COMPLETE));
  must_cl(clEnqueueReadBuffer(queue, call.values, CL_TRUE, 0, bytes, read, 0, NULL, NULL));
  compare_values(p, prepared, read, what);
  clReleaseMemObject(call.values);
  call.values = NULL;
  call.outputs = outputs;
  call.n_outputs = p->n_results;
  make_outputs(p, outputs);
  write_data(p, data, 7, skipped[0], buffers[0]);
  must(rh_prepared_call(prepared, &call, spoilt(&result), &error));
  compare_all(p, what);
  rh_prepared_destroy(prepared);
  for (int k = 0; k < 2; k++) {
    clReleaseMemObject(buffers[k]);
    clReleaseMemObject(staged[k]);
  }
  clReleaseEvent(gate);
}

/* Columns in their place; windows, and eight axes, which are copied on the device; offsets. */
static void in_buffers(problem *p, const char *name) {
  static const uint64_t few[] = {3, 7, 4}, strides[] = {28, 4, 1};
  const rh_segmentation columns = SIZED(rh_segmentation, .n_axes = 3, .reduced = 2, .lengths = few);
  const rh_segmentation many =
      SIZED(rh_segmentation, .n_axes = 8, .reduced = 0xA5, .lengths = eight);
  const rh_segmentation overlapping =
      SIZED(rh_segmentation, .n_axes = 2, .reduced = 2, .lengths = windows, .strides = sliding);
  by_axes(&columns, strides);
  try_buffers(p, &columns, name);
  by_axes(&many, c_eight);
  try_buffers(p, &many, name);
  by_axes(&overlapping, sliding);
  try_buffers(p, &overlapping, name);
  uint64_t starts[] = {4000, 0, 7, 9, 9}, stops[] = {4001, 3000, 7, 12, 99};
  if (p->request.op && strncmp(p->request.op, "arg", 3) == 0) stops[2]++; /* has no empty one */
  rh_segmentation of = SIZED(rh_segmentation, .starts = starts, .stops = stops);
  of.n_segments = 5;
  by_offsets(&of);
  try_buffers(p, &of, name);
}

static void try_in_buffers(rh_type type, int k, const char *strategy) {
  try_one(type, k, strategy, in_buffers);
}

CASES(buffers, .set_up = set_up_queue, .tear_down = tear_down_queue)
TEST(of_a_strategy_that_takes_all_segments_at_once) {
  try_in_buffers(RH_TYPE_f32, 0, NULL);
  try_in_buffers(RH_TYPE_i16, 2, "segments");
  try_in_buffers(RH_TYPE_f64, 4, "segments");
  try_in_buffers(RH_TYPE_u8, 3, "segments");
}
TEST(of_a_strategy_that_takes_one_after_the_other) {
  try_in_buffers(RH_TYPE_f32, 0, "onepass");
  try_in_buffers(RH_TYPE_i8, 7, "segments"); /* its map has the index */
}

/* The device holds results of 1024 segments at a time. */
TEST(in_portions) {
  static const uint64_t lengths[] = {64, 2, 32}, strides[] = {64, 32, 1};
  const rh_segmentation ones = SIZED(rh_segmentation, .length = 1);
  const rh_segmentation columns =
      SIZED(rh_segmentation, .n_axes = 3, .reduced = 2, .lengths = lengths);
  uint64_t starts[3000], stops[3000];
  const rh_segmentation of =
      SIZED(rh_segmentation, .starts = starts, .stops = stops, .n_segments = 3000);
  problem p = make_problem(RH_TYPE_u8, 0);
  for (uint64_t s = 0; s < 3000; s++) stops[s] = (starts[s] = s * 1103 % (N - 9)) + s % 9;
  p.request.strategy = "segments";
  fill(RH_TYPE_u8, data, 0);
  find_results(&p);
  const rh_cl_device *devices[2];
  must(rh_context_device(redhost->context, &devices[0], &error));
  must(rh_context_device(on_queue->context, &devices[1], &error));
  for (int k = 0; k < 2; k++) ((rh_cl_device *)devices[k])->about.max_alloc_bytes = 8192;
  for (int k = 0; k < 3; k++) {
    const rh_segmentation *those = k == 0 ? &ones : k == 1 ? &columns : &of;
    if (k == 0) by_axes(&(rh_segmentation){.n_axes = 1, .lengths = one}, unit);
    if (k == 1) by_axes(&columns, strides);
    if (k == 2) by_offsets(&of);
    try_call(&p, those, "in portions");
    try_buffers(&p, those, "in portions");
  }
}

static char logged[256];
static void note(void *user, uint32_t level, const char *text) {
  (void)user;
  (void)level;
  if (strstr(text, "rows")) snprintf(logged, sizeof logged, "%s", text);
}

/* A program is told of copies by its own function. */
TEST(copies_are_told) {
  rh_redhost *with = open_with((rh_options){.reporter.log = note, .queue = queue});
  for (uint32_t reduced = 0xA1; reduced <= 0xA5; reduced += 4) {
    const rh_segmentation of =
        SIZED(rh_segmentation, .n_axes = 8, .reduced = reduced, .lengths = eight);
    rh_request request = request_for("segments", "sum", RH_TYPE_f32, NULL, N);
    request.segments = &of;
    request.data_on_device = reduced == 0xA5;
    logged[0] = 0;
    rh_prepared_destroy(prepare(with, &request));
    ck_assert_str_eq(logged, "strategy 'segments': segments do not stand in rows, so each call "
                             "copies them first");
  }
  rh_close(with);
}

static rh_request rows_in_buffers(void) {
  static const rh_segmentation rows = {.struct_size = sizeof rows, .length = 64};
  rh_request request = request_for(NULL, "sum", RH_TYPE_f32, NULL, N);
  request.segments = &rows;
  return request;
}

TEST(buffers_that_nothing_reads) {
  const rh_output output = {.type = RH_TYPE_f32, .data = alone[0], .n = N};
  rh_request request = rows_in_buffers();
  rh_prepared *prepared = prepare(redhost, &request);
  BUFFER buffer = make_buffer(NULL, N * 4);
  const rh_call_spec call =
      SIZED(rh_call_spec, .n = N, .buffers = &buffer, .outputs = &output, .n_outputs = 1);
  must_refuse(rh_prepared_call(prepared, &call, &result, &error), "buffer");
  rh_prepared_destroy(prepared);
  request.data_on_device = 1;
  must_refuse(rh_prepare(redhost, &request, &prepared, &error), "queue is null");
  request.data = data;
  must_refuse(rh_reduce(on_queue, &request, &result, &error), "only rh_prepare()");
}

TEST(buffers_that_do_not_fit) {
  const rh_output output = {.type = RH_TYPE_f32, .data = alone[0], .n = N};
  rh_request request = rows_in_buffers();
  BUFFER buffer = make_buffer(NULL, N * 4), values = make_buffer(NULL, (N / 64 + 2) * 4);
  const void *array = data;
  rh_call_spec call =
      SIZED(rh_call_spec, .n = N, .buffers = &buffer, .outputs = &output, .n_outputs = 1);
  request.data_on_device = 1;
  rh_prepared *prepared = prepare(on_queue, &request);
  must(rh_prepared_call(prepared, &call, spoilt(&result), &error));
  call.n = N - 1;
  must_refuse(rh_prepared_call(prepared, &call, &result, &error), "for segments of 4096");
  call.n = N;
  call.first = skipped;
  must_refuse(rh_prepared_call(prepared, &call, &result, &error), "too few");
  call.first = NULL;
  call.outputs = NULL;
  call.n_outputs = 0;
  must_refuse(rh_prepared_call(prepared, &call, &result, &error), "no outputs");
  call.values = values;
  must_refuse(rh_prepared_call(prepared, &call, NULL, &error), "result_on_device");
  call = (rh_call_spec){.struct_size = sizeof call, .n = N, .arrays = &array};
  must_refuse(rh_prepared_call(prepared, &call, &result, &error), "data_on_device");
  rh_prepared_destroy(prepared);
  request.result_on_device = 1;
  prepared = prepare(on_queue, &request);
  call = (rh_call_spec){.struct_size = sizeof call, .n = N, .buffers = &buffer, .values = values};
  call.index = 3;
  must_refuse(rh_prepared_call(prepared, &call, NULL, &error),
              "too few for 64 elements of 4 B from element 3");
  call.index = 2;
  must(rh_prepared_call(prepared, &call, NULL, &error));
  call.outputs = &output;
  call.n_outputs = 1;
  must_refuse(rh_prepared_call(prepared, &call, NULL, &error), "one of them");
  rh_prepared_destroy(prepared);
}

/* ---- What is refused, and how ---- */

static float four[4];

static void refuse(rh_segmentation of, const char *op, uint64_t n, const char *words) {
  rh_output output = {.type = RH_TYPE_f32, .data = four, .n = 4};
  of.struct_size = sizeof of;
  rh_request request = SIZED(rh_request, .type = RH_TYPE_f32, .op = op, .data = data, .n = n,
                             .segments = &of, .outputs = &output, .n_outputs = 1);
  rh_prepared *prepared;
  must_refuse(rh_reduce(redhost, &request, &result, &error), words);
  request.outputs = NULL;
  request.n_outputs = 0;
  must_refuse(rh_prepare(redhost, &request, &prepared, &error), words);
  ck_assert_ptr_null(prepared);
}

CASES(refusals, .set_up = set_up, .tear_down = tear_down)
TEST(segments_that_are_none) {
  static const uint64_t o[] = {0, 4, 3, 11, 11}, lengths[] = {3, 4}, far[] = {4, 3};
  static const uint64_t huge[] = {1ull << 40, 1ull << 40};
  refuse((rh_segmentation){0}, "sum", 9, "exactly one of n_axes, length, and starts");
  refuse((rh_segmentation){.length = 3, .n_axes = 1}, "sum", 9, "exactly one of");
  refuse((rh_segmentation){.length = 4}, "sum", 10, "10 elements are not a multiple of that");
  refuse((rh_segmentation){.n_axes = 9, .lengths = lengths, .reduced = 1}, "sum", 12, "up to 8");
  refuse((rh_segmentation){.n_axes = 2, .reduced = 1}, "sum", 12, "lengths is null");
  refuse((rh_segmentation){.n_axes = 2, .lengths = lengths}, "sum", 12, "no axis is reduced");
  refuse((rh_segmentation){.n_axes = 2, .lengths = lengths, .reduced = 5}, "sum", 12,
         "there is no axis 2; the array has 2");
  refuse((rh_segmentation){.n_axes = 2, .lengths = lengths, .reduced = 1}, "sum", 11,
         "reach element 11, and the array has 11");
  refuse((rh_segmentation){.n_axes = 2, .lengths = lengths, .strides = far, .reduced = 1}, "sum",
         17, "reach element 17");
  refuse((rh_segmentation){.n_axes = 2, .lengths = huge, .reduced = 1}, "sum", 12, "2^64");
  refuse((rh_segmentation){.starts = o, .n_segments = 1}, "sum", 9, "stops is null");
  refuse((rh_segmentation){.starts = o + 2, .stops = o + 3, .n_segments = 1}, "sum", 9,
         "segment 0 ends at element 11, beyond the last of 9");
}

/* A call over rows of four of eight floats. */
static rh_status call_rows(const rh_output *outputs, uint64_t n, const char *op) {
  const rh_segmentation rows = SIZED(rh_segmentation, .length = 4);
  const rh_request request = SIZED(rh_request, .type = RH_TYPE_f32, .op = op, .data = data, .n = 8,
                                   .segments = &rows, .outputs = outputs, .n_outputs = n);
  return rh_reduce(redhost, &request, spoilt(&result), &error);
}

TEST(outputs_that_do_not_fit) {
  int64_t index[2];
  rh_output output = {.type = RH_TYPE_f32, .data = four, .n = 4};
  must(call_rows(&output, 1, "sum"));
  must_refuse(call_rows(NULL, 0, "sum"), "there are no outputs");
  output.n = 1;
  must_refuse(call_rows(&output, 1, "sum"),
              "output 0 has room for 1 results, and there are 2 segments");
  output.n = 2;
  output.type = RH_TYPE_f64;
  must_refuse(call_rows(&output, 1, "sum"), "the results are f32, and its array is f64");
  output.type = 77;
  must_refuse(call_rows(&output, 1, "sum"), "its array is of an unknown type");
  output.type = RH_TYPE_f32;
  output.data = (char *)four + 1;
  must_refuse(call_rows(&output, 1, "sum"), "null or not aligned");
  output.data = four;
  output.name = "mean";
  must_refuse(call_rows(&output, 1, "sum"), "output 'mean': the results are value");
  must_refuse(call_rows(&output, 1, "argmin"), "the results are index, value");
  output.name = "median";
  must_refuse(call_rows(&output, 1, "meanvar"), "output 'median': the results are mean");
  const rh_output both[] = {{.type = RH_TYPE_i64, .data = index, .n = 2},
                            {.type = RH_TYPE_f32, .data = four, .n = 2}};
  must_refuse(call_rows(both, 2, "argmin"), "more outputs than there are results");
  double rooms[4];
  rh_output two[] = {{.type = RH_TYPE_f64, .data = rooms, .n = 2},
                     {.type = RH_TYPE_f64, .data = rooms + 2, .n = 2}};
  must(call_rows(two, 2, "meanvar"));
  two[1].data = rooms + 1;
  must_refuse(call_rows(two, 2, "meanvar"), "outputs 0 and 1 overlap");
}

TEST(calls_that_do_not_fit) {
  const rh_segmentation rows = SIZED(rh_segmentation, .length = 4);
  rh_output output = {.type = RH_TYPE_f32, .data = four, .n = 4};
  rh_request request = SIZED(rh_request, .type = RH_TYPE_f32, .op = "sum", .data = data, .n = 8,
                             .segments = &rows, .outputs = &output, .n_outputs = 1);
  const void *array = data, *odd = data + 1;
  rh_prepared *prepared;
  void *part;
  uint64_t bytes;
  must_refuse(rh_prepare(redhost, &request, &prepared, &error), "brings its own");
  must_refuse(rh_reduce_part(redhost, &request, 0, 0, &part, &bytes, &error),
              "parts of segments are not written");
  const rh_communicator alone_here = SIZED(rh_communicator, .size = 1);
  must(rh_reduce_distributed(redhost, &request, &alone_here, spoilt(&result), &error));
  const uint64_t lengths[] = {2, 2, 2};
  const rh_segmentation outer_and_last =
      SIZED(rh_segmentation, .n_axes = 3, .reduced = 5, .lengths = lengths);
  request.segments = &outer_and_last;
  must_refuse(rh_reduce_distributed(redhost, &request, &alone_here, &result, &error),
              "neither rows nor columns");
  request.segments = &rows;
  request.accuracy = RH_ACCURACY_EXACT;
  must(rh_reduce(redhost, &request, spoilt(&result), &error));
  ck_assert_str_eq(result.strategy, "superaccumulator");
  request.strategy = "native";
  must(rh_reduce(redhost, &request, spoilt(&result), &error)); /* its check has the answers */
  ck_assert_str_eq(result.strategy, "native");
  request.strategy = NULL;
  request.op = "prod";
  must_fail(rh_reduce(redhost, &request, &result, &error), RH_DECLINED, "cannot be rounded once");
  request.op = "sum";
  request.outputs = NULL;
  request.n_outputs = 0;
  request.strategy = "native";
  must_fail(rh_prepare(redhost, &request, &prepared, &error), RH_DECLINED, "has no check");
  request.strategy = NULL;
  rh_prepared_destroy(prepare(redhost, &request)); /* by one that rounds once */
  request.accuracy = 0;
  prepared = prepare(redhost, &request);
  rh_call_spec call =
      SIZED(rh_call_spec, .n = 8, .arrays = &array, .outputs = &output, .n_outputs = 1);
  must(rh_prepared_call(prepared, &call, spoilt(&result), &error));
  ck_assert_str_ne(result.strategy, "");
  must_refuse(rh_prepared_run(prepared, data, 8, &result, &error), "rh_prepared_call()");
  call.n = 7;
  must_refuse(rh_prepared_call(prepared, &call, &result, &error), "7 elements for segments of 8");
  call.n = 8;
  call.arrays = &odd;
  must_refuse(rh_prepared_call(prepared, &call, &result, &error), "not aligned");
  call.arrays = &array;
  call.n_operands = 2;
  must_refuse(rh_prepared_call(prepared, &call, &result, &error), "has 1 operand");
  call.n_operands = 1;
  call.n_outputs = 0;
  must_refuse(rh_prepared_call(prepared, &call, &result, &error), "no outputs");
  rh_prepared_forget(prepared);
  rh_prepared_destroy(prepared);
  request.segments = NULL;
  prepared = prepare(redhost, &request);
  call.n_outputs = 1;
  must_refuse(rh_prepared_call(prepared, &call, &result, &error), "was prepared without segments");
  rh_prepared_destroy(prepared);
  request.outputs = &output;
  must_refuse(rh_reduce(redhost, &request, &result, &error), "rh_request.outputs");
}

/* ---- Constants, a part of an array, and older programs ---- */

CASES(calls, .set_up = set_up, .tear_down = tear_down)
TEST(with_other_constants_and_from_another_place) {
  static const float x[] = {9, 1, 2, 3, 4};
  const rh_constant twice = {.name = "c", .value.i = 2}, thrice = {.name = "c", .value.i = 3};
  uint64_t offsets[] = {0, 2, 4};
  const rh_segmentation rows =
      SIZED(rh_segmentation, .starts = offsets, .stops = offsets + 1, .n_segments = 2);
  const rh_request request =
      SIZED(rh_request, .type = RH_TYPE_f32, .op = "sum", .map = "c*x", .constants = &twice,
            .n_constants = 1, .n = 4, .segments = &rows);
  const rh_output output = {.type = RH_TYPE_f32, .data = four, .n = 4};
  const void *array = x;
  const uint64_t first = 1;
  const rh_call_spec call = SIZED(rh_call_spec, .n = 4, .arrays = &array, .first = &first,
                                  .outputs = &output, .n_outputs = 1);
  OWNED(rh_prepared) prepared = prepare(redhost, &request);
  memset(offsets, 0xFF, sizeof offsets); /* the caller's own again */
  must(rh_prepared_call(prepared, &call, spoilt(&result), &error));
  ck_assert(four[0] == 6 && four[1] == 14 && result.value.f == 6);
  must(rh_prepared_set_constants(prepared, &thrice, 1, &error));
  must(rh_prepared_call(prepared, &call, spoilt(&result), &error));
  ck_assert(four[0] == 9 && four[1] == 21);
}

/* Setups are kept: the lists of a request, and what they hold, may have changed since. */
TEST(again_and_again) {
  static float x[64], sums[64];
  uint64_t offsets[] = {0, 2, 64}, lengths[] = {4, 16}, strides[] = {16, 1};
  rh_constant c = {.name = "c", .value.i = 1};
  rh_segmentation groups =
      SIZED(rh_segmentation, .starts = offsets, .stops = offsets + 1, .n_segments = 2);
  rh_segmentation rows =
      SIZED(rh_segmentation, .n_axes = 2, .reduced = 2, .lengths = lengths, .strides = strides);
  const rh_output output = {.type = RH_TYPE_f32, .data = sums, .n = 64};
  rh_request request = request_for(NULL, "sum", RH_TYPE_f32, x, 64);
  request.map = "c*x";
  request.constants = &c;
  request.n_constants = 1;
  request.outputs = &output;
  request.n_outputs = 1;
  for (int round = 0; round < 24; round++) {
    const rh_segmentation *of = request.segments = round % 12 < 6 ? &groups : &rows;
    for (int k = 0; k < 64; k++) x[k] = (float)((k * 7 + round) % 10);
    if (round % 6 == 1) c.value.i++;
    if (round % 6 == 2) offsets[1]++;
    if (round % 6 == 3) rows.reduced = 3 - rows.reduced;
    if (round % 6 == 4) strides[0] = 19 - strides[0];
    if (round % 6 == 5) lengths[0] = 7 - lengths[0];
    must(rh_reduce(redhost, &request, spoilt(&result), &error));
    if (of == &groups) by_offsets(of);
    else by_axes(of, strides);
    for (uint64_t s = 0; s < n_segments; s++) {
      float sum = 0;
      for (uint64_t k = 0; k < segments[s].n; k++) sum += x[segments[s].at[k]];
      ck_assert_msg(sums[s] == sum * (float)c.value.i, "round %d", round);
    }
  }
  request.n = 40;
  must_refuse(rh_reduce(redhost, &request, &result, &error), "reach element");
}

/* `auto` chooses again if its strategy turns out to be wrong; then one that runs once for each. */
TEST(by_another_strategy) {
  char path[4096];
  rh_output output = {.type = RH_TYPE_f32, .data = four, .n = 4};
  const rh_segmentation columns =
      SIZED(rh_segmentation, .n_axes = 2, .reduced = 1, .lengths = (uint64_t[]){3, 4});
  static const float x[3][4] = {{1, 2, 3, 4}, {10, 20, 30, 40}, {100, 200, 300, 400}};
  const rh_request request = SIZED(rh_request, .type = RH_TYPE_f32, .op = "sum", .data = x, .n = 12,
                                   .segments = &columns, .outputs = &output, .n_outputs = 1);
  rh_result before = {.struct_size = sizeof before}, after = before;
  setenv("REDHOST_NO_CACHE", "1", 1);
  must(rh_reduce(redhost, &request, &before, &error));
  ck_assert_str_eq(before.strategy, "native");
  snprintf(path, sizeof path, "%s/native.so", getenv("REDHOST_TEST_PLUGINS"));
  rh_context_blame(redhost->context, "native", path, rh_operator_builtin(RH_OP_sum, RH_TYPE_f32),
                   12);
  must(rh_reduce(redhost, &request, &after, &error));
  ck_assert_str_ne(after.strategy, "native");
  for (int k = 0; k < 4; k++) ck_assert(four[k] == (float)(111 * (k + 1)));
}

/* ---- Wrong answers ---- */

CASES(wrong, .set_up = NULL, .tear_down = tear_down)
TEST(a_segment_that_is_wrong_is_named) {
  static float sums[4], x[4 * 1001];
  static const uint64_t starts[] = {0, 10, 1000, 3003}, stops[] = {10, 1000, 2001, 4004};
  const rh_segmentation of =
      SIZED(rh_segmentation, .starts = starts, .stops = stops, .n_segments = 4);
  const rh_output output = {.type = RH_TYPE_f32, .data = sums, .n = 4};
  rh_request request =
      SIZED(rh_request, .strategy = "drops_last", .type = RH_TYPE_f32, .op = "sum", .data = x,
            .n = 4 * 1001, .segments = &of, .outputs = &output, .n_outputs = 1);
  rh_prepared *prepared;
  for (int k = 0; k < 4 * 1001; k++) x[k] = 1;
  redhost = open_on(NULL, "results/drops_last");
  must_fail(rh_reduce(redhost, &request, &result, &error), RH_E_WRONG,
            "wrong result: segment 2: 'drops_last' returned 1000, expected 1001");
  ck_assert(result.value.f == 1000 && sums[2] == 0);
  ck_assert_str_eq(result.strategy, "drops_last");
  request.unchecked = 1;
  must(rh_reduce(redhost, &request, spoilt(&result), &error));
  ck_assert(sums[0] == 10 && sums[2] == 1000);
  request.outputs = NULL;
  request.n_outputs = 0;
  must_fail(rh_prepare(redhost, &request, &prepared, &error), RH_E_WRONG, "fails its self-test");
}
