#include "internal.h"

enum { MOST_HOST_SLOTS = 1 << 18 };

static uint64_t input_bytes(const rh_fixture *place) {
  return place->elements * place->element_size;
}

/* Fills the slots from `from` on with poison. */
static rh_status poison(rh_fixture *place, uint64_t from, uint64_t slots, rh_error *error) {
  static const unsigned char byte = RH_POISON;
  uint64_t at = from * place->value_size, bytes = slots * place->value_size;
  if (slots == 1) memset(rh_fixture_host_result(place), RH_POISON, place->value_size);
  else memset(place->host_result, RH_POISON, place->host_slots * place->value_size);
  if (!place->result) return RH_OK;
  RH_CL_TRY(error, rh_cl_fill(place->session->queue, place->result, byte, at, bytes),
            "filling the result");
  RH_CL_TRY(error, rh_cl_finish(place->session->queue), "filling the result");
  return RH_OK;
}

static rh_status buffer_of(const rh_fixture *place, uint64_t bytes, const char *what,
                           cl_mem *buffer, rh_error *error) {
  return rh_cl_buffer(place->session, CL_MEM_READ_WRITE, bytes ? bytes : 1, NULL, what, buffer,
                      error);
}

rh_status rh_fixture_init(rh_fixture *place, rh_cl_session *session, const rh_op *row,
                          uint64_t elements, uint64_t slots, rh_error *error) {
  *place = (rh_fixture){.session = session,
                        .element_size = row->element_size,
                        .value_size = row->value_size,
                        .elements = elements,
                        .slots = slots,
                        .host_slots = slots < MOST_HOST_SLOTS ? slots : MOST_HOST_SLOTS,
                        .index = slots / 2};
  uint64_t bytes = input_bytes(place);
  place->memory = malloc(bytes ? bytes : 1);
  place->copy = malloc(bytes ? bytes : 1);
  place->host_result = malloc(place->host_slots * place->value_size);
  if (!place->memory || !place->copy || !place->host_result)
    return rh_fail(error, RH_E_NOMEM, "no memory for the input");
  if (session) {
    RH_TRY(buffer_of(place, bytes, "allocating the input", &place->input, error));
    RH_TRY(buffer_of(place, slots * place->value_size, "allocating the result", &place->result,
                     error));
  }
  return poison(place, 0, slots, error);
}

static void drop_input(rh_fixture *place) {
  rh_cl_release_buffer(place->input);
  if (!place->is_lent) free(place->memory);
  free(place->copy);
  place->input = NULL;
  place->memory = place->copy = NULL;
}

rh_status rh_fixture_put(rh_fixture *place, unsigned char *memory, uint64_t elements,
                         rh_error *error) {
  drop_input(place);
  place->memory = memory;
  place->elements = elements;
  place->is_lent = 1;
  if (!place->session) return RH_OK;
  if (place->session->device->shares_memory)
    return rh_cl_buffer(place->session, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, input_bytes(place),
                        memory, "using the input in place", &place->input, error);
  RH_TRY(buffer_of(place, input_bytes(place), "allocating the input", &place->input, error));
  return rh_fixture_write(place, error);
}

void rh_fixture_finish(rh_fixture *place) {
  drop_input(place);
  rh_cl_release_buffer(place->result);
  free(place->host_result);
  *place = (rh_fixture){0};
}

/* ---- The input ---- */

rh_status rh_fixture_write(rh_fixture *place, rh_error *error) {
  uint64_t bytes = input_bytes(place);
  if (!place->session) {
    memcpy(place->copy, place->memory, bytes);
    return RH_OK;
  }
  if (bytes == 0) return RH_OK;
  RH_CL_TRY(
      error,
      rh_cl_write(place->session->queue, place->input, CL_TRUE, 0, bytes, place->memory, NULL),
      "placing the input");
  return RH_OK;
}

rh_status rh_fixture_check_input(rh_fixture *place, rh_error *error) {
  uint64_t bytes = input_bytes(place);
  if (place->session && bytes)
    RH_CL_TRY(error,
              rh_cl_read(place->session->queue, place->input, CL_TRUE, 0, bytes, place->copy, NULL),
              "reading the input back");
  if (memcmp(place->memory, place->copy, bytes) == 0) return RH_OK;
  return rh_fail(error, RH_E_WRONG, "the input, or memory around it, was written");
}

/* ---- The result ---- */

rh_status rh_fixture_clear(rh_fixture *place, rh_error *error) {
  return poison(place, place->index, 1, error);
}

rh_status rh_fixture_aim(rh_fixture *place, uint64_t index, rh_error *error) {
  if (index == place->index) return RH_OK;
  RH_TRY(rh_fixture_clear(place, error));
  place->index = index;
  return RH_OK;
}

unsigned char *rh_fixture_host_result(const rh_fixture *place) {
  return place->host_result + place->index % place->host_slots * place->value_size;
}

rh_status rh_fixture_fetch(rh_fixture *place, int on_host, unsigned char value[16],
                           rh_error *error) {
  uint64_t at = place->index * place->value_size;
  if (on_host || !place->result) {
    memcpy(value, rh_fixture_host_result(place), place->value_size);
    return RH_OK;
  }
  RH_CL_TRY(
      error,
      rh_cl_read(place->session->queue, place->result, CL_TRUE, at, place->value_size, value, NULL),
      "reading the result from the device");
  return RH_OK;
}

/* `own`: the slot that is not compared. */
static rh_status check_slots(const rh_fixture *place, const unsigned char *slots, uint64_t n,
                             uint64_t own, rh_error *error) {
  uint64_t size = place->value_size, k = 0;
  while (k < n * size && (k / size == own || slots[k] == RH_POISON)) k++;
  if (k == n * size) return RH_OK;
  uint64_t at = k / size;
  return rh_fail(error, RH_E_WRONG, "result_index = %llu: wrote %llu values %s its result",
                 (unsigned long long)place->index,
                 (unsigned long long)(at < own ? own - at : at - own),
                 at < own ? "before" : "behind");
}

rh_status rh_fixture_check_result(rh_fixture *place, rh_error *error) {
  RH_TRY(check_slots(place, place->host_result, place->host_slots, place->index % place->host_slots,
                     error));
  if (!place->result) return RH_OK;
  uint64_t bytes = place->slots * place->value_size;
  unsigned char *slots = malloc(bytes);
  if (!slots) return rh_fail(error, RH_E_NOMEM, "no memory for the result");
  cl_int code = rh_cl_read(place->session->queue, place->result, CL_TRUE, 0, bytes, slots, NULL);
  rh_status status = code == CL_SUCCESS
                         ? check_slots(place, slots, place->slots, place->index, error)
                         : rh_cl_fail(error, code, "reading the result from the device");
  free(slots);
  return status;
}
