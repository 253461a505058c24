/* The reduction of a source of any length: chunk by chunk, by one strategy, in the memory of a
 * few chunks. */
#ifndef RH_SCALE_STREAMED_H
#define RH_SCALE_STREAMED_H

#include "checks.h"
#include "lane.h"
#include "source.h"

enum { RH_STREAM_MOST_TIMES = 4096 };

typedef struct rh_stream_spec {
  /* What is reduced, and by which strategy.  n and offsets do not count.  A user's operator has
   * rh_operator_take_base(). */
  const rh_job_spec *job;
  const rh_source *source;
  const rh_cl_device *device; /* the strategy's, of rh_job_device(); null: the host */
  uint64_t chunk_bytes;       /* of the largest operand, at most; 0: what suits the device */
  int check;                  /* RH_CHECK_* */
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
  rh_result result;
  uint64_t checked;       /* chunks */
  rh_reference reference; /* of RH_CHECK_FULL */
  rh_verdict verdict;     /* of RH_CHECK_FULL and RH_CHECK_SAMPLED */
  uint32_t n_times;
  rh_chunk_times *times; /* of the first chunks, from the first read on; malloc'ed */
} rh_streamed;

/* The lane's strategy is asked and set up first, so that every refusal comes before data are read.
 * *lane is of use afterwards for what the strategy answered; finish both, even after a failure. */
rh_status rh_stream_run(rh_redhost *redhost, const rh_stream_spec *spec, rh_lane *lane,
                        rh_streamed *streamed, rh_error *error);
void rh_streamed_finish(rh_streamed *streamed);

#endif
