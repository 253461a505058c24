/* The reduction of a source of any length: chunk by chunk, on one device or several, in the memory
 * of a few chunks for each. */
#pragma once

#include "source.h"
#include "stream_device.h"

enum { RH_STREAM_MOST_TIMES = 4096 };

typedef struct rh_stream_spec {
  const rh_source *source;
  rh_stream_device *devices;
  uint32_t n_devices;   /* 1 to RH_MOST_HANDS */
  uint64_t chunk_bytes; /* of the largest operand, at most; 0: what suits the devices */
  int check;            /* RH_CHECK_* */
} rh_stream_spec;

typedef struct rh_streamed {
  uint64_t n, bytes; /* elements, and bytes of all operands */
  uint64_t chunks, chunk_n;
  uint64_t depth; /* of the answer; 0: unknown */
  uint32_t slots, readers, is_pinned, in_place;
  uint32_t was_read; /* 1: reading has begun */
  uint64_t slot_bytes;
  double setup_s, seconds; /* from the first read to the last value */
  double read_s, copy_s, run_s;
  double copies[2]; /* when the first one began and the last one ended, from the first read on */
  rh_result result;
  uint64_t checked;       /* chunks */
  rh_reference reference; /* of RH_CHECK_FULL */
  rh_verdict verdict;     /* of RH_CHECK_FULL and RH_CHECK_SAMPLED */
  uint32_t n_times;
  rh_chunk_times *times; /* of the first chunks, from the first read on; malloc'ed */
} rh_streamed;

/* The strategies are asked and set up first, so that every refusal comes before data are read.
 *
 * Of several devices, one whose strategy declines or cannot be set up is left out, and one that
 * fails on the way leaves its chunks to the others, unless the source is read in order; its
 * `failure` says why, and the call succeeds.  Without any device left, it fails as one did.
 * Finish *out and each lane, even after a failure. */
rh_status rh_stream_run(const rh_stream_spec *spec, rh_streamed *out, rh_error *error);
void rh_streamed_finish(rh_streamed *streamed);
