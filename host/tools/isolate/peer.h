/* Peer programs: alternatives to redhost, timed in the same rounds as the strategies.  A program
 * offers peers in lines over its descriptor 4 and finds the data in 5 (docs/extend/peers.md); each
 * peer is one more sampler.
 *
 * A program's output is untrusted.  A crash, a hang, or an invalid line fails the points that were
 * open there, with a message.  The program is restarted for the next point, but not after three
 * losses in a row without a sample. */
#pragma once

#include "../../choose/measure/local.h"
#include "../../operators/custom/custom.h"

enum { RH_PEERS_MOST = 32 }; /* peers of one program */

typedef struct rh_peers rh_peers;

/* Starts `program` and reads its offers, at least one peer.  The program gets options->device, if
 * set, as REDHOST_DEVICE in its environment. *options is borrowed and must outlive *peers.
 * `limit_s` applies to each answer: opening a point copies the data, which may be gigabytes.  The
 * progress callback of options->reporter is called a few times a second and may cancel.
 * RH_E_FILE: there is no such program; RH_E_PLUGIN: it does not speak the protocol. */
rh_status rh_peers_start(rh_peers **peers, const char *program, const rh_options *options,
                         double limit_s, rh_error *error);

/* The specification of one strategy in its own process, which uses the same protocol. */
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

/* Starts the process already, for data of that region. */
rh_status rh_isolated_start(const rh_sampler *sampler, const rh_bench_data *data, rh_error *error);

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
