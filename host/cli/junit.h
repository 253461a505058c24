/* Verdicts for continuous integration: JUnit's XML, as Jenkins, GitLab and their like read it. */
#ifndef RH_CLI_JUNIT_H
#define RH_CLI_JUNIT_H

#include "../tools/verify/verify.h"

/* Writes one suite for each report, whole or not at all. */
rh_status rh_junit_write(const char *path, const rh_verify_report *reports, uint32_t n,
                         rh_error *error);

#endif
