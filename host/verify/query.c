/* V22 to V30: query. */
#include "../base/error.h"
#include "../base/fpstate.h"
#include "../base/vocabulary.h"
#include "../plug/plugin.h"
#include "../reduce/instance.h"
#include "../reduce/ops.h"
#include "imports.h"
#include "problems.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t sizes[] = {
    0, 1, 1000, (uint64_t)1 << 24, ((uint64_t)1 << 32) + 3, (uint64_t)1 << 40};
enum { N_SIZES = sizeof sizes / sizeof *sizes };

/* The strategy's default parameters. */
static void defaults(const rh_strategy *strategy, int64_t params[RH_MAX_PARAMS]) {
  rh_error unused;
  rh_params_resolve(strategy, NULL, 0, params, &unused);
}

/* Asked directly, without the host's rules, as a plugin must stand it.  The answer is poisoned where the host leaves it
 * zeroed, so that a reason without an end shows. */
static rh_status ask(const rh_strategy *strategy, uint32_t op, rh_type type,
                     const rh_device *device, uint64_t n, const int64_t *params,
                     rh_answer *answer) {
  rh_problem problem = {.struct_size = sizeof problem,
                        .type = type,
                        .op = rh_op_find(op, type),
                        .device = device,
                        .max_n = n};
  memset(answer, 0, sizeof *answer);
  answer->struct_size = sizeof *answer;
  return strategy->query(&problem, params, answer);
}

/* What the host itself would decline is not the strategy's to answer. */
static int is_its_business(const rh_strategy *strategy, uint32_t op, rh_type type,
                           const rh_device *device) {
  if (!rh_op_is_defined(op, type) || !(strategy->device_kinds & (device->kind | RH_DEVICE_HOST)))
    return 0;
  return rh_op_flags(op, type) & RH_OP_COMMUTATIVE || strategy->promises & RH_KEEPS_ORDER;
}

/* Every question that there is: for each, `try` until one fails. */
typedef rh_outcome asker(rh_trial *trial, uint32_t op, rh_type type, const rh_device *device,
                         uint64_t n, const int64_t *params);

static rh_outcome ask_all(rh_trial *trial, asker *try) {
  int64_t params[RH_MAX_PARAMS];
  rh_device device;
  defaults(trial->strategy, params);
  rh_trial_phase(trial, "query");
  for (uint32_t k = 0; rh_common_device(k, &device); k++)
    for (uint32_t op = 1; op <= RH_N_OPS; op++)
      for (rh_type type = 1; type <= RH_N_TYPES; type++) {
        if (!is_its_business(trial->strategy, op, type, &device)) continue;
        for (int j = 0; j < N_SIZES; j++) {
          rh_outcome outcome = try(trial, op, type, &device, sizes[j], params);
          if (outcome != RH_PASS) return outcome;
        }
      }
  return RH_PASS;
}

/* "sum of f32 on a GPU, n = 1000": in a text that is the caller's. */
static const char *name(char text[160], uint32_t op, rh_type type, const rh_device *device,
                        uint64_t n) {
  const char *kind = device->kind == RH_DEVICE_HOST  ? "the host"
                     : device->kind == RH_DEVICE_CPU ? "a CPU"
                     : device->kind == RH_DEVICE_GPU ? "a GPU"
                                                     : "an accelerator";
  snprintf(text, 160, "%s of %s on %s, n = %llu", rh_op_name(op), rh_type_name(type), kind,
           (unsigned long long)n);
  return text;
}

/* ---- V22 ---- */

static rh_outcome twice(rh_trial *trial, uint32_t op, rh_type type, const rh_device *device,
                        uint64_t n, const int64_t *params) {
  rh_answer first, second;
  char what[160];
  rh_status a = ask(trial->strategy, op, type, device, n, params, &first);
  rh_status b = ask(trial->strategy, op, type, device, n, params, &second);
  if (a == b && memcmp(&first, &second, sizeof first) == 0) return RH_PASS;
  return rh_trial_fail(trial, "%s: asked twice, two answers", name(what, op, type, device, n));
}

