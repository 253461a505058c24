/* The child processes of this process. */
#pragma once

/* Sends the signal to every child of this process, whichever thread started it.  Returns the number
 * of children, including zombies; -1 if /proc is unavailable.  Safe in a signal handler. */
int rh_children_signal(int number);
