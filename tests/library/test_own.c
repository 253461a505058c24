/* Maps and operators of one's own through rh_reduce() and rh_prepare(). */
#include "queue.h"

static rh_result result = {.struct_size = sizeof result}; /* of the latest call */

enum { N = 10007 };

static float x[N + 1];
static double y[N + 1];
static int32_t k[N + 1];

static void fill(void) {
  for (int i = 0; i <= N; i++) {
    x[i] = (float)((i * 37) % 101 - 50);
    y[i] = (double)((i * 53) % 97 - 48) / 4;
    k[i] = (i * 7919) % 1000 - 300;
  }
}

static const rh_input two[] = {{.type = RH_TYPE_f32, .data = x}, {.type = RH_TYPE_f64, .data = y}};

static double dot(const float *a, const double *b, uint64_t n) {
  double all = 0;
  for (uint64_t i = 0; i < n; i++) all += (double)a[i] * b[i]; /* exact */
  return all;
}

static const char *const strategies[] = {"native", "serial", "onepass", "two_stage"};

/* ---- rh_reduce ---- */

static rh_request dot_request(const char *strategy, uint64_t n) {
  return SIZED(rh_request, .strategy = strategy, .op = "sum", .map = "x*y", .inputs = two,
               .n_inputs = 2, .n = n);
}

ONCE(fill, NULL)

CASES(own_operators, .set_up = set_up, .tear_down = tear_down)

/* 2^100 * 2^100 + 1 - 2^100 * 2^100, over and over. */
TEST_LOOP(rounds_once, 0, 4) {
  static float a[3 * 1001], b[3 * 1001];
  for (int i = 0; i < 1001; i++)
    for (int j = 0; j < 3; j++) {
      a[3 * i + j] = j == 1 ? 1 : 0x1p100f;
      b[3 * i + j] = j == 0 ? 0x1p100f : j == 1 ? 1 : -0x1p100f;
    }
  const rh_input inputs[] = {{.type = RH_TYPE_f32, .data = a}, {.type = RH_TYPE_f32, .data = b}};
  rh_request request = dot_request(strategies[_i], 3 * 1001);
  request.inputs = inputs;
  request.accuracy = RH_ACCURACY_EXACT;
  must(rh_reduce(redhost, &request, spoilt(&result), &error));
  ck_assert_double_eq(result.value.f, 1001);
  request.accuracy = RH_ACCURACY_PLAIN; /* of the same problem, whose setup is kept */
  must(rh_reduce(redhost, &request, spoilt(&result), &error));
  ck_assert_double_ne(result.value.f, 1001);
  request.accuracy = RH_ACCURACY_EXACT;
  request.unchecked = 1;
  must_refuse(rh_reduce(redhost, &request, &result, &error), "mutually exclusive");
  request.unchecked = 0;
  request.op = "prod";
  must_fail(rh_reduce(redhost, &request, &result, &error), RH_DECLINED, "rounded once");
  request.accuracy = 2;
  must_refuse(rh_reduce(redhost, &request, &result, &error), "RH_ACCURACY_EXACT");
}

/* n is that of each call, also where the setup of another is kept. */
TEST_LOOP(masks_and_counts, 0, 4) {
  rh_request request = SIZED(rh_request, .strategy = strategies[_i], .type = RH_TYPE_i32, .data = k,
                             .map = "x + (i64)n", .where = "x > 0 && 2*i < n");
  const rh_request spec = SIZED(rh_request, .strategy = strategies[_i], .type = RH_TYPE_i32, .n = N,
                                .map = request.map, .where = request.where);
  OWNED(rh_prepared) prepared = prepare(redhost, &spec);
  for (request.n = N; request.n > N - 20; request.n -= 7) {
    int64_t expects = 0;
    for (uint64_t i = 0; 2 * i < request.n; i++)
      if (k[i] > 0) expects += k[i] + (int64_t)request.n;
    must(rh_reduce(redhost, &request, spoilt(&result), &error));
    ck_assert_int_eq(result.value.i, expects);
    must(rh_prepared_run(prepared, k, request.n, spoilt(&result), &error));
    ck_assert_int_eq(result.value.i, expects);
  }
}

