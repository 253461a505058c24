#include "algebra.h"

#include <float.h>

static int bits_of(rh_type type) { return 8 * (int)rh_type_size(type); }

double rh_element_number(rh_type type, uint64_t bits) {
  uint64_t word;
  rh_element_load(type, &bits, &word);
  return rh_word_number(type, &word);
}

double rh_field_number(const rh_operator_field *field, const unsigned char *value) {
  return rh_number_at(field->type, value + field->offset, 0);
}

uint64_t rh_element_bits(rh_type type, double number) {
  uint64_t word, bits = 0;
  memcpy(&word, &number, sizeof word);
  if (!rh_type_is_float(type))
    word = rh_type_is_signed(type) || number < 0 ? (uint64_t)(int64_t)number : (uint64_t)number;
  rh_element_store(type, &word, &bits);
  return bits;
}

static uint64_t wide_integer(rh_type type, uint64_t random) {
  int bits = bits_of(type);
  uint64_t ends[] = {UINT64_C(1) << (bits - 1), (UINT64_C(1) << (bits - 1)) - 1, UINT64_MAX, 0, 1};
  uint64_t value =
      random % 3 ? rh_random_mix(random) >> (random % (uint64_t)bits) : ends[random / 3 % 5];
  return bits == 64 ? value : value & ((UINT64_C(1) << bits) - 1);
}

static double special(rh_type type, uint64_t random) {
  int is_single = type != RH_TYPE_f64;
  double largest = is_single ? (double)FLT_MAX : DBL_MAX;
  double least = is_single ? (double)FLT_MIN * (double)FLT_EPSILON : DBL_MIN * DBL_EPSILON;
  if (type == RH_TYPE_f16) {
    largest = 65504;
    least = 0x1p-24;
  }
  const double list[] = {0,           -0.0,    1,        -1,    (double)INFINITY, -(double)INFINITY,
                         (double)NAN, largest, -largest, least, -least,           2};
  return list[random % (sizeof list / sizeof *list)];
}

/* So that pairs of them meet the literal, pass it, or stay below. */
static double near(const rh_cases *cases, uint64_t random) {
  double c = cases->literals[random % cases->n_literals];
  const double list[] = {c, -c, c + 1, c - 1, c / 2, -c / 2, 2 * c, (double)(random >> 16 & 3)};
  return list[random >> 8 & 7];
}

static uint64_t near_literal(const rh_cases *cases, rh_type type, uint64_t random) {
  double number = near(cases, random), end = ldexp(1, bits_of(type) - rh_type_is_signed(type));
  int is_in_range = number < end && number >= (rh_type_is_signed(type) ? -end : 0);
  if (rh_type_is_float(type))
    is_in_range = isfinite(rh_element_number(type, rh_element_bits(type, number)));
  return rh_element_bits(type, is_in_range ? number : (double)(random >> 16 & 3));
}

static uint64_t make_number(rh_type type, int kind, uint64_t random) {
  int is_float = rh_type_is_float(type), has_sign = rh_type_is_signed(type);
  double number = (double)(random % 4), sign = has_sign && random >> 32 & 1 ? -1 : 1;
  if (kind == RH_CASES_SPECIAL && is_float) return rh_element_bits(type, special(type, random));
  if (kind >= RH_CASES_WIDE && !is_float) return wide_integer(type, random);
  if (kind == RH_CASES_HALVES && is_float) number = (double)(random % 257) / 4;
  if (kind == RH_CASES_HALVES && !is_float) number = (double)(random % 257 % 127);
  if (kind == RH_CASES_WIDE)
    number = exp2((double)(random % 2048) / (random >> 33 & 3 ? 256 : 102) - 4);
  return rh_element_bits(type, sign * number);
}

/* One in four is a number of an earlier element, for branches that compare; special ones are few
 * enough to meet by themselves. */
static uint64_t choose_number(const rh_cases *cases, uint32_t k, uint32_t operand, int kind,
                              uint64_t random) {
  rh_type type = cases->of->operands[operand].type;
  if (k > 0 && kind != RH_CASES_SPECIAL && (random >> 40 & 3) == 0)
    return cases->elements[(random >> 44) % k].of[operand];
  if (kind == RH_CASES_NEAR) return near_literal(cases, type, random);
  return make_number(type, kind, random);
}

void rh_cases_load(const rh_cases *cases, const rh_element *element, void *value) {
  rh_arrays arrays = {.constants = cases->constants};
  for (uint32_t j = 0; j < cases->of->face.n_operands; j++) {
    uint64_t before = element->index * rh_type_size(cases->of->operands[j].type);
    arrays.operands[j] = (const void *)((uintptr_t)&element->of[j] - before);
  }
  memset(value, 0, RH_ANY_VALUE_BYTES);
  rh_custom_load(cases->of, value, &arrays, element->index);
}

double rh_value_largest(const rh_custom *of, const unsigned char *value, double most) {
  for (uint32_t f = 0; f < of->n_fields && !isnan(most); f++) {
    if (!rh_type_is_float(of->fields[f].type)) continue;
    double size = fabs(rh_field_number(&of->fields[f], value));
    if (!(size <= most)) most = size;
  }
  return most;
}

void rh_cases_find_literals(rh_cases *cases, const rh_custom *of) {
  double list[2 * RH_CASES_LITERALS];
  uint32_t n = rh_exprs_literals(of->combine, list, RH_CASES_LITERALS);
  n += rh_exprs_literals(of->load, list + n, RH_CASES_LITERALS);
  cases->n_literals = 0;
  for (uint32_t k = 0; k < n && cases->n_literals < RH_CASES_LITERALS; k++) {
    double size = fabs(list[k]);
    int is_small = size <= 3 && size == trunc(size);
    if (!is_small && size >= 1e-5 && size <= 1e36) cases->literals[cases->n_literals++] = list[k];
  }
}

void rh_cases_make(rh_cases *cases, const rh_custom *of, int kind, uint64_t *seed) {
  cases->of = of;
  memset(cases->elements, 0, sizeof cases->elements);
  of->face.calls->bind(&of->face, RH_CASES_N, cases->constants);
  for (uint32_t k = 0; k < RH_CASES_ELEMENTS; k++) {
    cases->elements[k].index = k;
    for (uint32_t j = 0; j < of->face.n_operands; j++)
      cases->elements[k].of[j] = choose_number(cases, k, j, kind, rh_random_next(seed));
    rh_cases_load(cases, &cases->elements[k], cases->values[k]);
  }
}
