#include "algebra.h"

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

static double finite_size(const rh_custom *of, const unsigned char *value) {
  double size = rh_value_largest(of, value, 0);
  return isfinite(size) ? size : 0;
}

static rh_law_difference compare_floats(double x, double y, double allowed) {
  if (isnan(x) && isnan(y)) return RH_SAME;
  if (x == y) return !signbit(x) == !signbit(y) ? RH_SAME : RH_ZERO_SIGN;
  return fabs(x - y) <= allowed ? RH_ROUNDED : RH_DIFFERENT;
}

static rh_law_difference compare_fields(const rh_operator_field *field, const unsigned char *x,
                                        const unsigned char *y, double scale) {
  double allowed = scale * (field->type == RH_TYPE_f64 ? 1e-11 : 1e-5);
  if (rh_type_is_float(field->type))
    return compare_floats(rh_field_number(field, x), rh_field_number(field, y), allowed);
  return memcmp(x + field->offset, y + field->offset, rh_type_size(field->type)) ? RH_DIFFERENT
                                                                                 : RH_SAME;
}

static rh_law_difference compare_values(const rh_custom *of, const unsigned char *x,
                                        const unsigned char *y, double scale) {
  rh_law_difference worst = RH_SAME;
  for (uint32_t f = 0; f < of->n_fields; f++) {
    rh_law_difference one = compare_fields(&of->fields[f], x, y, scale);
    if (one > worst) worst = one;
  }
  return worst;
}

/* For the law of the identity, each side is compared with the value itself. */
rh_law_difference rh_law_compare(const rh_custom *of, unsigned char *const v[3], uint32_t n_values,
                                 const unsigned char *left, const unsigned char *right,
                                 int tolerance) {
  double most = 0, scale = 0;
  for (uint32_t k = 0; k < n_values; k++) most = rh_value_largest(of, v[k], most);
  most = fmax(most, fmax(finite_size(of, left), finite_size(of, right)));
  if (tolerance != RH_NOTHING) scale = tolerance == RH_PRODUCTS && most > 1 ? most * most : most;
  if (n_values > 1) return compare_values(of, left, right, scale);
  rh_law_difference one = compare_values(of, left, v[0], scale);
  rh_law_difference other = compare_values(of, right, v[0], scale);
  return one > other ? one : other;
}

static int is_broken(const rh_cases *cases, rh_law law, const rh_element *elements, int tolerance) {
  _Alignas(16) unsigned char values[3][RH_ANY_VALUE_BYTES], left[RH_ANY_VALUE_BYTES],
      right[RH_ANY_VALUE_BYTES];
  unsigned char *const v[3] = {values[0], values[1], values[2]};
  uint32_t n = rh_law_values(law);
  for (uint32_t k = 0; k < n; k++) rh_cases_load(cases, &elements[k], values[k]);
  rh_law_sides(cases->of, law, v, left, right, 1);
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
  if (isnan(number)) rh_text_add(text, "nan");
  else if (rh_type_is_float(type))
    rh_text_add(text, "%s", format_float(room, type, number, digits));
  else if (rh_type_is_signed(type))
    rh_text_add(text, "%lld",
                (long long)((int64_t)(bits << (64 - 8 * rh_type_size(type))) >>
                            (64 - 8 * rh_type_size(type))));
  else rh_text_add(text, "%llu", (unsigned long long)bits);
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
  _Alignas(16) unsigned char left[RH_ANY_VALUE_BYTES], right[RH_ANY_VALUE_BYTES];
  const rh_custom *of = cases->of;
  rh_text all = {0};
  for (uint32_t k = 0; k < rh_law_values(law); k++) {
    rh_text_add(&all, "%s%c=", k ? " " : "", 'a' + (char)k);
    if (elements) add_element(&all, of, &elements[k]);
    else add_value(&all, of, v[k], SHORTEST);
  }
  rh_law_sides(of, law, v, left, right, 1);
  add_outcome(&all, of, law, v[0], left, right);
  snprintf(text, size, "%s", rh_text_get(&all));
  rh_text_finish(&all);
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
