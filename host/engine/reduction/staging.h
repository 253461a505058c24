/* The way of chunks to a device: the memory of a ring's slots, a queue for copies and one for
 * reductions.  It does not depend on what is reduced, so that it serves one reduction after
 * another, and is pinned and allocated once.
 *
 * A device with its own memory gets each chunk as a copy from pinned memory, which drivers copy
 * from while kernels run.  OpenCL pins what it allocates itself: a CL_MEM_ALLOC_HOST_PTR buffer
 * that is mapped once and stays mapped.  Where that fails, memory is pageable, and drivers may copy
 * from it one after the other.  A device that shares the host's memory reads the slot itself, which
 * is mapped only while it is filled.  Without a device, slots are plain memory. */
#pragma once

#include "../../core/base/region.h"
#include "../../core/cl/session.h"
#include "ring.h"

/* May be moved; instances keep its session.  Zero-initialised may be finished. */
typedef struct rh_staging {
  rh_cl_session *session;     /* of its own: its queue is the one for reductions; null: the host */
  cl_command_queue copies;    /* in which slots are mapped, too; null: the host */
  cl_mem values;              /* of the slots' chunks, on the device */
  unsigned char *read_values; /* where they are read to */
  uint32_t n, shares;         /* slots; 1: the device reads the host's memory */
  uint32_t is_pinned;
  uint64_t bytes;                    /* of each slot */
  void *memory[RH_RING_MOST_SLOTS];  /* where the host fills it; null while the device has it */
  cl_mem pinned[RH_RING_MOST_SLOTS]; /* what is mapped; null: `region` */
  cl_mem input[RH_RING_MOST_SLOTS];  /* what kernels read; null: no device */
  rh_region region;
  rh_error unpinned;   /* why the slots are not pinned, or status 0 */
  double clock_offset; /* from the device's clock to rh_now() */
} rh_staging;

/* At least n_slots slots of at least `bytes` bytes; what is there already is kept if it suffices.
 * session: the device's, borrowed until rh_staging_finish(), whose own queue is not used; null: the
 * host.  The staging must be idle.  RH_E_DEVICE if the device has no memory for as many.  After a
 * failure it may be opened again. */
rh_status rh_staging_open(rh_staging *staging, const rh_cl_session *session, uint32_t n_slots,
                          uint64_t bytes, rh_error *error);

/* Begins to bring `bytes` of slot k to the device.  *done: when they are there; the caller's. */
rh_status rh_staging_send(rh_staging *staging, uint32_t k, uint64_t bytes, cl_event *done,
                          rh_error *error);
/* The device is done with slot k: it can be filled again. */
rh_status rh_staging_return(rh_staging *staging, uint32_t k, rh_error *error);

/* Waits for the device, and makes every slot one that can be filled, also after a failure. */
rh_status rh_staging_clear(rh_staging *staging, rh_error *error);

/* Waits for the device.  No instance may use the session any more. */
void rh_staging_finish(rh_staging *staging);
