/* A process between a child and its parent that kills everything that the child leaves behind. */
#pragma once

#include <stdint.h>

/* Splits the calling process in two.  The process that returns, with 0, does the work, and ends
 * when the other does.  The other, the guard, keeps the process id and stays until the work is
 * done, `parent` stops it by SIGTERM, or `parent` is gone for any reason.  Then the guard kills
 * everything that the work started, in any group or session, and ends with the same status as the
 * work.  -1: `parent` is already gone.  If no process can be created, the work continues unguarded.
 * Must be called before OpenCL and before any thread: this is the only fork in redhost. */
int rh_guard_children(int64_t parent);
