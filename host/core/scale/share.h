/* A rank's part of a reduction: a run of tiles, reduced in chunks by one strategy, each chunk
 * checked, and their values kept as nodes of the canonical tree. */
#ifndef RH_SCALE_SHARE_H
#define RH_SCALE_SHARE_H

#include "../io/feed.h"
#include "../reduce/kept.h"
#include "fold.h"

#include <stdatomic.h>

/* Where the elements are: exactly one of feeds, kind and arrays. */
typedef struct rh_share_spec {
  rh_redhost *redhost;
  /* What is reduced, with n of the whole.  A user's operator has rh_operator_take_base(). */
  const rh_job_spec *job;
  uint64_t first_tile, tiles; /* of this part: rh_share_cut() */
  rh_feed *const *feeds;      /* open files, one for each operand */
  const char *kind;           /* of generated data, */
  uint64_t seed;              /* operand k has seed + k */
  const void *const *arrays;  /* in memory, one array for each operand, */
  uint64_t first_element;     /* from this element of the whole on; */
  const void *const *seam;    /* null, or the last tile's elements, if the arrays end within it; */
  rh_kept_job *kept;          /* set up for rh_share_chunk() elements, with this operator */
  int checks;                 /* 1: every chunk is compared with its exact reference */
  const atomic_int *stop;     /* null, or 1: return early, with RH_E_CANCELLED */
} rh_share_spec;

/* What the check adds up to; bytes that other processes of the same program understand. */
typedef struct rh_share_check {
  uint64_t chunks, unjudged; /* that were checked, and of these without a verdict */
  uint64_t depth;            /* of a chunk's answer, the deepest; 0: unknown */
  uint64_t flushes;          /* 1: a device flushed subnormals to zero */
  rh_exact_sum sum;          /* of float sums and asums */
  rh_exact_prod prod;        /* of float products */
} rh_share_check;

/* Zero-initialised may be finished. */
typedef struct rh_share {
  rh_fold fold; /* in tiles */
  rh_share_check check;
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

/* Fails as rh_job_init() does, with RH_E_WRONG for a wrong chunk, or as reading does. */
rh_status rh_share_reduce(rh_share *part, const rh_share_spec *spec, rh_error *error);
void rh_share_finish(rh_share *part);

/* Makes the judgement of the whole answer from all parts' checks, of which *check is the sum. */
void rh_share_judge(const rh_job_spec *job, const rh_share_check *check, const rh_result *result,
                    rh_reference *reference, rh_verdict *verdict);
/* *check += *other. */
void rh_part_check_add(rh_share_check *check, const rh_share_check *other);

#endif
