#include "laws.h"
#include "../../core/base/format.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

uint32_t rh_law_values(rh_law law) {
  return law == RH_LAW_IDENTITY ? 1 : law == RH_LAW_COMMUTATIVE ? 2 : 3;
}

static void repeat_identity(const rh_custom *of, unsigned char *to, uint32_t n) {
  for (uint32_t k = 0; k < n; k++)
    memcpy(to + (size_t)k * RH_ANY_VALUE_BYTES, of->identity, RH_ANY_VALUE_BYTES);
}

/* The identity on the left, and on the right. */
static void with_identity(const rh_custom *of, const unsigned char *values, unsigned char *left,
                          unsigned char *right, unsigned char *room, uint32_t n) {
  repeat_identity(of, room, n);
  rh_custom_combine_all(of, room, values, left, n);
  rh_custom_combine_all(of, values, room, right, n);
}

void rh_law_sides(const rh_custom *of, rh_law law, unsigned char *const v[3], unsigned char *left,
                  unsigned char *right, unsigned char *room, uint32_t n) {
  switch (law) {
  case RH_LAW_IDENTITY: with_identity(of, v[0], left, right, room, n); return;
  case RH_LAW_COMMUTATIVE:
    rh_custom_combine_all(of, v[0], v[1], left, n);
    rh_custom_combine_all(of, v[1], v[0], right, n);
    return;
  default:
    rh_custom_combine_all(of, v[0], v[1], room, n);
    rh_custom_combine_all(of, room, v[2], left, n);
    rh_custom_combine_all(of, v[1], v[2], room, n);
    rh_custom_combine_all(of, v[0], room, right, n);
  }
}

static double number_of(const rh_custom *of, uint32_t field, const unsigned char *value) {
  uint64_t bits = 0;
  rh_type type = of->fields[field].type;
  memcpy(&bits, value + of->fields[field].offset, rh_type_size(type));
  return rh_element_number(type, bits);
}

static int is_float(const rh_custom *of, uint32_t field) {
  return rh_type_is_float(of->fields[field].type);
}

static double finite_size(const rh_custom *of, const unsigned char *value) {
  double size = rh_value_largest(of, value, 0);
  return isfinite(size) ? size : 0;
}

static rh_difference compare_floats(double x, double y, double allowed) {
  if (isnan(x) && isnan(y)) return RH_SAME;
  if (x == y) return !signbit(x) == !signbit(y) ? RH_SAME : RH_ZERO_SIGN;
  return fabs(x - y) <= allowed ? RH_ROUNDED : RH_DIFFERENT;
}

static rh_difference compare_values(const rh_custom *of, const unsigned char *x,
                                    const unsigned char *y, double scale) {
  rh_difference worst = RH_SAME, one;
  for (uint32_t f = 0; f < of->n_fields; f++) {
    const rh_operator_field *field = &of->fields[f];
    double allowed = scale * (field->type == RH_TYPE_f64 ? 1e-11 : 1e-5);
    if (is_float(of, f))
      one = compare_floats(number_of(of, f, x), number_of(of, f, y), allowed);
    else
      one = memcmp(x + field->offset, y + field->offset, rh_type_size(field->type)) ? RH_DIFFERENT
                                                                                    : RH_SAME;
    if (one > worst) worst = one;
  }
  return worst;
}

/* For the law of the identity, each side is compared with the value itself. */
rh_difference rh_law_compare(const rh_custom *of, unsigned char *const v[3], uint32_t n_values,
                             const unsigned char *left, const unsigned char *right, int tolerance) {
  double most = 0, scale = 0;
  for (uint32_t k = 0; k < n_values; k++) most = rh_value_largest(of, v[k], most);
  most = fmax(most, fmax(finite_size(of, left), finite_size(of, right)));
  if (tolerance != RH_NOTHING) scale = tolerance == RH_PRODUCTS && most > 1 ? most * most : most;
  if (n_values > 1) return compare_values(of, left, right, scale);
  rh_difference one = compare_values(of, left, v[0], scale);
  rh_difference other = compare_values(of, right, v[0], scale);
  return one > other ? one : other;
}

