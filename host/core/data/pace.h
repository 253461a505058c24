/* Limits progress reports to a few per second. */
#pragma once

#include <redhost/redhost.h>

/* Zero-initialised except the first two fields: the first call always reports. */
typedef struct rh_pace {
  const rh_reporter *reporter;
  const char *phase;
  double next; /* nothing is reported before this moment of rh_now() */
} rh_pace;

/* RH_OK, or RH_E_CANCELLED if the caller cancels. */
rh_status rh_pace_report(rh_pace *pace, uint64_t done, uint64_t total, rh_error *error);
