/* Numbers as users write them, other than sizes (size.h). */
#pragma once

#include <redhost/redhost.h>

/* The bounds of an option's number: more than 0, and less than `below`. */
typedef struct rh_number {
  const char *option;   /* "--timeout" */
  const char *expected; /* for the message: unit, bounds, an example */
  double below;
} rh_number;
extern const rh_number rh_number_timeout, rh_number_max_time, rh_number_budget; /* s */
extern const rh_number rh_number_precision, rh_number_threshold;                /* % */

/* A decimal: "2", "0.5", "1e-3", with a point in every locale.  Leaves *value unchanged if text is
 * null.  RH_E_USAGE if it is not a number or out of bounds. */
rh_status rh_number_parse(const rh_number *number, const char *text, double *value,
                          rh_error *error);

/* --samples: "20", or "20:200"; from 1 to 1000000.  Leaves both unchanged if text is null, and
 * *most if it is not given, but never below *least. */
rh_status rh_samples_parse(const char *text, uint32_t *least, uint32_t *most, rh_error *error);

/* --processes: from 1 to RH_MAX_PROCESSES.  Leaves *n unchanged if text is null. */
rh_status rh_processes_parse(const char *text, uint32_t *n, rh_error *error);
