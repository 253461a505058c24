#include "base.h"

void rh_log(const rh_reporter *reporter, uint32_t level, const char *format, ...) {
  if (!reporter || !reporter->log) return;
  char text[1024];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  reporter->log(reporter->user, level, text);
}

rh_status rh_progress(const rh_reporter *reporter, const char *phase, uint64_t done, uint64_t total,
                      rh_error *error) {
  if (!reporter || !reporter->progress) return RH_OK;
  if (reporter->progress(reporter->user, phase, done, total) == 0) return RH_OK;
  return rh_fail(error, RH_E_CANCELLED, "%s: cancelled", phase);
}