/* By name, and by the text of a file; a caller of an earlier version has no room for fields. */
TEST(reduces_by_named_operators) {
  static const char count[] =
      "{\"redhost\": \"operator/1\", \"name\": \"positive\", \"operands\": [\"x\"],"
      " \"op\": \"sum\", \"map\": \"x > 0\"}";
  rh_request request = SIZED(rh_request, .op = count, .type = RH_TYPE_i32, .data = k, .n = N);
  int64_t expects = 0;
  for (int i = 0; i < N; i++) expects += k[i] > 0;
  must(rh_reduce(redhost, &request, spoilt(&result), &error));
  ck_assert_int_eq(result.value.i, expects);

  request.op = "minmax";
  must(rh_reduce(redhost, &request, spoilt(&result), &error));
  ck_assert_uint_eq(result.n_fields, 2);
  check_first_result(&result);
  ck_assert_str_eq(result.fields[0].name, "min");
  ck_assert_str_eq(result.fields[1].name, "max");
  ck_assert_int_eq(result.fields[1].value.i, 699);
  spoilt(&result)->struct_size = offsetof(rh_result, n_fields);
  must(rh_reduce(redhost, &request, &result, &error));
  ck_assert_int_eq(result.value.i, -300); /* the first field */
  ck_assert_uint_eq(result.n_fields, 0x55555555);
}

/* A constant is compared as the number that it is, whatever the elements' type holds, also where an
 * earlier call kept a setup for a constant of another size. */
TEST_LOOP(compares_constants_of_any_size, 0, 4) {
  static const int64_t sizes[] = {-1, 1, INT64_C(1) << 32, INT64_MIN, 1, 0};
  static const uint32_t of_u32[] = {0, 1, UINT32_MAX};
  static const uint64_t of_u64[] = {0, 1, UINT64_MAX};
  for (size_t c = 0; c < 2 * sizeof sizes / sizeof *sizes; c++) {
    const rh_constant t = {.name = "t", .value.i = sizes[c / 2]};
    const int is_wide = c % 2;
    rh_request request =
        SIZED(rh_request, .strategy = strategies[_i], .type = is_wide ? RH_TYPE_u64 : RH_TYPE_u32,
              .data = is_wide ? (const void *)of_u64 : of_u32, .n = 3,
              .map = "x < t ? 1 : x == t ? 10 : 100", .constants = &t, .n_constants = 1);
    int64_t expects = 0;
    for (int i = 0; i < 3; i++) {
      int is_below = t.value.i > 0 && (is_wide ? of_u64[i] : of_u32[i]) < (uint64_t)t.value.i;
      int is_equal = t.value.i >= 0 && (is_wide ? of_u64[i] : of_u32[i]) == (uint64_t)t.value.i;
      expects += is_below ? 1 : is_equal ? 10 : 100;
    }
    must(rh_reduce(redhost, &request, spoilt(&result), &error));
    ck_assert_int_eq(result.value.i, expects);
  }
}

