/* The judge of results that are made of a value: by `finalize`, and of a struct's fields.  And what
 * happens before a strategy is blamed. */
#include "custom_support.h"

enum { N = 1 << 16, OK = RH_VERDICT_OK, WRONG = RH_VERDICT_WRONG, UNJUDGED = RH_VERDICT_UNJUDGED };

static float x[N];
static int32_t k[N];

static void fill(void) {
  uint64_t state = 1;
  for (int i = 0; i < N; i++) {
    uint64_t random = rh_random_next(&state);
    x[i] = (float)((double)(random >> 11) * 0x1p-53);
    k[i] = (int32_t)(random >> 40) - 5000000;
  }
}

static rh_custom *operator_of(rh_definition *definition, rh_type type, const char *finalize) {
  definition->n_results = finalize != NULL;
  definition->results[0] = (rh_named_text){"one", finalize};
  return made_over_x(definition, type);
}

static rh_custom *built_in(const char *ops, const char *map, rh_type type, const char *finalize) {
  rh_definition definition = {.ops = ops, .map = map};
  return operator_of(&definition, type, finalize);
}

static rh_job_spec spec_of(const rh_custom *custom, uint64_t n) {
  return (rh_job_spec){.operation = {.op = &custom->face, .n = n}};
}

static rh_reference reference_of(const rh_custom *custom, const void *data, uint64_t n) {
  rh_reference reference;
  const rh_job_spec spec = spec_of(custom, n);
  must(rh_job_reference(&spec, data, NULL, &reference, &error));
  return reference;
}

static rh_verdict verdict_on(const rh_reference *reference, const rh_result *result,
                             uint64_t depth) {
  rh_verdict verdict;
  rh_reference_judge(reference, result, depth, 0, &verdict);
  ck_assert(verdict.text[0] != 0);
  return verdict;
}

static int judge(const rh_reference *reference, uint32_t field, double value, uint64_t depth) {
  rh_result result = reference->answer;
  result.fields[field].value.f = value;
  return verdict_on(reference, &result, depth).verdict;
}

/* ---- finalize ---- */

ONCE(fill, NULL)

TEST(a_mean_has_the_bound_of_its_sum) {
  OWNED(rh_custom) mean = built_in("sum", "x", RH_TYPE_f32, "a/n");
  rh_reference reference = reference_of(mean, x, 1000);
  double exact = reference.answer.fields[0].value.f;
  double sum = (double)rh_exact_sum_rounded(&reference.sum, 0), bound = 10 * 0x1p-24 * sum / 1000;
  ck_assert(fabs(exact - sum / 1000) < 1e-7 && reference.answer.value.f == exact);
  ck_assert_int_eq(judge(&reference, 0, exact, 10), OK);
  ck_assert_int_eq(judge(&reference, 0, exact + bound, 10), OK);
  ck_assert_int_eq(judge(&reference, 0, exact + 2 * bound, 10), WRONG);
  ck_assert_int_eq(judge(&reference, 0, sum, 10), WRONG); /* what it is made of */
  ck_assert_int_eq(judge(&reference, 0, (double)NAN, 10), WRONG);
}

TEST(a_mean_of_integers_is_exact) {
  OWNED(rh_custom) mean = built_in("sum", "x", RH_TYPE_i32, "(f64)a/n");
  rh_reference reference = reference_of(mean, k, 1000);
  double exact = reference.answer.fields[0].value.f;
  ck_assert_int_eq(judge(&reference, 0, exact, 0), OK);
  ck_assert_int_eq(judge(&reference, 0, nextafter(exact, 0), 0), WRONG);
}

/* A sum that may be 0 is divided by, and bits are looked at. */
TEST(what_intervals_do_not_enclose_is_not_judged) {
  static const float signs[] = {1, -1, 0x1p-30f};
  static const char *const finalizers[] = {"1/a", "as_int(a) % 2"};
  for (int j = 0; j < 2; j++) {
    OWNED(rh_custom) custom = built_in("sum", "x", RH_TYPE_f32, finalizers[j]);
    rh_reference reference = reference_of(custom, signs, 3);
    rh_result result = reference.answer;
    ck_assert_int_eq(verdict_on(&reference, &result, 0).verdict, OK);
    result.fields[0].value.u ^= 1;
    ck_assert_int_eq(verdict_on(&reference, &result, 0).verdict, UNJUDGED);
  }
}

/* ---- Several operators in one pass, and fields ---- */

TEST(parts_have_the_bounds_that_they_have_alone) {
  OWNED(rh_custom) parts = built_in("min,sum", "x, x*x", RH_TYPE_f32, NULL);
  rh_reference reference = reference_of(parts, x, N);
  float serial = 0;
  for (int i = 0; i < N; i++) serial += x[i] * x[i];
  ck_assert_int_eq(judge(&reference, 1, (double)serial, 0), OK);
  double exact = reference.answer.fields[1].value.f;
  ck_assert_int_eq(judge(&reference, 1, exact * (1 + 0x1p-10), 10), WRONG);
  ck_assert_int_eq(judge(&reference, 0, reference.answer.fields[0].value.f + 0x1p-20, 0), WRONG);
  ck_assert_int_eq(judge(&reference, 1, (double)NAN, 0), WRONG);
}

