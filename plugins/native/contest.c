#define _POSIX_C_SOURCE 199309L /* clock_gettime */
#include "contest.h"

#include <stdlib.h>
#include <time.h>

static const double clearly = 0.9; /* less than this part of the time, unless `part` says another */

void rh_native_contest_renew(rh_native_contest *contest, uint32_t more, uint32_t turns) {
  if (!atomic_load_explicit(&contest->decided, memory_order_relaxed)) return;
  contest->age += more;
  if (contest->age < turns) return;
  contest->age = 0;
  atomic_store_explicit(&contest->begun, 0, memory_order_relaxed);
  atomic_store_explicit(&contest->ended, 0, memory_order_relaxed);
  atomic_store_explicit(&contest->decided, 0, memory_order_relaxed);
}

unsigned rh_native_contest_begin(rh_native_contest *contest, uint32_t *trial) {
  uint32_t decided = atomic_load_explicit(&contest->decided, memory_order_relaxed);
  *trial = CONTEST_OVER;
  if (decided) return decided - 1;
  if (atomic_load_explicit(&contest->begun, memory_order_relaxed) >= CONTEST_OVER) return 0;
  uint32_t begun = atomic_fetch_add_explicit(&contest->begun, 1, memory_order_relaxed);
  if (begun >= CONTEST_OVER) return 0; /* others make the last trials */
  *trial = begun;
  return begun % 2;
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double seconds[CONTEST_TRIALS]) {
  qsort(seconds, CONTEST_TRIALS, sizeof *seconds, by_value);
  return seconds[CONTEST_TRIALS / 2];
}

/* The thread that ends the last trial sees the times of all: they were written before `ended` was
 * increased, by a release, and are read after it, by an acquire. */
void rh_native_contest_end(rh_native_contest *contest, uint32_t trial, double seconds) {
  if (trial >= CONTEST_OVER) return;
  contest->seconds[trial % 2][trial / 2] = seconds;
  if (atomic_fetch_add_explicit(&contest->ended, 1, memory_order_acq_rel) + 1 < CONTEST_OVER)
    return;
  double part = contest->part != 0 ? contest->part : clearly;
  uint32_t winner = median(contest->seconds[1]) < part * median(contest->seconds[0]);
  atomic_store_explicit(&contest->decided, 1 + winner, memory_order_relaxed);
}

double rh_native_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
