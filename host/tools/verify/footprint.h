/* Finds what a plugin's code changes in its process: compares snapshots from before and after it
 * runs, without the changes that the host and the drivers make in between.
 *
 * The plugin's own code runs during its phases, except inside the host services that it calls.
 * The host and the drivers work inside these services and between the phases.  Their changes are
 * copied into the snapshot that the plugin is compared with, so no list of each driver's side
 * effects is needed.  A driver that the plugin calls directly did its one-time work (started its
 * threads, opened its device) while the control strategy ran, see control.h.  A part of the
 * snapshot that changes even under the control strategy is not compared, see `unsteady`. */
#pragma once

#include "snapshot.h"

/* Zero-initialised is ready.  Every function accepts a null pointer and then does nothing. */
typedef struct rh_footprint {
  /* the expected state: from before the plugin ran, with the changes of the host and drivers */
  rh_snapshot base;
  rh_snapshot allowed; /* lines that the host and drivers added: they may stay or go */
  rh_snapshot outside; /* taken when the plugin's code last returned or called the host */
  rh_snapshot holders; /* for each new line of a part, the phase that first added it */
  int has_base;
  uint32_t unsteady; /* bits of parts that are not compared */
  int part;          /* the part with the first change */
  char said[1024];   /* "setup changes the environment: HOME is gone", or "" */
} rh_footprint;

/* The plugin's code is about to run. */
void rh_footprint_enter(rh_footprint *footprint);
/* It has returned, or calls the host. */
void rh_footprint_leave(rh_footprint *footprint);
/* The host is about to return to it.  Kernels run while the host works, and their output counts
 * as the plugin's. */
void rh_footprint_resume(rh_footprint *footprint, int kernels_may_print);

/* After rh_footprint_leave: checks the phase. ends: no instance is left that may hold anything. */
void rh_footprint_judge(rh_footprint *footprint, const char *phase, int ends);

void rh_footprint_finish(rh_footprint *footprint);
