/* One device, or the host, with a run of elements that stays in its memory, and a strategy that is
 * set up for it. */
#pragma once

#include "../../core/base/region.h"
#include "../../core/run/job.h"
#include "../partial/partial.h"

/* A piece of the run whose value is a node of the tree. */
typedef struct rh_resident_node {
  uint64_t first, n; /* elements, counted from the first of all */
  uint32_t level;
} rh_resident_node;

/* Read-only.  Zero-initialised may be finished. */
typedef struct rh_resident_part {
  rh_job job;                                /* of as many elements as the largest node has */
  uint64_t whole_n;                          /* elements of all parts */
  uint64_t first, n;                         /* elements of this one */
  uint64_t offsets[RH_MOST_OPERANDS], bytes; /* of the operands, side by side; of all */
  rh_region region;  /* the elements, of a device that shares the host's memory, and of the host */
  rh_cl_input input; /* without a buffer: the host */
  rh_resident_node *nodes;
  uint32_t n_nodes;
  int waits;              /* 1: a run returns when it is done, because it finishes on the host */
  cl_mem values;          /* of the nodes, on the device; null if it waits */
  unsigned char *fetched; /* the same, one behind the other, on the host */
} rh_resident_part;

typedef struct rh_resident_part_spec {
  rh_context *context;
  /* With n of all.  A user's operator has rh_custom_take_base(). */
  const rh_job_spec *job;
  uint64_t first, end; /* tiles */
  int check;           /* RH_CHECK_*: whether the strategy is tried on a few elements first */
} rh_resident_part_spec;

/* Asks the strategy, sets it up, and makes room for the elements, which are not there yet.  It
 * fails as rh_job_init() does, and with RH_E_DEVICE or RH_E_NOMEM where they do not fit. */
rh_status rh_resident_part_init(rh_resident_part *part, const rh_resident_part_spec *spec,
                                rh_error *error);
void rh_resident_part_finish(rh_resident_part *part);

/* Where element `first` of all of operand k is to be written on the host, or null: the device has
 * memory of its own. */
void *rh_resident_part_place(const rh_resident_part *part, uint32_t k, uint64_t first);
/* Copies n elements of operand k to the device's own memory.  [any thread] */
rh_status rh_resident_part_write(const rh_resident_part *part, uint32_t k, uint64_t first,
                                 uint64_t n, const void *from, rh_error *error);
/* All elements are there. */
rh_status rh_resident_part_loaded(rh_resident_part *part, rh_error *error);

/* One call: begins it, and waits for the values of its nodes.  If it waits, begin does all. */
rh_status rh_resident_part_begin(rh_resident_part *part, rh_error *error);
rh_status rh_resident_part_end(rh_resident_part *part, rh_error *error);

/* One reduction of many: enqueues it, waits for all, and reads the values of the latest.  It is not
 * called if the part waits. */
rh_status rh_resident_part_enqueue(rh_resident_part *part, rh_error *error);
rh_status rh_resident_part_await(const rh_resident_part *part, rh_error *error);
rh_status rh_resident_part_read(rh_resident_part *part, rh_error *error);

/* Adds the values of the latest call, or of the latest of many, which nothing checks by chunks. */
rh_status rh_resident_part_add(const rh_resident_part *part, rh_partial *partial, rh_error *error);
