#include "internal.h"

#include <sys/mman.h>

/* ---- Memory between inaccessible pages ---- */

/* How far out of bounds an access may be and still be detected. */
enum { GUARD_BYTES = 1 << 20 };

rh_status rh_guard_map(rh_guard *guard, size_t bytes, rh_error *error) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE), whole = (bytes / page + 1) * page;
  *guard = (rh_guard){0};
  unsigned char *mapping = mmap(NULL, whole + 2 * (size_t)GUARD_BYTES, PROT_NONE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED || mprotect(mapping + GUARD_BYTES, whole, PROT_READ | PROT_WRITE) != 0)
    return rh_fail(error, RH_E_NOMEM, "no memory for %zu bytes between guard pages", bytes);
  *guard = (rh_guard){mapping + GUARD_BYTES, mapping + GUARD_BYTES + whole};
  return RH_OK;
}

void rh_guard_unmap(rh_guard *guard) {
  if (guard->begin)
    munmap(guard->begin - GUARD_BYTES,
           (size_t)(guard->end - guard->begin) + 2 * (size_t)GUARD_BYTES);
  *guard = (rh_guard){0};
}

/* ---- Memory of which only a part may be written ---- */

rh_status rh_watched_fill(const rh_watched *w, uint64_t at, uint64_t bytes, rh_error *error) {
  if (w->memory) memset(w->memory + at, w->poison, bytes);
  if (!w->buffer) return RH_OK;
  RH_CL_TRY(error, rh_cl_fill(w->session->queue, w->buffer, w->poison, at, bytes),
            "filling memory with a pattern");
  RH_CL_TRY(error, rh_cl_finish(w->session->queue), "filling memory with a pattern");
  return RH_OK;
}

rh_status rh_watched_check(const rh_watched *w, int64_t *away, rh_error *error) {
  unsigned char seen[4096];
  const uint64_t end = w->first + w->n;
  *away = 0;
  for (uint64_t at = 0, next; at < w->bytes; at = next) {
    next = w->bytes - at < sizeof seen ? w->bytes : at + sizeof seen;
    if (at >= w->first && next <= end) continue;
    if (w->buffer)
      RH_CL_TRY(error, rh_cl_read(w->session->queue, w->buffer, CL_TRUE, at, next - at, seen, NULL),
                "reading what was written");
    const unsigned char *bytes = w->buffer ? seen : w->memory + at;
    for (uint64_t k = at; k < next; k++) {
      if (bytes[k - at] == w->poison || (k >= w->first && k < end)) continue;
      *away = k < end ? -(int64_t)(w->first - k) : (int64_t)(k - end) + 1;
      return RH_OK;
    }
  }
  return RH_OK;
}

/* ---- A place ---- */

enum { MOST_HOST_SLOTS = 1 << 18 };

static void set_index(rh_fixture *place, uint64_t index) {
  uint64_t at = index * place->of_host.n;
  place->index = index;
  place->of_host.first = at % place->of_host.bytes;
  place->of_device.first = at;
}

rh_status rh_fixture_make(rh_fixture *place, rh_cl_session *session, const rh_op *row,
                          unsigned char *memory, uint64_t elements, uint64_t slots,
                          rh_error *error) {
  const int in_place = memory && session && session->device->shares_memory;
  const uint64_t size = row->value_size, bytes = elements * row->element_size;
  const size_t room = bytes ? bytes : 1;
  const rh_watched result = {.bytes = slots * size, .n = size, .poison = RH_POISON};
  rh_fixture_finish(place);
  *place = (rh_fixture){.session = session,
                        .element_size = row->element_size,
                        .elements = elements,
                        .slots = slots,
                        .of_host = result,
                        .of_device = result};
  place->of_device.session = session;
  if (slots > MOST_HOST_SLOTS) place->of_host.bytes = MOST_HOST_SLOTS * size;
  set_index(place, slots / 2);
  place->copy = memory ? NULL : malloc(room); /* what has a copy owns its memory */
  place->memory = place->copy ? malloc(room) : memory;
  place->of_host.memory = malloc(place->of_host.bytes);
  if (!place->memory || !place->of_host.memory)
    return rh_fail(error, RH_E_NOMEM, "no memory for the input");
  if (session) {
    RH_TRY(rh_cl_buffer(session, CL_MEM_READ_WRITE | (in_place ? CL_MEM_USE_HOST_PTR : 0), room,
                        in_place ? memory : NULL,
                        in_place ? "using the input in place" : "allocating the input",
                        &place->input, error));
    RH_TRY(rh_cl_buffer(session, CL_MEM_READ_WRITE, result.bytes, NULL, "allocating the result",
                        &place->of_device.buffer, error));
  }
  RH_TRY(rh_watched_fill(&place->of_host, 0, place->of_host.bytes, error));
  RH_TRY(rh_watched_fill(&place->of_device, 0, result.bytes, error));
  return memory ? rh_fixture_write(place, error) : RH_OK;
}

