/* Processes that reduce together: transports, and what the ranks agree on. */
#pragma once

#include <redhost/transport.h>
#include <stdatomic.h>

#include "../../core/operation/operation.h"

/* The processes of a job over a transport: they exchange small messages, learn of each other's
 * failures, and fail together.
 *
 * Every rank makes the same calls in the same order.  A failure of any rank becomes the failure of
 * all, with one sentence that names the rank and its host.  A rank that ends or stops answering
 * breaks the job: nothing can be exchanged any more, and rh_ranks_abort() is all that is left. */

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

/* Are all ranks asked for the same?  The texts of their operations are compared whole, first by a
 * digest, because many ranks would say much. */

/* Texts of one digest are the same. */
typedef struct rh_digest {
  uint64_t words[2];
} rh_digest;
rh_digest rh_agree_digest(const char *text);

/* *other: the first rank with another text than rank 0, and what it says otherwise; 0: none.  All
 * ranks call it, and find the same. */
rh_status rh_agree_compare(rh_ranks *ranks, const char *mine, uint32_t *other, rh_difference *found,
                           rh_error *error);

/* The sentence, RH_E_USAGE. */
rh_status rh_agree_fail(const rh_ranks *ranks, uint32_t other, const rh_difference *found,
                        rh_error *error);

/* The transport `local`: several processes of one host, without MPI.
 *
 * Rank 0 starts the others as processes of the same program with the same arguments, and has a
 * socket to each.  They end with it, whatever it dies of. */

enum { RH_LOCAL_MOST_RANKS = 1024 };

extern const rh_transport rh_local_transport;

/* Was this process started by rh_local_launch()?  Then rh_local_transport.open() joins. */
int rh_local_is_rank(void);

/* Starts ranks 1 .. size-1 and makes this process rank 0.  program: an absolute path; argv: with a
 * final null.  RH_E_USAGE if the system allows no more processes or files, RH_E_DEVICE if they
 * cannot be started for another reason; none is left running then. */
rh_status rh_local_launch(void **self, rh_rank_place *place, uint32_t size, const char *program,
                          char *const *argv, rh_error *error);

/* ---- Transports in files: found, opened, and asked whether they can work here ---- */

enum { RH_TRANSPORT_TEXT_BYTES = 512 };

/* A file that may be a transport, or the built-in one. */
typedef struct rh_transport_entry {
  char *path;                    /* null: built in */
  const rh_transport *transport; /* null: not opened, and text says why */
  int32_t answer;                /* RH_TRANSPORT_*, of its probe */
  char text[RH_TRANSPORT_TEXT_BYTES];
} rh_transport_entry;

typedef struct rh_transport_list {
  rh_transport_entry *entries;
  uint32_t n;
  char *searched; /* "/a:/b" */
} rh_transport_list;

/* 1 to 31 characters of a-z, 0-9, - and _; null is not. */
int rh_transport_name_is_valid(const char *name);

/* Opens one file, for the rest of the process, and checks its descriptor.  RH_E_PLUGIN. */
rh_status rh_transport_open(const char *path, const rh_transport **transport, rh_error *error);

/* All transports: the built-in one, then files in the order of the search.  Opens all of them in
 * this process and asks each; so a process that joins a job uses rh_transport_find(). */
rh_status rh_transports_list(rh_transport_list *list, rh_error *error);
void rh_transport_list_finish(rh_transport_list *list);

/* The best transport of that name, or in that file if `name` has a slash.  RH_E_PLUGIN, with what
 * was tried and what to do, if none can work here; RH_E_USAGE if no transport has that name. */
rh_status rh_transport_find(const char *name, const rh_transport **transport, rh_error *error);
