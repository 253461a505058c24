#include "algebra.h"

enum { BATCH = 512, BATCH_BYTES = BATCH * RH_ANY_VALUE_BYTES };

typedef struct search {
  const rh_custom *of;
  rh_algebra_report *report;
  uint64_t seed;
  rh_rounding rounding;
  uint32_t noted; /* bit of each law: one note is enough */
  rh_cases cases;
  uint32_t picked[BATCH][3]; /* the elements of each case of a batch */
  _Alignas(64) unsigned char v[3][BATCH_BYTES], left[BATCH_BYTES], right[BATCH_BYTES];
} search;

const char *rh_law_name(rh_law law) {
  static const char *const names[] = {"neutral", "associative", "commutative"};
  return names[law];
}

/* ---- At random points modulo 2^61 - 1 ---- */

enum { POINTS = 4, FIELDS = RH_MOST_FIELDS };

static uint64_t random_point(uint64_t *seed) { return rh_random_next(seed) >> 3; /* below 2^61 */ }

static int combine_at(const rh_custom *of, const uint64_t *a, const uint64_t *b, uint64_t *result) {
  uint64_t variables[2 * FIELDS];
  memcpy(variables, a, of->n_fields * sizeof *a);
  memcpy(variables + of->n_fields, b, of->n_fields * sizeof *b);
  return rh_exprs_modular(of->combine, variables, result);
}

static int load_at(const rh_custom *of, uint64_t *seed, uint64_t *value) {
  uint64_t variables[RH_MOST_OPERANDS];
  for (uint32_t k = 0; k < of->face.n_operands; k++) variables[k] = random_point(seed);
  return rh_exprs_modular(of->load, variables, value);
}

/* Reaches a value of two elements. */
static int reach(const rh_custom *of, uint64_t *seed, uint64_t *value) {
  uint64_t a[FIELDS], b[FIELDS];
  return load_at(of, seed, a) && load_at(of, seed, b) && combine_at(of, a, b, value);
}

/* 1: the sides are equal; 0: they differ; -1: they cannot be computed. */
static int equal_at(const rh_custom *of, rh_law law, uint64_t v[3][FIELDS]) {
  uint64_t left[FIELDS], right[FIELDS], room[FIELDS];
  int ok;
  if (law == RH_LAW_COMMUTATIVE)
    ok = combine_at(of, v[0], v[1], left) && combine_at(of, v[1], v[0], right);
  else
    ok = combine_at(of, v[0], v[1], room) && combine_at(of, room, v[2], left) &&
         combine_at(of, v[1], v[2], room) && combine_at(of, v[0], room, right);
  return ok ? memcmp(left, right, of->n_fields * sizeof *left) == 0 : -1;
}

/* Associativity or commutativity at four points.  1: it holds, but for a chance of less than
 * 2^-200; -1: it does not, for values that elements reach; 0: the formulas have more than
 * + - * / ?: and ==, or what holds for elements does not hold for all values. */
static int try_points(const rh_custom *of, rh_law law, uint64_t *seed) {
  uint64_t v[3][FIELDS] = {{0}};
  for (int point = 0; point < POINTS; point++) {
    int reached = 1;
    for (int k = 0; k < 3; k++) reached = reached && reach(of, seed, v[k]);
    for (uint32_t k = 0; k < 3 * of->n_fields && !reached; k++)
      v[k / of->n_fields][k % of->n_fields] = random_point(seed);
    int equal = equal_at(of, law, v);
    if (equal < 0 || (!equal && !reached)) return 0;
    if (!equal) return -1;
  }
  return 1;
}

/* ---- A case in few and small numbers ---- */

static int is_broken(const search *s, rh_law law, const rh_element *elements) {
  rh_meeting m;
  for (uint32_t k = 0; k < rh_law_values(law); k++) rh_cases_load(&s->cases, &elements[k], m.v[k]);
  return rh_law_judge(s->of, law, &m, s->rounding) == RH_DIFFERENT;
}

