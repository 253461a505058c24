#include "algebra.h"

#include <float.h>

uint32_t rh_law_values(rh_law law) {
  return law == RH_LAW_IDENTITY ? 1 : law == RH_LAW_COMMUTATIVE ? 2 : 3;
}

/* The identity on the left, and on the right. */
static void with_identity(const rh_custom *of, const unsigned char *values, unsigned char *left,
                          unsigned char *right, uint32_t n) {
  for (uint32_t k = 0; k < n; k++)
    memcpy(right + (size_t)k * RH_ANY_VALUE_BYTES, of->identity, RH_ANY_VALUE_BYTES);
  rh_custom_combine_all(of, right, values, left, n);
  rh_custom_combine_all(of, values, right, right, n);
}

void rh_law_sides(const rh_custom *of, rh_law law, unsigned char *const v[3], unsigned char *left,
                  unsigned char *right, uint32_t n) {
  if (law == RH_LAW_IDENTITY) {
    with_identity(of, v[0], left, right, n);
    return;
  }
  rh_custom_combine_all(of, v[0], v[1], left, n);
  if (law == RH_LAW_ASSOCIATIVE) rh_custom_combine_all(of, left, v[2], left, n);
  rh_custom_combine_all(of, v[1], law == RH_LAW_ASSOCIATIVE ? v[2] : v[0], right, n);
  if (law == RH_LAW_ASSOCIATIVE) rh_custom_combine_all(of, v[0], right, right, n);
}

/* ---- Rounding ---- */

static void change_last_bits(const rh_custom *of, unsigned char *value, uint64_t *seed) {
  for (uint32_t f = 0; f < of->n_fields; f++) {
    const rh_operator_field *field = &of->fields[f];
    double step = 2 * rh_unit_of_type(field->type) * (double)((int)(rh_random_next(seed) % 3) - 1);
    if (!rh_type_is_float(field->type)) continue;
    uint64_t bits = rh_element_bits(field->type, rh_field_number(field, value) * (1 + step));
    memcpy(value + field->offset, &bits, rh_type_size(field->type));
  }
}

/* Far enough from the ends of the range that products of several stay inside. */
static int is_moderate(const rh_custom *of, const unsigned char *value) {
  for (uint32_t f = 0; f < of->n_fields; f++) {
    rh_type type = of->fields[f].type;
    double size = fabs(rh_field_number(&of->fields[f], value));
    double most = type == RH_TYPE_f64 ? 0x1p110 : type == RH_TYPE_f32 ? 0x1p40 : 0x1p6;
    if (rh_type_is_float(type) && size != 0 && !(size <= most && size >= 1 / most)) return 0;
  }
  return 1;
}

/* The distance by which field f of both sides moves with the last bits; inf: it is not a number any
 * more. */
static double spread_of(const rh_meeting *m, const rh_operator_field *field) {
  double left = rh_field_number(field, m->left), right = rh_field_number(field, m->right);
  double spread = 0;
  for (size_t k = 1; k < RH_COPIES; k++) {
    double one = fabs(rh_field_number(field, m->left + k * RH_ANY_VALUE_BYTES) - left);
    double other = fabs(rh_field_number(field, m->right + k * RH_ANY_VALUE_BYTES) - right);
    if (!isfinite(one) || !isfinite(other)) return (double)INFINITY;
    spread = fmax(spread, fmax(one, other));
  }
  return spread;
}

/* The difference that a float field may have.  In few operations, numbers round by no more than a
 * small part of the largest: copies on the other side of a branch spread more widely. */
static double allowed_by(const rh_meeting *m, const rh_operator_field *field, double size) {
  enum { ROUNDINGS = 4096 };
  int is_wide = field->type == RH_TYPE_f64;
  double unit = rh_unit_of_type(field->type), least = is_wide ? DBL_MIN : (double)FLT_MIN;
  if (m->rounding == RH_NOTHING_ROUNDS) return least;
  double many = ROUNDINGS * (spread_of(m, field) + unit / 16 * size) + least;
  return m->rounding == RH_MANY_ROUND ? many : fmin(many, m->scale * (is_wide ? 1e-11 : 1e-5));
}

static rh_law_difference judge_field(const rh_meeting *m, const rh_operator_field *field,
                                     const unsigned char *one, const unsigned char *other) {
  if (memcmp(one + field->offset, other + field->offset, rh_type_size(field->type)) == 0)
    return RH_SAME;
  if (!rh_type_is_float(field->type))
    return m->rounding == RH_NOTHING_ROUNDS || spread_of(m, field) == 0 ? RH_DIFFERENT : RH_SAME;
  double x = rh_field_number(field, one), y = rh_field_number(field, other);
  if (isnan(x) || isnan(y)) return isnan(x) && isnan(y) ? RH_SAME : RH_DIFFERENT;
  if (x == y) return RH_ZERO_SIGN;
  double size = fmax(fabs(x), fabs(y));
  for (uint32_t k = 0; k < m->n; k++) size = fmax(size, fabs(rh_field_number(field, m->v[k])));
  if (isinf(size)) return RH_AT_EDGE;
  return fabs(x - y) > allowed_by(m, field, size) ? RH_DIFFERENT : RH_SAME;
}

