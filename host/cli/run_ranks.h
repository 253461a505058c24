/* --run by several processes: --ranks, --transport. */
#pragma once

#include "app.h"
#include "run_options.h"

/* Where the ranks of a job fail before they have joined it, one of each host speaks for all. */
int rh_run_ranks_speaks(const rh_typed *typed);

/* Before such a rank ends: mpirun ends all as soon as one has, and one is to speak first. */
void rh_run_ranks_hold(const rh_typed *typed);

/* The whole of --run.  Only rank 0 prints, and only its error has a message. */
rh_status rh_run_ranks(const rh_app *app, const rh_run_options *options, rh_error *error);

/* redhost --part: a rank's part, in a process of its own. */
int rh_run_ranks_part_main(void);