rh_outcome rh_v22_pure(rh_trial *trial) {
  int watched = rh_imports_watch(trial->path);
  rh_fpstate before = rh_fpstate_save();
  rh_outcome outcome = ask_all(trial, twice);
  int changed = rh_fpstate_restore(&before);
  rh_imports_seen seen = rh_imports_take();
  if (outcome != RH_PASS) return outcome;
  if (changed) return rh_trial_fail(trial, "changes the floating-point control word");
  if (seen.opencl) return rh_trial_fail(trial, "calls %s", seen.last);
  if (seen.memory) return rh_trial_fail(trial, "asks for memory: %s", seen.last);
  return watched ? RH_PASS
                 : rh_trial_skip(trial, "pure; what it calls cannot be watched on this machine");
}

/* ---- V23, V24 ---- */

static rh_outcome answers(rh_trial *trial, uint32_t op, rh_type type, const rh_device *device,
                          uint64_t n, const int64_t *params) {
  rh_answer answer;
  char what[160];
  rh_status said = ask(trial->strategy, op, type, device, n, params, &answer);
  if (said != RH_OK && said != RH_DECLINED)
    return rh_trial_fail(trial, "%s: answers %d, neither yes nor no",
                         name(what, op, type, device, n), said);
  if (said == RH_OK && (answer.score < 0 || answer.score > 1000))
    return rh_trial_fail(trial, "%s: a score of %d, not 0 to 1000", name(what, op, type, device, n),
                         answer.score);
  if (said == RH_OK && answer.finishes_on_host > 1)
    return rh_trial_fail(trial, "%s: finishes_on_host = %u, not 0 or 1",
                         name(what, op, type, device, n), answer.finishes_on_host);
  return RH_PASS;
}

rh_outcome rh_v23_matrix(rh_trial *trial) {
  return ask_all(trial, answers);
}

static rh_outcome judge_no(rh_trial *trial, const char *what, const rh_answer *answer) {
  size_t length = strnlen(answer->reason, sizeof answer->reason);
  if (answer->why < RH_WHY_TYPE || answer->why > RH_WHY_DRIVER)
    return rh_trial_fail(trial, "%s: declines with the code %u, which is none", what, answer->why);
  if (length == 0) return rh_trial_fail(trial, "%s: declines without a reason", what);
  if (length == sizeof answer->reason)
    return rh_trial_fail(trial, "%s: the reason has no end", what);
  if (!rh_is_plain_utf8(answer->reason, length))
    return rh_trial_fail(trial, "%s: the reason is not plain UTF-8", what);
  return RH_PASS;
}

static rh_outcome reasons(rh_trial *trial, uint32_t op, rh_type type, const rh_device *device,
                          uint64_t n, const int64_t *params) {
  rh_answer answer;
  char what[160];
  if (ask(trial->strategy, op, type, device, n, params, &answer) != RH_DECLINED) return RH_PASS;
  return judge_no(trial, name(what, op, type, device, n), &answer);
}

rh_outcome rh_v24_reasons(rh_trial *trial) {
  return ask_all(trial, reasons);
}

/* ---- V25 ---- */

/* A user's own operator: everything about it is there but a number that anybody knows. */
static rh_outcome try_users_own(rh_trial *trial) {
  rh_rig rig;
  rh_cl_session *session;
  if (!rh_strategy_is_host(trial->strategy) &&
      rh_redhost_session(trial->redhost, &session, &trial->error) != RH_OK)
    return rh_trial_skip(trial, "no device to run on: %s", trial->error.message);
  rh_status status = rh_rig_init(&rig, trial, RH_OP_or, RH_TYPE_u32, 1003);
  rig.row.id = 0x10000;
  rig.row.name = "users-own";
  if (status == RH_OK) status = rh_rig_setup(&rig);
  if (status == RH_OK) status = rh_rig_case(&rig, "onehot", trial->seed, 1003, 0);
  rh_outcome outcome = status == RH_DECLINED ? RH_PASS : rh_rig_outcome(trial, &rig, status);
  if (outcome == RH_FAIL)
    outcome = rh_trial_fail(
        trial, "accepts an operator with a number of a user's own (0x10000), and then: %s",
        rig.error.message);
  rh_rig_finish(&rig);
  return outcome;
}

