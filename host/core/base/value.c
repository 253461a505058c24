#include "value.h"
#include "half.h"
#include "vocabulary.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int is_float(const rh_result *result) {
  return rh_type_is_float(result->type);
}

static const char *format_integer(char text[64], const rh_result *result) {
  if (rh_type_is_signed(result->type))
    snprintf(text, 64, "%lld", (long long)result->value.i);
  else
    snprintf(text, 64, "%llu", (unsigned long long)result->value.u);
  return text;
}

static const char *format_float(char text[64], double value, int digits) {
  if (isnan(value))
    snprintf(text, 64, "nan"); /* never "-nan" */
  else
    snprintf(text, 64, "%.*g", digits, value);
  return text;
}

static int reads_back(const char *text, const rh_result *result) {
  double back = strtod(text, NULL), value = result->value.f;
  if (isnan(value)) return isnan(back);
  return result->type == RH_TYPE_f64 ? back == value : (float)back == (float)value;
}

const char *rh_format_value(char text[64], const rh_result *result) {
  double value = result->value.f;
  if (!is_float(result)) return format_integer(text, result);
  /* Whole numbers in full, not as 8.39099e+06. */
  if (fabs(value) < 1e15 && value == trunc(value)) {
    snprintf(text, 64, "%.0f", value);
    return text;
  }
  for (int digits = 6; digits < 17; digits++)
    if (reads_back(format_float(text, value, digits), result)) return text;
  return format_float(text, value, 17);
}

const char *rh_format_exact(char text[64], const rh_result *result) {
  return is_float(result) ? format_float(text, result->value.f, 17) : format_integer(text, result);
}

const char *rh_format_answer(char text[64], const rh_result *result) {
  if (!result->indexed) return rh_format_value(text, result);
  snprintf(text, 64, "%llu", (unsigned long long)result->index);
  return text;
}

/* X(type, what it is in memory, what it is as 8 bytes) */
#define ELEMENTS(X)                                                                                \
  X(i8, int8_t, int64_t)                                                                           \
  X(u8, uint8_t, uint64_t)                                                                         \
  X(i16, int16_t, int64_t)                                                                         \
  X(u16, uint16_t, uint64_t)                                                                       \
  X(i32, int32_t, int64_t)                                                                         \
  X(u32, uint32_t, uint64_t)                                                                       \
  X(i64, int64_t, int64_t)                                                                         \
  X(u64, uint64_t, uint64_t)                                                                       \
  X(f32, float, double)                                                                            \
  X(f64, double, double)

uint32_t rh_element_load(rh_type type, const void *from, void *word) {
  switch (type) {
#define LOAD(type, element, wide)                                                                  \
  case RH_TYPE_##type: {                                                                           \
    element x;                                                                                     \
    memcpy(&x, from, sizeof x);                                                                    \
    wide y = x;                                                                                    \
    memcpy(word, &y, sizeof y);                                                                    \
    break;                                                                                         \
  }
    ELEMENTS(LOAD)
  default: {
    uint16_t half;
    memcpy(&half, from, sizeof half);
    double y = rh_half_to_float(half);
    memcpy(word, &y, sizeof y);
  }
  }
  return rh_type_size(type);
}

uint32_t rh_element_store(rh_type type, const void *word, void *to) {
  switch (type) {
#define STORE(type, element, wide)                                                                 \
  case RH_TYPE_##type: {                                                                           \
    wide y;                                                                                        \
    memcpy(&y, word, sizeof y);                                                                    \
    element x = (element)y;                                                                        \
    memcpy(to, &x, sizeof x);                                                                      \
    break;                                                                                         \
  }
    ELEMENTS(STORE)
  default: {
    double y;
    memcpy(&y, word, sizeof y);
    uint16_t half = rh_half_from_float((float)y);
    memcpy(to, &half, sizeof half);
  }
  }
  return rh_type_size(type);
}
