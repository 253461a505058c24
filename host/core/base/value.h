/* Results as text, in the C locale's digits. */
#pragma once

#include <redhost/redhost.h>

/* The shortest decimal that reads back as the same number of the result's type; integers whole;
 * "nan", "inf". */
const char *rh_format_value(char text[64], const rh_result *result);
/* Exact for every reader: %.17g. */
const char *rh_format_exact(char text[64], const rh_result *result);
/* The operator's answer: an index, or the shortest decimal. */
const char *rh_format_answer(char text[64], const rh_result *result);

/* An index and its value say all of one operator, whether it is mapped, masked or neither. */
static inline int rh_result_has_fields(const rh_result *result) {
  return result->n_fields > result->indexed;
}

/* Number `index` of an array of a type that is computed with: not of f16, or of 8 or 16 bits. */
double rh_number_at(rh_type type, const void *from, uint64_t index);
