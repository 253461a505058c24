/* How an arrival is seen.  Before a call the host fills the result with words that a result hardly
 * ever has, and then watches until each of them has changed.  A device writes an aligned word of
 * 32 bits in one piece, so a word that has changed is the result's; words may arrive in any order,
 * so each of them is awaited.  A result that happens to contain such a word looks as if it had not
 * arrived.  It costs the time after which the host stops watching and calls clFinish, and is read
 * then like any other. */
#include "cl.h"

#include <stdatomic.h>

/* https://registry.khronos.org/OpenCL/extensions/nv/cl_nv_create_buffer.txt */
typedef cl_mem (*create_buffer_nv)(cl_context, cl_mem_flags, cl_bitfield, size_t, void *, cl_int *);
enum { LOCATION_HOST_NV = 1 << 0 };

enum {
  ABSENT = 0x7fd5a3e9, /* as a float, a NaN that no operation makes */
  MOST_WORDS = 16,
  LOOK_AT_CLOCK = 64, /* glances between two looks at the clock */
  MOST_CALLS = 256    /* after which the driver may release what it keeps for each command */
};
static const double patience_s = 1e-3; /* of watching; a longer kernel hardly notices clFinish */
static const double trial_s = 0.1;     /* a driver's first command takes longer than all others */

static create_buffer_nv find_create(const rh_cl_device *device) {
  void *found = NULL;
  create_buffer_nv create = NULL;
  if (strstr(device->extensions, "cl_nv_create_buffer"))
    found = rh_cl.GetExtensionFunctionAddressForPlatform(device->platform, "clCreateBufferNV");
  /* C has no cast from an object pointer to a function pointer */
  memcpy(&create, &found, sizeof create);
  return create;
}

static int have_arrived(const rh_cl_visible *visible) {
  for (uint32_t k = 0; k < visible->n_words; k++)
    if (visible->watched >> k & 1 && visible->words[k] == ABSENT) return 0;
  return 1;
}

static int watch(const rh_cl_visible *visible, double seconds) {
  double until = rh_now() + seconds;
  for (unsigned glance = 1; glance % LOOK_AT_CLOCK != 0 || rh_now() < until; glance++)
    if (have_arrived(visible)) return 1;
  return 0;
}

void rh_cl_visible_expect(rh_cl_visible *visible) {
  if (!visible->watched) return;
  for (uint32_t k = 0; k < visible->n_words; k++) visible->words[k] = ABSENT;
  atomic_thread_fence(memory_order_release); /* before the command that starts the device */
}

/* Watching is for a device with memory of its own, whose input is there: where it works in the
 * caller's memory, its last command must be done before that is the caller's again.  Events say
 * nothing of a command that is not complete. */
static int may_watch(const rh_cl_visible *visible, const rh_cl_session *session) {
  return visible->watched && !session->device->shares_memory && !session->tap &&
         visible->calls < MOST_CALLS;
}

rh_status rh_cl_visible_await(rh_cl_visible *visible, rh_cl_session *session, void *value,
                              rh_error *error) {
  visible->calls++;
  if (!may_watch(visible, session) || rh_cl_flush(session->queue) != CL_SUCCESS ||
      !watch(visible, patience_s)) {
    visible->calls = 0;
    RH_CL_TRY_IN(session, error, rh_cl_finish(session->queue), "waiting for the result");
  }
  uint32_t words[MOST_WORDS];
  for (uint32_t k = 0; k < visible->n_words; k++) words[k] = visible->words[k];
  memcpy(value, words, visible->n_words * sizeof *words);
  return RH_OK;
}

static int all_are(const rh_cl_visible *visible, uint32_t word) {
  for (uint32_t k = 0; k < visible->n_words; k++)
    if (visible->words[k] != word) return 0;
  return 1;
}

static int fill(const rh_cl_visible *visible, const rh_cl_session *session, uint32_t word) {
  return rh_cl.EnqueueFillBuffer(session->queue, visible->buffer, &word, sizeof word, 0,
                                 visible->n_words * sizeof word, 0, NULL, NULL) == CL_SUCCESS;
}

/* Are a device command's writes visible here? */
static int shows(const rh_cl_visible *visible, const rh_cl_session *session) {
  for (uint32_t word = 0x5a5a5a5a; word <= 0x5a5a5a5b; word++)
    if (!fill(visible, session, word) || rh_cl_finish(session->queue) != CL_SUCCESS ||
        !all_are(visible, word))
      return 0;
  return 1;
}

/* Also over what the host has written here, and before the queue is finished? */
static int shows_early(rh_cl_visible *visible, const rh_cl_session *session) {
  const uint32_t word = 0x5a5a5a5c;
  rh_cl_visible_expect(visible);
  if (!all_are(visible, ABSENT) || !fill(visible, session, word)) return 0;
  int early = rh_cl_flush(session->queue) == CL_SUCCESS && watch(visible, trial_s) &&
              all_are(visible, word);
  return rh_cl_finish(session->queue) == CL_SUCCESS && all_are(visible, word) && early;
}

void rh_cl_visible_init(rh_cl_visible *visible, rh_cl_session *session, uint32_t bytes,
                        uint32_t written) {
  create_buffer_nv create = find_create(session->device);
  cl_int code;
  if (!create) return;
  cl_mem buffer = create(session->context, CL_MEM_READ_WRITE, LOCATION_HOST_NV, bytes, NULL, &code);
  if (code != CL_SUCCESS || !buffer) return;
  *visible = (rh_cl_visible){.buffer = buffer, .n_words = bytes / (uint32_t)sizeof(uint32_t)};
  void *words;
  rh_cl_map(session->queue, buffer, CL_MAP_READ | CL_MAP_WRITE, bytes, &words);
  visible->words = words;
  if (!words || !shows(visible, session)) {
    rh_cl_visible_finish(visible, session);
    return;
  }
  visible->watched = (uint32_t)((1ull << visible->n_words) - 1);
  visible->watched = shows_early(visible, session) ? written : 0;
}

void rh_cl_visible_finish(rh_cl_visible *visible, rh_cl_session *session) {
  if (visible->words) {
    rh_cl_unmap(session->queue, visible->buffer, (void *)visible->words, NULL);
    rh_cl_finish(session->queue);
  }
  rh_cl_release_buffer(visible->buffer);
  *visible = (rh_cl_visible){0};
}
