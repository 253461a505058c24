/* A crash of this process, in words. */
#ifndef RH_CLI_CRASH_H
#define RH_CLI_CRASH_H

#include "../core/reduce/context.h"

/* From here on a crash while `redhost` uses an OpenCL device is a sentence and exit status 3, since
 * drivers abort where memory is short, in threads of their own too.  Without a device it stays a
 * crash.  null: `redhost` is gone. */
void rh_crash_watch(const rh_redhost *redhost);

#endif