/* Smaller is simpler, and then a number without a sign. */
static int is_simpler(double x, double y) {
  return fabs(x) < fabs(y) || (fabs(x) == fabs(y) && !signbit(x) && signbit(y)) || isnan(y);
}

/* Operand j of element k.  1 if it became simpler. */
static int simplify(const search *s, rh_law law, rh_element *elements, uint32_t k, uint32_t j) {
  rh_type type = s->of->operands[j].type;
  uint64_t *bits = &elements[k].of[j], kept = *bits;
  double now = rh_element_number(type, kept);
  const double simple[] = {0, 1, -1, 2, -2, 3, -3, trunc(now / 2), trunc(now), now - 1, now + 1};
  for (size_t i = 0; i < sizeof simple / sizeof *simple; i++) {
    if (!is_simpler(simple[i], now) || (simple[i] < 0 && !rh_type_is_signed(type))) continue;
    *bits = rh_element_bits(type, simple[i]);
    if (*bits != kept && is_broken(s, law, elements)) return 1;
    *bits = kept;
  }
  return 0;
}

/* Replaces elements by simpler ones as long as the law stays broken. */
static void shrink(const search *s, rh_law law, rh_element *elements) {
  enum { MOST_STEPS = 400 };
  int changed = 1;
  for (int step = 0; changed && step < MOST_STEPS; step++) {
    changed = 0;
    for (uint32_t k = 0; k < rh_law_values(law); k++)
      for (uint32_t j = 0; j < s->of->face.n_operands; j++)
        changed |= simplify(s, law, elements, k, j);
  }
}

/* ---- Cases ---- */

static void add_note(rh_algebra_report *report, const char *begins, const char *text) {
  char *to = report->notes[report->n_notes++];
  snprintf(to, RH_ALGEBRA_TEXT, "%.39s%.360s", begins, text);
}

/* Describes case k. */
static void describe(search *s, rh_law law, uint32_t k, int shrinks, char text[RH_ALGEBRA_TEXT]) {
  rh_element elements[3];
  rh_meeting m;
  for (uint32_t j = 0; j < 3; j++) elements[j] = s->cases.elements[s->picked[k][j]];
  if (shrinks) shrink(s, law, elements);
  for (uint32_t j = 0; j < 3; j++) rh_cases_load(&s->cases, &elements[j], m.v[j]);
  rh_law_describe(s->of, law, law, "", elements, &m, text);
}

/* An operand of the element of case k is infinite, and none is NaN. */
static int has_infinity(const search *s, uint32_t k) {
  const rh_element *element = &s->cases.elements[s->picked[k][0]];
  int has = 0;
  for (uint32_t o = 0; o < s->of->face.n_operands; o++) {
    rh_type type = s->of->operands[o].type;
    double number = rh_element_number(type, element->of[o]);
    if (rh_type_is_float(type) && isnan(number)) return 0;
    has |= rh_type_is_float(type) && isinf(number);
  }
  return has;
}

/* At the edge of the numbers only an infinity that becomes another number breaks a law. */
static int breaks(const search *s, rh_law law, uint32_t k, int kind, const rh_meeting *m,
                  rh_law_difference how) {
  if (kind != RH_CASES_SPECIAL) return how == RH_DIFFERENT;
  return law == RH_LAW_IDENTITY && how >= RH_AT_EDGE && has_infinity(s, k) &&
         !isnan(rh_value_largest(s->of, m->right, rh_value_largest(s->of, m->left, 0)));
}

/* A case whose sides differ.  1: the law is broken. */
static int take_case(search *s, rh_law law, uint32_t k, int kind) {
  rh_meeting m;
  char text[RH_ALGEBRA_TEXT];
  for (uint32_t j = 0; j < 3; j++)
    memcpy(m.v[j], s->v[j] + (size_t)k * RH_ANY_VALUE_BYTES, RH_ANY_VALUE_BYTES);
  rh_law_difference how = rh_law_judge(s->of, law, &m, s->rounding);
  if (!breaks(s, law, k, kind, &m, how)) {
    if (how == RH_SAME || s->noted & 1u << law) return 0;
    s->noted |= 1u << law;
    describe(s, law, k, 0, text);
    add_note(s->report, "at the edge of the numbers, ", text);
    return 0;
  }
  describe(s, law, k, kind != RH_CASES_SPECIAL, s->report->broken[law]);
  s->report->laws[law] = RH_LAW_BROKEN;
  return 1;
}