static rh_law_difference judge_sides(const rh_custom *of, const rh_meeting *m,
                                     const unsigned char *one, const unsigned char *other) {
  rh_law_difference worst = RH_SAME;
  for (uint32_t f = 0; f < of->n_fields; f++) {
    rh_law_difference how = judge_field(m, &of->fields[f], one, other);
    if (how > worst) worst = how;
  }
  return worst;
}

static double scale_of(const rh_custom *of, const rh_meeting *m, uint32_t facts) {
  double most = rh_value_largest(of, m->right, rh_value_largest(of, m->left, 0));
  for (uint32_t k = 0; k < m->n; k++) most = rh_value_largest(of, m->v[k], most);
  return facts & RH_EXPR_MULTIPLIES && most > 1 ? most * most : most;
}

/* Makes the copies.  0: nothing breaks a law with numbers of this size. */
static int change_copies(const rh_custom *of, rh_meeting *m) {
  uint64_t seed = 1;
  int are_moderate = 1;
  for (uint32_t j = 0; j < m->n; j++) {
    int is_identity = memcmp(m->v[j], of->identity, of->op.value_size) == 0;
    are_moderate &= is_identity || is_moderate(of, m->v[j]);
    for (size_t k = 1; k < RH_COPIES; k++) {
      memcpy(m->v[j] + k * RH_ANY_VALUE_BYTES, m->v[j], RH_ANY_VALUE_BYTES);
      if (!is_identity) change_last_bits(of, m->v[j] + k * RH_ANY_VALUE_BYTES, &seed);
    }
  }
  return are_moderate;
}

/* For the law of the identity, each side is compared with the value itself. */
rh_law_difference rh_law_judge(const rh_custom *of, rh_law law, rh_meeting *m,
                               rh_rounding rounding) {
  unsigned char *const v[3] = {m->v[0], m->v[1], m->v[2]};
  uint32_t facts = rh_exprs_facts(of->combine, RH_EXPRS_ALL);
  const unsigned char *other = law == RH_LAW_IDENTITY ? m->v[0] : m->left;
  m->n = rh_law_values(law);
  m->rounding = facts & RH_EXPR_ROUNDS ? rounding : RH_NOTHING_ROUNDS;
  int are_moderate = change_copies(of, m);
  rh_law_sides(of, law, v, m->left, m->right, RH_COPIES);
  m->scale = scale_of(of, m, facts);
  rh_law_difference right = judge_sides(of, m, m->right, other);
  rh_law_difference left = judge_sides(of, m, m->left, other);
  rh_law_difference how = right > left ? right : left;
  return how == RH_DIFFERENT && !are_moderate ? RH_AT_EDGE : how;
}

/* ---- A case in few and small numbers ---- */

static int is_broken(const rh_cases *cases, rh_law law, const rh_element *elements,
                     rh_rounding rounding) {
  rh_meeting m;
  for (uint32_t k = 0; k < rh_law_values(law); k++) rh_cases_load(cases, &elements[k], m.v[k]);
  return rh_law_judge(cases->of, law, &m, rounding) == RH_DIFFERENT;
}

/* Smaller is simpler, and then a number without a sign. */
static int is_simpler(double x, double y) {
  return fabs(x) < fabs(y) || (fabs(x) == fabs(y) && !signbit(x) && signbit(y)) || isnan(y);
}

/* 1 if it became simpler. */
static int simplify(const rh_cases *cases, rh_law law, rh_element *elements, uint32_t k,
                    uint32_t operand, rh_rounding rounding) {
  rh_type type = cases->of->operands[operand].type;
  uint64_t *bits = &elements[k].of[operand], kept = *bits;
  double now = rh_element_number(type, kept);
  const double simple[] = {0, 1, -1, 2, -2, 3, -3, trunc(now / 2), trunc(now), now - 1, now + 1};
  for (size_t s = 0; s < sizeof simple / sizeof *simple; s++) {
    if (!is_simpler(simple[s], now) || (simple[s] < 0 && !rh_type_is_signed(type))) continue;
    *bits = rh_element_bits(type, simple[s]);
    if (*bits != kept && is_broken(cases, law, elements, rounding)) return 1;
    *bits = kept;
  }
  return 0;
}

void rh_law_shrink(const rh_cases *cases, rh_law law, rh_element *elements, rh_rounding rounding) {
  enum { MOST_STEPS = 400 };
  int changed = 1;
  for (int step = 0; changed && step < MOST_STEPS; step++) {
    changed = 0;
    for (uint32_t k = 0; k < rh_law_values(law); k++)
      for (uint32_t j = 0; j < cases->of->face.n_operands; j++)
        changed |= simplify(cases, law, elements, k, j, rounding);
  }
}

/* Nine digits tell all of f32 apart; the shortest read back as the same number. */
enum { SHORTEST = 0, FEW_DIGITS = 9, ALL_DIGITS = 17 };

