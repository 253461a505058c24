/* A part whose elements are read or generated as they are reduced: by several threads, through the
 * ring of a stream. */
#pragma once

#include "../partial/partial.h"
#include "source.h"

/* Elements first .. first+n-1 of what is reduced. */
typedef struct rh_share {
  rh_context *context;
  const rh_job_spec *job; /* n does not count; a user's operator has rh_custom_take_base() */
  uint64_t first, n;
  uint64_t whole_n;        /* elements of the whole; UINT64_MAX: not known */
  const rh_source *source; /* not in order; it has them at these indices */
  uint64_t chunk_bytes;    /* of a chunk, at most; 0: what suits the device */
  uint32_t check;          /* RH_CHECK_* */
  uint32_t device_kinds;   /* of the strategy */
  uint32_t processes;      /* that share this host's processors */
  const atomic_int *stop;  /* null, or 1: return early, with RH_E_CANCELLED */
} rh_share;

typedef struct rh_share_stream rh_share_stream;

/* Opens the strategy and sets up the ring; reads no element.  *partial is initialised and filled.
 * Keeps its arguments, which must live until rh_share_stream_close(); that is called after a
 * failure, too.  Fails as rh_job_init() does. */
rh_status rh_share_stream_open(rh_share_stream **stream, rh_partial *partial, const rh_share *share,
                               rh_error *error);

/* The device of the strategy; null: the host. */
const rh_cl_device *rh_share_stream_device(const rh_share_stream *stream);

/* Once.  Fails with RH_E_WRONG for a wrong chunk, or as reading does. */
rh_status rh_share_stream_run(rh_share_stream *stream, rh_error *error);

void rh_share_stream_close(rh_share_stream *stream);
