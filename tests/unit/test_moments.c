/* Mean and variance have loops of their own on the host: the same bits as the expressions give. */
#include "../../host/engine/segments/segments.h"
#include "../../host/operators/custom/internal.h"
#include "custom_support.h"

enum { MOST = 40000, ROUNDS = 60 };

static uint64_t seed = 5;

/* The same operations for fields that are called otherwise, which nothing recognises. */
#define PLAIN(value, load, let, combine)                                                           \
  "{\"redhost\": \"operator/1\", \"name\": \"plain\", \"operands\": [\"x\"], "                     \
  "\"value\": {\"k\": \"f64\", \"mean\": \"f64\", \"m2\": \"f64\"" value "}, "                     \
  "\"load\": [\"1\", \"x\", \"0\"" load "], \"identity\": [\"0\", \"0\", \"0\"" load "], "         \
  "\"let\": {\"n\": \"a.k + b.k\", \"d\": \"b.mean - a.mean\", \"r\": \"b.k/n\"" let "}, "         \
  "\"combine\": [\"n\", \"a.k == 0 ? b.mean : b.k == 0 ? a.mean : "                                \
  "d - d == 0 ? a.mean + d*r : a.mean*(1 - r) + b.mean*r\", "                                      \
  "\"a.k == 0 ? b.m2 : b.k == 0 ? a.m2 : a.m2 + b.m2 + d*d*a.k*r\"" combine "], "                  \
  "\"claims\": [\"associative\", \"commutative\"]}"
static const char plain[] = PLAIN("", "", "", "");
static const char plain_f64[] =
    PLAIN(", \"large\": \"f64\"", ", \"0\"", ", \"e\": \"d*0x1p-128\"",
          ", \"a.k == 0 ? b.large : b.k == 0 ? a.large : a.large + b.large + e*e*a.k*r\"");

/* Every load's x becomes the map. */
static void put_map(char *text, size_t size, const char *map) {
  static const char load[] = "\"1\", \"x\"";
  char rest[4096];
  for (char *at = text; (at = strstr(at, load)); at++) {
    snprintf(rest, sizeof rest, "%s", at + strlen(load));
    snprintf(at, size - (size_t)(at - text), "\"1\", \"%s\"%s", map, rest);
  }
}

static rh_custom *make(const char *json, rh_type type, const char *map) {
  char text[4096];
  snprintf(text, sizeof text, "%s", json);
  if (map) put_map(text, sizeof text, map);
  return made_of(text, type, NULL, 0);
}

/* Numbers of one magnitude; of every one, some of them infinite or NaN now and then; two lanes of
 * one tile of f64 where d*d*n overflows and half of it would not; and those whose squares are
 * subnormal, times 2^-128 twice or anyway. */
enum { TAME, WILD, LARGE, SMALL, NEAR, KINDS };

static double number(rh_type type, int kind, size_t k) {
  double mantissa = (double)(int64_t)rh_random_next(&seed) * 0x1p-63;
  int most = type == RH_TYPE_f64 ? 1020 : type == RH_TYPE_f32 ? 120 : 10;
  uint64_t choice = rh_random_next(&seed) % 1000;
  if (kind == TAME) return mantissa;
  if (kind == LARGE) {
    double sign = k % 64 == 5 ? 1.19 : k % 64 == 37 ? -1.19 : 0;
    return k / 256 == 47 ? ldexp(sign, type == RH_TYPE_f64 ? 510 : 15) : 0;
  }
  if (kind == SMALL) return ldexp(mantissa, type == RH_TYPE_f64 ? -535 : -140);
  if (kind == NEAR) return ldexp(mantissa, type == RH_TYPE_f64 ? -410 : -30);
  if (choice == 0) return INFINITY;
  if (choice == 1) return NAN;
  if (choice < 10) return 0;
  return ldexp(mantissa, (int)(rh_random_next(&seed) % (uint64_t)(2 * most)) - most);
}

