/* Running gnuplot, which need not be there. */
#ifndef RH_PLOT_GNUPLOT_H
#define RH_PLOT_GNUPLOT_H

#include <redhost/redhost.h>

/* Its path, malloc'ed; null where no directory of PATH has it. */
char *rh_gnuplot_find(void);

/* Runs one gnuplot with these words, which end in null, and waits for it: none of the person's
 * settings, nothing on standard input.  RH_E_FILE with the first line of what it said where it
 * failed, or took longer than `patience` seconds; RH_E_CANCELLED where a signal came that the
 * caller blocked.  `said` (of `size` bytes) is what it said first though it succeeded, or "". */
rh_status rh_gnuplot_run(const char *const *argv, double patience, char *said, size_t size,
                         rh_error *error);

#endif