/* In the order of the index, if the map uses it. */
static void pick(search *s) {
  for (uint32_t k = 0; k < BATCH; k++) {
    uint64_t random = rh_random_next(&s->seed);
    uint32_t first = (uint32_t)(random % (RH_CASES_ELEMENTS - 2));
    for (uint32_t j = 0; j < 3; j++) {
      s->picked[k][j] =
          s->of->face.uses_index ? first + j : (uint32_t)(random >> 20 * j) % RH_CASES_ELEMENTS;
      memcpy(s->v[j] + (size_t)k * RH_ANY_VALUE_BYTES, s->cases.values[s->picked[k][j]],
             RH_ANY_VALUE_BYTES);
    }
  }
}

static void try_batch(search *s, rh_law law, int kind) {
  if (s->report->laws[law] == RH_LAW_BROKEN) return;
  pick(s);
  rh_law_sides(s->of, law, s->v[0], s->v[1], s->v[2], s->left, s->right, BATCH);
  s->report->cases += BATCH;
  for (uint32_t k = 0; k < BATCH; k++) {
    size_t at = (size_t)k * RH_ANY_VALUE_BYTES, size = s->of->op.value_size;
    const unsigned char *other = law == RH_LAW_IDENTITY ? s->v[0] + at : s->left + at;
    int is_same = memcmp(s->right + at, other, size) == 0 && memcmp(s->left + at, other, size) == 0;
    if (!is_same && take_case(s, law, k, kind)) return;
  }
}

static void try_kind(search *s, int kind, uint32_t times) {
  for (uint32_t t = 0; t < times; t++) {
    rh_cases_make(&s->cases, s->of, kind, &s->seed);
    for (rh_law law = 0; law < RH_LAWS; law++) try_batch(s, law, kind);
  }
}

/* The identity combined with itself. */
static void try_identity_alone(search *s) {
  rh_meeting m;
  memcpy(m.v[0], s->of->identity, RH_ANY_VALUE_BYTES);
  if (rh_law_judge(s->of, RH_LAW_IDENTITY, &m, s->rounding) != RH_DIFFERENT) return;
  rh_law_describe(s->of, RH_LAW_IDENTITY, RH_LAW_IDENTITY, "", NULL, &m,
                  s->report->broken[RH_LAW_IDENTITY]);
  s->report->laws[RH_LAW_IDENTITY] = RH_LAW_BROKEN;
}

/* Tries the formula at random points, and finds elements that show where it is wrong. */
static void prove(search *s, rh_law law) {
  int *known = &s->report->laws[law];
  int holds = try_points(s->of, law, &s->seed);
  if (*known == RH_LAW_BROKEN) return;
  uint32_t facts = rh_exprs_facts(s->of->combine, RH_EXPRS_ALL);
  if (holds > 0) *known = facts & RH_EXPR_COMPARES_EQUAL ? RH_LAW_PROVED_APART : RH_LAW_PROVED;
  if (holds >= 0 || facts & RH_EXPR_LONG_LITERALS) return;
  s->rounding = RH_NOTHING_ROUNDS; /* floats do not round on small integers */
  for (int kind = RH_CASES_SMALL; kind <= RH_CASES_HALVES; kind++) {
    rh_cases_make(&s->cases, s->of, kind, &s->seed);
    try_batch(s, law, kind);
  }
  s->rounding = RH_FEW_ROUND;
}

