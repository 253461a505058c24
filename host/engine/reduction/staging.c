#include "staging.h"
#include "../../core/base/alloc.h"
#include "../../core/base/clock.h"
#include "../../core/base/error.h"
#include "../../core/cl/commands.h"
#include "../../core/cl/memory.h"

#include <stdlib.h>

/* ---- Queues ---- */

/* The queue's clock against ours, by a command whose end is waited for. */
static rh_status read_clock(rh_staging *staging, double *offset, rh_error *error) {
  cl_ulong end = 0;
  cl_event event = NULL;
  unsigned char byte = 0;
  cl_int code = rh_cl_write(staging->copies, staging->values, CL_TRUE, 0, 1, &byte, &event);
  double now = rh_now();
  if (code == CL_SUCCESS) code = rh_cl_moment(event, CL_PROFILING_COMMAND_END, &end);
  rh_cl_release_event(event);
  *offset = now - 1e-9 * (double)end;
  RH_CL_TRY(error, code, "reading the device's clock");
  return RH_OK;
}

/* The least of some offsets, because this thread may be late to see the command's end. */
static rh_status set_clock(rh_staging *staging, rh_error *error) {
  enum { TIMES = 5 };
  for (int k = 0; k < TIMES; k++) {
    double offset;
    RH_TRY(read_clock(staging, &offset, error));
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

/* ---- The whole ---- */

static rh_status open_staging(rh_staging *staging, const rh_cl_session *session, uint32_t n_slots,
                              uint64_t bytes, rh_error *error) {
  if (!staging->read_values)
    RH_TRY(rh_alloc(&staging->read_values, RH_RING_MOST_SLOTS, RH_ANY_VALUE_BYTES,
                    "the chunks' values", error));
  if (session && !staging->session) RH_TRY(open_device(staging, session, error));
  if (staging->slots.n >= n_slots && staging->slots.bytes >= bytes) return RH_OK;
  rh_slots_finish(&staging->slots);
  if (staging->session) staging->session->input_bytes = n_slots * bytes;
  return rh_slots_init(&staging->slots, staging->session, staging->copies, n_slots, bytes,
                       &staging->unpinned, error);
}

/* Instances may know the session, which therefore stays. */
rh_status rh_staging_open(rh_staging *staging, const rh_cl_session *session, uint32_t n_slots,
                          uint64_t bytes, rh_error *error) {
  int is_new = !staging->session;
  rh_status status = open_staging(staging, session, n_slots, bytes, error);
  if (status == RH_OK) return RH_OK;
  if (is_new)
    rh_staging_finish(staging);
  else
    rh_slots_finish(&staging->slots);
  return status;
}

static void wait_for_queues(const rh_staging *staging) {
  rh_cl_finish(staging->copies);
  if (staging->session && staging->session->queue) rh_cl_finish(staging->session->queue);
}

rh_status rh_staging_clear(rh_staging *staging, rh_error *error) {
  wait_for_queues(staging);
  for (uint32_t k = 0; k < staging->slots.n; k++)
    if (!staging->slots.memory[k]) RH_TRY(rh_slots_return(&staging->slots, k, error));
  return RH_OK;
}

void rh_staging_finish(rh_staging *staging) {
  wait_for_queues(staging);
  rh_slots_finish(&staging->slots);
  rh_cl_release_buffer(staging->values);
  rh_cl_release_queue(staging->copies);
  if (staging->session && staging->session->queue) rh_cl_release_queue(staging->session->queue);
  free(staging->session);
  free(staging->read_values);
  *staging = (rh_staging){0};
}
