/* A process between a child and its parent, which kills everything that the child leaves behind. */
#ifndef RH_CHILD_GUARD_H
#define RH_CHILD_GUARD_H

#include <stdint.h>

/* Splits the calling process in two.  The one that returns, with 0, does the work, and ends when
 * the other does.  The other keeps the process's number and stays until the work is done, `parent`
 * tells it to stop by SIGTERM, or `parent` is gone, whatever ended it.  Then it kills everything
 * that the work started, in whatever group or session, and ends as the work did.  -1: `parent` is
 * gone already.  Where no process can be
 * made it goes on unguarded.
 * To be called before OpenCL and before any thread: this is the one fork in redhost. */
int rh_guard(int64_t parent);

#endif
