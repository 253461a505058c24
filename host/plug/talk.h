/* The parent's side of one child's life. */
#ifndef RH_PLUG_TALK_H
#define RH_PLUG_TALK_H

#include "survey.h"

/* Starts a child on candidates which[0..n-1] and listens until it ends, in whatever way.  Adds to
 * *done how many need no further child, at least one. Where that is fewer than n, the child was
 * lost. RH_E_PLUGIN: the program is missing or is no redhost. */
rh_status rh_talk(rh_survey *survey, const uint32_t *which, uint32_t n, uint32_t *done,
                  rh_error *error);

#endif
