#define _POSIX_C_SOURCE 199309L /* clock_gettime */
#include "contest.h"

#include <stdlib.h>
#include <time.h>

static const double clearly = 0.9; /* less than this part of the time, unless `part` says another */

static uint32_t ways_of(const rh_native_contest *contest) {
  return contest->ways ? contest->ways : 2;
}

/* Turns are taken in spells of one way each; so many of a spell are timed. */
static uint32_t spell_of(const rh_native_contest *contest) {
  return contest->together ? 3 * contest->together : 1;
}
static uint32_t timed_of(const rh_native_contest *contest) {
  return contest->together ? contest->together : 1;
}
static uint32_t all_turns(const rh_native_contest *contest) {
  uint32_t timed = timed_of(contest), rounds = (CONTEST_TRIALS + timed - 1) / timed;
  return ways_of(contest) * rounds * spell_of(contest);
}

void rh_native_contest_renew(rh_native_contest *contest, uint32_t more, uint32_t turns) {
  if (!atomic_load_explicit(&contest->decided, memory_order_relaxed)) return;
  enum { DOUBLINGS = 6 };
  uint32_t doubled = contest->again < DOUBLINGS ? contest->again : DOUBLINGS;
  contest->age += more;
  if (contest->age < turns >> (DOUBLINGS - doubled)) return;
  contest->again++;
  contest->age = 0;
  atomic_store_explicit(&contest->begun, 0, memory_order_relaxed);
  atomic_store_explicit(&contest->ended, 0, memory_order_relaxed);
  atomic_store_explicit(&contest->decided, 0, memory_order_relaxed);
}

unsigned rh_native_contest_begin(rh_native_contest *contest, uint32_t *trial) {
  uint32_t decided = atomic_load_explicit(&contest->decided, memory_order_relaxed);
  *trial = CONTEST_OVER;
  if (decided) return decided - 1;
  uint32_t all = all_turns(contest);
  if (atomic_load_explicit(&contest->begun, memory_order_relaxed) >= all) return 0;
  uint32_t begun = atomic_fetch_add_explicit(&contest->begun, 1, memory_order_relaxed);
  if (begun >= all) return 0; /* others make the last trials */
  uint32_t spell = begun / spell_of(contest), at = begun % spell_of(contest) - contest->together;
  uint32_t ways = ways_of(contest), timed = timed_of(contest), k = spell / ways * timed + at;
  if (at < timed && k < CONTEST_TRIALS) *trial = k * ways + spell % ways;
  return spell % ways;
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double seconds[CONTEST_TRIALS]) {
  qsort(seconds, CONTEST_TRIALS, sizeof *seconds, by_value);
  return seconds[CONTEST_TRIALS / 2];
}

static uint32_t winner_of(rh_native_contest *contest) {
  double least = (contest->part != 0 ? contest->part : clearly) * median(contest->seconds[0]);
  uint32_t winner = 0;
  for (uint32_t way = 1; way < ways_of(contest); way++) {
    double time = median(contest->seconds[way]);
    if (time >= least) continue;
    least = time;
    winner = way;
  }
  return winner;
}

/* The thread that ends the last trial sees the times of all: they were written before `ended` was
 * increased, by a release, and are read after it, by an acquire. */
void rh_native_contest_end(rh_native_contest *contest, uint32_t trial, double seconds) {
  if (trial >= CONTEST_OVER) return;
  uint32_t ways = ways_of(contest);
  contest->seconds[trial % ways][trial / ways] = seconds;
  uint32_t ended = atomic_fetch_add_explicit(&contest->ended, 1, memory_order_acq_rel) + 1;
  if (ended < ways * CONTEST_TRIALS) return;
  atomic_store_explicit(&contest->decided, 1 + winner_of(contest), memory_order_relaxed);
}

double rh_native_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