static rh_outcome try_unknown_type(rh_trial *trial, rh_type type) {
  int64_t params[RH_MAX_PARAMS];
  rh_device device;
  rh_answer answer = {.struct_size = sizeof answer};
  rh_problem problem = {.struct_size = sizeof problem,
                        .type = type,
                        .op = rh_op_find(RH_OP_sum, RH_TYPE_u32),
                        .device = &device,
                        .max_n = 1000};
  defaults(trial->strategy, params);
  rh_common_device(0, &device);
  rh_status said = trial->strategy->query(&problem, params, &answer);
  if (said == RH_OK || said == RH_DECLINED) return RH_PASS;
  return rh_trial_fail(trial, "type %u: answers %d, neither yes nor no", type, said);
}

rh_outcome rh_v25_unknown(rh_trial *trial) {
  static const rh_type types[] = {0, RH_N_TYPES + 1, 100, UINT32_MAX};
  rh_trial_phase(trial, "query");
  for (size_t k = 0; k < sizeof types / sizeof *types; k++) {
    rh_outcome outcome = try_unknown_type(trial, types[k]);
    if (outcome != RH_PASS) return outcome;
  }
  return try_users_own(trial);
}

/* ---- V26 ---- */

/* A legal value at one end of its range, whichever `choice` says. */
static int64_t end_of(const rh_param *param, unsigned choice) {
  int64_t value = choice == 0 ? param->min : choice == 1 ? param->max : param->initial;
  if (!(param->flags & RH_PARAM_POWER_OF_TWO) || rh_param_allows(param, value, NULL, 0))
    return value;
  for (value = 1; value <= param->max / 2 && (choice == 1 || value < param->min);) value *= 2;
  return value;
}

/* The host asks only with values inside the ranges, so those are the ones to stand: every end of every parameter, alone
 * and with the others at theirs. */
rh_outcome rh_v26_ends_of_ranges(rh_trial *trial) {
  const rh_strategy *strategy = trial->strategy;
  int64_t params[RH_MAX_PARAMS];
  rh_device device;
  rh_answer answer;
  rh_trial_phase(trial, "query");
  if (strategy->n_params == 0) return rh_trial_skip(trial, "has no parameters");
  for (uint32_t d = 0; rh_common_device(d, &device); d++)
    for (uint32_t k = 0; k < strategy->n_params; k++)
      for (unsigned choice = 0; choice < 9; choice++)
        for (int j = 0; j < N_SIZES; j++) {
          for (uint32_t i = 0; i < strategy->n_params; i++)
            params[i] = end_of(rh_strategy_param(strategy, i), i == k ? choice % 3 : choice / 3);
          rh_status said =
              ask(strategy, RH_OP_max, RH_TYPE_i32, &device, sizes[j], params, &answer);
          if (said != RH_OK && said != RH_DECLINED)
            return rh_trial_fail(trial, "%s=%lld, n = %llu: answers %d, neither yes nor no",
                                 rh_strategy_param(strategy, k)->key, (long long)params[k],
                                 (unsigned long long)sizes[j], said);
        }
  return RH_PASS;
}

/* ---- V27 ---- */

/* The real device runs it, but the plugin is told of a poorer one, and keeps to that. */
static rh_outcome try_poor(rh_trial *trial, rh_pair pair, const rh_device *device) {
  rh_rig rig;
  rh_status status = rh_rig_init(&rig, trial, pair.op, pair.type, 5003);
  rig.device = device;
  if (status == RH_OK) status = rh_rig_setup(&rig);
  if (status == RH_OK) status = rh_rig_case(&rig, "hash", trial->seed, 5003, 0);
  rh_outcome outcome = status == RH_DECLINED ? RH_PASS : rh_rig_outcome(trial, &rig, status);
  if (outcome == RH_PASS && rig.local_bytes > device->local_bytes)
    outcome =
        rh_trial_fail(trial, "uses %llu B of local memory on a device that has %llu",
                      (unsigned long long)rig.local_bytes, (unsigned long long)device->local_bytes);
  else if (outcome == RH_FAIL)
    outcome = rh_trial_fail(
        trial,
        "accepts a device of %u work-items a group, %llu B of local memory and features "
        "0x%llx, and then: %s",
        device->max_group, (unsigned long long)device->local_bytes,
        (unsigned long long)device->features, rig.error.message);
  rh_rig_finish(&rig);
  return outcome;
}