/* Values of many elements. */
static void try_sides(search *s) {
  static const int kinds[] = {RH_CASES_SMALL, RH_CASES_HALVES, RH_CASES_WIDE, RH_CASES_NEAR};
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    if (kinds[k] == RH_CASES_NEAR && s->cases.n_literals == 0) continue;
    rh_cases_make(&s->cases, s->of, kinds[k], &s->seed);
    rh_sides_try(&s->cases, k > 0, s->report);
  }
}

static void examine(search *s) {
  rh_algebra_report *report = s->report;
  for (rh_law law = 0; law < RH_LAWS; law++) report->laws[law] = RH_LAW_SAMPLED;
  rh_cases_find_literals(&s->cases, s->of);
  rh_cases_make(&s->cases, s->of, RH_CASES_SMALL, &s->seed);
  try_identity_alone(s);
  try_kind(s, RH_CASES_SMALL, 4);
  try_kind(s, RH_CASES_HALVES, 6);
  if (s->cases.n_literals) try_kind(s, RH_CASES_NEAR, 6);
  try_kind(s, RH_CASES_WIDE, 8);
  try_kind(s, RH_CASES_SPECIAL, 2);
  try_sides(s);
  for (rh_law law = RH_LAW_ASSOCIATIVE; law < RH_LAWS; law++) prove(s, law);
}

rh_status rh_algebra_examine(const rh_custom *self, rh_algebra_report *report, rh_error *error) {
  *report = (rh_algebra_report){0};
  if (!self->face.is_struct || self->n_parts || self->code) return RH_OK;
  RH_FREED(search) s = aligned_alloc(64, (sizeof *s + 63) / 64 * 64);
  if (!s) return rh_fail(error, RH_E_NOMEM, "no memory to examine an operator");
  s->of = self;
  s->report = report;
  s->seed = 1;
  s->noted = 0;
  s->rounding = RH_FEW_ROUND;
  examine(s);
  if (report->laws[RH_LAW_COMMUTATIVE] != RH_LAW_BROKEN && !(self->op.flags & RH_OP_COMMUTATIVE) &&
      report->laws[RH_LAW_ASSOCIATIVE] != RH_LAW_BROKEN)
    add_note(report, "",
             "it commutes in all cases that were tried: claim it, and more strategies "
             "serve it");
  return RH_OK;
}

/* ---- Trust ---- */

rh_status rh_algebra_trust(const rh_custom *self, rh_cache *cache, rh_error *error) {
  static const char examined[] = "examined";
  RH_FINISHED(rh_text) key = {0};
  rh_algebra_report report;
  size_t bytes = 0;
  if (!self->face.is_struct || self->n_parts || self->code) return RH_OK;
  rh_text_add(&key, "operator 3\nredhost %s\n%s", REDHOST_VERSION, self->key);
  RH_FREED(char) kept = rh_cache_load(cache, rh_text_get(&key), &bytes);
  if (kept) return RH_OK;
  RH_TRY(rh_algebra_examine(self, &report, error));
  rh_law law = rh_algebra_verdict(self, &report);
  if (law != RH_LAWS) return rh_fail(error, RH_E_PLUGIN, "%s", report.broken[law]);
  for (uint32_t k = 0; k < report.n_notes; k++)
    rh_log(cache->reporter, RH_LOG_INFO, "operator %s: %s", self->name, report.notes[k]);
  rh_cache_store(cache, rh_text_get(&key), examined, sizeof examined);
  return RH_OK;
}

rh_status rh_algebra_trust_on(const rh_operator *op, const rh_arrays *arrays, uint64_t first,
                              uint64_t n, rh_error *error) {
  const rh_custom *self = rh_custom_of(op);
  rh_algebra_report report = {0};
  if (!self->face.is_struct || self->n_parts || self->code) return RH_OK;
  rh_sides_try_data(self, arrays, first, n, &report);
  rh_law law = rh_algebra_verdict(self, &report);
  return law == RH_LAWS ? RH_OK : rh_fail(error, RH_E_PLUGIN, "%s", report.broken[law]);
}
