/* The transport `local`: several processes of one host, without MPI.
 *
 * Rank 0 starts the others as processes of the same program with the same arguments, and has a
 * socket to each.  They end with it, whatever it dies of. */
#pragma once

#include <redhost/redhost.h>
#include <redhost/transport.h>

enum { RH_LOCAL_MOST_RANKS = 1024 };

extern const rh_transport rh_local_transport;

/* Was this process started by rh_local_launch()?  Then rh_local_transport.open() joins. */
int rh_local_is_rank(void);

/* Starts ranks 1 .. size-1 and makes this process rank 0.  program: an absolute path; argv: with a
 * final null.  RH_E_USAGE if the system allows no more processes or files, RH_E_DEVICE if they
 * cannot be started for another reason; none is left running then. */
rh_status rh_local_launch(void **self, rh_rank_place *place, uint32_t size, const char *program,
                          char *const *argv, rh_error *error);
