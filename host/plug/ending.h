/* How a child ended, in words. */
#ifndef RH_PLUG_ENDING_H
#define RH_PLUG_ENDING_H

#include <stddef.h>

/* "crashed in run (signal 11)", "ended the process with exit status 0 in run".  `status` is waitpid's, or -1 where it is
 * not known. */
void rh_ending_name(int status, const char *where, char *to, size_t bytes);

#endif