static void put(rh_type type, void *data, size_t k, double x) {
  switch (type) {
  case RH_TYPE_f64: ((double *)data)[k] = x; break;
  case RH_TYPE_f32: ((float *)data)[k] = (float)x; break;
  case RH_TYPE_f16: ((uint16_t *)data)[k] = rh_half_from_float((float)x); break;
  case RH_TYPE_u8: ((uint8_t *)data)[k] = (uint8_t)rh_random_next(&seed); break;
  default: ((int32_t *)data)[k] = (int32_t)rh_random_next(&seed);
  }
}

static int is_same(const double *a, const double *b, uint32_t n_fields) {
  for (uint32_t k = 0; k < n_fields; k++)
    if (memcmp(&a[k], &b[k], sizeof a[k]) != 0 && !(isnan(a[k]) && isnan(b[k]))) return 0;
  return 1;
}

static void compare(rh_type type, const char *map, int kind) {
  static double data[MOST + 1];
  OWNED(rh_custom) fast = make(shipped_text("meanvar"), type, map);
  OWNED(rh_custom) slow = make(type == RH_TYPE_f64 ? plain_f64 : plain, type, map);
  ck_assert(fast->is_moments && fast->n_fields == (type == RH_TYPE_f64 ? 4 : 3));
  ck_assert_int_eq(slow->is_moments, 0);
  for (size_t k = 0; k < MOST; k++)
    put(type, data, k, number(type, k % 20000 > 9000 ? kind : TAME, k));
  for (int round = 0; round < ROUNDS; round++) {
    uint64_t first = rh_random_next(&seed) % 9 * (rh_random_next(&seed) % 1000);
    uint64_t n = 1 + rh_random_next(&seed) % (MOST - first);
    double a[4], b[4];
    const rh_arrays arrays = {.operands = {data}};
    if (round % 3 == 0) n = n % 3000 + 1;
    if (round % 5 == 0) n = (n + 4095) / 4096 * 4096 % (MOST - first) + 1;
    rh_custom_reduce(fast, &arrays, first, n, a);
    rh_custom_reduce(slow, &arrays, first, n, b);
    ck_assert_msg(is_same(a, b, slow->n_fields), "%s %s, %llu from %llu: %a %a %a and %a %a %a",
                  rh_type_name(type), map ? map : "", (unsigned long long)n,
                  (unsigned long long)first, a[0], a[1], a[2], b[0], b[1], b[2]);
    rh_custom_combine(fast, a, b);
    rh_custom_combine(slow, b, b);
    ck_assert(is_same(a, b, slow->n_fields));
    rh_custom_combine(fast, a, fast->identity);
    ck_assert(is_same(a, b, slow->n_fields));
    rh_custom_combine(fast, memcpy(a, fast->identity, sizeof a), b);
    ck_assert(is_same(a, b, slow->n_fields));
  }
}

TEST_LOOP(has_the_expressions_bits, 0, 5) {
  static const rh_type types[] = {RH_TYPE_f32, RH_TYPE_f64, RH_TYPE_f16, RH_TYPE_u8, RH_TYPE_i32};
  for (int kind = 0; kind < KINDS; kind++) compare(types[_i], NULL, kind);
  compare(types[_i], "x*0.5", WILD);
}

/* Loops that another processor would choose, too. */
TEST_LOOP(wide_loops_have_the_expressions_bits, 0, RH_MOMENTS_WIDE) {
  enum { TILE = 4 * RH_MOMENTS_ROW_F32, LANES = RH_MOMENTS_WIDE_LANES };
  rh_moments_tiles *wide = rh_moments_wide_by(_i);
  if (!wide) return; /* not on this processor */
  static float x[RH_MOMENTS_MOST_TILES * TILE];
  const rh_arrays arrays = {.operands = {x}};
  OWNED(rh_custom) slow = make(plain, RH_TYPE_f32, NULL);
  for (int round = 0; round < ROUNDS; round++) {
    uint64_t tiles = (uint64_t)1 << round % 7, n = tiles * TILE;
    double value[3], of_wide[3] = {(double)n};
    double means[LANES * RH_MOMENTS_MOST_TILES], m2s[LANES * RH_MOMENTS_MOST_TILES];
    for (size_t k = 0; k < n; k++)
      put(RH_TYPE_f32, x, k, number(RH_TYPE_f32, round / 7 % KINDS, k));
    wide(x, tiles, means, m2s);
    rh_moments_join(means, m2s, LANES * tiles, TILE / LANES);
    of_wide[1] = means[0];
    of_wide[2] = m2s[0];
    rh_custom_reduce(slow, &arrays, 0, n, value);
    /* A mean that is not finite is computed anew. */
    ck_assert_msg(!isfinite(of_wide[1]) || is_same(of_wide, value, 3),
                  "loops %d, %llu tiles: %a %a and %a %a", _i, (unsigned long long)tiles,
                  of_wide[1], of_wide[2], value[1], value[2]);
  }
}

