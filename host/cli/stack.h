/* Stacks where the system allows but small ones (ulimit -s). */
#pragma once

/* Calls main(argc, argv), on a stack of its own if this one may not grow to a usual size; returns
 * what it returns.  Threads that are started with the default size get that size, too: those of
 * drivers and plugins among them. */
int rh_with_stack(int (*main)(int argc, char **argv), int argc, char **argv);
