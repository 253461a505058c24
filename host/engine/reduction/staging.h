/* The way of chunks to a device: its slots, a queue for copies and one for reductions.  It does not
 * depend on what is reduced, so that it serves one reduction after another, and is pinned and
 * allocated once. */
#pragma once

#include "slots.h"

/* May be moved; instances keep its session.  Zero-initialised may be finished. */
typedef struct rh_staging {
  rh_cl_session *session;     /* of its own: its queue is the one for reductions; null: the host */
  cl_command_queue copies;    /* null: the host */
  cl_mem values;              /* of the slots' chunks, on the device */
  unsigned char *read_values; /* where they are read to */
  rh_slots slots;
  rh_error unpinned;   /* why the slots are not pinned, or status 0 */
  double clock_offset; /* from the device's clock to rh_now() */
} rh_staging;

/* At least n_slots slots of at least `bytes` bytes; what is there already is kept if it suffices.
 * session: the device's, borrowed until rh_staging_finish(), whose own queue is not used; null: the
 * host.  The staging must be idle.  After a failure it may be opened again. */
rh_status rh_staging_open(rh_staging *staging, const rh_cl_session *session, uint32_t n_slots,
                          uint64_t bytes, rh_error *error);

/* Waits for the device, and makes every slot one that can be filled, also after a failure. */
rh_status rh_staging_clear(rh_staging *staging, rh_error *error);

/* Waits for the device.  No instance may use the session any more. */
void rh_staging_finish(rh_staging *staging);
