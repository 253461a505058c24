#include "footprint.h"
#include "lines.h"

#include <stdio.h>
#include <unistd.h>

void rh_footprint_enter(rh_footprint *footprint) {
  rh_footprint_resume(footprint, 0);
}

void rh_footprint_leave(rh_footprint *footprint) {
  if (footprint) rh_snapshot_take(&footprint->outside, footprint->unsteady);
}

void rh_footprint_resume(rh_footprint *footprint, int kernels_may_print) {
  rh_snapshot now = {0};
  if (!footprint) return;
  rh_snapshot_take(&now, footprint->unsteady);
  for (int part = 0; part < RH_SNAPSHOT_PARTS; part++) {
    rh_text *base = &footprint->base.parts[part];
    if (!footprint->has_base)
      rh_lines_copy(base, &now.parts[part]);
    else if (part != RH_SNAPSHOT_STREAMS || !kernels_may_print)
      rh_lines_redo(base, &footprint->allowed.parts[part], &footprint->outside.parts[part],
                    &now.parts[part]);
  }
  footprint->has_base = 1;
  rh_snapshot_finish(&now);
}

/* ---- Judging ---- */

/* RH_LINES_*, or -1 where any change is allowed while an instance exists. */
static int what_counts(int how, int ends) {
  if (how & RH_MAY_HOLD && !ends) return how & RH_MAY_GO ? -1 : RH_LINES_LOST;
  return how & RH_MAY_GO ? RH_LINES_GAINED : RH_LINES_ALL;
}

/* A difference counts only if it persists: the kernel lists a joined thread a moment longer. */
static int differs(rh_footprint *footprint, int part, int which, rh_lines_change *change) {
  enum { LOOKS = 100, PAUSE_US = 5000 };
  for (int k = 0; k < LOOKS; k++) {
    if (!rh_lines_differ(&footprint->base.parts[part], &footprint->allowed.parts[part],
                         &footprint->outside.parts[part], which, change))
      return 0;
    if (!(rh_snapshot_how(part) & RH_MAY_SETTLE)) return 1;
    usleep(PAUSE_US);
    rh_snapshot_take_part(&footprint->outside, part);
  }
  return 1;
}

static void note_change(rh_footprint *footprint, int part, const char *phase,
                        const rh_lines_change *change) {
  char holder[64];
  const char *words = rh_snapshot_words(part);
  footprint->part = part;
  if (rh_lines_get(&footprint->holders.parts[part], change->key, holder, sizeof holder))
    snprintf(footprint->said, sizeof footprint->said, "%s leaves %s behind after %s: %s", holder,
             words, phase, change->what);
  else
    snprintf(footprint->said, sizeof footprint->said, "%s changes %s: %s%s", phase, words,
             change->what, change->how);
}

void rh_footprint_judge(rh_footprint *footprint, const char *phase, int ends) {
  rh_lines_change change;
  if (!footprint) return;
  for (int part = 0; part < RH_SNAPSHOT_PARTS && !footprint->said[0]; part++) {
    int which = what_counts(rh_snapshot_how(part), ends);
    if (!ends && rh_snapshot_how(part) & RH_MAY_HOLD)
      rh_lines_note_new(&footprint->holders.parts[part], &footprint->base.parts[part],
                        &footprint->outside.parts[part], phase);
    if (which >= 0 && !(footprint->unsteady >> part & 1) &&
        differs(footprint, part, which, &change))
      note_change(footprint, part, phase, &change);
  }
  if (!ends) return;
  footprint->has_base = 0;
  rh_snapshot_finish(&footprint->holders);
  rh_snapshot_finish(&footprint->allowed);
}

void rh_footprint_finish(rh_footprint *footprint) {
  if (!footprint) return;
  rh_snapshot_finish(&footprint->base);
  rh_snapshot_finish(&footprint->allowed);
  rh_snapshot_finish(&footprint->outside);
  rh_snapshot_finish(&footprint->holders);
}
