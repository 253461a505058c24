/* Data that come from files, pipes and views of arrays. */
#pragma once

#include <stdatomic.h>

#include "../../core/data/data.h"

/* The header of NumPy's .npy format, versions 1.0, 2.0 and 3.0, read; and written, as 1.0 or, if it
 * is long, 2.0. */

enum { RH_NPY_MOST_DIMENSIONS = 64 }; /* as many as NumPy's arrays have */

typedef struct rh_npy {
  rh_type type;           /* a bool counts as u8 */
  uint32_t swapped;       /* 1: the elements are in the other byte order */
  uint32_t fortran_order; /* as the header says */
  uint32_t dimensions;
  uint32_t long_dimensions; /* of a length other than 1: up to one, both orders are the same */
  uint64_t lengths[RH_NPY_MOST_DIMENSIONS]; /* of the first dimensions */
  uint64_t n;                               /* elements: the product of the shape */
  uint64_t data_offset;                     /* bytes, from the start of the file */
  uint64_t data_bytes; /* n elements; the caller checks that the file has them */
  char shape[128];     /* as Python writes it; truncated with "..." */
} rh_npy;

#define RH_NPY_MAGIC "\x93NUMPY"
/* Do the bytes begin as every .npy file does? */
int rh_npy_has_magic(const void *bytes, uint64_t length);

/* The number of bytes that rh_npy_parse needs, judging by those available: ask again when they
 * are. */
uint64_t rh_npy_wanted(const void *bytes, uint64_t length);

/* Reads the header from the first `length` bytes of a file, never beyond.  `name` is for messages.
 * RH_OK, or RH_E_FILE. */
rh_status rh_npy_parse(rh_npy *npy, const void *bytes, uint64_t length, const char *name,
                       rh_error *error);

/* One field of an element; or the only one, without a name. */
typedef struct rh_npy_field {
  const char *name;
  rh_type type;
} rh_npy_field;

/* Appends everything before the elements: magic, length and header, with which they are aligned to
 * 64 bytes.  n_dimensions of 0: a single element.  Several fields lie back to back. */
void rh_npy_write_header(rh_text *to, const rh_npy_field *fields, uint32_t n_fields,
                         uint32_t n_dimensions, const uint64_t *lengths, int fortran_order);

/* A file that the page cache holds, mapped: its elements are reduced where they are, without a
 * copy.
 *
 * Reading a page that the file no longer has, because it was cut short, or that its disk does not
 * give, raises SIGBUS.  While a view is open, a handler of this process puts zeros in the place of
 * such pages, and notes that the view is torn: what was computed from it counts for nothing.
 * Signals of other addresses go to the handler that was there before.  For programs: a library
 * leaves the signals of its process alone. */

/* Zero-initialised is closed. */
typedef struct rh_view {
  char *address;  /* of the file's first byte, to read; null: there is none */
  uint64_t bytes; /* of the file */
  uint32_t guard; /* its place among those that are watched */
} rh_view;

/* 1: the file of `bytes` bytes is mapped.  0: it cannot be, or too many are. */
int rh_view_open(rh_view *view, int fd, uint64_t bytes);
void rh_view_close(rh_view *view);

/* Does the page cache hold these bytes?  A few dozen of their pages speak for all. */
int rh_view_is_cached(const rh_view *view, uint64_t at, uint64_t bytes);

/* Installs the handler again, if a view is open: a driver that compiled may have put its own
 * there. */
void rh_view_guard_again(void);

/* 1: reading failed, first at byte *at.  [any thread] */
int rh_view_is_torn(const rh_view *view, uint64_t *at);

/* These bytes are not needed any more: their pages stay in the page cache only.  [any thread] */
void rh_view_leave(const rh_view *view, uint64_t at, uint64_t bytes);

/* The elements of a file or of standard input, read piece by piece into memory of the caller's:
 * nothing is mapped, and no more is held than the bytes that told the format. */

/* The bytes of a pipe, in growing memory. */
typedef struct rh_stream {
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

/* Opens `path`, "-" for standard input, with the checks of rh_array_open(). */
rh_status rh_feed_open(rh_feed *feed, const char *path, rh_type type, const rh_reporter *reporter,
                       rh_error *error);

/* Reads on in a pipe until more than `most` bytes of it are in memory, or all that belong to it.
 * Returns RH_OK in both cases; feed->head.ended or rh_feed_is_gathered() tells. */
rh_status rh_feed_gather(rh_feed *feed, uint64_t most, rh_error *error);
int rh_feed_is_gathered(const rh_feed *feed);

/* Writes elements first .. first+n-1 to `to`, in this machine's byte order; *got is fewer only at
 * the end of a pipe of unknown length.  A pipe is read in index order.  RH_E_FILE for a file or
 * pipe that ends early, or within an element.  Returns early, with any *got, when *stop
 * becomes 1. */
rh_status rh_feed_read(rh_feed *feed, uint64_t first, uint64_t n, void *to, const atomic_int *stop,
                       uint64_t *got, rh_error *error);

/* If the page cache holds elements first .. first+n-1 of a file as this machine reads them, the
 * file is mapped, and its view has them without reading.  leaves: 1 if what was
 * left is not needed in this process again, so that it does not count as its memory. */
void rh_feed_view(rh_feed *feed, uint64_t first, uint64_t n, int leaves);

/* RH_E_FILE if the file could not be read in a view, was written to, grew or was cut short since
 * it was opened. */
rh_status rh_feed_check_unchanged(const rh_feed *feed, rh_error *error);

/* A warning if a file goes on after its array. */
void rh_feed_warn(const rh_feed *feed);

void rh_feed_finish(rh_feed *feed);

/* ---- Checks of every input file, however it is read: mapped, into memory, or in pieces ---- */

/* A path for messages: printable, and short enough to leave room for the error. */
enum { RH_ARRAY_NAME_BYTES = 256 };
void rh_array_name(char name[static RH_ARRAY_NAME_BYTES], const char *path);

/* Enough to tell what kind of file it is that is not a .npy file. */
enum { RH_FIRST_BYTES = 512, RH_LEAST_NPY_BYTES = 12 };
/* How many bytes of the file are to be known, judging by those that are: ask again when they are.
 */
uint64_t rh_file_wanted(const void *bytes, uint64_t length);

/* In all of these, `name` is for messages, and `type` is what the caller asked for; 0: nothing.
 *
 * Can the file, which begins with these bytes, be raw elements?  RH_E_FILE if no type was asked
 * for, saying what the file is if that is known, or if it resembles a damaged .npy file.  A warning
 * for elements that are a file of another kind, such as a compressed one. */
rh_status rh_file_check_raw(const char *name, rh_type type, const void *bytes, uint64_t length,
                            const rh_reporter *reporter, rh_error *error);

/* RH_E_FILE, with advice, for a directory, a FIFO, a socket or a device. */
rh_status rh_file_check_regular(const char *name, const struct stat *info, rh_error *error);
