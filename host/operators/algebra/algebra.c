#include "algebra.h"

enum { BATCH = 512, BATCH_BYTES = BATCH * RH_ANY_VALUE_BYTES };

typedef struct search {
  const rh_custom *of;
  rh_algebra_report *report;
  uint64_t seed;
  rh_rounding rounding;
  uint32_t noted; /* bit of each law */
  rh_cases cases;
  uint32_t picked[BATCH][3]; /* the elements of each case of a batch */
  _Alignas(64) unsigned char v[3][BATCH_BYTES], left[BATCH_BYTES], right[BATCH_BYTES];
} search;

const char *rh_law_name(rh_law law) {
  static const char *const names[] = {"neutral", "associative", "commutative"};
  return names[law];
}

static void add_note(rh_algebra_report *report, const char *begins, const char *text) {
  char *to = report->notes[report->n_notes++];
  size_t used = (size_t)snprintf(to, RH_ALGEBRA_TEXT, "%s", begins);
  snprintf(to + used, RH_ALGEBRA_TEXT - used, "%.360s", text);
}

/* Describes case k. */
static void describe(search *s, rh_law law, uint32_t k, int shrink, char text[RH_ALGEBRA_TEXT]) {
  rh_element elements[3];
  rh_meeting m;
  for (uint32_t j = 0; j < 3; j++) elements[j] = s->cases.elements[s->picked[k][j]];
  if (shrink) rh_law_shrink(&s->cases, law, elements, s->rounding);
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

/* One for each law. */
static void note(search *s, rh_law law, uint32_t k) {
  char text[RH_ALGEBRA_TEXT];
  if (s->noted & 1u << law) return;
  s->noted |= 1u << law;
  describe(s, law, k, 0, text);
  add_note(s->report, "at the edge of the numbers, ", text);
}

/* A case whose sides differ.  1: the law is broken. */
static int take_case(search *s, rh_law law, uint32_t k, int kind) {
  rh_meeting m;
  for (uint32_t j = 0; j < 3; j++)
    memcpy(m.v[j], s->v[j] + (size_t)k * RH_ANY_VALUE_BYTES, RH_ANY_VALUE_BYTES);
  rh_law_difference how = rh_law_judge(s->of, law, &m, s->rounding);
  if (!breaks(s, law, k, kind, &m, how)) {
    if (how != RH_SAME) note(s, law, k);
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
  unsigned char *const v[3] = {s->v[0], s->v[1], s->v[2]};
  if (s->report->laws[law] == RH_LAW_BROKEN) return;
  pick(s);
  rh_law_sides(s->of, law, v, s->left, s->right, BATCH);
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
  int holds = rh_points_try(s->of, law, &s->seed);
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

int rh_algebra_is_wrong(const rh_custom *self, const rh_algebra_report *report, rh_law law) {
  if (report->laws[law] != RH_LAW_BROKEN) return 0;
  return law != RH_LAW_COMMUTATIVE || (self->op.flags & RH_OP_COMMUTATIVE);
}

rh_law rh_algebra_verdict(const rh_custom *self, const rh_algebra_report *report) {
  static const rh_law by_weight[RH_LAWS] = {RH_LAW_ASSOCIATIVE, RH_LAW_IDENTITY,
                                            RH_LAW_COMMUTATIVE};
  for (int k = 0; k < RH_LAWS; k++)
    if (rh_algebra_is_wrong(self, report, by_weight[k])) return by_weight[k];
  return RH_LAWS;
}

/* ---- Trust ---- */

static const char examined[] = "examined";

static int is_known(rh_cache *cache, const char *key) {
  size_t bytes = 0;
  RH_FREED(char) kept = rh_cache_load(cache, key, &bytes);
  return kept != NULL;
}

static rh_status examine_and_log(const rh_custom *self, const rh_cache *cache, rh_error *error) {
  rh_algebra_report report;
  RH_TRY(rh_algebra_examine(self, &report, error));
  rh_law law = rh_algebra_verdict(self, &report);
  if (law != RH_LAWS) return rh_fail(error, RH_E_PLUGIN, "%s", report.broken[law]);
  for (uint32_t k = 0; k < report.n_notes; k++)
    rh_log(cache->reporter, RH_LOG_INFO, "operator %s: %s", self->name, report.notes[k]);
  return RH_OK;
}

rh_status rh_algebra_trust(const rh_custom *self, rh_cache *cache, rh_error *error) {
  RH_FINISHED(rh_text) key = {0};
  if (!self->face.is_struct || self->n_parts || self->code) return RH_OK;
  rh_text_add(&key, "operator 3\nredhost %s\n%s", REDHOST_VERSION, self->key);
  if (is_known(cache, rh_text_get(&key))) return RH_OK;
  RH_TRY(examine_and_log(self, cache, error));
  rh_cache_store(cache, rh_text_get(&key), examined, sizeof examined);
  return RH_OK;
}

rh_status rh_algebra_trust_on(const rh_custom *self, const rh_arrays *arrays, uint64_t first,
                              uint64_t n, rh_error *error) {
  rh_algebra_report report = {0};
  if (!self->face.is_struct || self->n_parts || self->code) return RH_OK;
  rh_sides_try_data(self, arrays, first, n, &report);
  rh_law law = rh_algebra_verdict(self, &report);
  return law == RH_LAWS ? RH_OK : rh_fail(error, RH_E_PLUGIN, "%s", report.broken[law]);
}
