#include "data.h"

static const double seconds_between_reports = 0.2;

rh_status rh_pace_report(rh_pace *pace, uint64_t done, uint64_t total, rh_error *error) {
  double now = rh_now();
  if (now < pace->next) return RH_OK;
  pace->next = now + seconds_between_reports;
  return rh_progress(pace->reporter, pace->phase, done, total, error);
}
