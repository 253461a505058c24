/* Measuring: samplers, a device made ready for them, and the statistics of their samples. */
#pragma once

#include "../../engine/segments/segments.h"

/* A device as the benchmark uses it: two queues, memory to sweep over, and the device's
 * calibration. docs/inside/measuring.md explains the method. */

/* The order in which a sweep reads, named as in the kernels of calibration.cl. */
typedef enum rh_sweep_order { RH_SWEEP_STRIDED, RH_SWEEP_CHUNKED, RH_SWEEP_PAGED } rh_sweep_order;

/* How a sweep over the scratch memory is launched. */
typedef struct rh_sweep {
  cl_kernel kernel;
  rh_sweep_order order;
  uint32_t width, group;
  uint64_t items;
} rh_sweep;

/* The minimum span of rotating inputs, larger than today's caches. */
enum { RH_COLD_BYTES = 512 << 20 };

/* The best figures of a device, measured once per process. */
typedef struct rh_calibration {
  double timer_declared_s,
      timer_step_s;        /* the declared resolution of its clock, and the observed one */
  double launch_s;         /* the host's time to enqueue a kernel */
  double empty_kernel_s;   /* per empty kernel in a batch, by the device's clock */
  double read_peak;        /* bytes/s */
  double upload, download; /* bytes/s, from and to pageable memory */
  uint64_t cold_bytes;     /* the span of rotating inputs that no cache holds */
} rh_calibration;

/* [one thread at a time] */
typedef struct rh_bench_device {
  rh_cl_session *session;
  cl_command_queue plain, timed; /* the session's own; one with profiling */
  cl_program program;
  cl_kernel empty;
  /* null until needed: filling it takes a noticeable fraction of a second on a CPU */
  cl_mem scratch;
  uint64_t scratch_bytes;
  rh_sweep sweep;          /* the fastest one */
  double sweep_s;          /* of one sweep over all of the scratch memory */
  uint64_t throttle_bytes; /* read by one throttle check */
  /* the time of an unthrottled check in this process, and the tolerated relative excess */
  double throttle_baseline_s, throttle_slack;
  rh_calibration calibration;
  int host_clock; /* 1: the device's clock is wrong or must not be used */
} rh_bench_device;

/* Opens the queues and calibrates, within about a second.  `session` must outlive it. host_clock:
 * do not use the device's clock. */
rh_status rh_bench_device_open(rh_bench_device *bench_device, rh_cl_session *session,
                               int host_clock, rh_error *error);
/* Opens the queues of a device that another process calibrated, which knew *known; its handles are
 * not used. */
rh_status rh_bench_device_adopt(rh_bench_device *bench_device, const rh_bench_device *known,
                                rh_cl_session *session, rh_error *error);

void rh_bench_device_close(rh_bench_device *bench_device); /* zero-initialised is fine */

/* Starts sweeps on the timed queue that keep the device busy for at least `seconds`. */
rh_status rh_bench_device_occupy(rh_bench_device *bench_device, double seconds, rh_error *error);

/* Throttle check: runs a few short sweeps. *slower is 1 if all of them exceeded the baseline by
 * more than the usual scatter. */
rh_status rh_bench_device_is_throttled(rh_bench_device *bench_device, int *slower, rh_error *error);

/* From here on, throttle checks use the host's clock, too. */
void rh_bench_device_use_host_clock(rh_bench_device *bench_device);

/* Seconds from START of the first command to END of the last; RH_E_CL if the time stamps are
 * invalid.  Releases both events, which may be the same. */
rh_status rh_span(cl_event first, cl_event last, double *seconds, rh_error *error);

/* Statistics of a sample of times: quantiles, and the 95 % interval of the median by order
 * statistics. samples = 0 means that nothing was measured. */
typedef struct rh_spread {
  double median, ci_low, ci_high; /* s */
  double mean, min, max, q1, q3, mad;
  uint32_t samples, outliers; /* outliers: modified z > 5; counted, never dropped */
} rh_spread;

/* One command of one instrumented run.  Events on every command change the run, so these times
 * are never mixed with the main figures. */
typedef struct rh_part {
  char stage[48]; /* "tiles", "fill", "read" */
  double seconds; /* on the device */
} rh_part;
enum { RH_MAX_PARTS = 64 };

typedef struct rh_parts {
  rh_part list[RH_MAX_PARTS];
  uint32_t n;
  double host_share_s; /* the time that no part accounts for */
} rh_parts;

