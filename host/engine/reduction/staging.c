#include "reduction.h"

/* ---- Queues ---- */

/* The queue's clock against ours, by commands whose end is waited for: the least of some offsets,
 * because this thread may be late to see it. */
static rh_status set_clock(rh_staging *staging, rh_error *error) {
  enum { TIMES = 5 };
  for (int k = 0; k < TIMES; k++) {
    cl_ulong end = 0;
    cl_event event = NULL;
    unsigned char byte = 0;
    cl_int code = rh_cl_write(staging->copies, staging->values, CL_TRUE, 0, 1, &byte, &event);
    double now = rh_now();
    if (code == CL_SUCCESS) code = rh_cl_moment(event, CL_PROFILING_COMMAND_END, &end);
    rh_cl_release_event(event);
    RH_CL_TRY(error, code, "reading the device's clock");
    double offset = now - 1e-9 * (double)end;
    if (k == 0 || offset < staging->clock_offset) staging->clock_offset = offset;
  }
  return RH_OK;
}

static rh_status open_device(rh_staging *staging, const rh_cl_session *session, rh_error *error) {
  RH_TRY(RH_NEW(&staging->session, 1, "a stream's session", error));
  *staging->session = *session;
  staging->session->tap = NULL;
  staging->session->queue = NULL;
  RH_TRY(rh_cl_timed_queue(session, &staging->copies, error));
  RH_TRY(rh_cl_timed_queue(session, &staging->session->queue, error));
  RH_TRY(rh_cl_buffer(session, CL_MEM_READ_WRITE, RH_RING_MOST_SLOTS * RH_ANY_VALUE_BYTES, NULL,
                      "allocating the chunks' values", &staging->values, error));
  return set_clock(staging, error);
}

/* ---- Slots in plain memory ---- */

static rh_status use_region(rh_staging *staging, rh_error *error) {
  RH_TRY(rh_region_alloc(&staging->region, staging->n * staging->bytes, error));
  for (uint32_t k = 0; k < staging->n; k++)
    staging->memory[k] = (char *)staging->region.address + k * staging->bytes;
  return RH_OK;
}

/* ---- Slots in memory of the driver's ---- */

rh_status rh_staging_return(rh_staging *staging, uint32_t k, rh_error *error) {
  if (staging->memory[k]) return RH_OK;
  RH_CL_TRY(error,
            rh_cl_map(staging->copies, staging->pinned[k], CL_MAP_WRITE, staging->bytes,
                      &staging->memory[k]),
            "mapping pinned memory");
  return RH_OK;
}

static void release_pinned(rh_staging *staging) {
  for (uint32_t k = 0; k < staging->n; k++) {
    if (!staging->pinned[k]) continue;
    if (staging->memory[k])
      rh_cl_unmap(staging->copies, staging->pinned[k], staging->memory[k], NULL);
    staging->memory[k] = NULL;
  }
  rh_cl_finish(staging->copies);
  for (uint32_t k = 0; k < staging->n; k++) {
    rh_cl_release_buffer(staging->pinned[k]);
    staging->pinned[k] = NULL;
  }
}

static rh_status pin(rh_staging *staging, rh_error *error) {
  for (uint32_t k = 0; k < staging->n; k++) {
    RH_TRY(rh_cl_buffer(staging->session, CL_MEM_READ_ONLY | CL_MEM_ALLOC_HOST_PTR, staging->bytes,
                        NULL, "allocating pinned memory", &staging->pinned[k], error));
    RH_TRY(rh_staging_return(staging, k, error));
  }
  staging->is_pinned = 1;
  return RH_OK;
}

static rh_status open_slots(rh_staging *staging, uint32_t n, uint64_t bytes, rh_error *error) {
  staging->n = n;
  staging->bytes = bytes;
  staging->unpinned = (rh_error){0};
  if (!staging->session) return use_region(staging, error);
  staging->session->input_bytes = n * bytes;
  staging->shares = staging->session->device->shares_memory;
  if (pin(staging, &staging->unpinned) != RH_OK) {
    release_pinned(staging);
    staging->shares = 0;
    RH_TRY(use_region(staging, error));
  }
  for (uint32_t k = 0; k < n && !staging->shares; k++)
    RH_TRY(rh_cl_buffer(staging->session, CL_MEM_READ_ONLY, bytes, NULL,
                        "allocating the chunks on the device", &staging->input[k], error));
  return RH_OK;
}

static void finish_slots(rh_staging *staging) {
  release_pinned(staging);
  for (uint32_t k = 0; k < staging->n; k++) {
    rh_cl_release_buffer(staging->input[k]);
    staging->input[k] = NULL;
    staging->memory[k] = NULL;
  }
  rh_region_finish(&staging->region);
  staging->n = staging->shares = staging->is_pinned = 0;
}

/* ---- Chunks ---- */

rh_status rh_staging_send(rh_staging *staging, uint32_t k, uint64_t bytes, cl_event *done,
                          rh_error *error) {
  cl_int code;
  if (staging->shares) {
    code = rh_cl_unmap(staging->copies, staging->pinned[k], staging->memory[k], done);
    if (code == CL_SUCCESS) staging->memory[k] = NULL; /* else it is still to be unmapped */
  } else {
    code = rh_cl_write(staging->copies, staging->input[k], CL_FALSE, 0, bytes, staging->memory[k],
                       done);
  }
  if (code == CL_SUCCESS) code = rh_cl_flush(staging->copies);
  if (code == CL_SUCCESS) return RH_OK;
  return rh_cl_fail(error, code, "copying a chunk to the device");
}

/* ---- The whole ---- */

static rh_status open_staging(rh_staging *staging, const rh_cl_session *session, uint32_t n_slots,
                              uint64_t bytes, rh_error *error) {
  if (!staging->read_values)
    RH_TRY(rh_alloc(&staging->read_values, RH_RING_MOST_SLOTS, RH_ANY_VALUE_BYTES,
                    "the chunks' values", error));
  if (session && !staging->session) RH_TRY(open_device(staging, session, error));
  if (staging->n >= n_slots && staging->bytes >= bytes) return RH_OK;
  finish_slots(staging);
  return open_slots(staging, n_slots, bytes, error);
}

/* Instances may know the session, which therefore stays. */
rh_status rh_staging_open(rh_staging *staging, const rh_cl_session *session, uint32_t n_slots,
                          uint64_t bytes, rh_error *error) {
  int is_new = !staging->session;
  rh_status status = open_staging(staging, session, n_slots, bytes, error);
  if (status == RH_OK) return RH_OK;
  if (is_new) rh_staging_finish(staging);
  else finish_slots(staging);
  return status;
}

static void wait_for_queues(const rh_staging *staging) {
  rh_cl_finish(staging->copies);
  if (staging->session) rh_cl_finish(staging->session->queue);
}

rh_status rh_staging_clear(rh_staging *staging, rh_error *error) {
  wait_for_queues(staging);
  for (uint32_t k = 0; k < staging->n; k++) RH_TRY(rh_staging_return(staging, k, error));
  return RH_OK;
}

void rh_staging_finish(rh_staging *staging) {
  wait_for_queues(staging);
  finish_slots(staging);
  rh_cl_release_buffer(staging->values);
  rh_cl_release_queue(staging->copies);
  if (staging->session) rh_cl_release_queue(staging->session->queue);
  free(staging->session);
  free(staging->read_values);
  *staging = (rh_staging){0};
}
