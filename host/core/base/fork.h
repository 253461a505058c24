/* Is this still the process in which something was opened?  After fork() the child has neither the
 * threads of its parent nor what a driver keeps for it, and would wait for them without end. */
#pragma once

#include <stdint.h>

/* *mark is 1 in this process, and 0 in all that are forked from it: reading it costs a load.  Null
 * if there is no memory.  A kernel before Linux 4.14 leaves it 1 there. */
const uint32_t *rh_fork_mark(void);
void rh_fork_unmark(const uint32_t *mark);
