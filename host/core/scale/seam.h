/* Elements that each rank holds, in runs that may begin and end within a tile.
 *
 * A tile is reduced by the rank that holds its first element.  Where it ends in another rank's run,
 * or beyond several, these give the elements before their own first whole tile: at most one tile
 * for each boundary between ranks. */
#pragma once

#include "../reduce/job.h"
#include "ranks.h"

/* Zero-initialised may be finished. */
typedef struct rh_seam {
  const rh_job_spec *job;     /* with n of the whole, once it is known */
  uint64_t tile;              /* elements */
  uint64_t *starts;           /* of every rank: its first element in the whole; and the end */
  uint64_t first_tile, tiles; /* that begin in this rank's elements */
  int is_cut;                 /* the last of them ends in another rank's */
  const void *operands[RH_MOST_OPERANDS]; /* of that tile; joined by rh_seam_join() */
  void *memory, *given;                   /* for two tiles; what this rank gives */
} rh_seam;

/* Allocates all that is needed for `size` ranks. */
rh_status rh_seam_init(rh_seam *seam, const rh_job_spec *job, uint32_t size, rh_error *error);
void rh_seam_finish(rh_seam *seam);

/* Finds this rank's tiles once seam->starts is filled in. */
void rh_seam_place(rh_seam *seam, uint32_t rank);

/* Brings the tiles that are cut together.  Every rank calls it.  data: this rank's elements, one
 * array for each operand. */
rh_status rh_seam_join(rh_seam *seam, rh_ranks *ranks, const void *const *data, rh_error *error);
