#include "internal.h"

enum { UNLIKENESSES = RH_TUNED_OTHER_SIZE + 1 };

/* The fixed cost of a call: it starts threads, or a kernel. */
static const double start_s = 30e-6;

typedef struct times {
  double time_s, latency_s;
} times;

/* From one source, and no more unlike the problem than `unlike`. */
static const rh_tunedb_entry *find(const rh_tunedb *tuned, const rh_asked *of, int shipped,
                                   uint32_t unlike, uint64_t least_n, uint64_t most_n) {
  uint32_t origin = shipped ? RH_TUNED_SHIPPED : RH_TUNED_HERE;
  const rh_tunedb_timed wanted = {origin, origin, unlike, least_n, most_n, 0};
  return rh_tunedb_find_timed(tuned, &wanted, of);
}

rh_asked rh_asked_as(const rh_asked *of, const rh_tunedb_entry *entry) {
  rh_asked like = *of;
  if (!entry->own) like.op = entry->op;
  uint32_t bytes = rh_operator_element_bytes(of->op), theirs = rh_operator_element_bytes(like.op);
  if (bytes != theirs) like.n = (uint64_t)fmin((double)of->n * bytes / theirs, 0x1p63);
  return like;
}

/* Unknown if one of the two is unknown. */
static double between(double below, double above, double share) {
  return below > 0 && above > 0 ? below * pow(above / below, share) : 0;
}

static double log_of(uint64_t n) { return log2((double)(n ? n : 1)); }

/* A part of the elements takes as long to start, and its share of the rest. */
static double of_part(double seconds, double part) {
  return seconds > start_s ? start_s + (seconds - start_s) * part : seconds;
}

/* Zeros if the source knows nothing of this very operator and type. */
static times times_at(const rh_tunedb *tuned, const rh_asked *of, int shipped) {
  const rh_tunedb_entry *below = find(tuned, of, shipped, RH_TUNED_SAME, 0, of->n);
  const rh_tunedb_entry *above = find(tuned, of, shipped, RH_TUNED_SAME, of->n, UINT64_MAX);
  const rh_tunedb_entry *one = below ? below : above;
  if (!one) return (times){0};
  double n = (double)(of->n ? of->n : 1), share = n / (double)(one->n ? one->n : 1);
  if (below && above && below->n != above->n) {
    share = (log_of(of->n) - log_of(below->n)) / (log_of(above->n) - log_of(below->n));
    return (times){between(below->time_s, above->time_s, share),
                   between(below->latency_s, above->latency_s, share)};
  }
  if (share >= 1) return (times){one->time_s * share, one->latency_s * share};
  return (times){of_part(one->time_s, share), of_part(one->latency_s, share)};
}

static double ratio(double a, double b) { return a > 0 && b > 0 ? a / b : 0; }

/* How much longer the shipped times say that `of` takes than `there`, of any operator and type that
 * is as alike. */
static times growth(const rh_tunedb *tuned, const rh_asked *of, const rh_asked *there,
                    uint32_t alike) {
  const rh_tunedb_entry *like = find(tuned, of, 1, alike, 0, UINT64_MAX);
  if (!like) return (times){0};
  const rh_asked asked = rh_asked_as(of, like), then = rh_asked_as(there, like);
  times now = times_at(tuned, &asked, 1), before = times_at(tuned, &then, 1);
  return (times){ratio(now.time_s, before.time_s), ratio(now.latency_s, before.latency_s)};
}

/* `here` is the entry that was measured nearest to n. */
static rh_estimate by_both(const rh_tunedb *tuned, const rh_asked *of, uint32_t unlike,
                           const rh_tunedb_entry *here) {
  rh_asked there = *of;
  there.n = here->n;
  times measured = times_at(tuned, of, 0), then = times_at(tuned, &there, 1);
  rh_estimate made = {here, unlike, measured.time_s, measured.latency_s, 0};
  if (unlike == RH_TUNED_SAME) {
    made.measured_per_shipped = ratio(here->latency_s, then.latency_s);
    if (made.measured_per_shipped == 0)
      made.measured_per_shipped = ratio(here->time_s, then.time_s);
  }
  if (find(tuned, of, 0, RH_TUNED_SAME, 0, of->n) &&
      find(tuned, of, 0, RH_TUNED_SAME, of->n, UINT64_MAX))
    return made;
  times grown =
      growth(tuned, of, &there, unlike < RH_TUNED_SAME_SIZE ? RH_TUNED_SAME_SIZE : unlike);
  if (grown.time_s > 0) made.time_s = here->time_s * grown.time_s;
  if (grown.latency_s > 0) made.latency_s = here->latency_s * grown.latency_s;
  return made;
}

rh_estimate rh_estimate_of(const rh_tunedb *tuned, const rh_asked *of) {
  for (uint32_t unlike = 0; unlike < UNLIKENESSES; unlike++) {
    const rh_tunedb_timed any = {RH_TUNED_HERE, RH_TUNED_SHIPPED, unlike, 0, UINT64_MAX, 0};
    const rh_tunedb_entry *from = rh_tunedb_find_timed(tuned, &any, of);
    if (!from) continue;
    int shipped = from->origin == RH_TUNED_SHIPPED;
    const rh_asked like = rh_asked_as(of, from);
    from = find(tuned, &like, shipped, RH_TUNED_SAME, 0, UINT64_MAX);
    if (!shipped) return by_both(tuned, &like, unlike, from);
    times likely = times_at(tuned, &like, 1);
    return (rh_estimate){from, unlike, likely.time_s, likely.latency_s, 0};
  }
  return (rh_estimate){0};
}
