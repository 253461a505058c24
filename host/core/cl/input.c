#include "cl.h"

static double gib(uint64_t bytes) { return (double)bytes / (double)(1u << 30); }

rh_status rh_cl_input_fits(const rh_cl_device *device, uint64_t bytes, const char *what,
                           rh_error *error) {
  uint64_t most = device->about.max_alloc_bytes;
  if (most == 0 || bytes <= most) return RH_OK;
  if (bytes == UINT64_MAX)
    return rh_fail(error, RH_E_DEVICE,
                   "%s: more than 2^64 bytes; %s takes at most %.4g GiB in one buffer", what,
                   device->name, gib(most));
  return rh_fail(error, RH_E_DEVICE,
                 "%s: %.4g GiB (%llu bytes); %s takes at most %.4g GiB in one buffer (%.4g GiB in "
                 "all)",
                 what, gib(bytes), (unsigned long long)bytes, device->name, gib(most),
                 gib(device->about.global_bytes));
}

/* host: the memory that it is, in place; null: the device's own. */
static rh_status make_buffer(rh_cl_input *input, rh_cl_session *session, void *host, uint64_t bytes,
                             rh_error *error) {
  *input = (rh_cl_input){0};
  session->input_bytes = bytes;
  RH_TRY(rh_cl_buffer(session, CL_MEM_READ_ONLY | (host ? CL_MEM_USE_HOST_PTR : 0), bytes, host,
                      host ? "using the input in place" : "allocating the input on the device",
                      &input->buffer, error));
  input->in_place = host != NULL;
  input->view = (uintptr_t)host;
  input->bytes = bytes;
  return RH_OK;
}

rh_status rh_cl_input_reserve(rh_cl_input *input, rh_cl_session *session, uint64_t n, uint32_t size,
                              rh_error *error) {
  return make_buffer(input, session, NULL, n ? n * size : size, error);
}

rh_status rh_cl_input_write(rh_cl_input *input, rh_cl_session *session, const void *data,
                            uint64_t bytes, rh_error *error) {
  if (bytes == 0) return RH_OK;
  RH_CL_TRY_IN(session, error,
               rh_cl_write(session->queue, input->buffer, CL_FALSE, 0, bytes, data,
                           rh_cl_event_for(session, "upload")),
               "copying the input to the device");
  return RH_OK;
}

rh_status rh_cl_input_init(rh_cl_input *input, rh_cl_session *session, void *region,
                           uint64_t offset, uint64_t n, uint32_t size, rh_error *error) {
  uint64_t bytes = n * size, whole = offset + bytes, most = session->device->about.max_alloc_bytes;
  /* The buffer covers the whole region, so it starts on a page even if the file has a header;
   * every driver accepts such an address. */
  int in_place = session->device->shares_memory && n > 0 && (most == 0 || whole <= most);
  RH_TRY(make_buffer(input, session, in_place ? region : NULL,
                     in_place ? whole
                     : n      ? bytes
                              : size,
                     error));
  if (in_place) {
    input->first = offset / size;
    return RH_OK;
  }
  double start = rh_now();
  rh_status status =
      rh_cl_upload(session, input->buffer, (const char *)region + offset, bytes, error);
  input->upload_s = rh_now() - start;
  return status;
}

rh_status rh_cl_input_renew(rh_cl_input *input, rh_cl_session *session, const void *data,
                            uint64_t n, uint32_t size, rh_error *error) {
  uint64_t bytes = n * size;
  uintptr_t into = (uintptr_t)data - input->view; /* large if the data begin before it */
  if (input->in_place && into <= input->bytes && bytes <= input->bytes - into) {
    input->first = into / size;
    return RH_OK;
  }
  if (input->buffer && !input->in_place && bytes <= input->bytes)
    return bytes <= RH_CL_UPLOAD_BYTES ? rh_cl_input_write(input, session, data, bytes, error)
                                       : rh_cl_upload(session, input->buffer, data, bytes, error);
  /* The page that the data starts on is mapped too, so a buffer may begin there. */
  uint64_t offset = (uintptr_t)data % (uintptr_t)sysconf(_SC_PAGESIZE);
  rh_cl_input_finish(input);
  return rh_cl_input_init(input, session, (char *)data - offset, offset, n, size, error);
}

void rh_cl_input_finish(rh_cl_input *input) {
  rh_cl_release_buffer(input->buffer);
  *input = (rh_cl_input){0};
}

void rh_cl_inputs_let_go(rh_cl_input *inputs, uint32_t n) {
  for (uint32_t k = 0; k < n; k++)
    if (inputs[k].in_place) rh_cl_input_finish(&inputs[k]);
}
