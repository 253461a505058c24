/* The child processes of this process. */
#ifndef RH_BASE_CHILDREN_H
#define RH_BASE_CHILDREN_H

/* Sends the signal to every child of this process, whichever of its threads started it.  Returns
 * how many there are, those that ended and were not waited for included; -1 where /proc does not
 * tell.  Safe in a signal handler. */
int rh_children_signal(int number);

#endif
