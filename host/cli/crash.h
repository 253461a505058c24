/* An error message for a crash of this process. */
#ifndef RH_CLI_CRASH_H
#define RH_CLI_CRASH_H

#include "../core/reduce/context.h"

/* From here on a crash while `redhost` uses an OpenCL device gives a message and exit status 3,
 * because drivers abort if memory is short, also in their own threads.  Without a device it
 * remains a crash. null: `redhost` was closed. */
void rh_crash_watch(const rh_redhost *redhost);

#endif