/* The statistics of n samples, which keep their order; zeros for none, and without memory. */
rh_spread rh_spread_of(const double *samples, uint32_t n);

/* The half width of the median's 95 % interval, and the interquartile range, as fractions of the
 * median; 0 if the median is 0. */
double rh_spread_precision(const rh_spread *spread);
double rh_spread_iqr(const rh_spread *spread);

/* The interface to whatever can be timed: a strategy in this process, one in a separate process,
 * or a peer program.  The benchmark (tools/bench) takes samples of all of them in turn through this
 * interface only. */

/* X(name, the words for messages): what a sampler is doing. */
#define RH_PHASE_LIST(X)                                                                           \
  X(start, "at its start")                                                                         \
  X(devices, "while the OpenCL driver was loaded")                                                 \
  X(loading, "while loading")                                                                      \
  X(query, "in query")                                                                             \
  X(setup, "in setup")                                                                             \
  X(run, "in run")                                                                                 \
  X(measuring, "in run, while it was measured")                                                    \
  X(teardown, "in teardown")
typedef enum rh_phase {
#define RH_X(name, words) RH_PHASE_##name,
  RH_PHASE_LIST(RH_X)
#undef RH_X
} rh_phase;
const char *rh_phase_words(rh_phase phase);

/* The data of one point.  The sampler makes `copies` of the n elements, `stride` bytes apart, in
 * its own memory (on a device or the host) and reads one after the other, so that none is in a
 * cache.  With one copy, the data are hot. */
typedef struct rh_bench_data {
  const rh_operator *op;
  uint64_t n;
  const void *elements; /* page-aligned; borrowed until close */
  uint64_t serial;      /* changes whenever the elements do */
  uint64_t copies, stride;
  /* Null, or the memory that holds the elements at `offset`.  Then there are no copies: the
   * elements are reduced in place, timed by the host's clock alone.  Another process maps
   * region->file, which is shared. */
  const rh_region *region;
  uint64_t offset;
  uint32_t in_chunks; /* 1: the region begins with an rh_chunk, for RH_TAKE_CHUNK */
  /* A custom operator's operands begin at these offsets behind the elements, and take so many
   * bytes. */
  const uint64_t *offsets;
  uint64_t custom_bytes;
  const rh_lengths *lengths; /* null: the whole array; or its segments, each of which has a value */
} rh_bench_data;

uint64_t rh_bench_data_bytes(const rh_bench_data *data); /* of one copy */

/* A parameter's value in use. */
typedef struct rh_used_param {
  char key[64], text[64]; /* "tile", "256" */
  int64_t number;
  uint32_t is_word; /* 1: `text` is one of its choices */
} rh_used_param;

/* The results of ask and open; after ask, without those of setup. */
typedef struct rh_opened {
  uint32_t launches, finishes_on_host;
  uint64_t depth;      /* for the check of the result; 0: unknown */
  uint32_t host_clock; /* 1: no times are measured with the device's clock */
  double build_s, upload_s, setup_s;
  uint32_t build_cached;
  uint32_t params_from; /* RH_PARAMS_FROM_* */
  char params[256];     /* "tile=256 finish=device"; "" */
  /* For strategies only, not for peers. */
  uint64_t scratch_bytes, local_bytes;
  uint32_t in_place; /* the device reads the host's memory; nothing was uploaded */
  uint32_t n_used;
  rh_used_param used[RH_MAX_PARAMS];
  char params_note[320]; /* "tuned here"; "" */
} rh_opened;

/* How samples are taken. */
enum {
  /* a batch by the device's clock, behind a blocking kernel where that helps; the main figure */
  RH_TAKE_DEVICE = 1,
  RH_TAKE_HOST = 2,    /* the same batch by the host's clock, without a blocking kernel or events */
  RH_TAKE_LATENCY = 3, /* calls with hot data, each until the value is on the host */
  RH_TAKE_PART = 4,    /* one such call, with 1/batch of the elements; in this process only */
  RH_TAKE_CHUNK = 5    /* one call, of what has been written into the region */
};
typedef struct rh_take {
  uint32_t kind;
  uint32_t batch; /* reductions in one sample; but in this process, 1 for RH_TAKE_LATENCY */
} rh_take;

/* At the beginning of a region that several chunks are written to, one after the other. */
typedef struct rh_chunk {
  uint64_t n;                                 /* of the elements, those that are reduced */
  uint64_t constants[RH_MOST_CONSTANT_WORDS]; /* of an operator that has operands */
  _Alignas(16) unsigned char value[RH_ANY_VALUE_BYTES]; /* the answer */
} rh_chunk;

