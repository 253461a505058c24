/* Describes how a child ended. */
#pragma once

#include <stddef.h>

/* "crashed in run (signal 11)", "ended the process with exit status 0 in run".  `status` is
 * waitpid's, or -1 if unknown. */
void rh_ending_name(int status, const char *where, char *to, size_t bytes);

/* The same for a child that had sent everything and got RH_CHILD_DONE_S to end; 0 if it ended
 * normally, or if that is unknown. */
int rh_ending_name_done(int status, char *to, size_t bytes);
