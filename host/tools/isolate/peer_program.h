/* A program and the peers that it offers: what the samplers of peer programs and of isolated
 * strategies share. */
#ifndef RH_ISOLATE_PEER_PROGRAM_H
#define RH_ISOLATE_PEER_PROGRAM_H

#include "../../core/base/text.h"
#include "peer.h"
#include "peer_process.h"

typedef struct rh_peer {
  rh_peers *peers;
  char name[64], about[256];
  uint32_t holds_data; /* it counts among those that the data stand there for */
  uint32_t opened_in;  /* the start of the process that has its point open; 0: none has */
  uint32_t op;
  rh_type type;
  uint32_t has_parts;
} rh_peer;

struct rh_peers {
  char *program, *who;
  rh_found found; /* of a strategy's own process; its name and its file */
  rh_text order;  /* what that is asked for, whatever the data */
  rh_text request;
  rh_peer_process process;
  rh_peer list[RH_PEERS_MOST];
  uint32_t n;
  int data, reader; /* a file without a name; the program has it for reading */
  uint32_t n_holding;
  const void *filled_from;
  uint64_t filled_bytes;
  uint64_t offset; /* of the data in process.own.region */
};

/* Takes over `program` and `who`, malloc'ed.  Null where memory runs out. */
rh_peers *rh_peers_make(char *program, char *who, const rh_options *options, double limit_s);

/* Starts the program where it does not run, and listens to its greeting. */
rh_status rh_peers_ensure_running(rh_peers *peers, rh_error *error);

/* Before the start: which file the program finds as its data. */
rh_status rh_peers_bind_data(rh_peers *peers, const rh_bench_data *data, rh_error *error);
rh_status rh_peers_open_data(rh_peers *peers, rh_error *error); /* data without a region */
/* The data of a point, for as long as it is open. */
rh_status rh_peer_hold_data(rh_peer *me, const rh_bench_data *data, rh_error *error);
void rh_peer_release_data(rh_peer *me);

/* The functions of the samplers; `self` is an rh_peer. */
rh_status rh_peer_ask(void *self, const rh_bench_data *data, rh_opened *opened, rh_error *error);
rh_status rh_peer_open(void *self, const rh_bench_data *data, rh_opened *opened, rh_error *error);
rh_status rh_peer_take(void *self, const rh_take *take, rh_taken *taken, rh_error *error);
rh_status rh_peer_parts(void *self, rh_part *parts, uint32_t *n_parts, double *host_share_s,
                        rh_error *error);
rh_status rh_peer_close(void *self, rh_error *error);

#endif
