/* The memory of a ring's slots.
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

/* Zero-initialised is empty. */
typedef struct rh_slots {
  cl_command_queue queue; /* in which slots are mapped; null: no device */
  uint32_t n, shares;     /* 1: the device reads the host's memory */
  uint32_t is_pinned;
  uint64_t bytes;                    /* of each */
  void *memory[RH_RING_MOST_SLOTS];  /* where the host fills it; null while the device has it */
  cl_mem pinned[RH_RING_MOST_SLOTS]; /* what is mapped; null: `region` */
  cl_mem input[RH_RING_MOST_SLOTS];  /* what kernels read; null: no device */
  rh_region region;
} rh_slots;

/* session: null for the host.  copies: its queue for copies, borrowed.  unpinned: receives why
 * memory is not pinned, or status 0.  RH_E_DEVICE if the device has no memory for as many. */
rh_status rh_slots_init(rh_slots *slots, const rh_cl_session *session, cl_command_queue copies,
                        uint32_t n, uint64_t bytes, rh_error *unpinned, rh_error *error);
/* Waits for nothing: the queues must be finished. */
void rh_slots_finish(rh_slots *slots);

/* Begins to bring `bytes` of slot k to the device.  *done: when they are there; the caller's. */
rh_status rh_slots_send(rh_slots *slots, uint32_t k, uint64_t bytes, cl_event *done,
                        rh_error *error);
/* The device is done with slot k: it can be filled again. */
rh_status rh_slots_return(rh_slots *slots, uint32_t k, rh_error *error);
