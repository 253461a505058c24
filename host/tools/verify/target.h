/* What is to be tested, and by which tests. */
#ifndef RH_VERIFY_TARGET_H
#define RH_VERIFY_TARGET_H

#include "trial.h"

/* The plugin's absolute path, malloc'ed.  RH_E_FILE with a sentence where it is not a file, not
 * a shared
 * object, or a library that has nothing to do with redhost.  Runs nothing of it. */
rh_status rh_verify_target(const char *file, char **path, rh_error *error);

/* RH_E_USAGE where a list names a test that there is not. */
rh_status rh_tests_check_lists(const char *include, const char *exclude, rh_error *error);
/* Lists like "V01,V10-V15"; null: all, and none. */
int rh_test_is_chosen(const rh_test *test, const char *include, const char *exclude);

#endif
