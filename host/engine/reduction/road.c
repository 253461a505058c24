#include "road.h"
#include "../../core/base/clock.h"
#include "../../core/base/error.h"
#include "../../core/cl/memory.h"

#include <stdlib.h>

/* ---- Queues ---- */

/* The queue's clock against ours, by a command whose end is waited for. */
static rh_status read_clock(rh_road *road, double *offset, rh_error *error) {
  cl_ulong end = 0;
  cl_event event = NULL;
  unsigned char byte = 0;
  cl_int code =
      clEnqueueWriteBuffer(road->copies, road->values, CL_TRUE, 0, 1, &byte, 0, NULL, &event);
  double now = rh_now();
  if (code == CL_SUCCESS)
    code = clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL);
  if (event) clReleaseEvent(event);
  *offset = now - 1e-9 * (double)end;
  RH_CL_TRY(error, code, "reading the device's clock");
  return RH_OK;
}

/* The least of some offsets, because this thread may be late to see the command's end. */
static rh_status set_clock(rh_road *road, rh_error *error) {
  enum { TIMES = 5 };
  for (int k = 0; k < TIMES; k++) {
    double offset;
    RH_TRY(read_clock(road, &offset, error));
    if (k == 0 || offset < road->clock_offset) road->clock_offset = offset;
  }
  return RH_OK;
}

static rh_status make_queue(const rh_cl_session *session, cl_command_queue *queue,
                            rh_error *error) {
  cl_int code;
  *queue =
      clCreateCommandQueue(session->context, session->device->id, CL_QUEUE_PROFILING_ENABLE, &code);
  if (code == CL_SUCCESS) return RH_OK;
  *queue = NULL;
  return rh_cl_fail_short(error, code, "creating a command queue", session->device, 0, 1);
}

static rh_status open_device(rh_road *road, const rh_cl_session *session, rh_error *error) {
  road->session = malloc(sizeof *road->session);
  if (!road->session) return rh_fail(error, RH_E_NOMEM, "no memory for a stream's session");
  *road->session = *session;
  road->session->tap = NULL;
  road->session->queue = NULL;
  RH_TRY(make_queue(session, &road->copies, error));
  RH_TRY(make_queue(session, &road->session->queue, error));
  RH_TRY(rh_cl_buffer(session, CL_MEM_READ_WRITE, RH_RING_MOST_SLOTS * RH_ANY_VALUE_BYTES, NULL,
                      "allocating the chunks' values", &road->values, error));
  return set_clock(road, error);
}

/* ---- The whole ---- */

static rh_status open_road(rh_road *road, const rh_cl_session *session, uint32_t n_slots,
                           uint64_t bytes, rh_error *error) {
  if (!road->read_values) road->read_values = calloc(RH_RING_MOST_SLOTS, RH_ANY_VALUE_BYTES);
  if (!road->read_values) return rh_fail(error, RH_E_NOMEM, "no memory for the chunks' values");
  if (session && !road->session) RH_TRY(open_device(road, session, error));
  if (road->slots.n >= n_slots && road->slots.bytes >= bytes) return RH_OK;
  rh_slots_finish(&road->slots);
  if (road->session) road->session->input_bytes = n_slots * bytes;
  return rh_slots_init(&road->slots, road->session, road->copies, n_slots, bytes, &road->unpinned,
                       error);
}

/* Instances may know the session, which therefore stays. */
rh_status rh_road_open(rh_road *road, const rh_cl_session *session, uint32_t n_slots,
                       uint64_t bytes, rh_error *error) {
  int is_new = !road->session;
  rh_status status = open_road(road, session, n_slots, bytes, error);
  if (status == RH_OK) return RH_OK;
  if (is_new)
    rh_road_finish(road);
  else
    rh_slots_finish(&road->slots);
  return status;
}

static void wait_for_queues(const rh_road *road) {
  if (road->copies) clFinish(road->copies);
  if (road->session && road->session->queue) clFinish(road->session->queue);
}

rh_status rh_road_clear(rh_road *road, rh_error *error) {
  wait_for_queues(road);
  for (uint32_t k = 0; k < road->slots.n; k++)
    if (!road->slots.memory[k]) RH_TRY(rh_slots_return(&road->slots, k, error));
  return RH_OK;
}

void rh_road_finish(rh_road *road) {
  wait_for_queues(road);
  rh_slots_finish(&road->slots);
  if (road->values) clReleaseMemObject(road->values);
  if (road->copies) clReleaseCommandQueue(road->copies);
  if (road->session && road->session->queue) clReleaseCommandQueue(road->session->queue);
  free(road->session);
  free(road->read_values);
  *road = (rh_road){0};
}
