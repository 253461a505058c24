/* Bytes from a pipe, into memory that grows. */
#ifndef RH_IO_STREAM_H
#define RH_IO_STREAM_H

#include "../base/region.h"
#include "pace.h"

/* What is not named in an initialiser starts as 0. */
typedef struct rh_stream {
  int fd;           /* borrowed */
  const char *name; /* in messages; borrowed */
  rh_pace pace;
  rh_region region; /* the first `length` bytes have been read */
  uint64_t length;
  int ended; /* 1: the writer has no more */
} rh_stream;

/* Reads until at least `wanted` bytes are there or the stream ends, which is not a failure.
 * `total`
 * is for the progress report; 0: unknown. */
rh_status rh_stream_fill(rh_stream *stream, uint64_t wanted, uint64_t total, rh_error *error);

/* Gives back the memory that growing took in advance. */
void rh_stream_trim(rh_stream *stream);

#endif
