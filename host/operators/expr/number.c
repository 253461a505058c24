#include "internal.h"

static int is_negative(rh_expr_value value) { return !value.is_large && value.as.i < 0; }

static int integer_fits(rh_expr_value value, rh_type type) {
  int64_t i = value.as.i;
  switch (type) {
  case RH_TYPE_i32: return !value.is_large && i >= INT32_MIN && i <= INT32_MAX;
  case RH_TYPE_u32: return !value.is_large && i >= 0 && i <= UINT32_MAX;
  case RH_TYPE_i64: return !value.is_large;
  case RH_TYPE_u64: return !is_negative(value);
  default: return 1;
  }
}

int rh_number_whole(double value, rh_expr_value *whole) {
  if (!(value >= -0x1p63 && value < 0x1p64) || value != trunc(value)) return 0;
  *whole = (rh_expr_value){.is_large = value >= 0x1p63};
  if (whole->is_large) whole->as.i = (int64_t)(uint64_t)value;
  else whole->as.i = (int64_t)value;
  return 1;
}

int rh_number_fits(rh_expr_value value, rh_type type) {
  rh_expr_value whole;
  if (!value.is_float) return integer_fits(value, type);
  if (!rh_type_is_float(type))
    return rh_number_whole(value.as.f, &whole) && integer_fits(whole, type);
  float narrow = (float)value.as.f;
  if (type == RH_TYPE_f64 || !isfinite(value.as.f) || value.as.f == 0) return 1;
  return isfinite(narrow) && narrow != 0;
}

/* -1, 0 or 1: is the float below the number, equal to it, or above it? */
static int order(double is, rh_expr_value value) {
  rh_expr_value whole;
  if (value.is_float) return (is > value.as.f) - (is < value.as.f);
  if (!rh_number_whole(is, &whole)) return is > 0 ? 1 : -1; /* a rounded integer is whole */
  if (whole.is_large != value.is_large) return whole.is_large ? 1 : -1;
  if (value.is_large)
    return ((uint64_t)whole.as.i > (uint64_t)value.as.i) -
           ((uint64_t)whole.as.i < (uint64_t)value.as.i);
  return (whole.as.i > value.as.i) - (whole.as.i < value.as.i);
}

static double next(double value, double towards, rh_type type) {
  if (type == RH_TYPE_f64) return nextafter(value, towards);
  return (double)nextafterf((float)value, (float)towards);
}

static double nearest(rh_expr_value value, rh_type type) {
  if (type == RH_TYPE_f32)
    return (double)(value.is_float   ? (float)value.as.f
                    : value.is_large ? (float)(uint64_t)value.as.i
                                     : (float)value.as.i);
  if (value.is_float) return value.as.f;
  return value.is_large ? (double)(uint64_t)value.as.i : (double)value.as.i;
}

static double as_float(rh_expr_value value, rh_type type, rh_as as) {
  double is = nearest(value, type);
  if (as == RH_AS_APART) return is == 0x1p64 ? next(is, (double)INFINITY, type) : is;
  if (as == RH_AS_NEAREST || as == RH_AS_CAST || isnan(is)) return is;
  if (value.is_float && rh_number_fits(value, type)) return is;
  int is_off = order(is, value);
  if (as == RH_AS_EQUAL) return is_off ? (double)NAN : is;
  if (as == RH_AS_BELOW) return is_off > 0 ? next(is, -(double)INFINITY, type) : is;
  return is_off < 0 ? next(is, (double)INFINITY, type) : is;
}

rh_scalar rh_number_as(rh_expr_value value, rh_type type, rh_as as) {
  rh_scalar scalar = {0};
  rh_expr_value whole = value;
  if (type == RH_TYPE_f64) {
    scalar.f64 = as_float(value, type, as);
  } else if (type == RH_TYPE_f32) {
    scalar.f32 = (float)as_float(value, type, as);
  } else {
    if (value.is_float && !rh_number_whole(value.as.f, &whole)) whole.as.i = 0;
    scalar.i64 = whole.as.i;
    if (rh_type_size(type) == sizeof(uint32_t)) scalar.u64 = (uint32_t)whole.as.i;
  }
  return scalar;
}

void rh_number_text(char text[static RH_NUMBER_BYTES], rh_expr_value value) {
  if (value.is_float) snprintf(text, RH_NUMBER_BYTES, "%.17g", value.as.f);
  else if (value.is_large) snprintf(text, RH_NUMBER_BYTES, "%llu", (unsigned long long)value.as.i);
  else snprintf(text, RH_NUMBER_BYTES, "%lld", (long long)value.as.i);
}