TEST(says_what_is_wrong) {
  const rh_constant bad = {.name = "2t", .value.i = 1}, unused = {.name = "t", .value.i = 1};
  const rh_constant both[] = {unused, unused};
  rh_input odd[] = {{.type = RH_TYPE_f32, .data = (char *)x + 1}, two[1]};
  const struct {
    rh_request differs; /* from the sum of x*y */
    const char *words;
  } cases[] = {
      {{.map = "x"}, "operand y is not used"},
      {{.map = "x *"}, "map: expected an operand"},
      {{.n_inputs = 9}, "9 inputs"},
      {{.data = x}, "mutually exclusive"},
      {{.constants = &bad, .n_constants = 1}, "constant '2t'"},
      {{.op = "total"}, "unknown operator"},
      {{.inputs = odd}, "not aligned"},
      {{.reduce = "a + b"}, "reduce needs an identity"},
      {{.constants = &unused, .n_constants = 1}, "constant t is not used"},
      {{.map = "t*x*y", .constants = both, .n_constants = 2}, "constant t: it has two values"},
      {{.reduce = "a + c", .identity = "0"}, "reduce: unknown name 'c'"},
  };
  rh_request request;
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    request = cases[c].differs;
    request.struct_size = sizeof request;
    request.n = N;
    if (!request.op && !request.reduce) request.op = "sum";
    if (!request.map) request.map = "x*y";
    if (!request.inputs) request.inputs = two;
    if (!request.n_inputs) request.n_inputs = 2;
    must_refuse(rh_reduce(redhost, &request, &result, &error), cases[c].words);
  }
  request = dot_request(NULL, 0);
  request.op = "max";
  must_refuse(rh_reduce(redhost, &request, &result, &error), "max of x*y of an empty array");
}

TEST(refuses_a_broken_operator) {
  rh_request request = SIZED(rh_request, .type = RH_TYPE_f32, .data = x, .n = N,
                             .reduce = "a + 2*b", .identity = "-0.0");
  rh_request spec =
      SIZED(rh_request, .type = RH_TYPE_f32, .n = N, .reduce = "a + b", .identity = "1");
  OWNED(rh_prepared) prepared = NULL;
  must_fail(rh_reduce(redhost, &request, &result, &error), RH_E_PLUGIN,
            "'a + 2*b' is not associative: a=0 b=0 c=1 gives 2 grouped to the left and 4");
  must_fail(rh_prepare(redhost, &spec, &prepared, &error), RH_E_PLUGIN, "not neutral");
  request.unchecked_op = spec.unchecked_op = 1;
  must(rh_reduce(redhost, &request, spoilt(&result), &error));
  must(rh_prepare(redhost, &spec, &prepared, &error));
}

/* What is not examined before is, on the data, before a strategy is blamed. */
TEST(blames_an_operator_before_a_strategy) {
  rh_request request =
      SIZED(rh_request, .strategy = "serial", .type = RH_TYPE_i32, .data = k, .n = N,
            .reduce = "a + 2*b", .identity = "0", .commutes = 1, .unchecked_op = 1);
  rh_request spec = request;
  rh_prepared *prepared;
  spec.data = NULL;
  uint32_t blame = redhost->context->blame;
  must_fail(rh_reduce(redhost, &request, &result, &error), RH_E_PLUGIN, "is not associative (");
  must_fail(rh_prepare(redhost, &spec, &prepared, &error), RH_E_PLUGIN, "is not associative (");
  ck_assert_uint_eq(redhost->context->blame, blame);
}

/* ---- rh_prepare ---- */

TEST_LOOP(runs_on_several_inputs, 0, 4) {
  static const uint64_t sizes[] = {N, 0, 1, 4099, N};
  const rh_request spec = dot_request(strategies[_i], N);
  OWNED(rh_prepared) prepared = prepare(redhost, &spec);
  for (size_t s = 0; s < 5; s++)
    for (int at = 0; at < 2; at++) { /* the operands at different places */
      const uint64_t n = sizes[s] - (sizes[s] && at);
      const void *data[] = {x, y};
      const uint64_t first[] = {(uint64_t)at, 0};
      const rh_call_spec call =
          SIZED(rh_call_spec, .n_operands = 2, .arrays = data, .first = first, .n = n);
      must(rh_prepared_call(prepared, &call, spoilt(&result), &error));
      ck_assert_double_eq(result.value.f, dot(x + at, y, n));
    }
  must_refuse(rh_prepared_run(prepared, x, N, &result, &error), "2 operands");
  const void *data[] = {x, y, x};
  for (uint32_t given = 0; given < 4; given++)
    if (given != 2)
      must_refuse(reduce_arrays(prepared, given, data, N, &result, &error),
                  given == 3 ? "2 operands, and the call brings 3"
                             : "2 operands, and the call brings 1");
}