rh_outcome rh_v27_starved(rh_trial *trial) {
  rh_pair pairs[RH_MOST_PAIRS];
  rh_cl_session *session;
  rh_device device;
  if (rh_strategy_is_host(trial->strategy)) return rh_trial_skip(trial, "runs on the host");
  uint32_t n = rh_some_pairs(trial, 5003, 1, pairs);
  if (n == 0 || rh_redhost_session(trial->redhost, &session, &trial->error) != RH_OK)
    return RH_SKIP;
  for (uint32_t j = 0; j < n && j < 3; j++)
    for (uint32_t k = 0; rh_poor_device(&session->device->about, k, &device); k++) {
      rh_outcome outcome = try_poor(trial, pairs[j], &device);
      if (outcome != RH_PASS) return outcome;
    }
  return RH_PASS;
}

/* ---- V28 ---- */

/* A yes: setup succeeds, or declines what only the built kernel shows, and says so. */
static rh_outcome keep_yes(rh_trial *trial, rh_pair pair) {
  rh_rig rig;
  rh_status status = rh_rig_init(&rig, trial, pair.op, pair.type, 1003);
  if (status == RH_OK) status = rh_rig_setup(&rig);
  int declined = status == RH_DECLINED && rig.services.failed;
  rh_outcome outcome = RH_PASS;
  if (status != RH_OK && !declined)
    outcome = rh_trial_fail(trial, "accepts %s of %s, and then setup fails: %s",
                            rh_op_name(pair.op), rh_type_name(pair.type), rig.error.message);
  rh_rig_finish(&rig);
  return outcome;
}

/* A no of the strategy's own: setup, called all the same, fails and leaves nothing. */
static rh_outcome keep_no(rh_trial *trial, rh_pair pair) {
  rh_rig rig;
  rh_status status = rh_rig_init(&rig, trial, pair.op, pair.type, 1003);
  if (status == RH_OK) status = rh_rig_setup_anyway(&rig);
  rh_outcome outcome = RH_PASS;
  if (status == RH_OK)
    outcome = rh_trial_fail(trial, "declines %s of %s, and yet setup succeeds", rh_op_name(pair.op),
                            rh_type_name(pair.type));
  rh_rig_finish(&rig);
  return outcome;
}

rh_outcome rh_v28_keeps_word(rh_trial *trial) {
  rh_pair pairs[RH_MOST_PAIRS];
  int64_t params[RH_MAX_PARAMS];
  rh_answer answer;
  rh_cl_session *session = NULL;
  if (!rh_strategy_is_host(trial->strategy) &&
      rh_redhost_session(trial->redhost, &session, &trial->error) != RH_OK)
    return rh_trial_skip(trial, "%s", trial->error.message);
  const rh_device *device = session ? &session->device->about : rh_host_device();
  uint32_t n = rh_some_pairs(trial, 1003, 6, pairs), refused = 0;
  rh_outcome outcome = n ? RH_PASS : RH_SKIP;
  for (uint32_t k = 0; k < n && outcome == RH_PASS; k++) outcome = keep_yes(trial, pairs[k]);
  defaults(trial->strategy, params);
  for (uint32_t op = 1; op <= RH_N_OPS && outcome == RH_PASS; op++)
    for (rh_type type = 1; type <= RH_N_TYPES && outcome == RH_PASS; type++)
      if (is_its_business(trial->strategy, op, type, device) && refused < 8 &&
          ask(trial->strategy, op, type, device, 1003, params, &answer) == RH_DECLINED) {
        outcome = keep_no(trial, (rh_pair){op, type});
        refused++;
      }
  return outcome;
}

