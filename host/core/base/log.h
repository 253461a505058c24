/* Logs and reports progress through the caller's rh_reporter. */
#pragma once

#include <redhost/redhost.h>

/* `reporter` may be null, and so may its functions. */
void rh_log(const rh_reporter *reporter, uint32_t level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* RH_OK, or RH_E_CANCELLED if the caller cancels; then *error is filled. */
rh_status rh_progress(const rh_reporter *reporter, const char *phase, uint64_t done, uint64_t total,
                      rh_error *error);
