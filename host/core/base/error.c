#include "base.h"

rh_status rh_fail(rh_error *error, rh_status status, const char *format, ...) {
  if (error) {
    va_list args;
    va_start(args, format);
    error->status = status;
    error->cl_code = 0;
    vsnprintf(error->message, sizeof error->message, format, args);
    va_end(args);
  }
  return status;
}

rh_status rh_error_prefix(rh_error *error, rh_status status, const char *format, ...) {
  if (!error || status == RH_OK) return status;
  char prefix[sizeof error->message];
  va_list args;
  va_start(args, format);
  vsnprintf(prefix, sizeof prefix, format, args);
  va_end(args);
  size_t length = strlen(prefix), kept = strlen(error->message) + 1;
  if (length + 2 + kept > sizeof error->message) kept = sizeof error->message - length - 2;
  if (length + 2 >= sizeof error->message) return status;
  memmove(error->message + length + 2, error->message, kept);
  memcpy(error->message, prefix, length);
  memcpy(error->message + length, ": ", 2);
  error->message[sizeof error->message - 1] = 0;
  return status;
}

const char *rh_status_name(rh_status status) {
  switch (status) {
#define RH_X(name, number, text)                                                                   \
  case name: return #name;
    RH_STATUS_LIST(RH_X)
#undef RH_X
  default: return "unknown status";
  }
}

const char *rh_status_text(rh_status status) {
  switch (status) {
#define RH_X(name, number, text)                                                                   \
  case name: return text;
    RH_STATUS_LIST(RH_X)
#undef RH_X
  default: return "unknown status";
  }
}

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
