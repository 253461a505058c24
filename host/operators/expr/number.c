#include "internal.h"

#include <float.h>

_Static_assert(LDBL_MANT_DIG >= 64, "integers of 64 bits are numbers of rh_expr_value");

int rh_number_is_whole(long double x) {
  if (!(x >= -0x1p63L && x < 0x1p64L)) return 0;
  return x == (x < 0 ? (long double)(int64_t)x : (long double)(uint64_t)x);
}

int rh_number_fits(rh_expr_value value, rh_type type) {
  float narrow = (float)value.x;
  if (!rh_type_is_float(type)) {
    uint64_t most = UINT64_MAX >> (64 - 8 * rh_type_size(type) + (uint32_t)rh_type_is_signed(type));
    long double least = rh_type_is_signed(type) ? -1 - (long double)most : 0;
    return rh_number_is_whole(value.x) && value.x >= least && value.x <= (long double)most;
  }
  if (type == RH_TYPE_f64 || !value.is_float || !isfinite(value.x) || value.x == 0) return 1;
  return isfinite(narrow) && narrow != 0;
}

static double next(double value, double towards, rh_type type) {
  if (type == RH_TYPE_f64) return nextafter(value, towards);
  return (double)nextafterf((float)value, (float)towards);
}

static double as_float(rh_expr_value value, rh_type type, rh_as as) {
  double is = type == RH_TYPE_f32 ? (double)(float)value.x : (double)value.x;
  if (as == RH_AS_APART) return is == 0x1p64 ? next(is, (double)INFINITY, type) : is;
  if (as == RH_AS_NEAREST || as == RH_AS_CAST || isnan(is)) return is;
  if (value.is_float && rh_number_fits(value, type)) return is;
  if (as == RH_AS_EQUAL) return is == value.x ? is : (double)NAN;
  if (as == RH_AS_BELOW) return is > value.x ? next(is, -(double)INFINITY, type) : is;
  return is < value.x ? next(is, (double)INFINITY, type) : is;
}

rh_scalar rh_number_as(rh_expr_value value, rh_type type, rh_as as) {
  rh_scalar scalar = {0};
  if (type == RH_TYPE_f64) {
    scalar.f64 = as_float(value, type, as);
  } else if (type == RH_TYPE_f32) {
    scalar.f32 = (float)as_float(value, type, as);
  } else if (rh_number_is_whole(value.x)) {
    scalar.u64 = value.x < 0 ? (uint64_t)(int64_t)value.x : (uint64_t)value.x;
    if (rh_type_size(type) == sizeof(uint32_t)) scalar.u64 &= UINT32_MAX;
  }
  return scalar;
}
