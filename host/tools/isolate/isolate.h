/* Peer programs and strategies in processes of their own, as samplers and as workers. */
#pragma once

#include <stdatomic.h>

#include "../../choose/measure/measure.h"
#include "../../operators/custom/custom.h"

/* Peer programs: alternatives to redhost, timed in the same rounds as the strategies.  A program
 * offers peers in lines over its descriptor 4 and finds the data in 5 (docs/extend/peers.md); each
 * peer is one more sampler.
 *
 * A program's output is untrusted.  A crash, a hang, or an invalid line fails the points that were
 * open there, with a message.  The program is restarted for the next point, but not after three
 * losses in a row without a sample. */

enum { RH_PEERS_MOST = 32 }; /* peers of one program */

typedef struct rh_peers rh_peers;

/* Starts `program` and reads its offers, at least one peer.  The program gets options->device, if
 * set, as REDHOST_DEVICE in its environment. *options is borrowed and must outlive *peers.
 * `limit_s` applies to each answer: opening a point copies the data, which may be gigabytes.  The
 * progress callback of options->reporter is called a few times a second and may cancel.
 * RH_E_FILE: there is no such program; RH_E_PLUGIN: it does not speak the protocol. */
rh_status rh_peers_start(rh_peers **peers, const char *program, const rh_options *options,
                         double limit_s, rh_error *error);

/* Users' operators that one benchmark has, each on one type. */
enum { RH_MOST_OWN = 8 * RH_N_TYPES };

/* The specification of one strategy in its own process, which answers like a peer program. */
typedef struct rh_isolated_spec {
  const rh_options *options;  /* must outlive the sampler */
  const rh_found *found;      /* copied */
  const rh_cl_device *device; /* null: none */
  /* the child takes over its calibration; null if `device` is null or all data have a region */
  const rh_bench_device *bench_device;
  const rh_setting *settings;
  uint64_t n_settings;
  uint32_t untuned, strict; /* as rh_local_shared's */
  const char *what;         /* likewise */
  const char *role;         /* null: "--sample" */
  /* the users' operators that data may be of, at most RH_MOST_OWN, some of them null; the list is
   * copied, and they must outlive the sampler */
  rh_custom *const *own;
  uint32_t n_own;
  double limit_s; /* the limit on silence */
} rh_isolated_spec;

/* The strategy as a sampler like rh_local_sampler's, except that a fault ends only its own
 * process.  The process starts with the first point.  It maps the region of a point's data instead
 * of copying it; the region must be shared, must outlive the sampler, and may be filled between
 * ask and open. */
rh_status rh_isolated_sampler(rh_sampler *sampler, const rh_isolated_spec *spec, rh_error *error);

/* The same of the strategy that was located for a job, which must outlive the sampler. */
rh_status rh_isolated_job(rh_sampler *sampler, const rh_options *options, const rh_job_spec *job,
                          const rh_cl_device *device, double limit_s, rh_error *error);

/* The child's side: `redhost --sample` and `redhost --work` call this and exit with what it
 * returns. */
int rh_sample_main(void);

uint32_t rh_peers_count(const rh_peers *peers);
/* "OpenMP 4.5, 8 threads"; the peers' own, UTF-8 without control characters. */
const char *rh_peers_about(const rh_peers *peers, uint32_t k);

/* Valid until rh_peers_finish.  Samplers of one program may be open at the same time, on the same
 * data. */
rh_sampler rh_peers_sampler(rh_peers *peers, uint32_t k);

/* Ends the program; null is legal. */
void rh_peers_finish(rh_peers *peers);

/* A strategy in a process of its own as a job's remote: it is given data in parts, as in this
 * process, and each part is copied to where the process sees it. */

typedef struct rh_isolated_worker_spec {
  rh_context *context; /* borrowed, as all that follows */
  const rh_found *found;
  const rh_job_spec *job; /* its operator, settings and words for the data */
  const rh_cl_device *device;
  uint64_t most_n; /* elements of a part */
  double limit_s;
  int is_first;           /* of several workers, it alone reports progress */
  const atomic_int *stop; /* null, or 1 where it is to give up */
} rh_isolated_worker_spec;

typedef struct rh_isolated_worker {
  rh_remote remote; /* for rh_job_spec.remote; the first */
  rh_opened opened; /* what the strategy said when it was last set up */
  /* The worker's own. */
  rh_isolated_worker_spec spec;
  rh_options options; /* the context's, with a reporter of its own */
  rh_sampler sampler;
  rh_region region;
  rh_bench_data data;
  uint64_t offsets[RH_MOST_OPERANDS];
  int is_set_up;
} rh_isolated_worker;

/* Makes it, without the process, which starts when the strategy is first asked. */
rh_status rh_isolated_worker_open(rh_isolated_worker **made, const rh_isolated_worker_spec *spec,
                                  rh_error *error);
void rh_isolated_worker_close(rh_isolated_worker *worker); /* null is legal */

/* Starts the process already, which ends with the thread that does. */
rh_status rh_isolated_worker_start(rh_isolated_worker *worker, rh_error *error);
/* Has the strategy torn down, until it is to run again.  Fails if that took the process down. */
rh_status rh_isolated_worker_rest(rh_isolated_worker *worker, rh_error *error);
