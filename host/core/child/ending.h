/* Describes how a child ended. */
#ifndef RH_CHILD_ENDING_H
#define RH_CHILD_ENDING_H

#include <stddef.h>

/* "crashed in run (signal 11)", "ended the process with exit status 0 in run".  `status` is
 * waitpid's, or -1 where it is not known. */
void rh_ending_name(int status, const char *where, char *to, size_t bytes);

/* The same of a child that had said everything and was given RH_CHILD_DONE_S to end; 0 where it
 * ended as it should, or nobody knows. */
int rh_ending_name_done(int status, char *to, size_t bytes);

#endif
