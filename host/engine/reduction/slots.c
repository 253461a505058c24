#include "slots.h"
#include "../../core/base/error.h"
#include "../../core/cl/commands.h"
#include "../../core/cl/memory.h"

/* ---- Plain memory ---- */

static rh_status use_region(rh_slots *slots, rh_error *error) {
  RH_TRY(rh_region_alloc(&slots->region, slots->n * slots->bytes, error));
  for (uint32_t k = 0; k < slots->n; k++)
    slots->memory[k] = (char *)slots->region.address + k * slots->bytes;
  return RH_OK;
}

/* ---- Memory of the driver's ---- */

static rh_status map_slot(rh_slots *slots, uint32_t k, rh_error *error) {
  RH_CL_TRY(
      error,
      rh_cl_map(slots->queue, slots->pinned[k], CL_MAP_WRITE, slots->bytes, &slots->memory[k]),
      "mapping pinned memory");
  return RH_OK;
}

static void release_pinned(rh_slots *slots) {
  for (uint32_t k = 0; k < slots->n; k++) {
    if (!slots->pinned[k]) continue;
    if (slots->memory[k]) rh_cl_unmap(slots->queue, slots->pinned[k], slots->memory[k], NULL);
    slots->memory[k] = NULL;
  }
  rh_cl_finish(slots->queue);
  for (uint32_t k = 0; k < slots->n; k++) {
    rh_cl_release_buffer(slots->pinned[k]);
    slots->pinned[k] = NULL;
  }
}

static rh_status pin(rh_slots *slots, const rh_cl_session *session, rh_error *error) {
  for (uint32_t k = 0; k < slots->n; k++) {
    RH_TRY(rh_cl_buffer(session, CL_MEM_READ_ONLY | CL_MEM_ALLOC_HOST_PTR, slots->bytes, NULL,
                        "allocating pinned memory", &slots->pinned[k], error));
    RH_TRY(map_slot(slots, k, error));
  }
  slots->is_pinned = 1;
  return RH_OK;
}

static rh_status make_inputs(rh_slots *slots, const rh_cl_session *session, rh_error *error) {
  for (uint32_t k = 0; k < slots->n; k++)
    RH_TRY(rh_cl_buffer(session, CL_MEM_READ_ONLY, slots->bytes, NULL,
                        "allocating the chunks on the device", &slots->input[k], error));
  return RH_OK;
}

rh_status rh_slots_init(rh_slots *slots, const rh_cl_session *session, cl_command_queue copies,
                        uint32_t n, uint64_t bytes, rh_error *unpinned, rh_error *error) {
  *slots = (rh_slots){.queue = copies, .n = n, .bytes = bytes};
  *unpinned = (rh_error){0};
  if (!session) return use_region(slots, error);
  slots->shares = session->device->shares_memory;
  if (pin(slots, session, unpinned) != RH_OK) {
    release_pinned(slots);
    slots->shares = 0;
    RH_TRY(use_region(slots, error));
  }
  return slots->shares ? RH_OK : make_inputs(slots, session, error);
}

void rh_slots_finish(rh_slots *slots) {
  for (uint32_t k = 0; k < slots->n; k++) rh_cl_release_buffer(slots->input[k]);
  release_pinned(slots);
  rh_region_finish(&slots->region);
  *slots = (rh_slots){0};
}

/* ---- Chunks ---- */

rh_status rh_slots_send(rh_slots *slots, uint32_t k, uint64_t bytes, cl_event *done,
                        rh_error *error) {
  cl_int code;
  if (slots->shares) {
    code = rh_cl_unmap(slots->queue, slots->pinned[k], slots->memory[k], done);
    if (code == CL_SUCCESS) slots->memory[k] = NULL; /* else it is still to be unmapped */
  } else {
    code = rh_cl_write(slots->queue, slots->input[k], CL_FALSE, 0, bytes, slots->memory[k], done);
  }
  if (code == CL_SUCCESS) code = rh_cl_flush(slots->queue);
  if (code == CL_SUCCESS) return RH_OK;
  return rh_cl_fail(error, code, "copying a chunk to the device");
}

rh_status rh_slots_return(rh_slots *slots, uint32_t k, rh_error *error) {
  return slots->shares ? map_slot(slots, k, error) : RH_OK;
}
