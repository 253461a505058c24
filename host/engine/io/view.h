/* A file that the page cache holds, mapped: its elements are reduced where they are, without a
 * copy.
 *
 * Reading a page that the file no longer has, because it was cut short, or that its disk does not
 * give, raises SIGBUS.  While a view is open, a handler of this process puts zeros in the place of
 * such pages, and notes that the view is torn: what was computed from it counts for nothing.
 * Signals of other addresses go to the handler that was there before.  For programs: a library
 * leaves the signals of its process alone. */
#pragma once

#include <stdint.h>

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
