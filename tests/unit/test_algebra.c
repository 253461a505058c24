/* The engine that examines operators: what it proves, what it only samples, what it refutes, and
 * how small its counterexamples are. */
#include "../../host/operators/algebra/algebra.h"
#include "../suite/suite.h"

OWNS(rh_custom, rh_custom_destroy)

/* --reduce TEXT --identity IDENTITY over one operand x, or with a map of x. */
static rh_custom *reduce(const char *combine, const char *identity, const char *map, rh_type type,
                         int commutes) {
  const rh_definition definition = {
      .n_fields = 1,
      .flags = commutes ? RH_OP_COMMUTATIVE : 0,
      .fields = {{.load = map, .identity = identity, .combine = combine}}};
  const rh_operand x = {"x", type};
  rh_custom *made = NULL;
  rh_status status = rh_custom_create(&made, &definition, &x, 1, NULL, 0, &error);
  ck_assert_msg(status == RH_OK, "%s: %s", combine, error.message);
  return made;
}

static void examine(const rh_custom *self, rh_algebra_report *report) {
  must(rh_algebra_examine(self, report, &error));
}

/* ---- What is found ---- */

enum { NEUTRAL = RH_LAW_IDENTITY, ASSOCIATES = RH_LAW_ASSOCIATIVE, COMMUTES = RH_LAW_COMMUTATIVE };
typedef struct row {
  const char *combine, *identity, *map;
  rh_type type;
  int laws[RH_LAWS]; /* neutral, associative, commutative */
  rh_law verdict;    /* where commutativity is claimed */
} row;
#define P RH_LAW_PROVED
#define S RH_LAW_SAMPLED
#define B RH_LAW_BROKEN
static const row rows[] = {
    {"a + b", "-0.0", NULL, RH_TYPE_f64, {S, P, P}, RH_LAWS},
    {"a*b", "1", NULL, RH_TYPE_f64, {S, P, P}, RH_LAWS},
    {"a + b + a*b", "0", NULL, RH_TYPE_f64, {S, P, P}, RH_LAWS}, /* (1+a)(1+b) - 1 */
    {"a + b + a*b/2", "0", NULL, RH_TYPE_f64, {S, P, P}, RH_LAWS},
    {"a + b + a*b*0.25", "0", NULL, RH_TYPE_f32, {S, P, P}, RH_LAWS},
    {"a > b ? a : b", "-inf", NULL, RH_TYPE_f32, {S, S, S}, RH_LAWS},
    {"a + b", "0", NULL, RH_TYPE_i32, {S, S, S}, RH_LAWS},
    {"a ^ b", "0", NULL, RH_TYPE_u64, {S, S, S}, RH_LAWS},
    {"a + 2*b", "0", NULL, RH_TYPE_f64, {B, B, B}, RH_LAW_ASSOCIATIVE},
    {"a - b", "0", NULL, RH_TYPE_f64, {B, B, B}, RH_LAW_ASSOCIATIVE},
    {"(a + b)/2", "0", NULL, RH_TYPE_f64, {B, B, P}, RH_LAW_ASSOCIATIVE},
    {"a*b", "0", NULL, RH_TYPE_f64, {B, P, P}, RH_LAW_IDENTITY},
    {"a + b", "1", NULL, RH_TYPE_i32, {B, S, S}, RH_LAW_IDENTITY},
    {"b == 0 ? a : b", "0", NULL, RH_TYPE_i32, {S, S, B}, RH_LAW_COMMUTATIVE}, /* the last */
    {"a > 3 && b > 3 ? a : a + b", "0", NULL, RH_TYPE_i32, {S, B, B}, RH_LAW_ASSOCIATIVE},
    {"a > 1000 ? a : a + b", "0", NULL, RH_TYPE_i32, {S, B, B}, RH_LAW_ASSOCIATIVE},
};

TEST_LOOP(laws, 0, sizeof rows / sizeof *rows) {
  const row *r = &rows[_i];
  OWNED(rh_custom) self = reduce(r->combine, r->identity, r->map, r->type, 1);
  rh_algebra_report report;
  examine(self, &report);
  for (int law = 0; law < RH_LAWS; law++) {
    ck_assert_msg(report.laws[law] == r->laws[law], "%s, %s: %d instead of %d: %s", r->combine,
                  rh_law_name((rh_law)law), report.laws[law], r->laws[law], report.broken[law]);
    ck_assert_int_eq(report.broken[law][0] != 0, r->laws[law] == B);
    ck_assert_int_eq(rh_algebra_is_wrong(self, &report, (rh_law)law), r->laws[law] == B);
  }
  ck_assert_int_eq(rh_algebra_verdict(self, &report), r->verdict);
}

/* A law that nobody claims may be broken. */
TEST(what_is_not_claimed) {
  OWNED(rh_custom) self = reduce("b == 0 ? a : b", "0", NULL, RH_TYPE_i32, 0);
  rh_algebra_report report;
  examine(self, &report);
  ck_assert_int_eq(report.laws[COMMUTES], B);
  ck_assert(!rh_algebra_is_wrong(self, &report, RH_LAW_COMMUTATIVE));
  ck_assert_int_eq(rh_algebra_verdict(self, &report), RH_LAWS);
}

/* ---- Counterexamples ---- */

