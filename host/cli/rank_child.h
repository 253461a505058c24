/* A rank's part in a process of its own, for a strategy that did not come with redhost.  The child
 * gets the rank's command line and finds the same data again. */
#pragma once

#include "../core/child/request.h"
#include "../tools/isolate/peer_process.h"
#include "app.h"

#include <stdatomic.h>

/* The child cannot find these by itself. */
typedef struct rh_rank_order {
  uint32_t rank, size, processes; /* that share this host's processors */
  uint32_t op, type;              /* of the command line: rh_app */
  uint32_t device_kinds, no_cache, n_words;
  uint64_t promises;
  const char *program, *strategy, *plugin;
  const char *device;  /* its label, or null: the host */
  const char *problem; /* what all ranks agreed on, as their text */
} rh_rank_order;

/* Zero-initialised may be finished.  It must not be moved. */
typedef struct rh_rank_child {
  rh_peer_process process;
  rh_options options;
  const rh_reporter *reporter; /* the rank's */
  const atomic_int *stop;
  char *program;
  rh_text request, part;
} rh_rank_child;

/* Starts it.  In a thread that lives as long as the child: the child ends with it.  stop: null, or
 * 1 where the child is to be ended. */
rh_status rh_rank_child_start(rh_rank_child *child, const rh_app *app, rh_rank_order *order,
                              double timeout_s, const atomic_int *stop, rh_error *error);
/* Sets up the strategy; reduces.  The sentence names strategy, file and phase.  [any thread] */
rh_status rh_rank_child_open(rh_rank_child *child, rh_error *error);
rh_status rh_rank_child_reduce(rh_rank_child *child, rh_error *error);
/* The part that it sent: malloc'ed bytes, *n of them. */
rh_status rh_rank_child_part(const rh_rank_child *child, void **bytes, uint64_t *n,
                             rh_error *error);
void rh_rank_child_finish(rh_rank_child *child);

/* The child calls `open` to set up, `reduce`, and `close`.  Each finds the data or the strategy's
 * functions in `user`. */
typedef struct rh_rank_part {
  void *user;
  rh_status (*open)(void *user, int argc, char **argv, const rh_rank_order *order,
                    const rh_reporter *reporter, rh_error *error);
  rh_status (*reduce)(void *user, void **bytes, uint64_t *n, rh_error *error); /* malloc'ed */
  void (*close)(void *user);
} rh_rank_part;

/* Answers the rank until it wants no more; returns the exit status. */
int rh_rank_part_serve(const rh_rank_part *part);