static rh_custom *field_of(const char *load, const char *combine) {
  rh_definition definition = {.n_fields = 1, .flags = RH_OP_COMMUTATIVE};
  definition.fields[0] = (rh_field_text){.load = load, .identity = "0", .combine = combine};
  return operator_of(&definition, RH_TYPE_f32, NULL);
}

TEST(a_field_that_is_a_sum_has_its_bound) {
  OWNED(rh_custom) sum = field_of(NULL, "a + b");
  rh_reference reference = reference_of(sum, x, N);
  float serial = 0;
  for (int i = 0; i < N; i++) serial += x[i];
  ck_assert(reference.sampled.n_orders == 1);
  ck_assert_int_eq(judge(&reference, 0, (double)serial, 0), OK);
  ck_assert_int_eq(judge(&reference, 0, reference.answer.value.f * (1 + 0x1p-12), 20), WRONG);
}

/* (1 + a)(1 + b) - 1, of small elements: each step rounds in proportion to the result. */
TEST(slack_grows_with_the_depth) {
  OWNED(rh_custom) grown = field_of("x/65536", "a + b + a*b");
  rh_reference reference = reference_of(grown, x, N);
  float serial = 0;
  for (int i = 0; i < N; i++) serial = serial + x[i] / 65536 + serial * (x[i] / 65536);
  ck_assert(reference.sampled.n_orders == RH_SAMPLED_ORDERS);
  rh_result result = reference.answer;
  result.fields[0].value.f = (double)serial;
  rh_verdict verdict = verdict_on(&reference, &result, 0);
  ck_assert_msg(verdict.verdict == OK && verdict.weak, "%s", verdict.text);
  rh_exact_data_settle(&verdict, "none are known");
  ck_assert_int_eq(verdict.verdict, UNJUDGED);
  double exact = reference.answer.value.f;
  ck_assert_int_eq(judge(&reference, 0, exact * (1 + 0x1p-9), 20), WRONG);
  ck_assert_int_eq(judge(&reference, 0, exact * 2, 0), WRONG); /* in any order */
}

TEST(what_is_judged_depends_on_the_depth) {
  rh_custom *dot = built_in("sum", "x*x", RH_TYPE_f32, NULL);
  rh_custom *wide = built_in("sum", "x*x", RH_TYPE_f64, NULL);
  OWNED(rh_custom) least = built_in("min", "x*x", RH_TYPE_f32, NULL);
  ck_assert(rh_reference_allows_much(&dot->face, 0, 1 << 20) &&
            !rh_reference_allows_much(&dot->face, 40, 1 << 20));
  ck_assert(!rh_reference_allows_much(&dot->face, 0, 1 << 10) &&
            !rh_reference_allows_much(&wide->face, 0, 1 << 24));
  ck_assert(!rh_reference_allows_much(&least->face, 0, 1 << 24));
  rh_custom_destroy(dot);
  rh_custom_destroy(wide);
}

/* ---- Before blame ---- */

TEST(changed_data_blame_nobody) {
  rh_context context = {0};
  rh_custom *custom[] = {built_in("sum", "x", RH_TYPE_f32, "a/n"),
                         built_in("min,sum", "x, x*x", RH_TYPE_f32, NULL),
                         field_of("x/65536", "a + b + a*b")};
  rh_job_spec specs[6] = {
      {.operation.op = rh_operator_builtin(RH_OP_sum, RH_TYPE_f32), .operation.n = N},
      {.operation.op = rh_operator_builtin(RH_OP_max, RH_TYPE_f32), .operation.n = N},
      {.operation.op = rh_operator_builtin(RH_OP_prod, RH_TYPE_f32), .operation.n = N}};
  for (int j = 0; j < 3; j++) specs[3 + j] = spec_of(custom[j], N);
  const void *operands[] = {x};
  rh_job_part part = {.operands = operands, .n = N, .whole_n = N, .may_change = 1};
  for (int j = 0; j < 6; j++) {
    rh_reference reference;
    const rh_result none = {0}; /* wrong */
    const rh_answered answered = {&context, NULL, 0, &none, NULL};
    rh_verdict verdict;
    must(rh_job_reference_of(&specs[j], &part, NULL, &reference, &error));
    must(rh_job_judge_on(&specs[j], &part, &answered, &reference, &verdict, &error));
    ck_assert_int_eq(verdict.verdict, WRONG);
    float kept = x[4711];
    x[4711] = 3;
    must_fail(rh_job_judge_on(&specs[j], &part, &answered, &reference, &verdict, &error), RH_E_FILE,
              "changed while they were being reduced");
    part.may_change = 0; /* only the strategy can have done it */
    must(rh_job_judge_on(&specs[j], &part, &answered, &reference, &verdict, &error));
    ck_assert_int_eq(verdict.verdict, WRONG);
    part.may_change = 1;
    x[4711] = kept;
  }
  for (int j = 0; j < 3; j++) rh_custom_destroy(custom[j]);
}
