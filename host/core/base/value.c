#include "base.h"

static int is_float(const rh_result *result) { return rh_type_is_float(result->type); }

static const char *format_integer(char text[64], const rh_result *result) {
  if (rh_type_is_signed(result->type)) snprintf(text, 64, "%lld", (long long)result->value.i);
  else snprintf(text, 64, "%llu", (unsigned long long)result->value.u);
  return text;
}

static const char *format_float(char text[64], double value, int digits) {
  if (isnan(value)) snprintf(text, 64, "nan"); /* never "-nan" */
  else snprintf(text, 64, "%.*g", digits, value);
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

double rh_number_at(rh_type type, const void *from, uint64_t j) {
  switch (type) {
  case RH_TYPE_i32: return ((const int32_t *)from)[j];
  case RH_TYPE_u32: return ((const uint32_t *)from)[j];
  case RH_TYPE_i64: return (double)((const int64_t *)from)[j];
  case RH_TYPE_u64: return (double)((const uint64_t *)from)[j];
  case RH_TYPE_f32: return (double)((const float *)from)[j];
  default: return ((const double *)from)[j];
  }
}

uint16_t rh_half_from_float(float f) {
  uint32_t bits;
  memcpy(&bits, &f, sizeof bits);
  uint32_t sign = bits >> 16 & 0x8000u, magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return (uint16_t)(sign | 0x7e00u); /* NaN */
  if (magnitude >= 0x477ff000u)
    return (uint16_t)(sign | 0x7c00u); /* rounds to 65536 or is infinite */
  if (magnitude < 0x38800000u)         /* subnormal or zero */
    return (uint16_t)(sign | (uint32_t)nearbyintf(fabsf(f) * 0x1p24f));
  /* Add half a unit of the last kept place, minus one if that place is even; then truncate. */
  uint32_t rounded = magnitude + 0xfffu + (magnitude >> 13 & 1u);
  return (uint16_t)(sign | ((rounded >> 13) - (112u << 10)));
}
