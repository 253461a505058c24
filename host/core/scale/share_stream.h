/* A part whose elements are read or generated as they are reduced: by several threads, through the
 * ring of a stream. */
#pragma once

#include "share.h"
#include "source.h"

typedef struct rh_share_source {
  const rh_source *source; /* of the whole, not in order */
  uint64_t chunk_bytes;    /* of a chunk, at most; 0: what suits the device */
  uint32_t device_kinds;   /* of the strategy */
  uint32_t processes;      /* that share this host's processors */
  const atomic_int *stop;  /* null, or 1: return early, with RH_E_CANCELLED */
} rh_share_source;

typedef struct rh_share_stream rh_share_stream;

/* Opens the strategy and sets up the ring; reads no element.  Keeps its arguments, which must live
 * until rh_share_stream_close(); that is called after a failure, too.  Fails as rh_job_init()
 * does. */
rh_status rh_share_stream_open(rh_share_stream **stream, rh_share *part, const rh_share_spec *spec,
                               const rh_share_source *from, rh_error *error);

/* Once.  Fails with RH_E_WRONG for a wrong chunk, or as reading does. */
rh_status rh_share_stream_run(rh_share_stream *stream, rh_error *error);

void rh_share_stream_close(rh_share_stream *stream);
