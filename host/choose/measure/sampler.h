/* The interface to whatever can be timed: a strategy in this process, one in a separate process,
 * or a peer program.  The benchmark (bench.h) takes samples of all of them in turn through this
 * interface only. */
#pragma once

#include "../../core/base/region.h"
#include "../../core/operation/operator.h"
#include "../../core/run/params.h"
#include "../../engine/segments/lengths.h"
#include "stats.h"

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
const char *rh_phase_name(rh_phase phase);
const char *rh_phase_words(rh_phase phase);
int rh_phase_find(const char *name, rh_phase *phase); /* 1, or 0 */

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
  /* One instrumented run: at most RH_MAX_PARTS parts.  Null: unknown. */
  rh_status (*parts)(void *self, rh_part *parts, uint32_t *n_parts, double *host_share_s,
                     rh_error *error);
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
