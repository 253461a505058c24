#include "internal.h"

#include <sys/mman.h>

enum {
  CANARY = 0xC9,
  ALIGNMENT = 16, /* for any type: what alloc guarantees */
  /* before scratch memory; a multiple of every device's alignment of sub-buffers */
  FRONT_BYTES = 4096,
  BEHIND_BYTES = 65536 /* more than one group's values, or an off-by-some number of groups */
};

/* ---- Memory ---- */

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

/* Ends at the guard page, except for alignment padding. */
void *rh_fence_alloc(rh_fence *fence, uint64_t bytes) {
  if (fence->n_memory == RH_MOST_FENCED) return NULL;
  rh_fenced_memory *m = &fence->memory[fence->n_memory];
  uint64_t room = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  if (room < bytes || rh_guard_map(&m->guard, room, NULL) != RH_OK) return NULL;
  m->address = m->guard.end - room;
  m->bytes = bytes;
  memset(m->guard.begin, CANARY, (size_t)(m->guard.end - m->guard.begin));
  memset(m->address, 0, bytes);
  fence->n_memory++;
  return m->address;
}

static rh_status check_memory(const rh_fenced_memory *m, rh_error *error) {
  for (unsigned char *byte = m->guard.begin; byte < m->guard.end; byte++) {
    if (byte == m->address) byte += m->bytes;
    if (byte < m->guard.end && *byte != CANARY)
      return rh_fail(error, RH_E_WRONG, "wrote byte %lld %s the %llu bytes that alloc() gave",
                     (long long)(byte < m->address ? m->address - byte
                                                   : byte - m->address - (ptrdiff_t)m->bytes + 1),
                     byte < m->address ? "before" : "behind", (unsigned long long)m->bytes);
  }
  return RH_OK;
}

/* ---- Scratch memory ---- */

static rh_status create_buffer(rh_fenced_buffer *b, int in_front, rh_error *error) {
  b->given = b->whole;
  if (!in_front) return RH_OK;
  return rh_cl_part_of_buffer(b->whole, b->origin, b->bytes, &b->given, error);
}

rh_status rh_fence_scratch(rh_fence *fence, rh_cl_session *session, uint64_t bytes, cl_mem *buffer,
                           rh_error *error) {
  if (fence->n_buffers == RH_MOST_FENCED)
    return rh_fail(error, RH_E_NOMEM, "no more scratch memory can be watched");
  rh_fenced_buffer *b = &fence->buffers[fence->n_buffers];
  *b = (rh_fenced_buffer){.origin = fence->in_front ? FRONT_BYTES : 0, .bytes = bytes};
  b->whole_bytes = b->origin + bytes + BEHIND_BYTES;
  RH_TRY(rh_cl_buffer(session, CL_MEM_READ_WRITE, b->whole_bytes, NULL, "allocating scratch memory",
                      &b->whole, error));
  fence->n_buffers++;
  RH_TRY(create_buffer(b, fence->in_front, error));
  RH_CL_TRY(error, rh_cl_fill(session->queue, b->whole, CANARY, 0, b->whole_bytes),
            "filling scratch memory");
  RH_CL_TRY(error, rh_cl_finish(session->queue), "filling scratch memory");
  *buffer = b->given;
  return RH_OK;
}

/* Checks that `bytes` from `at` on are unchanged. */
static rh_status check_part(const rh_fenced_buffer *b, rh_cl_session *session, uint64_t at,
                            uint64_t bytes, rh_error *error) {
  unsigned char seen[FRONT_BYTES];
  for (uint64_t done = 0; done < bytes; done += sizeof seen) {
    uint64_t now = bytes - done < sizeof seen ? bytes - done : sizeof seen;
    RH_CL_TRY(error, rh_cl_read(session->queue, b->whole, CL_TRUE, at + done, now, seen, NULL),
              "reading scratch memory");
    for (uint64_t k = 0; k < now; k++)
      if (seen[k] != CANARY)
        return rh_fail(error, RH_E_WRONG, "wrote byte %llu %s the %llu bytes that scratch() gave",
                       (unsigned long long)(at < b->origin ? b->origin - done - k : done + k + 1),
                       at < b->origin ? "before" : "behind", (unsigned long long)b->bytes);
  }
  return RH_OK;
}

rh_status rh_fence_check(rh_fence *fence, rh_cl_session *session, rh_error *error) {
  if (session) RH_CL_TRY(error, rh_cl_finish(session->queue), "waiting for the device");
  for (uint32_t k = 0; k < fence->n_memory; k++) RH_TRY(check_memory(&fence->memory[k], error));
  for (uint32_t k = 0; k < fence->n_buffers; k++) {
    const rh_fenced_buffer *b = &fence->buffers[k];
    RH_TRY(check_part(b, session, 0, b->origin, error));
    RH_TRY(check_part(b, session, b->origin + b->bytes, BEHIND_BYTES, error));
  }
  return RH_OK;
}

void rh_fence_finish(rh_fence *fence) {
  while (fence->n_buffers) {
    const rh_fenced_buffer *b = &fence->buffers[--fence->n_buffers];
    if (b->given != b->whole) rh_cl_release_buffer(b->given);
    rh_cl_release_buffer(b->whole);
  }
  while (fence->n_memory) rh_guard_unmap(&fence->memory[--fence->n_memory].guard);
}
