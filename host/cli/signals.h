/* The program's signals, against drivers' handlers.
 *
 * A driver's compiler replaces the handlers of most signals by its own: those of LLVM swallow the
 * first SIGQUIT, and let an abort() end the process before our handler can say why.  So the program
 * has a sigaction() and a signal() of its own, which drivers find before the C library's. */
#pragma once

#include <signal.h>

/* For the program itself: as sigaction() of the C library. */
int rh_signal_action(int number, const struct sigaction *action, struct sigaction *old);

/* From here on nothing that the process loads can change what the signals do that end a process
 * from outside, or by abort().  Signals of faults are left out: a driver's handler may mend what an
 * instruction did, and LLVM's lets it be repeated under ours. */
void rh_signals_hold(void);

/* Other libraries use these for messages among processes: a job's. */
void rh_signals_release_user(void);
