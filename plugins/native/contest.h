/* Which of two ways is faster on this machine, found while they are used.
 *
 * A processor's prefetchers, and what it costs to hand work to another thread, cannot be looked
 * up, so the first jobs take both ways in turn, and what follows takes the second way if its median
 * time is clearly less, and the first way otherwise.  Neither changes a result.  After a while the
 * contest is held again, because a program may come to call in another way. */
#ifndef NATIVE_CONTEST_H
#define NATIVE_CONTEST_H

#include <stdatomic.h>
#include <stdint.h>

enum { CONTEST_TRIALS = 15, CONTEST_OVER = 2 * CONTEST_TRIALS };

/* Zero-initialised: it has not begun. */
typedef struct rh_native_contest {
  _Atomic uint32_t begun, ended; /* trials */
  _Atomic uint32_t decided;      /* 0: not yet; else 1 + the way that won */
  uint32_t age; /* turns since then; the threads that take them do not count, and write nothing */
  double part;  /* the second way wins in less than this part of the first one's time; 0: 0.9 */
  double seconds[2][CONTEST_TRIALS];
} rh_native_contest;

/* Before `more` turns: begins anew if the last contest was `turns` turns ago.  Not while another
 * thread uses it. */
void rh_native_contest_renew(rh_native_contest *contest, uint32_t more, uint32_t turns);

/* The way for the next turn, 0 or 1.  *trial: what to pass to rh_native_contest_end() with the time
 * that it took, or CONTEST_OVER if none is wanted.  [any thread] */
unsigned rh_native_contest_begin(rh_native_contest *contest, uint32_t *trial);
/* seconds: for a unit of work.  [any thread] */
void rh_native_contest_end(rh_native_contest *contest, uint32_t trial, double seconds);

double rh_native_seconds(void); /* since a fixed time */

#endif
