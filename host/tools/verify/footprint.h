/* What a plugin's code changes in its process: pictures before and after it runs, and what the host
 * and the drivers do in between left out.
 *
 * Time is cut into stretches in which the plugin's own code runs, and all others: between its
 * phases, and inside the host services that it calls, where the host and the drivers work.  What
 * changes in those others is carried over into the picture that the plugin is measured by, so that
 * no list of what each driver does is needed.  A driver that is called directly by the plugin has
 * done what it does once (started its threads, opened its device) in the control life, see
 * control.h; and a part of the picture that changes even in a control life is not judged, see
 * `unsteady`. */
#ifndef RH_VERIFY_FOOTPRINT_H
#define RH_VERIFY_FOOTPRINT_H

#include "picture.h"

/* Zero-initialised is ready.  Every function takes a null pointer, and does nothing. */
typedef struct rh_footprint {
  /* what the plugin has to leave: of before it ran, changed as the host and drivers changed it */
  rh_picture base;
  rh_picture allowed; /* lines that the host and drivers added: they may stay or go */
  rh_picture outside; /* of when the plugin's code last came back */
  rh_picture holders; /* for each part, which phase first had something more of it */
  int has_base;
  uint32_t unsteady; /* bits of parts that are not judged */
  int part;          /* of the first change that was found */
  char said[1024];   /* "setup changes the environment: HOME is gone", or "" */
} rh_footprint;

/* The plugin's code is about to run. */
void rh_footprint_enter(rh_footprint *footprint);
/* It has come back, or calls the host. */
void rh_footprint_leave(rh_footprint *footprint);
/* The host is about to return to it.  A kernel runs while the host works, and what it prints is the
 * plugin's. */
void rh_footprint_resume(rh_footprint *footprint, int kernels_may_print);

/* After rh_footprint_leave: judges the phase.  ends: no instance is left that may hold anything. */
void rh_footprint_judge(rh_footprint *footprint, const char *phase, int ends);

void rh_footprint_finish(rh_footprint *footprint);

#endif
