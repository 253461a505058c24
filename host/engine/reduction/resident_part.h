/* One device, or the host, with a run of elements that stays in its memory, and a strategy that is
 * set up for it. */
#pragma once

#include "../../core/base/region.h"
#include "../partial/partial.h"
#include "source.h"

#include <pthread.h>

/* Read-only.  Zero-initialised may be finished. */
typedef struct rh_resident_part {
  rh_job job;                                /* of as many elements as the largest node has */
  uint64_t whole_n;                          /* elements of all parts */
  uint64_t first, n;                         /* elements of this one */
  uint64_t offsets[RH_MOST_OPERANDS], bytes; /* of the operands, side by side; of all */
  rh_region region;  /* the elements, of a device that shares the host's memory, and of the host */
  rh_cl_input input; /* without a buffer: the host */
  /* Pieces of the run whose values are nodes of the tree.  None: it has no elements. */
  rh_partial_chunk *nodes;
  uint32_t n_nodes;
  int waits;              /* 1: a run returns when it is done, because it finishes on the host */
  cl_mem values;          /* of the nodes, on the device; null if it waits */
  unsigned char *fetched; /* the same, one behind the other, on the host */
  /* A call that waits for its end, where another one does so in the caller's thread. */
  pthread_t thread;
  int is_started;
  rh_error error;
} rh_resident_part;

/* Asks the strategy of *job, which has n of all parts, sets it up, and makes room for the elements
 * of tiles first .. end-1, which are not there yet.  check: RH_CHECK_*; whether the strategy is
 * tried on a few elements first.  It fails as rh_job_init() does, and with RH_E_DEVICE or
 * RH_E_NOMEM where they do not fit. */
rh_status rh_resident_part_init(rh_resident_part *part, rh_context *context, const rh_job_spec *job,
                                uint64_t first, uint64_t end, int check, rh_error *error);
void rh_resident_part_finish(rh_resident_part *part);

/* Reads or generates all elements, in pieces and by all processors, each of which is looked at for
 * the check before it leaves.  Parts without nodes have none; those of the others follow each other
 * in the order of the parts.  source: of known length, and read in any order.  facts:
 * RH_CHECK_FULL or RH_CHECK_NONE; gets references only.  *failed: the part whose device failed, if
 * one did. */
rh_status rh_resident_load(rh_resident_part *parts, uint32_t n_parts, const rh_source *source,
                           rh_partial *facts, const rh_reporter *reporter, uint32_t *failed,
                           rh_error *error);

/* rh_job_trust_on() some elements of the largest node, which are read or generated again. */
rh_status rh_resident_trust(const rh_resident_part *part, const rh_source *source, rh_error *error);

/* One call: begins it, and waits for the values of its nodes.  If it waits, begin does all. */
rh_status rh_resident_part_begin(rh_resident_part *part, rh_error *error);
rh_status rh_resident_part_end(rh_resident_part *part, rh_error *error);

/* One reduction of many: enqueues it, waits for all, and reads the values of the latest.  It is not
 * called if the part waits. */
rh_status rh_resident_part_enqueue(rh_resident_part *part, rh_error *error);
rh_status rh_resident_part_await(rh_resident_part *part, rh_error *error);
rh_status rh_resident_part_read(rh_resident_part *part, rh_error *error);
