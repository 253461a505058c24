/* The reduction of a source, or of a part of it, to a partial: chunk by chunk, by one worker or
 * several, in the memory of a few chunks for each.  Memory, streams, several devices, ranks and
 * distributed calls differ in its settings. */
#pragma once

#include "../partial/partial.h"
#include "source.h"
#include "streamer.h"

enum { RH_REDUCTION_MOST_TIMES = 4096 };

typedef struct rh_reduction_spec {
  const rh_reporter *reporter; /* of the progress, in the thread of the caller */
  const rh_source *source;
  rh_worker *devices; /* the workers; those that are up already are not set up */
  uint32_t n_devices; /* 1 to RH_MOST_WORKERS */
  uint32_t processes; /* that share this host's processors */
  /* Elements first .. first+n-1, of the partial's whole_n; n: UINT64_MAX, if only reading shows
   * where the source ends. */
  uint64_t first, n;
  uint64_t chunk_bytes;   /* of the largest operand, at most; 0: what suits the devices */
  uint32_t ends_if_wrong; /* 1: with RH_E_WRONG at the first wrong chunk; 0: the partial knows it */
  const atomic_int *stop; /* null, or 1: another rank has failed */
  /* Null: chunks go through the workers' staging buffers.  Else there is one worker, this one's
   * strategy, which is set up for 2^most_level tiles, and reads arrays where they are, or from the
   * inputs. */
  rh_job *job;
  rh_cl_input *inputs; /* of the operands, kept by the caller */
  uint32_t most_level;
} rh_reduction_spec;

/* Read-only. */
typedef struct rh_reduction {
  rh_reduction_spec spec;
  rh_partial *partial;
  uint64_t n, chunks; /* elements and chunks whose values were added */
  uint64_t chunk_n, slot_bytes;
  uint32_t slots, readers, is_pinned, in_place;
  uint32_t was_read;       /* 1: reading has begun */
  double setup_s, seconds; /* from the first read to the last value */
  double read_s, copy_s, run_s;
  double copies[2]; /* when the first one began and the last one ended, from the first read on */
  uint32_t n_times;
  rh_chunk_times *times; /* of the first chunks, from the first read on */
  struct rh_reduction_state *state;
} rh_reduction;

/* Sets up the workers, so that every refusal comes before data are read; reads no element.  A
 * worker whose strategy declines or cannot be set up is left out, if there are others.
 *
 * *partial was initialised with what is reduced, and gets what the part comes to.  The arguments
 * must live until rh_reduction_close(), which is called after a failure, too. */
rh_status rh_reduction_open(rh_reduction **reduction, const rh_reduction_spec *spec,
                            rh_partial *partial, rh_error *error);

/* Once.  A worker that fails leaves its chunks to the others, unless the source is read in order;
 * its `failure` says why, and the call succeeds.  RH_E_FILE if a file changed meanwhile. */
rh_status rh_reduction_run(rh_reduction *reduction, rh_error *error);

void rh_reduction_close(rh_reduction *reduction); /* null is legal */
