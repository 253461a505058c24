/* Running gnuplot, which may not be installed. */
#pragma once

#include <redhost/redhost.h>

/* Its path, malloc'ed; null if no directory of PATH has it. */
char *rh_gnuplot_find(void);

/* Runs gnuplot with these null-terminated arguments and waits for it.  It ignores the user's
 * settings and reads nothing from standard input.  RH_E_FILE with the first line of its output if
 * it failed or took longer than `limit_s` seconds; RH_E_CANCELLED if a signal arrived that the
 * caller blocked.  If it succeeded, `said` (of `size` bytes) gets the first line of its output,
 * or "". */
rh_status rh_gnuplot_run(const char *const *argv, double limit_s, char *said, size_t size,
                         rh_error *error);
