/* V58: a strategy's instances leave the process unchanged. */
#include "internal.h"

/* ---- What a driver does once ---- */

static void CL_CALLBACK note_event(cl_event event, cl_int state, void *called) {
  (void)event;
  (void)state;
  __atomic_store_n((int *)called, 1, __ATOMIC_RELEASE);
}

/* The first callback starts the driver's callback thread.  `called` is static because a callback
 * may come late. */
static void call_back(cl_event event) {
  enum { LOOKS = 1000, PAUSE_US = 1000 };
  static int called;
  __atomic_store_n(&called, 0, __ATOMIC_RELEASE);
  if (rh_cl_call_back(event, note_event, &called) != CL_SUCCESS) return;
  rh_cl_wait(event);
  for (int k = 0; k < LOOKS && !__atomic_load_n(&called, __ATOMIC_ACQUIRE); k++) usleep(PAUSE_US);
}

/* Uses OpenCL directly, as a plugin may.  Errors are ignored: not every device supports every
 * call. */
static void use_context(const rh_cl_session *session) {
  const cl_uint word = 0;
  cl_event event;
  cl_command_queue queue;
  cl_mem buffer;
  void *at;
  if (rh_cl_timed_queue(session, &queue, NULL) != RH_OK) return;
  rh_cl_buffer(session, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, sizeof word, NULL, "", &buffer,
               NULL);
  if (rh_cl_write(queue, buffer, CL_FALSE, 0, sizeof word, &word, &event) == CL_SUCCESS) {
    call_back(event);
    rh_cl_release_event(event);
  }
  if (rh_cl_map(queue, buffer, CL_MAP_READ, sizeof word, &at) == CL_SUCCESS)
    rh_cl_unmap(queue, buffer, at, NULL);
  rh_cl_finish(queue);
  rh_cl_release_buffer(buffer);
  rh_cl_release_queue(queue);
}

/* A driver that is used directly starts its threads and opens its device at its first use.  Later
 * changes are not compared for the plugin. */
static void learn_unsteady(rh_trial *trial, rh_footprint *footprint) {
  enum { TIMES = 3 };
  const rh_cl_session *session = trial->session;
  for (int k = 0; session && k < TIMES; k++) {
    rh_cl_session own;
    rh_footprint_enter(footprint, 0);
    use_context(session);
    if (rh_cl_session_init(&own, session->device, NULL, session->cache, session->reporter, NULL) ==
        RH_OK)
      use_context(&own);
    rh_cl_session_finish(&own);
    rh_footprint_judge(footprint, "a driver", 1);
    if (k && footprint->said[0]) footprint->unsteady |= 1u << footprint->part;
    footprint->said[0] = 0;
  }
}

/* ---- The strategy's instances ---- */

typedef struct instance_case {
  rh_pair pair;
  uint64_t max_n;
  uint32_t runs, fail_at; /* fail_at: the service that is made to fail, from 1; 0: none */
  int injected;           /* the fault was injected */
} instance_case;

/* Runs one instance, and skips what it cannot do: other tests say why.  A change is a failure. */
static rh_status run_instance(rh_trial *trial, instance_case *l, rh_footprint *footprint) {
  RH_FINISHED(rh_rig) rig;
  const rh_rig_with with = {.footprint = footprint, .fail_at = l->fail_at};
  rh_status status = rh_rig_open(&rig, trial, l->pair, l->max_n, &with);
  for (uint32_t k = 0; k < l->runs && status == RH_OK && !footprint->said[0]; k++) {
    /* all elements, a part, and none */
    uint64_t n = k % 3 == 0 ? l->max_n : k % 3 == 1 ? l->max_n / 3 : 0;
    status = rh_rig_reduce(&rig, "hash", trial->seed + k, n, k % 2);
  }
  rh_rig_teardown(&rig);
  l->injected = rig.injected;
  if (footprint->said[0]) return rh_trial_fail(trial, "%s", footprint->said);
  return status == RH_OK || l->injected ? RH_OK : RH_DECLINED;
}

/* A snapshot cannot tell who owns anonymous mapped memory that is not malloc's.  The plugin's own
 * calls of mmap are counted; and if each of several instances leaves more such memory, that is
 * not a driver's warm-up. */
static rh_status check_memory(rh_trial *trial, rh_pair pair, rh_footprint *footprint) {
  enum { LIVES = 6 };
  uint64_t first = 0, before = 0;
  int grows = 1;
  for (int k = 0; k < LIVES; k++) {
    instance_case l = {.pair = pair, .max_n = 5003, .runs = 1};
    RH_TRY(run_instance(trial, &l, footprint));
    uint64_t now = rh_state_other_memory();
    if (rh_imports_take().mapped > 0)
      return rh_trial_fail(trial, "leaves memory mapped after teardown");
    if (k == 0) first = now;
    if (k && now <= before) grows = 0;
    before = now;
  }
  if (!grows) return RH_OK;
  return rh_trial_fail(trial, "each instance leaves memory mapped: %llu bytes after %d",
                       (unsigned long long)(before - first), LIVES);
}

static rh_status check_instances(rh_trial *trial, rh_footprint *footprint) {
  rh_pairs pairs;
  const uint32_t most_failures = trial->quick ? 4 : 16;
  instance_case first = {.max_n = 5003, .runs = trial->quick ? 4 : 16};
  instance_case fails = {.max_n = 5003, .runs = 1, .fail_at = 1};
  instance_case many = {.max_n = 1003, .runs = trial->quick ? 100 : 300};
  RH_TRY(rh_served_pairs(trial, first.max_n, 2, &pairs));
  first.pair = fails.pair = many.pair = pairs.list[0];
  RH_TRY(run_instance(trial, &first, footprint));
  for (uint32_t k = 1; k < pairs.n && k < 4; k++) {
    instance_case l = {.pair = pairs.list[k], .max_n = 100003, .runs = 2};
    /* declining this many is allowed */
    RH_TRY(rh_unless_declined(run_instance(trial, &l, footprint)));
  }
  RH_TRY(check_memory(trial, first.pair, footprint));
  /* a failed setup or run must not leave anything, either */
  do RH_TRY(run_instance(trial, &fails, footprint));
  while (fails.injected && fails.fail_at++ < most_failures);
  /* Changes that appear only after many runs.  Mappings take longest to read, and were compared for
   * the other instances. */
  footprint->unsteady |= 1u << RH_STATE_CODE | 1u << RH_STATE_FILES | 1u << RH_STATE_LIBRARIES;
  return run_instance(trial, &many, footprint);
}

RH_TEST(58, "setup, run and teardown leave the process unchanged", RH_RUN_TEST(2, 0.7)) {
  /* Drivers load what they compile as libraries. */
  RH_FINISHED(rh_footprint) footprint = {.unsteady = 1u << RH_STATE_LIBRARIES};
  if (rh_is_foreign(trial->path))
    return rh_trial_skip(trial, "changes that a foreign library makes to the process are not "
                                "the plugin's");
  tzset(); /* before a driver does it */
  learn_unsteady(trial, &footprint);
  rh_imports_watch(trial->path);
  rh_status status = check_instances(trial, &footprint);
  trial->watches_end = !(footprint.unsteady >> RH_STATE_STREAMS & 1);
  return status;
}
