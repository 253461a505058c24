/* Reads bytes from a pipe into growing memory. */
#pragma once

#include "../../core/base/region.h"
#include "../../core/data/pace.h"

/* Fields that an initialiser does not name start as 0. */
typedef struct rh_stream {
  int fd;           /* borrowed */
  const char *name; /* in messages; borrowed */
  rh_pace pace;
  rh_region region; /* the first `length` bytes have been read */
  uint64_t length;
  int ended; /* 1: end of stream */
} rh_stream;

/* Reads until at least `wanted` bytes are available or the stream ends, which is not a failure.
 * `total` is for the progress report; 0: unknown. */
rh_status rh_stream_fill(rh_stream *stream, uint64_t wanted, uint64_t total, rh_error *error);

/* Releases memory that was reserved for growth. */
void rh_stream_trim(rh_stream *stream);