TEST_LOOP(changes_constants, 0, 4) {
  rh_constant constants[] = {{.name = "t", .value.i = 3},
                             {.name = "s", .is_float = 1, .value.f = 2}};
  rh_request spec =
      SIZED(rh_request, .strategy = strategies[_i], .type = RH_TYPE_i32, .n = N,
            .map = "k > t ? (f64)k : 0.0", .inputs = &(rh_input){.name = "k", .type = RH_TYPE_i32},
            .n_inputs = 1, .finalize = "a*s", .constants = constants, .n_constants = 2);
  rh_prepared *prepared = prepare(redhost, &spec);
  for (int t = -200; t < 500; t += 100) {
    double sum = 0;
    for (int i = 0; i < N; i++) sum += k[i] > t ? k[i] : 0;
    constants[0].value.i = t;
    constants[1].value.f = t + 0.5;
    must(rh_prepared_set_constants(prepared, constants, 2, &error));
    must(rh_prepared_run(prepared, k, N, spoilt(&result), &error));
    ck_assert_uint_eq(result.n_fields, 1);
    check_first_result(&result);
    ck_assert_double_eq(result.fields[0].value.f, sum * (t + 0.5));
  }
  rh_constant wrong[] = {{.name = "t", .value.i = 1}, {.name = "u", .value.i = 1}};
  must_refuse(rh_prepared_set_constants(prepared, wrong, 2, &error), "no constant 'u'");
  wrong[1] = (rh_constant){.name = "t", .is_float = 1, .value.f = 0.5};
  must_refuse(rh_prepared_set_constants(prepared, wrong, 2, &error), "cannot become 0.5");
  wrong[1] = (rh_constant){.name = "t", .value.i = INT64_C(1) << 31};
  must_refuse(rh_prepared_set_constants(prepared, &wrong[1], 1, &error),
              "constant t: its first value made it i32, which does not hold 2147483648");
  rh_prepared_destroy(prepared);
  spec.finalize = "a";
  must_refuse(rh_prepare(redhost, &spec, &prepared, &error), "constant s is not used");
}

/* ---- The caller's buffers ---- */

CASES(buffers, .set_up = set_up_queue, .tear_down = tear_down_queue)

TEST(runs_on_buffers) {
  cl_mem buffers[] = {make_buffer(x, sizeof x), make_buffer(y, sizeof y)};
  BUFFER values = make_buffer(NULL, 64);
  rh_request spec = dot_request("auto", N);
  spec.result_on_device = 1;
  OWNED(rh_prepared) prepared = prepare(on_queue, &spec);
  const uint64_t first[] = {3, 5};
  rh_call_spec call =
      SIZED(rh_call_spec, .n_operands = 2, .buffers = buffers, .first = first, .n = N - 7);
  must(rh_prepared_call(prepared, &call, spoilt(&result), &error));
  ck_assert_double_eq(result.value.f, dot(x + 3, y + 5, N - 7));
  call.first = NULL;
  call.n = N;
  call.values = values;
  call.index = 1;
  must(rh_prepared_call(prepared, &call, NULL, &error));
  double value;
  ck_assert_uint_eq(rh_prepared_value_bytes(prepared), sizeof value);
  clEnqueueReadBuffer(queue, values, CL_TRUE, sizeof value, sizeof value, &value, 0, NULL, NULL);
  rh_prepared_decode(prepared, &value, N, &result);
  ck_assert_double_eq(result.value.f, dot(x, y, N));
  must_refuse(reduce_buffer(prepared, buffers[0], 0, N, &result, &error), "2 operands");
  for (int b = 0; b < 2; b++) clReleaseMemObject(buffers[b]);
}