void rh_fixture_finish(rh_fixture *place) {
  rh_cl_release_buffer(place->input);
  rh_cl_release_buffer(place->of_device.buffer);
  if (place->copy) free(place->memory);
  free(place->copy);
  free(place->of_host.memory);
  *place = (rh_fixture){0};
}

/* ---- The input ---- */

const unsigned char *rh_fixture_at(const rh_fixture *place, uint64_t element) {
  const unsigned char *all = place->session || !place->copy ? place->memory : place->copy;
  return all + element * place->element_size;
}

rh_status rh_fixture_write(rh_fixture *place, rh_error *error) {
  uint64_t bytes = place->elements * place->element_size;
  if (place->copy && !place->session) memcpy(place->copy, place->memory, bytes);
  if (!place->session || bytes == 0 || (!place->copy && place->session->device->shares_memory))
    return RH_OK;
  RH_CL_TRY(
      error,
      rh_cl_write(place->session->queue, place->input, CL_TRUE, 0, bytes, place->memory, NULL),
      "placing the input");
  return RH_OK;
}

rh_status rh_fixture_check_input(rh_fixture *place, rh_error *error) {
  uint64_t bytes = place->elements * place->element_size;
  if (place->session && bytes)
    RH_CL_TRY(error,
              rh_cl_read(place->session->queue, place->input, CL_TRUE, 0, bytes, place->copy, NULL),
              "reading the input back");
  if (memcmp(place->memory, place->copy, bytes) == 0) return RH_OK;
  return rh_fail(error, RH_E_WRONG, "the input, or memory around it, was written");
}

/* ---- The result ---- */

rh_status rh_fixture_clear(rh_fixture *place, rh_error *error) {
  RH_TRY(rh_watched_fill(&place->of_host, place->of_host.first, place->of_host.n, error));
  return rh_watched_fill(&place->of_device, place->of_device.first, place->of_device.n, error);
}

rh_status rh_fixture_aim(rh_fixture *place, uint64_t index, rh_error *error) {
  if (index == place->index) return RH_OK;
  RH_TRY(rh_fixture_clear(place, error));
  set_index(place, index);
  return RH_OK;
}

rh_status rh_fixture_fetch(rh_fixture *place, int on_host, uint64_t n, void *values,
                           rh_error *error) {
  const rh_watched *from = &place->of_device;
  if (on_host) memcpy(values, place->of_host.memory + place->of_host.first, n * from->n);
  else
    RH_CL_TRY(error,
              rh_cl_read(place->session->queue, from->buffer, CL_TRUE, from->first, n * from->n,
                         values, NULL),
              "reading the result from the device");
  return RH_OK;
}

rh_status rh_fixture_check_result(rh_fixture *place, rh_error *error) {
  const rh_watched *const both[] = {&place->of_host, &place->of_device};
  const int64_t size = (int64_t)place->of_host.n;
  int64_t away;
  for (int k = 0; k < (place->session ? 2 : 1); k++) {
    RH_TRY(rh_watched_check(both[k], &away, error));
    if (away)
      return rh_fail(error, RH_E_WRONG, "result_index = %llu: wrote %lld values %s its result",
                     (unsigned long long)place->index, (llabs(away) + size - 1) / size,
                     away < 0 ? "before" : "behind");
  }
  return RH_OK;
}