typedef struct rh_taken {
  double seconds;   /* of one reduction */
  uint32_t stamped; /* 1: by the device's clock */
  rh_result result; /* of the last reduction */
} rh_taken;

/* `self` belongs to the sampler.  RH_DECLINED: it cannot serve this; RH_E_CANCELLED ends the
 * benchmark; any other failure ends the point for this sampler, which must be closed and may be
 * opened again. */
typedef struct rh_sampler {
  void *self;
  char name[64];
  uint32_t is_peer, reproducible; /* RH_BITS_* */
  /* Can it serve the problem?  Neither sets up nor reads the elements.  Open calls it if the
   * caller did not.  Null: only open can tell. */
  rh_status (*ask)(void *self, const rh_bench_data *data, rh_opened *opened, rh_error *error);
  rh_status (*open)(void *self, const rh_bench_data *data, rh_opened *opened, rh_error *error);
  rh_status (*take)(void *self, const rh_take *take, rh_taken *taken, rh_error *error);
  rh_status (*parts)(void *self, rh_parts *parts, rh_error *error); /* null: unknown */
  /* Of segments: the values of the last sample, each of op->abi->value_size bytes. */
  rh_status (*values)(void *self, void *to, rh_error *error);
  /* Called after ask and open, whether they succeeded or not.  Fails if teardown took the process
   * down. */
  rh_status (*close)(void *self, rh_error *error);
  void (*finish)(void *self); /* called once, at the end */
} rh_sampler;

/* Opens, takes one answer and closes. */
rh_status rh_sampler_once(const rh_sampler *sampler, const rh_bench_data *data, rh_result *result,
                          rh_error *error);

/* The copies of a point's data that its reductions rotate through, so that no input is in a
 * cache. */

/* Created on first use and kept from point to point, since allocating for each point would take
 * longer than measuring.  Zero-initialised is empty. */
typedef struct rh_pool {
  rh_region region;   /* on the host */
  uint64_t region_of; /* the serial number of its data */
  rh_cl_input input;  /* on the device */
  uint64_t input_of;
  double upload_s; /* time to upload one copy */
} rh_pool;

void rh_pool_finish(rh_pool *pool);

/* ---- A strategy in this process as a sampler ---- */

/* The strategies of one device share this. */
typedef struct rh_local_shared {
  rh_context *context;
  /* null if only host strategies or data with a region are sampled */
  rh_bench_device *bench_device;
  rh_pool pool;
  uint32_t untuned; /* 1: ignore tuned parameters; use the defaults and the settings */
  /* 1: reject settings that the strategy does not have, instead of ignoring them */
  uint32_t strict;
  const char *what;                          /* the data, for messages */
  void *user;                                /* null, or */
  void (*enter)(void *user, rh_phase phase); /* called when a strategy enters a phase */
} rh_local_shared;

/* Notes what the strategy of a job answered, and its parameters. */
void rh_opened_note(const rh_job *job, rh_opened *opened);

/* `found` and the settings are copied, but for the strings of the settings, which must outlive the
 * sampler.  Its finish() frees it. */
rh_status rh_local_sampler(rh_sampler *sampler, rh_local_shared *shared, const rh_found *found,
                           const rh_setting *settings, uint64_t n_settings, rh_error *error);

/* A quick estimate of a reduction's time: with the host's clock, within a fraction of a second. */

typedef struct rh_quick {
  rh_spread latency; /* one call until the value is on the host */
  /* of one of some reductions enqueued back to back; the latency if it finishes on the host */
  rh_spread time;
} rh_quick;

/* Samples of one kind: at most so many, and for so long. */
typedef struct rh_series {
  rh_take how;
  uint32_t most; /* at most RH_MOST_IN_A_SERIES */
  double budget_s;
} rh_series;

enum { RH_MOST_IN_A_SERIES = 21 };

/* Takes one sample of an open sampler at least. */
rh_status rh_measure_series(const rh_sampler *sampler, const rh_series *series,
                            const rh_reporter *reporter, rh_spread *spread, rh_error *error);

/* Takes samples of an open sampler for about half a second in all; at least one. */
rh_status rh_measure_quick(const rh_sampler *sampler, const rh_opened *opened,
                           const rh_reporter *reporter, rh_quick *quick, rh_error *error);
