/* A rank's part of a reduction: a run of tiles, reduced in chunks by one strategy, each chunk
 * checked, and their values kept as nodes of the canonical tree.  share_stream.h and share_arrays.h
 * reduce one. */
#pragma once

#include "../reduce/job.h"
#include "fold.h"

/* A part of what is reduced. */
typedef struct rh_share_spec {
  rh_context *context;
  /* With n of the whole.  A user's operator has rh_custom_take_base(). */
  const rh_job_spec *job;
  uint64_t first_tile, tiles; /* of this part: rh_share_cut() */
  int checks;                 /* 1: every chunk is compared with its exact reference */
} rh_share_spec;

/* What the check adds up to; bytes that other processes of the same program understand. */
typedef struct rh_share_check {
  uint64_t chunks, unjudged; /* that were checked, and of these without a verdict */
  uint64_t depth;            /* of a chunk's answer, the deepest; 0: unknown */
  uint64_t flushes;          /* 1: a device flushed subnormals to zero */
  rh_exact_sum sum;          /* of float sums and asums */
  rh_exact_prod prod;        /* of float products */
  /* Of maps whose functions err: */
  rh_enclosed enclosed;
  _Alignas(16) unsigned char value[16]; /* as a reference has it; of operators that are exact */
} rh_share_check;

/* Zero-initialised may be finished. */
typedef struct rh_share {
  rh_fold fold; /* in tiles */
  rh_share_check check;
  int may_change;             /* 1: others than the strategy can write to the elements */
  const rh_cl_device *device; /* null: the host */
  char strategy[64], path[1024];
} rh_share;

/* *first, *tiles = those of this rank, when `size` ranks share n elements: runs in the order of the
 * ranks, cut where the tree has few nodes on either side. */
void rh_share_cut(const rh_job_spec *job, uint32_t rank, uint32_t size, uint64_t *first,
                  uint64_t *tiles);

/* The operator as values are combined by it. */
const rh_op *rh_share_op(const rh_job_spec *job);
/* The elements of a tile; the most of a chunk, in a part of that many tiles. */
uint64_t rh_share_tile(const rh_job_spec *job);
uint64_t rh_share_chunk(const rh_job_spec *job, uint64_t tiles);

/* Empties the part, for the values of chunks. */
void rh_share_begin(rh_share *part, const rh_job_spec *job);
/* Notes who reduces it. */
void rh_share_name(rh_share *part, const rh_job *job);
/* Adds the value of a chunk of 2^level tiles from `tile` on; `by` has computed it, and `value` is
 * changed.  reference: null, or that of the chunk, whose elements are at `operands`; RH_E_WRONG if
 * the value is wrong, RH_E_FILE if they have changed. */
rh_status rh_share_add(rh_share *part, const rh_job_spec *job, const rh_job *by, uint64_t tile,
                       uint32_t level, const void *const *operands, rh_reference *reference,
                       void *value, rh_error *error);
void rh_share_finish(rh_share *part);

/* Makes the judgement of the whole answer from all parts' checks, of which *check is the sum. */
void rh_share_judge(const rh_job_spec *job, const rh_share_check *check, const rh_result *result,
                    rh_reference *reference, rh_verdict *verdict);
/* *check += *other. */
void rh_part_check_add(const rh_job_spec *job, rh_share_check *check, const rh_share_check *other);