static const char *format_float(char room[32], rh_type type, double number, int digits) {
  if (digits != SHORTEST) return rh_format_digits(room, number, digits);
  if (type == RH_TYPE_f64 && isfinite(number)) return rh_format_number(room, number);
  return rh_format_digits(room, number, FEW_DIGITS);
}

static void add_number(rh_text *text, rh_type type, uint64_t bits, int digits) {
  rh_result number = {.type = type};
  char room[64];
  rh_element_load(type, &bits, &number.value);
  int is_plain = !rh_type_is_float(type) || isnan(number.value.f);
  rh_text_add(text, "%s",
              is_plain ? rh_format_value(room, &number)
                       : format_float(room, type, number.value.f, digits));
}

static void add_element(rh_text *text, const rh_custom *of, const rh_element *element) {
  if (of->face.n_operands > 1) rh_text_add(text, "(");
  for (uint32_t j = 0; j < of->face.n_operands; j++) {
    if (j) rh_text_add(text, ", ");
    add_number(text, of->operands[j].type, element->of[j], SHORTEST);
  }
  if (of->face.n_operands > 1) rh_text_add(text, ")");
}

static void add_value(rh_text *text, const rh_custom *of, const unsigned char *value, int digits) {
  if (of->n_fields > 1) rh_text_add(text, "(");
  for (uint32_t f = 0; f < of->n_fields; f++) {
    const rh_operator_field *field = &of->fields[f];
    uint64_t bits = 0;
    memcpy(&bits, value + field->offset, rh_type_size(field->type));
    rh_text_add(text, "%s%s%s", f ? ", " : "", field->name, *field->name ? " " : "");
    add_number(text, field->type, bits, digits);
  }
  if (of->n_fields > 1) rh_text_add(text, ")");
}

/* The fewest digits that tell two values apart. */
static int digits_for(const rh_custom *of, const unsigned char *one, const unsigned char *other) {
  RH_FINISHED(rh_text) a = {0};
  RH_FINISHED(rh_text) b = {0};
  add_value(&a, of, one, FEW_DIGITS);
  add_value(&b, of, other, FEW_DIGITS);
  return strcmp(rh_text_get(&a), rh_text_get(&b)) == 0 ? ALL_DIGITS : FEW_DIGITS;
}

static void add_outcome(rh_text *text, const rh_custom *of, rh_law law, const unsigned char *value,
                        const unsigned char *left, const unsigned char *right) {
  int is_left = memcmp(left, value, of->op.value_size) != 0;
  if (law == RH_LAW_IDENTITY) {
    const unsigned char *becomes = is_left ? left : right;
    rh_text_add(text, " becomes ");
    add_value(text, of, becomes, digits_for(of, value, becomes));
    rh_text_add(text, is_left ? " behind it" : " before it");
    return;
  }
  int digits = digits_for(of, left, right);
  rh_text_add(text, " gives ");
  add_value(text, of, left, digits);
  rh_text_add(text, law == RH_LAW_ASSOCIATIVE ? " grouped to the left and " : ", and ");
  add_value(text, of, right, digits);
  rh_text_add(text, law == RH_LAW_ASSOCIATIVE ? " to the right" : " exchanged");
}

void rh_law_describe(const rh_custom *of, rh_law law, rh_law as, const char *whose,
                     const rh_element *elements, rh_meeting *m, char text[RH_ALGEBRA_TEXT]) {
  static const char *const words[] = {
      "the identity of '%.100s' is not neutral%s: ", "'%.100s' is not associative%s: ",
      "'%.100s' does not commute%s: "};
  unsigned char *const v[3] = {m->v[0], m->v[1], m->v[2]};
  RH_FINISHED(rh_text) all = {0};
  rh_text_add(&all, words[as], of->name, whose);
  for (uint32_t k = 0; k < rh_law_values(law); k++) {
    rh_text_add(&all, "%s%c=", k ? " " : "", 'a' + (char)k);
    if (elements) add_element(&all, of, &elements[k]);
    else add_value(&all, of, v[k], SHORTEST);
  }
  rh_law_sides(of, law, v, m->left, m->right, 1);
  add_outcome(&all, of, law, m->v[0], m->left, m->right);
  snprintf(text, RH_ALGEBRA_TEXT, "%s", rh_text_get(&all));
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

static void any_value(const rh_custom *of, uint64_t *seed, uint64_t *value) {
  for (uint32_t k = 0; k < of->n_fields; k++) value[k] = random_point(seed);
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

int rh_points_try(const rh_custom *of, rh_law law, uint64_t *seed) {
  uint64_t v[3][FIELDS] = {{0}};
  for (int point = 0; point < POINTS; point++) {
    int reached = 1;
    for (int k = 0; k < 3; k++) reached = reached && reach(of, seed, v[k]);
    for (int k = 0; k < 3 && !reached; k++) any_value(of, seed, v[k]);
    int equal = equal_at(of, law, v);
    if (equal < 0 || (!equal && !reached)) return 0;
    if (!equal) return -1;
  }
  return 1;
}
