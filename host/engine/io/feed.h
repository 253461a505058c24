/* The elements of a file or of standard input, read piece by piece into memory of the caller's:
 * nothing is mapped, and no more is held than the bytes that told the format. */
#pragma once

#include "../../core/base/region.h"
#include "../../core/data/pace.h"
#include "npy.h"
#include "view.h"
#include <stdatomic.h>
#include <time.h>

/* The bytes of a pipe, in growing memory. */
typedef struct rh_stream {
  int fd;           /* borrowed */
  const char *name; /* in messages; borrowed */
  rh_pace pace;
  rh_region region; /* the first `length` bytes have been read */
  uint64_t length;
  int ended; /* 1: end of stream */
} rh_stream;

/* Zero-initialised may be finished.  It must not be moved once it is open. */
struct rh_feed {
  char name[256]; /* in messages */
  rh_type type;
  uint64_t n;  /* elements; UINT64_MAX: known only when the pipe ends */
  int is_pipe; /* 1: read from one end to the other, else from anywhere, by any thread */
  int is_npy;  /* 1: `npy` is its header */
  rh_npy npy;
  int fd, owns_fd;
  uint64_t data_offset;     /* bytes before element 0 */
  uint64_t file_bytes;      /* of a file, when it was opened */
  struct timespec modified; /* likewise */
  rh_view view;             /* of a file, after rh_feed_view() */
  int leaves;               /* 1: what was viewed need not stay mapped */
  rh_stream head;           /* of a pipe: the bytes that have been read ahead */
  uint64_t given;           /* of a pipe: the bytes of its elements that were given out */
  const rh_reporter *reporter;
};
typedef struct rh_feed rh_feed;

/* Opens `path`, "-" for standard input, with the checks of rh_array_open(). */
rh_status rh_feed_open(rh_feed *feed, const char *path, rh_type type, const rh_reporter *reporter,
                       rh_error *error);

/* Standard input as a pipe, even if it is a file. */
rh_status rh_feed_open_pipe(rh_feed *feed, rh_type type, const rh_reporter *reporter,
                            rh_error *error);

/* Reads on in a pipe until more than `most` bytes of it are in memory, or all that belong to it.
 * Returns RH_OK in both cases; feed->head.ended or rh_feed_is_gathered() tells. */
rh_status rh_feed_gather(rh_feed *feed, uint64_t most, rh_error *error);
int rh_feed_is_gathered(const rh_feed *feed);

/* Writes elements first .. first+n-1 to `to`, in this machine's byte order; *got is fewer only at
 * the end of a pipe of unknown length.  A pipe is read in index order, without gaps.  RH_E_FILE for
 * a file or pipe that ends early, or within an element.  Returns early, with any *got, when *stop
 * becomes 1. */
rh_status rh_feed_read(rh_feed *feed, uint64_t first, uint64_t n, void *to, const atomic_int *stop,
                       uint64_t *got, rh_error *error);

/* If the page cache holds elements first .. first+n-1 of a file as this machine reads them, the
 * file is mapped, and rh_feed_at() has them without reading: see view.h.  leaves: 1 if what was
 * left is not needed in this process again, so that it does not count as its memory. */
void rh_feed_view(rh_feed *feed, uint64_t first, uint64_t n, int leaves);

/* *at: where element `first` and those after it lie; null: they have to be read.  RH_E_FILE if
 * reading them has failed.  [any thread] */
rh_status rh_feed_at(const rh_feed *feed, uint64_t first, const void **at, rh_error *error);
/* Elements first .. first+n-1 of a view are done with.  [any thread] */
void rh_feed_leave(const rh_feed *feed, uint64_t first, uint64_t n);

/* RH_E_FILE if so many bytes of elements, all that there are, are not those of a whole array. */
rh_status rh_feed_check_bytes(const rh_feed *feed, uint64_t there, rh_error *error);

/* RH_E_FILE if the file could not be read in a view, was written to, grew or was cut short since
 * it was opened. */
rh_status rh_feed_check_unchanged(const rh_feed *feed, rh_error *error);

/* A warning if a file goes on after its array. */
void rh_feed_warn(const rh_feed *feed);

void rh_feed_finish(rh_feed *feed);
