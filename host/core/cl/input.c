#include "cl.h"

static const uint64_t chunk_bytes =
    64u << 20; /* large enough for full speed, small enough to show progress */

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

static rh_status upload(rh_cl_input *input, rh_cl_session *session, const char *data,
                        uint64_t bytes, rh_error *error) {
  double start = rh_now();
  if (bytes >= RH_CL_STAGED_BYTES) {
    rh_status status = rh_cl_stage(session, input->buffer, data, bytes, error);
    input->upload_s = rh_now() - start;
    if (status != RH_DECLINED) return status;
  }
  for (uint64_t done = 0; done < bytes; done += chunk_bytes) {
    uint64_t now = bytes - done < chunk_bytes ? bytes - done : chunk_bytes;
    RH_TRY(rh_progress(session->reporter, "upload", done, bytes, error));
    cl_int code = rh_cl_write(session->queue, input->buffer, CL_TRUE, done, now, data + done, NULL);
    if (code != CL_SUCCESS)
      return rh_cl_fail_short(error, code, "copying the input to the device", session->device,
                              bytes, 1);
  }
  input->upload_s = rh_now() - start;
  return RH_OK;
}

rh_status rh_cl_input_reserve(rh_cl_input *input, rh_cl_session *session, uint64_t n, uint32_t size,
                              rh_error *error) {
  *input = (rh_cl_input){0};
  session->input_bytes = n ? n * size : size;
  RH_TRY(rh_cl_buffer(session, CL_MEM_READ_ONLY, session->input_bytes, NULL,
                      "allocating the input on the device", &input->buffer, error));
  input->room = session->input_bytes;
  return RH_OK;
}

rh_status rh_cl_input_write(rh_cl_input *input, rh_cl_session *session, const void *data,
                            uint64_t bytes, rh_error *error) {
  RH_CL_TRY_IN(session, error,
               rh_cl_write(session->queue, input->buffer, CL_FALSE, 0, bytes, data,
                           rh_cl_event_for(session, "upload")),
               "copying the input to the device");
  return RH_OK;
}

rh_status rh_cl_input_init(rh_cl_input *input, rh_cl_session *session, void *region,
                           uint64_t offset, uint64_t n, uint32_t size, rh_error *error) {
  *input = (rh_cl_input){0};
  uint64_t bytes = n * size, whole = offset + bytes;
  /* The buffer covers the whole region, so it starts on a page even if the file has a header;
   * every driver accepts such an address. */
  if (session->device->shares_memory && n > 0 &&
      (session->device->about.max_alloc_bytes == 0 ||
       whole <= session->device->about.max_alloc_bytes)) {
    input->first = offset / size;
    input->in_place = 1;
    input->view = (uintptr_t)region;
    input->view_bytes = session->input_bytes = whole;
    return rh_cl_buffer(session, CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, whole, region,
                        "using the input in place", &input->buffer, error);
  }
  RH_TRY(rh_cl_input_reserve(input, session, n, size, error));
  rh_status status = upload(input, session, (const char *)region + offset, bytes, error);
  if (status != RH_OK) rh_cl_input_finish(input);
  return status;
}

static int covers(const rh_cl_input *input, uintptr_t data, uint64_t bytes) {
  return input->in_place && data >= input->view && data - input->view <= input->view_bytes &&
         bytes <= input->view_bytes - (data - input->view);
}

rh_status rh_cl_input_renew(rh_cl_input *input, rh_cl_session *session, const void *data,
                            uint64_t n, uint32_t size, rh_error *error) {
  uint64_t bytes = n * size;
  if (covers(input, (uintptr_t)data, bytes)) {
    input->first = ((uintptr_t)data - input->view) / size;
    return RH_OK;
  }
  if (!input->buffer || input->room < bytes) {
    /* The page that the data starts on is mapped too, so a buffer may begin there. */
    uint64_t offset = (uintptr_t)data % (uintptr_t)sysconf(_SC_PAGESIZE);
    rh_cl_input_finish(input);
    return rh_cl_input_init(input, session, (char *)data - offset, offset, n, size, error);
  }
  if (bytes > chunk_bytes) return upload(input, session, data, bytes, error);
  return bytes ? rh_cl_input_write(input, session, data, bytes, error) : RH_OK;
}

void rh_cl_input_finish(rh_cl_input *input) {
  rh_cl_release_buffer(input->buffer);
  *input = (rh_cl_input){0};
}