/* Reads "a=0 b=0 c=1 gives 2 grouped to the left and 4 to the right". */
TEST(counterexamples_are_small_and_true) {
  OWNED(rh_custom) self = reduce("a + 2*b", "0", NULL, RH_TYPE_f64, 0);
  rh_algebra_report report;
  double a, b, c, left, right;
  examine(self, &report);
  const char *at = strstr(report.broken[ASSOCIATES], "a=");
  ck_assert_ptr_nonnull(at);
  ck_assert_msg(sscanf(at, "a=%lf b=%lf c=%lf gives %lf grouped to the left and %lf to", &a, &b, &c,
                       &left, &right) == 5,
                "%s", at);
  ck_assert_msg((a + 2 * b) + 2 * c == left && a + 2 * (b + 2 * c) == right && left != right, "%s",
                at);
  ck_assert_msg(fabs(a) + fabs(b) + fabs(c) <= 1, "%s", at);
}

/* Small values alone do not show it: the literal says where to look, and the counterexample is then
 * made as small as it can be. */
TEST(beside_a_literal) {
  OWNED(rh_custom) self = reduce("a > 1000 ? a : a + b", "0", NULL, RH_TYPE_i32, 0);
  rh_algebra_report report;
  int a, b, c;
  examine(self, &report);
  const char *at = strstr(report.broken[ASSOCIATES], "a=");
  ck_assert_ptr_nonnull(at);
  ck_assert_int_eq(sscanf(at, "a=%d b=%d c=%d", &a, &b, &c), 3);
  int ab = a > 1000 ? a : a + b, bc = b > 1000 ? b : b + c;
  ck_assert_int_ne(ab > 1000 ? ab : ab + c, a > 1000 ? a : a + bc);
  ck_assert_msg(abs(a) <= 1001 && abs(b) <= 1001 && abs(c) <= 3, "%s", at);
}

/* ---- Proofs ---- */

static int try_points(const char *combine, rh_law law) {
  rh_custom *self = reduce(combine, "0", NULL, RH_TYPE_f64, 0);
  uint64_t seed = 1;
  int found = rh_points_try(self, law, &seed);
  rh_custom_destroy(self);
  return found;
}

/* Where floats would round on nearly every value, too. */
TEST(identities_of_formulas) {
  ck_assert_int_eq(try_points("a + b + a*b/3", RH_LAW_ASSOCIATIVE), 1);
  ck_assert_int_eq(try_points("(a + b)/(1 + a*b)", RH_LAW_ASSOCIATIVE), 1); /* tanh */
  ck_assert_int_eq(try_points("(a + b)/(1 - a*b)", RH_LAW_COMMUTATIVE), 1);
  ck_assert_int_eq(try_points("a + b + a*b/3*a", RH_LAW_ASSOCIATIVE), -1);
  ck_assert_int_eq(try_points("a + b + a*b/3*a", RH_LAW_COMMUTATIVE), -1);
  ck_assert_int_eq(try_points("a > b ? a : b", RH_LAW_ASSOCIATIVE), 0); /* has no identity */
  ck_assert_int_eq(try_points("exp(a + b)", RH_LAW_ASSOCIATIVE), 0);
}

/* ---- One law on given values ---- */

static rh_law_difference differ(const char *combine, rh_law law, double a, double b, double c,
                                int tolerance) {
  rh_custom *self = reduce(combine, "0", NULL, RH_TYPE_f64, 0);
  _Alignas(16) unsigned char v[3][RH_ANY_VALUE_BYTES] = {{0}}, left[RH_ANY_VALUE_BYTES] = {0},
                             right[RH_ANY_VALUE_BYTES] = {0};
  unsigned char *const values[3] = {v[0], v[1], v[2]};
  memcpy(v[0], &a, sizeof a);
  memcpy(v[1], &b, sizeof b);
  memcpy(v[2], &c, sizeof c);
  rh_law_sides(self, law, values, left, right, 1);
  rh_law_difference found =
      rh_law_compare(self, values, rh_law_values(law), left, right, tolerance);
  rh_custom_destroy(self);
  return found;
}

TEST(differences_are_told_apart) {
  ck_assert_int_eq(differ("a + b", RH_LAW_ASSOCIATIVE, 1, 2, 3, RH_SUMS), RH_SAME);
  ck_assert_int_eq(differ("a + b", RH_LAW_ASSOCIATIVE, 0.1, 0.2, 0.3, RH_SUMS), RH_ROUNDED);
  ck_assert_int_eq(differ("a + b", RH_LAW_ASSOCIATIVE, 0.1, 0.2, 0.3, RH_NOTHING), RH_DIFFERENT);
  ck_assert_int_eq(differ("a + b", RH_LAW_IDENTITY, -0.0, 0, 0, RH_SUMS), RH_ZERO_SIGN);
  ck_assert_int_eq(differ("a - b", RH_LAW_ASSOCIATIVE, 1, 2, 3, RH_SUMS), RH_DIFFERENT);
  ck_assert_int_eq(differ("a - b", RH_LAW_COMMUTATIVE, 2, 2, 0, RH_SUMS), RH_SAME);
  ck_assert_uint_eq(rh_law_values(RH_LAW_IDENTITY), 1);
  ck_assert_uint_eq(rh_law_values(RH_LAW_COMMUTATIVE), 2);
  ck_assert_uint_eq(rh_law_values(RH_LAW_ASSOCIATIVE), 3);
}

/* What shows at the edge of the numbers only breaks nothing. */
TEST(edges_are_notes) {
  OWNED(rh_custom) self = reduce("a + b", "0", NULL, RH_TYPE_f64, 1);
  rh_algebra_report report;
  examine(self, &report);
  ck_assert_int_eq(rh_algebra_verdict(self, &report), RH_LAWS);
  ck_assert_uint_ge(report.n_notes, 1);
  ck_assert_msg(strstr(report.notes[0], "-0") != NULL, "%s", report.notes[0]);
  ck_assert_uint_gt(report.cases, 1000);
}
