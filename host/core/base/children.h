/* The child processes of this process. */
#ifndef RH_BASE_CHILDREN_H
#define RH_BASE_CHILDREN_H

/* Sends the signal to every child of this process, whichever thread started it.  Returns the number
 * of children, including zombies; -1 if /proc is unavailable.  Safe in a signal handler. */
int rh_children_signal(int number);

#endif