/* ---- V29 ---- */

static rh_outcome forecast(rh_trial *trial, rh_pair pair, uint64_t n) {
  rh_rig rig;
  rh_status status = rh_rig_init(&rig, trial, pair.op, pair.type, n);
  if (status == RH_OK) status = rh_rig_setup(&rig);
  if (status == RH_OK) status = rh_rig_case(&rig, "hash", trial->seed, n, 0);
  rh_outcome outcome = rh_rig_outcome(trial, &rig, status);
  const rh_answer *said = &rig.answer;
  if (outcome == RH_PASS && rig.launches != said->launches)
    outcome = rh_trial_fail(trial, "n = %llu: %u launches, but query said %u",
                            (unsigned long long)n, rig.launches, said->launches);
  else if (outcome == RH_PASS && !rig.session && !said->finishes_on_host)
    outcome = rh_trial_fail(trial, "runs on the host, and says that it finishes on the device");
  else if (outcome == RH_PASS && rig.services.scratch_bytes > said->scratch_bytes)
    outcome = rh_trial_fail(trial, "n = %llu: %llu B of scratch memory, but query said %llu",
                            (unsigned long long)n, (unsigned long long)rig.services.scratch_bytes,
                            (unsigned long long)said->scratch_bytes);
  else if (outcome == RH_PASS && rig.local_bytes > said->local_bytes)
    outcome = rh_trial_fail(trial, "n = %llu: %llu B of local memory, but query said %llu",
                            (unsigned long long)n, (unsigned long long)rig.local_bytes,
                            (unsigned long long)said->local_bytes);
  rh_rig_finish(&rig);
  return outcome;
}

rh_outcome rh_v29_forecast(rh_trial *trial) {
  static const uint64_t at[] = {1, 1003, 65537, 1000003};
  rh_pair pairs[RH_MOST_PAIRS];
  uint32_t n = rh_served_pairs(trial, 1000003, pairs);
  rh_outcome outcome = n ? RH_PASS : RH_SKIP;
  for (size_t k = 0; k < sizeof at / sizeof *at && outcome == RH_PASS; k++)
    outcome = forecast(trial, pairs[0], at[k]);
  return outcome;
}

/* ---- V30 ---- */

enum { THREADS = 8, ROUNDS = 200 };

typedef struct asking {
  rh_trial *trial;
  uint32_t from;
  int differs;
} asking;

/* The same questions as everybody's, begun at another place. */
static void *ask_in_thread(void *user) {
  asking *a = user;
  const rh_strategy *strategy = a->trial->strategy;
  int64_t params[RH_MAX_PARAMS];
  rh_device device;
  defaults(strategy, params);
  for (uint32_t k = 0; k < ROUNDS && !a->differs; k++) {
    uint32_t at = a->from + k, op = 1 + at % RH_N_OPS;
    rh_type type = 1 + at / RH_N_OPS % RH_N_TYPES;
    rh_answer first, second;
    rh_common_device(at % 2, &device);
    if (!is_its_business(strategy, op, type, &device)) continue;
    rh_status a_said = ask(strategy, op, type, &device, sizes[at % N_SIZES], params, &first);
    rh_status b_said = ask(strategy, op, type, &device, sizes[at % N_SIZES], params, &second);
    a->differs = a_said != b_said || memcmp(&first, &second, sizeof first) != 0;
  }
  return NULL;
}

rh_outcome rh_v30_threads(rh_trial *trial) {
  pthread_t threads[THREADS];
  asking asked[THREADS];
  int started = 0, differ = 0;
  rh_trial_phase(trial, "query, on eight threads");
  for (; started < THREADS; started++) {
    asked[started] = (asking){trial, (uint32_t)started * 13, 0};
    if (pthread_create(&threads[started], NULL, ask_in_thread, &asked[started]) != 0) break;
  }
  for (int k = 0; k < started; k++) {
    pthread_join(threads[k], NULL);
    differ |= asked[k].differs;
  }
  if (differ) return rh_trial_fail(trial, "asked from eight threads at once, the answers differ");
  return RH_PASS;
}
