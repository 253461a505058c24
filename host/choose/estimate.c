#include "estimate.h"

#include <math.h>

enum { UNLIKENESSES = RH_TUNED_OTHER_SIZE + 1 };

typedef struct times {
  double time_s, latency_s;
} times;

/* From one source, and no more unlike the problem than `unlike`. */
static const rh_tunedb_entry *find(const rh_tunedb *tuned, const rh_estimated *of, int shipped,
                                   uint32_t unlike, uint64_t least_n, uint64_t most_n) {
  const rh_tunedb_timed wanted = {
      .first = shipped ? RH_TUNED_SHIPPED : RH_TUNED_HERE,
      .last = shipped ? RH_TUNED_SHIPPED : RH_TUNED_HERE,
      .unlike = unlike,
      .least_n = least_n,
      .most_n = most_n,
  };
  return rh_tunedb_find_timed(tuned, &wanted, of->strategy, of->plugin, of->op->base, of->op->type,
                              of->op->hash, of->n);
}

static const rh_tunedb_entry *nearest(const rh_tunedb *tuned, const rh_estimated *of, int shipped,
                                      uint32_t unlike) {
  return find(tuned, of, shipped, unlike, 0, UINT64_MAX);
}

/* Unknown if one of the two is unknown. */
static double between(double below, double above, double share) {
  return below > 0 && above > 0 ? below * pow(above / below, share) : 0;
}

static double log_of(uint64_t n) {
  return log2((double)(n ? n : 1));
}

/* Zeros if the source has no data. */
static times times_at(const rh_tunedb *tuned, const rh_estimated *of, int shipped,
                      uint32_t unlike) {
  const rh_tunedb_entry *below = find(tuned, of, shipped, unlike, 0, of->n);
  const rh_tunedb_entry *above = find(tuned, of, shipped, unlike, of->n, UINT64_MAX);
  if (below && above && below->n != above->n) {
    double share = (log_of(of->n) - log_of(below->n)) / (log_of(above->n) - log_of(below->n));
    return (times){between(below->time_s, above->time_s, share),
                   between(below->latency_s, above->latency_s, share)};
  }
  if (above) return (times){above->time_s, above->latency_s};
  if (!below) return (times){0};
  double more = (double)of->n / (double)(below->n ? below->n : 1);
  return (times){below->time_s * more, below->latency_s * more};
}

static double ratio(double a, double b) {
  return a > 0 && b > 0 ? a / b : 0;
}

/* `here` is the entry that was measured nearest to n. */
static rh_estimate by_both(const rh_tunedb *tuned, const rh_estimated *of, uint32_t unlike,
                           const rh_tunedb_entry *here) {
  uint32_t alike = unlike < RH_TUNED_SAME_SIZE ? RH_TUNED_SAME_SIZE : unlike;
  rh_estimated there = *of;
  there.n = here->n;
  times measured = times_at(tuned, of, 0, unlike), asked = times_at(tuned, of, 1, alike);
  times then = times_at(tuned, &there, 1, alike);
  int is_between =
      find(tuned, of, 0, unlike, 0, of->n) && find(tuned, of, 0, unlike, of->n, UINT64_MAX);
  double grown = ratio(asked.time_s, then.time_s), later = ratio(asked.latency_s, then.latency_s);
  rh_estimate made = {here, unlike, measured.time_s, measured.latency_s, 0};
  if (unlike == RH_TUNED_SAME) {
    times same = times_at(tuned, &there, 1, RH_TUNED_SAME);
    made.measured_per_shipped = ratio(here->latency_s, same.latency_s);
    if (made.measured_per_shipped == 0)
      made.measured_per_shipped = ratio(here->time_s, same.time_s);
  }
  if (is_between) return made;
  if (grown > 0) made.time_s = here->time_s * grown;
  if (later > 0) made.latency_s = here->latency_s * later;
  return made;
}

rh_estimate rh_estimate_of(const rh_tunedb *tuned, const rh_estimated *of) {
  for (uint32_t unlike = 0; unlike < UNLIKENESSES; unlike++) {
    const rh_tunedb_entry *here = nearest(tuned, of, 0, unlike);
    const rh_tunedb_entry *shipped = nearest(tuned, of, 1, unlike);
    if (here) return by_both(tuned, of, unlike, here);
    if (!shipped) continue;
    times likely = times_at(tuned, of, 1, unlike);
    return (rh_estimate){shipped, unlike, likely.time_s, likely.latency_s, 0};
  }
  return (rh_estimate){0};
}
