/* Numbers as users write them, other than sizes (size.h). */
#pragma once

#include <redhost/redhost.h>

/* An option's number is a decimal of more than 0 and less than `below`; or if `most` is not 0, a
 * whole number from `least` to `most`. */
typedef struct rh_range {
  const char *expected; /* for the message: unit, bounds, an example; null: the bounds */
  double below;
  uint64_t least, most;
} rh_range;

/* A decimal: "2", "0.5", "1e-3", with a point in every locale.  RH_E_USAGE if it is not a number or
 * out of bounds; *value is unchanged then. */
rh_status rh_number_parse(const char *option, const rh_range *range, const char *text,
                          double *value, rh_error *error);
/* Parses a whole number, of digits alone. */
rh_status rh_whole_parse(const char *option, const rh_range *range, const char *text,
                         uint64_t *value, rh_error *error);

/* --samples: "20", or "20:200"; from 1 to 1000000.  Leaves both unchanged if text is null, and
 * *most if it is not given, but never below *least. */
rh_status rh_samples_parse(const char *text, uint32_t *least, uint32_t *most, rh_error *error);
