/* --run by several processes: --ranks, --transport. */
#ifndef RH_CLI_RUN_RANKS_H
#define RH_CLI_RUN_RANKS_H

#include "app.h"

int rh_run_ranks_is_wanted(const rh_typed *typed);

/* The whole of --run.  Only rank 0 prints, and only its error has a message. */
rh_status rh_run_ranks(const rh_app *app, rh_error *error);

#endif
