/* A contest finds the fastest of several ways on this machine while they are used.
 *
 * A processor's prefetchers, and what it costs to hand work to another thread, cannot be looked up,
 * so the first jobs take all ways in turn, and what follows takes the one whose median time is the
 * least, if it is clearly less than that of the first way, and the first way otherwise.  None
 * changes a result.  After a while the contest is held again, because a program may come to call in
 * another way. */
#ifndef NATIVE_CONTEST_H
#define NATIVE_CONTEST_H

#include <stdatomic.h>
#include <stdint.h>

enum {
  CONTEST_TRIALS = 15, /* of each way */
  CONTEST_MOST_WAYS = 3,
  CONTEST_OVER = CONTEST_MOST_WAYS * CONTEST_TRIALS
};

/* Zero-initialised: it has not begun. */
typedef struct rh_native_contest {
  _Atomic uint32_t begun, ended; /* trials */
  _Atomic uint32_t decided;      /* 0: not yet; else 1 + the way that won */
  uint32_t age;   /* turns since then; the threads that take them do not count, and write nothing */
  uint32_t again; /* contests after the first one */
  uint32_t ways;  /* 0: 2 */
  /* Threads that take turns at a time, which compete for the memory: they keep to a way for three
   * turns each, and the first and the last of these are not timed, for others may go another way
   * beside.  0: every turn is timed by itself. */
  uint32_t together;
  double part; /* another way wins in less than this part of the first one's time; 0: 0.9 */
  double seconds[CONTEST_MOST_WAYS][CONTEST_TRIALS];
} rh_native_contest;

/* Before `more` turns: begins anew if the last contest was `turns` turns ago; a 64th of them after
 * the first contest, and twice as many after each, for a program's first calls may come while the
 * system still moves threads between processors.  It is not called while another thread uses the
 * contest. */
void rh_native_contest_renew(rh_native_contest *contest, uint32_t more, uint32_t turns);

/* The way for the next turn, from 0 on.  *trial: what to pass to rh_native_contest_end() with the
 * time that it took, or CONTEST_OVER if none is wanted.  [any thread] */
unsigned rh_native_contest_begin(rh_native_contest *contest, uint32_t *trial);
/* seconds: for a unit of work.  [any thread] */
void rh_native_contest_end(rh_native_contest *contest, uint32_t trial, double seconds);

double rh_native_seconds(void); /* since a fixed time */

#endif
