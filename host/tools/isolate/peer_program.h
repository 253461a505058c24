/* A program and the peers that it offers.  The samplers of peer programs and of isolated
 * strategies share this. */
#pragma once

#include "../../core/base/text.h"
#include "peer.h"
#include "peer_process.h"
#include "request.h"

typedef struct rh_peer {
  rh_peers *peers;
  char name[64], about[256];
  uint32_t holds_data; /* it is counted in n_holding */
  uint32_t opened_in;  /* the number of the start in which its point was opened; 0: not open */
  uint32_t op;         /* where results come as fields and have no index: sum of f64 */
  rh_type type;
  int has_index;
  uint32_t n_fields; /* that a user's operator gives */
  uint32_t has_parts;
  rh_bench_data segmented; /* while a point with segments is open: its data; else all zeros */
} rh_peer;

struct rh_peers {
  char *program, *who;
  rh_found found; /* for an isolated strategy: its name and file */
  rh_text order;  /* its request without the part on the data */
  rh_text request;
  const rh_custom *own[RH_MOST_OWN]; /* the users' operators, n_own of them; borrowed */
  uint32_t n_own;
  rh_peer_process process;
  rh_peer list[RH_PEERS_MOST];
  uint32_t n;
  int data, reader; /* an unnamed file; `reader` is the program's read-only descriptor */
  uint32_t n_holding;
  const void *filled_from;
  uint64_t filled_bytes;
  uint64_t offset; /* offset of the data in process.own.region */
  uint32_t in_chunks;
};

/* Takes over `program` and `who`, malloc'ed.  Null if out of memory. */
rh_peers *rh_peers_make(char *program, char *who, const rh_options *options, double limit_s);

/* Starts the program unless it is running, and reads its greeting. */
rh_status rh_peers_ensure_running(rh_peers *peers, rh_error *error);

/* Called before the start: sets the file that the program gets as its data. */
rh_status rh_peers_bind_data(rh_peers *peers, const rh_bench_data *data, rh_error *error);
rh_status rh_peers_open_data(rh_peers *peers, rh_error *error); /* for data without a region */
/* Of a point with segments: where the offsets stand in the file, and the results. */
typedef struct rh_peer_places {
  uint64_t offsets, results, result_bytes; /* bytes: of one result */
  uint64_t end;
} rh_peer_places;
rh_peer_places rh_peer_places_of(const rh_peer *me, const rh_bench_data *data);
/* Writes the data of a point, and keeps them while it is open. */
rh_status rh_peer_hold_data(rh_peer *me, const rh_bench_data *data, rh_error *error);
void rh_peer_release_data(rh_peer *me);

/* The samplers' functions; `self` is an rh_peer. */
rh_status rh_peer_ask(void *self, const rh_bench_data *data, rh_opened *opened, rh_error *error);
rh_status rh_peer_open(void *self, const rh_bench_data *data, rh_opened *opened, rh_error *error);
rh_status rh_peer_take(void *self, const rh_take *take, rh_taken *taken, rh_error *error);
rh_status rh_peer_parts(void *self, rh_part *parts, uint32_t *n_parts, double *host_share_s,
                        rh_error *error);
rh_status rh_peer_values(void *self, void *to, rh_error *error);
rh_status rh_peer_close(void *self, rh_error *error);
