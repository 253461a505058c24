#include "algebra.h"

#include <float.h>

uint32_t rh_law_values(rh_law law) {
  return law == RH_LAW_IDENTITY ? 1 : law == RH_LAW_COMMUTATIVE ? 2 : 3;
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

void rh_law_sides(const rh_custom *of, rh_law law, const unsigned char *a, const unsigned char *b,
                  const unsigned char *c, unsigned char *left, unsigned char *right, uint32_t n) {
  if (law == RH_LAW_IDENTITY) { /* on the left, and on the right */
    for (uint32_t k = 0; k < n; k++)
      memcpy(right + (size_t)k * RH_ANY_VALUE_BYTES, of->identity, RH_ANY_VALUE_BYTES);
    rh_custom_combine_all(of, right, a, left, n);
    rh_custom_combine_all(of, a, right, right, n);
    return;
  }
  rh_custom_combine_all(of, a, b, left, n);
  if (law == RH_LAW_ASSOCIATIVE) rh_custom_combine_all(of, left, c, left, n);
  rh_custom_combine_all(of, b, law == RH_LAW_ASSOCIATIVE ? c : a, right, n);
  if (law == RH_LAW_ASSOCIATIVE) rh_custom_combine_all(of, a, right, right, n);
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
  uint32_t facts = rh_exprs_facts(of->combine, RH_EXPRS_ALL);
  const unsigned char *other = law == RH_LAW_IDENTITY ? m->v[0] : m->left;
  m->n = rh_law_values(law);
  m->rounding = facts & RH_EXPR_ROUNDS ? rounding : RH_NOTHING_ROUNDS;
  int are_moderate = change_copies(of, m);
  rh_law_sides(of, law, m->v[0], m->v[1], m->v[2], m->left, m->right, RH_COPIES);
  m->scale = rh_value_largest(of, m->right, rh_value_largest(of, m->left, 0));
  for (uint32_t k = 0; k < m->n; k++) m->scale = rh_value_largest(of, m->v[k], m->scale);
  if (facts & RH_EXPR_MULTIPLIES && m->scale > 1) m->scale *= m->scale;
  rh_law_difference right = judge_sides(of, m, m->right, other);
  rh_law_difference left = judge_sides(of, m, m->left, other);
  rh_law_difference how = right > left ? right : left;
  return how == RH_DIFFERENT && !are_moderate ? RH_AT_EDGE : how;
}

/* ---- Words ---- */

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

/* An element's operands, or a value's fields, with their names. */
static void add_numbers(rh_text *text, const rh_custom *of, const rh_element *element,
                        const unsigned char *value, int digits) {
  uint32_t n = element ? of->face.n_operands : of->n_fields;
  if (n > 1) rh_text_add(text, "(");
  for (uint32_t k = 0; k < n; k++) {
    const rh_operator_field *field = &of->fields[k];
    rh_type type = element ? of->operands[k].type : field->type;
    uint64_t bits = element ? element->of[k] : 0;
    rh_text_add(text, "%s", k ? ", " : "");
    if (!element) memcpy(&bits, value + field->offset, rh_type_size(type));
    if (!element && *field->name) rh_text_add(text, "%s ", field->name);
    add_number(text, type, bits, digits);
  }
  if (n > 1) rh_text_add(text, ")");
}

/* The fewest digits that tell two values apart. */
static int digits_for(const rh_custom *of, const unsigned char *one, const unsigned char *other) {
  RH_FINISHED(rh_text) a = {0};
  RH_FINISHED(rh_text) b = {0};
  add_numbers(&a, of, NULL, one, FEW_DIGITS);
  add_numbers(&b, of, NULL, other, FEW_DIGITS);
  return strcmp(rh_text_get(&a), rh_text_get(&b)) == 0 ? ALL_DIGITS : FEW_DIGITS;
}

static void add_outcome(rh_text *text, const rh_custom *of, rh_law law, const unsigned char *value,
                        const unsigned char *left, const unsigned char *right) {
  int is_left = memcmp(left, value, of->op.value_size) != 0;
  if (law == RH_LAW_IDENTITY) {
    const unsigned char *becomes = is_left ? left : right;
    rh_text_add(text, " becomes ");
    add_numbers(text, of, NULL, becomes, digits_for(of, value, becomes));
    rh_text_add(text, is_left ? " behind it" : " before it");
    return;
  }
  int digits = digits_for(of, left, right);
  rh_text_add(text, " gives ");
  add_numbers(text, of, NULL, left, digits);
  rh_text_add(text, law == RH_LAW_ASSOCIATIVE ? " grouped to the left and " : ", and ");
  add_numbers(text, of, NULL, right, digits);
  rh_text_add(text, law == RH_LAW_ASSOCIATIVE ? " to the right" : " exchanged");
}

void rh_law_describe(const rh_custom *of, rh_law law, rh_law as, const char *whose,
                     const rh_element *elements, rh_meeting *m, char text[RH_ALGEBRA_TEXT]) {
  static const char *const words[] = {
      "the identity of '%.100s' is not neutral%s: ", "'%.100s' is not associative%s: ",
      "'%.100s' does not commute%s: "};
  RH_FINISHED(rh_text) all = {0};
  rh_text_add(&all, words[as], of->name, whose);
  for (uint32_t k = 0; k < rh_law_values(law); k++) {
    rh_text_add(&all, "%s%c=", k ? " " : "", 'a' + (char)k);
    add_numbers(&all, of, elements ? &elements[k] : NULL, m->v[k], SHORTEST);
  }
  rh_law_sides(of, law, m->v[0], m->v[1], m->v[2], m->left, m->right, 1);
  add_outcome(&all, of, law, m->v[0], m->left, m->right);
  snprintf(text, RH_ALGEBRA_TEXT, "%s", rh_text_get(&all));
}
