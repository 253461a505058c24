/* A part of a reduction comes to this: the nodes of the canonical tree that its values make, what
 * is exactly known of its elements, and its edges, which are the elements of tiles that are not
 * whole.
 *
 * Partials of one reduction merge in any order, and the bits of the whole do not depend on how it
 * was cut.  They travel between threads, processes and ranks, and as files (partial_file.h). */
#pragma once

#include "../../core/run/job.h"
#include "fold.h"

/* Elements of a tile of which more are elsewhere: operand k's behind those of operand k - 1, each
 * operand padded with zeros to a multiple of 16 bytes. */
typedef struct rh_edge {
  uint64_t first, n;
  unsigned char *bytes;
} rh_edge;

/* Initialise with rh_partial_init(); zero-initialised may be finished.  [one thread at a time] */
typedef struct rh_partial {
  const rh_job_spec *job; /* the operator; borrowed */
  uint64_t whole_n;       /* elements of the whole; UINT64_MAX: not known yet */
  uint32_t check;         /* RH_CHECK_* */
  /* In tiles: the strategies' values; if all is checked and the operator is a struct or exact, also
   * the exact ones, of a struct in several orders. */
  rh_fold fold;
  rh_edge *edges; /* in the order of their elements; neighbours in a tile are one */
  uint32_t n_edges;
  uint64_t chunks, checked; /* whose values were added, and of these with a reference, */
  uint64_t unjudged;        /* and of these whose bound says nothing */
  int64_t depth;            /* the deepest value's depth less its level */
  uint32_t depth_unknown;   /* 1: of a value */
  uint32_t flushes;         /* 1: a device flushed subnormals to zero */
  char strategy[64];        /* of the first element that is there; "" if there is none */
  uint64_t strategy_first;
  rh_reference facts; /* sums and products of what was checked; not concluded */
  rh_verdict worst;   /* of chunks: wrong, else not judged, else the last */
} rh_partial;

/* The elements of a tile. */
uint64_t rh_partial_tile(const rh_job_spec *job);

/* job->n does not count.  A user's operator has rh_custom_take_base(). */
void rh_partial_init(rh_partial *partial, const rh_job_spec *job, uint64_t whole_n, uint32_t check);
void rh_partial_finish(rh_partial *partial);

/* Is the chunk one of those that are checked?  Depends on its index only. */
int rh_partial_wants(const rh_partial *partial, uint64_t index);
/* The reference of n elements, of which the first has index `first` in the whole.  threads: 0: one
 * per processor.  [any thread] */
rh_status rh_partial_refer(const rh_partial *partial, const void *const *operands, uint64_t first,
                           uint64_t n, uint32_t threads, rh_reference *reference, rh_error *error);

/* Elements from `first` on, which are 2^level tiles, or end with the whole. */
typedef struct rh_partial_chunk {
  uint64_t first, n;
  uint32_t level;
  const void *const *operands; /* where they are; not needed without a reference */
  int may_change;              /* 1: others than the strategy can write to them */
  rh_reference *reference;     /* null: it is not checked */
  const void *value; /* null: only its reference is added, as a fact of elements whose values come
                        without one */
} rh_partial_chunk;

/* Judges a chunk that is checked, adds its facts, and folds its value, which `by` has computed.
 * RH_E_WRONG names its elements if the value is wrong, of the first that is; it was added all the
 * same, and the strategy is blamed.  RH_E_FILE and RH_E_PLUGIN: what rh_job_judge_on() finds before
 * blame. */
rh_status rh_partial_add(rh_partial *partial, const rh_job *by, const rh_partial_chunk *chunk,
                         rh_error *error);

/* Adds n elements of any extent, which stay edges though they may be whole tiles. */
rh_status rh_partial_add_edge(rh_partial *partial, uint64_t first, uint64_t n,
                              const void *const *operands, rh_error *error);
/* RH_E_INVALID if one of n elements from `first` on is in an edge. */
rh_status rh_edges_check_free(const rh_partial *partial, uint64_t first, uint64_t n,
                              rh_error *error);
void rh_edges_drop(rh_partial *partial, uint32_t k); /* leaves edge k out */
void rh_edges_finish(rh_partial *partial);
void rh_edge_operands(const rh_partial *partial, const rh_edge *edge, const void **operands);
uint64_t rh_edge_bytes(const rh_job_spec *job, uint64_t n);

/* *partial += *other, of the same operator and check.  RH_E_INVALID names an element that both
 * have. */
rh_status rh_partial_merge(rh_partial *partial, const rh_partial *other, rh_error *error);
/* Merging in which edges stay edges, though their tiles become whole. */
rh_status rh_partial_merge_edges(rh_partial *partial, const rh_partial *other, rh_error *error);

/* The first element that is there, and how many are; 0 if none is. */
uint64_t rh_partial_first(const rh_partial *partial);
uint64_t rh_partial_count(const rh_partial *partial);
/* The element behind the last one. */
uint64_t rh_partial_end(const rh_partial *partial);

/* The answer, and with a check the judgement on it: RH_E_WRONG, with all filled in, if it is wrong.
 * RH_E_INVALID names the first element that is missing. */
rh_status rh_partial_conclude(rh_partial *partial, rh_result *result, rh_reference *reference,
                              rh_verdict *verdict, rh_error *error);

/* For a partial to which nothing is missing, and whose whole_n is known: the exact answer, with
 * what judges one by it; and the depth of the answer, 0 if it is not known. */
rh_status rh_partial_reference(const rh_partial *partial, rh_reference *reference, rh_error *error);
uint64_t rh_partial_depth(const rh_partial *partial);
