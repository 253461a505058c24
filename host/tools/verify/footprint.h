/* Finds what a plugin's code changes in its process: compares its state from before and after it
 * runs, without the changes that the host and the drivers make in between.
 *
 * The plugin's own code runs during its phases, except inside the host services that it calls.
 * The host and the drivers work inside these services and between the phases.  Their changes are
 * applied to the state that the plugin is compared with, so no list of each driver's side effects
 * is needed. */
#pragma once

#include "state.h"

/* Zero-initialised is ready.  Every function accepts a null pointer and then does nothing. */
typedef struct rh_footprint {
  /* the expected state: from before the plugin ran, with the changes of the host and drivers */
  rh_text base[RH_STATE_PARTS];
  rh_text allowed[RH_STATE_PARTS]; /* lines that the host and drivers added: they may stay or go */
  rh_text outside[RH_STATE_PARTS]; /* when the plugin's code last returned or called the host */
  int has_base;
  uint32_t unsteady; /* bits of parts that are not compared */
  int part;          /* the part with the first change */
  char said[1024];   /* "setup changes the environment: no longer 'HOME=/root'", or "" */
} rh_footprint;

/* The plugin's code is about to run: in a phase, or because the host returns to it.  Kernels run
 * while the host works, and their output counts as the plugin's. */
void rh_footprint_enter(rh_footprint *footprint, int kernels_may_print);
/* It has returned, or calls the host. */
void rh_footprint_leave(rh_footprint *footprint);

/* After rh_footprint_leave: checks the phase. ends: no instance is left that may hold anything. */
void rh_footprint_judge(rh_footprint *footprint, const char *phase, int ends);

void rh_footprint_finish(rh_footprint *footprint);