static int is_broken(const rh_cases *cases, rh_law law, const rh_element *elements, int tolerance) {
  _Alignas(16) unsigned char values[3][RH_ANY_VALUE_BYTES], left[RH_ANY_VALUE_BYTES],
      right[RH_ANY_VALUE_BYTES], room[RH_ANY_VALUE_BYTES];
  unsigned char *const v[3] = {values[0], values[1], values[2]};
  uint32_t n = rh_law_values(law);
  for (uint32_t k = 0; k < n; k++) rh_cases_load(cases, &elements[k], values[k]);
  rh_law_sides(cases->of, law, v, left, right, room, 1);
  return rh_law_compare(cases->of, v, n, left, right, tolerance) == RH_DIFFERENT;
}

/* Smaller is simpler, and then a number without a sign. */
static int is_simpler(double x, double y) {
  return fabs(x) < fabs(y) || (fabs(x) == fabs(y) && !signbit(x) && signbit(y)) || isnan(y);
}

/* 1 if it became simpler. */
static int simplify(const rh_cases *cases, rh_law law, rh_element *elements, uint32_t k,
                    uint32_t operand, int tolerance) {
  rh_type type = cases->of->operands[operand].type;
  uint64_t *bits = &elements[k].of[operand], kept = *bits;
  double now = rh_element_number(type, kept);
  const double simple[] = {0, 1, -1, 2, -2, 3, -3, trunc(now / 2), trunc(now), now - 1, now + 1};
  for (size_t s = 0; s < sizeof simple / sizeof *simple; s++) {
    if (!is_simpler(simple[s], now) || (simple[s] < 0 && !rh_type_is_signed(type))) continue;
    *bits = rh_element_bits(type, simple[s]);
    if (*bits != kept && is_broken(cases, law, elements, tolerance)) return 1;
    *bits = kept;
  }
  return 0;
}

void rh_law_shrink(const rh_cases *cases, rh_law law, rh_element *elements, int tolerance) {
  enum { MOST_STEPS = 400 };
  int changed = 1;
  for (int step = 0; changed && step < MOST_STEPS; step++) {
    changed = 0;
    for (uint32_t k = 0; k < rh_law_values(law); k++)
      for (uint32_t j = 0; j < cases->of->face.n_operands; j++)
        changed |= simplify(cases, law, elements, k, j, tolerance);
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
  double number = rh_element_number(type, bits);
  char room[32];
  if (isnan(number))
    rh_text_add(text, "nan");
  else if (rh_type_is_float(type))
    rh_text_add(text, "%s", format_float(room, type, number, digits));
  else if (rh_type_is_signed(type))
    rh_text_add(text, "%lld",
                (long long)((int64_t)(bits << (64 - 8 * rh_type_size(type))) >>
                            (64 - 8 * rh_type_size(type))));
  else
    rh_text_add(text, "%llu", (unsigned long long)bits);
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
  rh_text texts[2] = {{0}, {0}};
  add_value(&texts[0], of, one, FEW_DIGITS);
  add_value(&texts[1], of, other, FEW_DIGITS);
  int is_same = strcmp(rh_text_get(&texts[0]), rh_text_get(&texts[1])) == 0;
  rh_text_finish(&texts[0]);
  rh_text_finish(&texts[1]);
  return is_same ? ALL_DIGITS : FEW_DIGITS;
}

static void add_outcome(rh_text *text, const rh_custom *of, rh_law law, const unsigned char *value,
                        const unsigned char *left, const unsigned char *right) {
  int is_left = law == RH_LAW_IDENTITY && compare_values(of, left, value, 0) != RH_SAME;
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

void rh_law_describe(const rh_cases *cases, rh_law law, const rh_element *elements,
                     unsigned char *const v[3], char *text, size_t size) {
  _Alignas(16) unsigned char left[RH_ANY_VALUE_BYTES], right[RH_ANY_VALUE_BYTES],
      room[RH_ANY_VALUE_BYTES];
  const rh_custom *of = cases->of;
  rh_text all = {0};
  for (uint32_t k = 0; k < rh_law_values(law); k++) {
    rh_text_add(&all, "%s%c=", k ? " " : "", 'a' + (char)k);
    if (elements)
      add_element(&all, of, &elements[k]);
    else
      add_value(&all, of, v[k], SHORTEST);
  }
  rh_law_sides(of, law, v, left, right, room, 1);
  add_outcome(&all, of, law, v[0], left, right);
  snprintf(text, size, "%s", rh_text_get(&all));
  rh_text_finish(&all);
}
