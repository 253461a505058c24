/* V62, V63: a strategy reads nothing beyond the range, and stays within the memory that it
 * requested. */
#include "internal.h"

/* ---- V62 ---- */

/* All small sizes, which end anywhere in a vector, and some that take many threads or groups. */
enum { SMALL = 68, LARGEST = 65537 };
static const uint64_t larger[] = {127, 128,  129,  255,  256,   257,   511,   512,
                                  513, 1003, 1024, 4097, 20011, 65535, 65536, LARGEST};

/* `first` elements of poison and n of data, at the end of the accessible memory or at its
 * beginning. */
static rh_status try_edge(rh_rig *rig, const rh_guard *guard, int at_end, uint64_t n,
                          uint64_t first) {
  uint64_t bytes = (first + n) * rig->row.element_size;
  unsigned char *memory = at_end ? guard->end - bytes : guard->begin;
  RH_TRY(rh_fixture_make(&rig->own, rig->session, &rig->row, memory, first + n, 3, rig->error));
  RH_TRY(rh_rig_reduce(rig, "hash", n + first, n, first));
  return rh_rig_judge(rig, rig->value);
}

static rh_status edges(rh_rig *rig, uint64_t seed) {
  rh_guard guard;
  uint64_t multiple = 1; /* elements: a device's buffers begin at multiples of some bytes */
  uint64_t alignment = rig->session ? rig->session->device->alignment : 0;
  rh_status status = RH_OK;
  (void)seed;
  if (alignment > rig->row.element_size) multiple = alignment / rig->row.element_size;
  RH_TRY(rh_guard_map(&guard, (LARGEST + 5 * multiple) * rig->row.element_size, rig->error));
  rig->run_phase = "run, over an input beside an inaccessible page";
  for (uint32_t k = rig->session ? 1 : 0; k < SMALL + RH_COUNT(larger) && status == RH_OK; k++) {
    uint64_t n = k < SMALL ? k : larger[k - SMALL],
             before = (n + multiple - 1) / multiple * multiple - n;
    status = try_edge(rig, &guard, 1, n, before);
    if (status == RH_OK) status = try_edge(rig, &guard, 1, n, before + (k % 4) * multiple);
    if (status == RH_OK) status = try_edge(rig, &guard, 0, n, 0);
  }
  rig->run_phase = NULL;
  rh_fixture_finish(&rig->own); /* which uses the memory */
  rh_guard_unmap(&guard);
  return status;
}

/* Does the device work in the host's memory itself?  If the driver copies the input, no access
 * reaches a guard page. */
static int works_in_place(rh_trial *trial) {
  static const rh_op bytes = {.element_size = 1, .value_size = 4};
  _Alignas(4096) static unsigned char memory[4096];
  enum { SIGN = 0x5C };
  rh_cl_session *session = trial->session;
  RH_FINISHED(rh_fixture) place = {0};
  if (trial->device->kind != RH_DEVICE_CPU || !session->device->shares_memory) return 0;
  memory[0] = 0;
  return rh_fixture_make(&place, session, &bytes, memory, sizeof memory, 1, &trial->error) ==
             RH_OK &&
         rh_cl_fill(session->queue, place.input, SIGN, 0, sizeof memory) == CL_SUCCESS &&
         rh_cl_finish(session->queue) == CL_SUCCESS && memory[0] == SIGN;
}

/* One operator for each way to combine is enough: how elements are read depends on their type
 * only. */
static int is_typical(rh_pair pair) {
  return pair.op == RH_OP_sum || pair.op == RH_OP_argmin || pair.op == RH_OP_affine;
}

RH_TEST(62, "reads nothing outside the input", RH_RUN_TEST(6, 0.4)) {
  rh_pairs pairs;
  uint32_t k = 0;
  if (trial->session && !works_in_place(trial))
    return rh_trial_skip(trial, "this device does not show reads beyond a buffer; V64 looks for "
                                "them in Oclgrind");
  RH_TRY(rh_served_pairs(trial, LARGEST, RH_MOST_PAIRS, &pairs));
  while (k < pairs.n && !is_typical(pairs.list[k])) k++;
  return rh_try_pairs(trial, LARGEST, 4, k < pairs.n ? is_typical : NULL, NULL, edges);
}

/* ---- V63 ---- */

enum { FENCED_PAIRS = 4 };

/* One instance with canaries around its memory. */
static rh_status fenced(rh_trial *trial, rh_pair pair, uint64_t max_n, enum rh_rig_fence fence) {
  const uint64_t at[] = {max_n, 1, max_n - 1, 257, 64, max_n};
  RH_FINISHED(rh_rig) rig;
  RH_TRY(rh_rig_open(&rig, trial, pair, max_n, &(rh_rig_with){.fence = fence}));
  rig.run_phase = "run, with inaccessible pages beside the memory of alloc()";
  for (size_t k = 0; k < RH_COUNT(at); k++) {
    if (at[k] > max_n) continue;
    rh_status status = rh_rig_case(&rig, "hash", 1 + k, at[k], k);
    /* more specific than a wrong answer */
    RH_TRY(rh_rig_check_fence(&rig));
    RH_TRY(status);
  }
  rh_rig_teardown(&rig);
  return rh_rig_check_fence(&rig);
}

RH_TEST(63, "stays within the memory that it requested", RH_RUN_TEST(4, 0.3)) {
  static const uint64_t at[] = {20011, 1003, 1, 64, 65537, 1000003};
  rh_pairs pairs;
  RH_TRY(rh_served_pairs(trial, 20011, 2, &pairs));
  for (uint32_t k = 0; k < pairs.n && k < FENCED_PAIRS; k++)
    for (size_t j = 0; j < RH_COUNT(at) - (trial->quick ? 1 : 0); j++) {
      rh_status status = fenced(trial, pairs.list[k], at[j], RH_FENCE_IN_FRONT);
      /* a plugin's direct OpenCL calls may work on a buffer but fail on a sub-buffer */
      if (status != RH_OK && status != RH_E_WRONG)
        status = fenced(trial, pairs.list[k], at[j], RH_FENCE_BEHIND);
      RH_TRY(rh_unless_declined(status));
    }
  return RH_OK;
}
