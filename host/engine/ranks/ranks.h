/* The processes of a job over a transport: they exchange small messages, learn of each other's
 * failures, and fail together.
 *
 * Every rank makes the same calls in the same order.  A failure of any rank becomes the failure of
 * all, with one sentence that names the rank and its host.  A rank that ends or stops answering
 * breaks the job: nothing can be exchanged any more, and rh_ranks_abort() is all that is left. */
#pragma once

#include <redhost/redhost.h>
#include <redhost/transport.h>

#include <stdatomic.h>

enum { RH_HOST_BYTES = 64, RH_MOST_RANKS = 1 << 20 };
enum { RH_RANK_LOST_STATUS = 5 }; /* the exit status of ranks of a broken job */

/* Zero-initialised may be closed.  [the thread that opened it] */
typedef struct rh_ranks {
  const rh_transport *transport; /* of the process's lifetime; may lack what is not called */
  void *self;                    /* null: not open */
  rh_rank_place place;
  char (*hosts)[RH_HOST_BYTES]; /* of all ranks; null until they are known */
  int broken;                   /* a rank is lost */
  int blames_first;             /* what is lost is rank 0 */
  atomic_int stop;              /* 1: work of this rank is in vain, and should return */
  /* Tells a person why the job broke; null: nobody. */
  void (*say)(void *user, const char *sentence);
  void *user;
} rh_ranks;

/* The hosts' names, for messages; rh_ranks_open() does it. */
rh_status rh_ranks_learn_hosts(rh_ranks *ranks, rh_error *error);

/* Joins the job.  self: null, or the state of a transport that is open already, at `place`. */
rh_status rh_ranks_open(rh_ranks *ranks, const rh_transport *transport, void *self,
                        const rh_rank_place *place, rh_error *error);
void rh_ranks_close(rh_ranks *ranks);

/* all: bytes of each rank, by rank.  RH_E_PLUGIN if the job broke. */
rh_status rh_ranks_gather(rh_ranks *ranks, const void *mine, uint32_t bytes, void *all,
                          rh_error *error);

/* Gathers a number of bytes that differs from rank to rank and may exceed what a transport takes at
 * once: take() gets them in the order of the ranks. */
rh_status rh_ranks_gather_any(rh_ranks *ranks, const void *mine, uint64_t bytes,
                              rh_status (*take)(void *user, uint32_t rank, const void *theirs,
                                                uint64_t bytes, rh_error *error),
                              void *user, rh_error *error);

/* RH_OK if `mine` is that in all ranks; else all fail with the first one's failure.  why: this
 * rank's, if it has one. */
rh_status rh_ranks_settle(rh_ranks *ranks, rh_status mine, const rh_error *why, rh_error *error);

/* Does `work` in a thread of its own, while this one tells the others that the rank lives; returns
 * when all ranks are done, or one has failed.  `work` returns soon once ranks->stop is 1; where it
 * does not within a few seconds, the process ends by rh_ranks_abort(). */
rh_status rh_ranks_work(rh_ranks *ranks, rh_status (*work)(void *user, rh_error *error), void *user,
                        rh_error *error);

/* This process's rank on its host, as far as the environment tells before a job is joined, or 0. */
uint32_t rh_ranks_turn_here(void);

/* 1: an MPI launcher has started this process, so its environment says. */
int rh_ranks_have_launcher(void);

/* Says it if no other rank that the same launcher started on this host has said one: where ranks
 * come to the same failure by themselves, one sentence is enough.  is_first: 0 for a rank after
 * which others may come, within half a second. */
void rh_ranks_say(void (*say)(void *user, const char *sentence), void *user, const char *sentence,
                  int is_first);

/* Ends all ranks with the exit status of a broken job, after one of them has said why: rank 0, or
 * where that is lost, the first that comes to it.  Does not return. */
void rh_ranks_abort(rh_ranks *ranks, const char *sentence);

/* ---- One rank speaks for a job when several fail by themselves, each for the same reason ---- */

/* 1 for the first caller of the processes of this host which one launcher started, and again for
 * that process; 0 for the others, as long as the first lives. */
int rh_word_take(void);

/* Before the speaker ends, so that others find the word taken: the launcher may need longer to end
 * them than they to come.  Both may be called in a signal handler. */
void rh_word_hold(void);
