/* The plugin that is to be tested, and by which tests. */
#pragma once

#include "trial.h"

/* Returns the file's absolute path, malloc'ed, and whether it is a transport rather than a plugin.
 * RH_E_FILE if it is not a regular file, not a shared object, or neither of them.  Runs none of its
 * code. */
rh_status rh_verify_target(const char *file, char **path, int *is_transport, rh_error *error);

/* RH_E_USAGE if a list names an unknown test. */
rh_status rh_tests_check_lists(const char *include, const char *exclude, rh_error *error);
/* Lists like "V01,V10-V15"; null: include all, exclude none. */
int rh_test_is_chosen(const rh_test *test, const char *include, const char *exclude);
