/* Verdicts for continuous integration, as JUnit XML, which Jenkins, GitLab and others read. */
#pragma once

#include "../tools/verify/verify.h"

/* Writes one suite for each report.  Replaces the file atomically. */
rh_status rh_junit_write(const char *path, const rh_verify_report *reports, uint32_t n,
                         rh_error *error);
