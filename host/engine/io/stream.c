#include "stream.h"
#include "../../core/base/error.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

/* The limit for one read(), so that progress and cancellation stay responsive with fast files,
 * too. */
static const uint64_t most_per_read = 4u << 20;
static const uint64_t first_region = 1u << 20;

static rh_status make_room(rh_stream *stream, rh_error *error) {
  if (stream->length < stream->region.bytes) return RH_OK;
  uint64_t bytes = stream->region.bytes ? stream->region.bytes * 2 : first_region;
  /* Shared memory, because another process may need the data. */
  rh_status status = stream->region.address ? rh_region_grow(&stream->region, bytes, error)
                                            : rh_region_alloc_shared(&stream->region, bytes, error);
  if (status != RH_OK) rh_error_prefix(error, "%s", stream->name);
  return status;
}

/* Handles a failed read(); RH_OK means try again. */
static rh_status after_failed_read(rh_stream *stream, int code, uint64_t total, rh_error *error) {
  if (code == EINTR) {
    stream->pace.next = 0; /* the signal may be a request to cancel, so ask at once */
    return rh_pace_report(&stream->pace, stream->length, total, error);
  }
  if (code == EAGAIN) { /* another process made the pipe non-blocking */
    struct pollfd readable = {.fd = stream->fd, .events = POLLIN};
    if (poll(&readable, 1, -1) >= 0 || errno == EINTR)
      return rh_pace_report(&stream->pace, stream->length, total, error);
  }
  return rh_fail(error, RH_E_FILE, "%s: cannot be read: %s", stream->name, strerror(code));
}

rh_status rh_stream_fill(rh_stream *stream, uint64_t wanted, uint64_t total, rh_error *error) {
  while (stream->length < wanted && !stream->ended) {
    RH_TRY(make_room(stream, error));
    RH_TRY(rh_pace_report(&stream->pace, stream->length, total, error));
    uint64_t room = stream->region.bytes - stream->length;
    if (room > most_per_read) room = most_per_read;
    ssize_t got = read(stream->fd, (char *)stream->region.address + stream->length, room);
    if (got > 0) stream->length += (uint64_t)got;
    if (got == 0) stream->ended = 1;
    if (got < 0) RH_TRY(after_failed_read(stream, errno, total, error));
  }
  return RH_OK;
}

void rh_stream_trim(rh_stream *stream) {
  if (stream->length) rh_region_trim(&stream->region, stream->length);
}
