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

/* ---- A fence ---- */

enum {
  CANARY = 0xC9,
  ALIGNMENT = 16, /* for any type: what alloc guarantees */
  /* before scratch memory; a multiple of every device's alignment of sub-buffers */
  FRONT_BYTES = 4096,
  BEHIND_BYTES = 65536 /* more than one group's values, or an off-by-some number of groups */
};

/* Ends at the guard page, except for alignment padding. */
void *rh_fence_alloc(rh_fence *fence, uint64_t bytes) {
  rh_fenced *f = &fence->list[fence->n];
  uint64_t room = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  if (fence->n == RH_MOST_FENCED || room < bytes || rh_guard_map(&f->guard, room, NULL) != RH_OK)
    return NULL;
  uint64_t whole = (uint64_t)(f->guard.end - f->guard.begin);
  f->watched = (rh_watched){.memory = f->guard.begin,
                            .bytes = whole,
                            .first = whole - room,
                            .n = bytes,
                            .poison = CANARY};
  memset(f->guard.begin, CANARY, whole);
  fence->n++;
  return memset(f->guard.end - room, 0, bytes);
}

rh_status rh_fence_scratch(rh_fence *fence, rh_cl_session *session, uint64_t bytes, cl_mem *buffer,
                           rh_error *error) {
  rh_fenced *f = &fence->list[fence->n];
  rh_watched *w = &f->watched;
  if (fence->n == RH_MOST_FENCED)
    return rh_fail(error, RH_E_NOMEM, "no more scratch memory can be watched");
  *w = (rh_watched){
      .session = session, .first = fence->in_front ? FRONT_BYTES : 0, .n = bytes, .poison = CANARY};
  w->bytes = w->first + bytes + BEHIND_BYTES;
  RH_TRY(rh_cl_buffer(session, CL_MEM_READ_WRITE, w->bytes, NULL, "allocating scratch memory",
                      &w->buffer, error));
  fence->n++;
  if (fence->in_front) RH_TRY(rh_cl_part_of_buffer(w->buffer, w->first, bytes, &f->part, error));
  RH_CL_TRY(error, rh_cl_fill(session->queue, w->buffer, CANARY, 0, w->bytes),
            "filling scratch memory");
  RH_CL_TRY(error, rh_cl_finish(session->queue), "filling scratch memory");
  *buffer = fence->in_front ? f->part : w->buffer;
  return RH_OK;
}

rh_status rh_fence_check(rh_fence *fence, rh_cl_session *session, rh_error *error) {
  int64_t away;
  if (session) RH_CL_TRY(error, rh_cl_finish(session->queue), "waiting for the device");
  for (uint32_t k = 0; k < fence->n; k++) {
    const rh_watched *w = &fence->list[k].watched;
    RH_TRY(rh_watched_check(w, &away, error));
    if (away)
      return rh_fail(error, RH_E_WRONG, "wrote byte %lld %s the %llu bytes that %s() gave",
                     llabs(away), away < 0 ? "before" : "behind", (unsigned long long)w->n,
                     w->buffer ? "scratch" : "alloc");
  }
  return RH_OK;
}

void rh_fence_finish(rh_fence *fence) {
  for (; fence->n; fence->n--) {
    rh_fenced *f = &fence->list[fence->n - 1];
    rh_cl_release_buffer(f->part);
    rh_cl_release_buffer(f->watched.buffer);
    rh_guard_unmap(&f->guard);
    *f = (rh_fenced){0};
  }
}

/* ---- A place ---- */

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

/* Is the host's memory the input? */
static int is_in_place(const rh_fixture *place) {
  return !place->session || place->session->device->shares_memory;
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

const unsigned char *rh_fixture_at(const rh_fixture *place, uint64_t element) {
  const unsigned char *all = place->session || place->is_lent ? place->memory : place->copy;
  return all + element * place->element_size;
}

rh_status rh_fixture_write(rh_fixture *place, rh_error *error) {
  uint64_t bytes = input_bytes(place);
  if (bytes == 0 || (place->is_lent && is_in_place(place))) return RH_OK;
  if (!place->session) memcpy(place->copy, place->memory, bytes);
  if (!place->session) return RH_OK;
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

rh_status rh_fixture_check_result(rh_fixture *place, rh_error *error) {
  const uint64_t size = place->value_size;
  const rh_watched both[] = {{.memory = place->host_result,
                              .bytes = place->host_slots * size,
                              .first = place->index % place->host_slots * size,
                              .n = size,
                              .poison = RH_POISON},
                             {.session = place->session,
                              .buffer = place->result,
                              .bytes = place->slots * size,
                              .first = place->index * size,
                              .n = size,
                              .poison = RH_POISON}};
  int64_t away;
  for (int k = 0; k < (place->result ? 2 : 1); k++) {
    RH_TRY(rh_watched_check(&both[k], &away, error));
    if (away)
      return rh_fail(error, RH_E_WRONG, "result_index = %llu: wrote %lld values %s its result",
                     (unsigned long long)place->index,
                     (llabs(away) + (int64_t)size - 1) / (int64_t)size,
                     away < 0 ? "before" : "behind");
  }
  return RH_OK;
}
