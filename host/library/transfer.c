#include "transfer.h"
#include "../core/base/error.h"

#include <unistd.h>

static int views(const rh_transfer *self, uintptr_t data, uint64_t bytes) {
  return self->view && data >= self->view && data - self->view <= self->view_bytes &&
         bytes <= self->view_bytes - (data - self->view);
}

void rh_transfer_drop(rh_transfer *self) {
  rh_cl_input_finish(&self->input);
  self->view = 0;
}

/* A buffer over the array, or over a larger array that contains it. */
static rh_status look_at(rh_transfer *self, rh_cl_session *session, const void *data, uint64_t n,
                         rh_error *error) {
  uint64_t bytes = n * self->size;
  if (views(self, (uintptr_t)data, bytes)) return RH_OK;
  /* The page that the data starts on is mapped too, so a buffer may begin there. */
  uint64_t offset = (uintptr_t)data % (uintptr_t)sysconf(_SC_PAGESIZE);
  rh_transfer_drop(self);
  RH_TRY(
      rh_cl_input_init(&self->input, session, (char *)data - offset, offset, n, self->size, error));
  /* With the beginning of its page it was too large, so it was copied. */
  if (!self->input.in_place) return RH_OK;
  self->view = (uintptr_t)data - offset;
  self->view_bytes = offset + bytes;
  return RH_OK;
}

rh_status rh_transfer_bring(rh_transfer *self, rh_cl_session *session, const void *data, uint64_t n,
                            uint64_t *first, rh_error *error) {
  *first = 0;
  if (!session->device->shares_memory)
    return rh_cl_input_write(&self->input, session, data, n * self->size, error);
  RH_TRY(look_at(self, session, data, n, error));
  if (self->view) *first = ((uintptr_t)data - self->view) / self->size;
  return RH_OK;
}
