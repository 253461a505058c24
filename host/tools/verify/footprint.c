#include "internal.h"

static void finish(rh_text parts[RH_STATE_PARTS]) {
  for (int part = 0; part < RH_STATE_PARTS; part++) rh_text_finish(&parts[part]);
}

static void take_part(rh_text *lines, int part) {
  rh_text_finish(lines);
  rh_state_parts[part].take(lines);
}

static int is_same(const rh_text *a, const rh_text *b) {
  return a->length == b->length && memcmp(rh_text_get(a), rh_text_get(b), a->length) == 0;
}

/* ---- What the host changes ---- */

/* Adds the lines of `from` that are in neither of the other two, or null. */
static void add_lines(rh_text *to, const rh_text *from, const rh_text *without,
                      const rh_text *nor) {
  for (const char *at = from->s, *end; at && (end = strchr(at, '\n')); at = end + 1) {
    size_t length = (size_t)(end - at);
    if (!rh_state_has(without, at, length) && !(nor && rh_state_has(nor, at, length)))
      rh_text_append(to, at, length + 1);
  }
}

/* Takes lines from the base that have gone since the plugin's code left, and allows those that are
 * new. */
static void redo(rh_footprint *footprint, int part, const rh_text *now) {
  rh_text gone = {0}, kept = {0}, *base = &footprint->base[part];
  if (is_same(&footprint->outside[part], now)) return;
  add_lines(&gone, &footprint->outside[part], now, NULL);
  add_lines(&kept, base, &gone, NULL);
  add_lines(&footprint->allowed[part], now, &footprint->outside[part], &footprint->allowed[part]);
  rh_text_finish(&gone);
  rh_text_finish(base);
  *base = kept;
}

void rh_footprint_enter(rh_footprint *footprint, int kernels_may_print) {
  for (int part = 0; footprint && part < RH_STATE_PARTS; part++) {
    rh_text now = {0};
    if (footprint->unsteady >> part & 1) continue;
    if (!footprint->has_base) {
      take_part(&footprint->base[part], part);
    } else if (part != RH_STATE_STREAMS || !kernels_may_print) {
      take_part(&now, part);
      redo(footprint, part, &now);
    }
    rh_text_finish(&now);
  }
  if (footprint) footprint->has_base = 1;
}

void rh_footprint_leave(rh_footprint *footprint) {
  for (int part = 0; footprint && part < RH_STATE_PARTS; part++)
    if (!(footprint->unsteady >> part & 1)) take_part(&footprint->outside[part], part);
}

/* ---- Judging ---- */

/* Adds the first difference to `said`: "now 'x'", "no longer 'y'", or both.  While an instance
 * exists, it may have more of some parts. */
static int differs(const rh_footprint *footprint, int part, int ends, rh_text *said) {
  const rh_text *base = &footprint->base[part], *now = &footprint->outside[part];
  rh_text gained = {0}, lost = {0};
  int how = rh_state_parts[part].how, holds = how & RH_MAY_HOLD && !ends;
  if (is_same(base, now)) return 0;
  if (!holds) add_lines(&gained, now, base, &footprint->allowed[part]);
  if (!(how & RH_MAY_GO)) add_lines(&lost, base, now, NULL);
  int found = gained.length || lost.length;
  rh_text_finish(said);
  if (gained.length) rh_text_add(said, "now '%.*s'", (int)strcspn(gained.s, "\n"), gained.s);
  if (lost.length)
    rh_text_add(said, "%sno longer '%.*s'", gained.length ? ", " : "", (int)strcspn(lost.s, "\n"),
                lost.s);
  rh_text_finish(&gained);
  rh_text_finish(&lost);
  return found;
}

/* A difference counts only if it persists: the kernel lists a joined thread a moment longer. */
static int persists(rh_footprint *footprint, int part, int ends, rh_text *said) {
  enum { LOOKS = 100, PAUSE_US = 5000 };
  for (int k = 0; k < LOOKS; k++) {
    if (!differs(footprint, part, ends, said)) return 0;
    if (!(rh_state_parts[part].how & RH_MAY_SETTLE)) return 1;
    usleep(PAUSE_US);
    take_part(&footprint->outside[part], part);
  }
  return 1;
}

void rh_footprint_judge(rh_footprint *footprint, const char *phase, int ends) {
  rh_text said = {0};
  for (int part = 0; footprint && part < RH_STATE_PARTS && !footprint->said[0]; part++) {
    if (footprint->unsteady >> part & 1 || !persists(footprint, part, ends, &said)) continue;
    footprint->part = part;
    snprintf(footprint->said, sizeof footprint->said,
             rh_state_parts[part].how & RH_MAY_HOLD && ends ? "after %s, %s are not as before: %s"
                                                            : "%s changes %s: %s",
             phase, rh_state_parts[part].words, rh_text_get(&said));
  }
  rh_text_finish(&said);
  if (!footprint || !ends) return;
  footprint->has_base = 0;
  finish(footprint->allowed);
}

void rh_footprint_finish(rh_footprint *footprint) {
  finish(footprint->base);
  finish(footprint->allowed);
  finish(footprint->outside);
}