/* Other operations, of the same names: not to be taken for it. */
TEST_LOOP(another_operator_is_not_taken_for_it, 0, 6) {
  static const char *const changes[][2] = {{"a.n + b.n", "a.n - b.n"},
                                           {"d*d*a.n*r", "d*d*b.n*r"},
                                           {"a.mean + d*r", "a.mean - d*r"},
                                           {"\"1\", \"x\"", "\"2\", \"x\""},
                                           {"b.n/n", "a.n/n"},
                                           {"a.n == 0 ? b.m2", "b.n == 0 ? b.m2"}};
  const char *text = shipped_text("meanvar"), *at = strstr(text, changes[_i][0]);
  char changed[4096];
  ck_assert_ptr_nonnull(at);
  snprintf(changed, sizeof changed, "%.*s%s%s", (int)(at - text), text, changes[_i][1],
           at + strlen(changes[_i][0]));
  OWNED(rh_custom) made = made_of(changed, RH_TYPE_f32, NULL, 0);
  ck_assert_int_eq(made->is_moments, 0);
}

static double part_of(const rh_custom *custom, const void *data, uint64_t n, uint64_t depth,
                      const double *value) {
  const rh_arrays arrays = {.operands = {data}};
  double part;
  rh_quick_judge(&custom->face, &arrays, &n, 1, depth, value, &part);
  return part;
}

/* A segment's value is within its bound in the canonical order and one after the other, and is not
 * where a field is a little off. */
static void judge(const rh_custom *custom, rh_type type, double shift) {
  static const double off[][3] = {{1, 0, 0}, {0, 1e-12, 0}, {0, 0, 1e-9}};
  enum { LONGEST = 300, DEPTH = 11 };
  double data[LONGEST];
  const rh_arrays arrays = {.operands = {data}};
  for (size_t k = 0; k < LONGEST; k++) put(type, data, k, shift + number(type, TAME, k));
  for (uint64_t n = 1; n <= LONGEST; n++) {
    double value[4], serial[4];
    rh_custom_reduce(custom, &arrays, 0, n, value);
    memcpy(serial, custom->identity, sizeof serial);
    rh_custom_fold(custom, serial, &arrays, 0, n);
    double canonical = part_of(custom, data, n, DEPTH, value);
    double one_by_one = part_of(custom, data, n, 0, serial);
    ck_assert_msg(canonical >= 0 && canonical <= 1, "%llu: %g", (unsigned long long)n, canonical);
    ck_assert_msg(one_by_one >= 0 && one_by_one <= 1, "%llu: %g", (unsigned long long)n,
                  one_by_one);
    for (int k = 0; k < 3; k++) {
      double wrong[4] = {value[0] + off[k][0], value[1] + off[k][1] * (1 + shift),
                         value[2] * (1 + off[k][2])};
      if (k < 2 || n > 1) ck_assert(part_of(custom, data, n, DEPTH, wrong) < 0);
    }
  }
}

TEST_LOOP(short_segments_are_judged, 0, 2) {
  const rh_type type = _i ? RH_TYPE_f64 : RH_TYPE_f32;
  OWNED(rh_custom) custom = make(shipped_text("meanvar"), type, NULL);
  ck_assert(rh_quick_serves(&custom->face));
  judge(custom, type, 0);
  judge(custom, type, 100);
}
