/* Partials that come as bytes, one after the other, and the answer that they make. */
#pragma once

#include "../../operators/custom/custom.h"
#include "../ranks/ranks.h"
#include "partial_label.h"

/* Zero-initialised is empty, and may be finished.  It must not be moved. */
typedef struct rh_merger {
  rh_job_spec job; /* of the first partial, and of all; n: of the whole, once it is concluded */
  rh_custom *own;
  rh_partial all;
  char *text;      /* of all; null: none was added yet */
  char first[256]; /* the first one's name */
} rh_merger;

/* name: in messages.  context: for operators that only a device can evaluate.  Accepts any bytes;
 * RH_E_FILE, in a sentence that begins with the name, for what cannot be merged. */
rh_status rh_merger_add(rh_merger *merger, rh_context *context, const char *name, const void *bytes,
                        uint64_t size, rh_error *error);

/* Calls rh_partial_conclude(); returns RH_E_FILE where elements are missing. */
rh_status rh_merger_conclude(rh_merger *merger, rh_result *result, rh_reference *reference,
                             rh_verdict *verdict, rh_error *error);
void rh_merger_finish(rh_merger *merger);

/* ---- The partials of all ranks become one, in every rank alike ---- */

/* Every rank calls it with its own, of one job.  all: initialised and empty.  keeps_edges: 1 as
 * rh_partial_merge_edges(). */
rh_status rh_partial_gather(rh_partial *all, const rh_partial *mine, rh_ranks *ranks,
                            int keeps_edges, rh_error *error);
