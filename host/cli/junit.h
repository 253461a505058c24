/* Verdicts for continuous integration, as JUnit XML, which Jenkins, GitLab and others read. */
#pragma once

#include "../tools/verify/verify.h"

/* RH_E_FILE if the file cannot be written. */
rh_status rh_junit_check_path(const char *path, rh_error *error);

/* Writes one suite for each report.  Replaces the file atomically. */
rh_status rh_junit_write(const char *path, const rh_verify_report *reports, uint32_t n,
                         rh_error *error);
