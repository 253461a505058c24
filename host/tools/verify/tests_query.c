/* V23 to V28 and V30: query. */
#include "../../core/base/vocabulary.h"
#include "../../core/operation/ops.h"
#include "../../core/plug/plugin.h"
#include "../../core/run/instance.h"
#include "ask.h"
#include "problems.h"

#include <pthread.h>
#include <string.h>

/* ---- V23, V24 ---- */

static rh_outcome answers(rh_trial *trial, const rh_question *question, void *user) {
  rh_answer answer;
  char what[RH_QUESTION_NAME];
  rh_status said = rh_ask(trial->strategy, question, &answer);
  (void)user;
  if (said != RH_OK && said != RH_DECLINED)
    return rh_trial_fail(trial, "%s: answers %d, expected RH_OK or RH_DECLINED",
                         rh_question_name(question, what), said);
  if (said == RH_OK && (answer.score < 0 || answer.score > 1000))
    return rh_trial_fail(trial, "%s: a score of %d, not 0 to 1000",
                         rh_question_name(question, what), answer.score);
  if (said == RH_OK && answer.finishes_on_host > 1)
    return rh_trial_fail(trial, "%s: finishes_on_host = %u, not 0 or 1",
                         rh_question_name(question, what), answer.finishes_on_host);
  return RH_PASS;
}

rh_outcome rh_v23_matrix(rh_trial *trial) {
  return rh_ask_all(trial, answers, NULL);
}

static rh_outcome judge_refusal(rh_trial *trial, const char *what, const rh_answer *answer) {
  size_t length = strnlen(answer->reason, sizeof answer->reason);
  if (answer->why < RH_WHY_TYPE || answer->why > RH_WHY_DRIVER)
    return rh_trial_fail(trial, "%s: declines with the unknown code %u", what, answer->why);
  if (length == 0) return rh_trial_fail(trial, "%s: declines without a reason", what);
  if (length == sizeof answer->reason)
    return rh_trial_fail(trial, "%s: the reason is not terminated", what);
  if (!rh_is_plain_utf8(answer->reason, length))
    return rh_trial_fail(trial, "%s: the reason is not printable UTF-8", what);
  return RH_PASS;
}

static rh_outcome reasons(rh_trial *trial, const rh_question *question, void *user) {
  rh_answer answer;
  char what[RH_QUESTION_NAME];
  (void)user;
  if (rh_ask(trial->strategy, question, &answer) != RH_DECLINED) return RH_PASS;
  return judge_refusal(trial, rh_question_name(question, what), &answer);
}

rh_outcome rh_v24_reasons(rh_trial *trial) {
  return rh_ask_all(trial, reasons, NULL);
}

/* ---- V25 ---- */

/* A user-defined operator: complete, but with an unknown number. */
static rh_outcome try_users_own(rh_trial *trial) {
  rh_rig rig;
  rh_cl_session *session;
  if (!rh_strategy_is_host(trial->strategy) &&
      rh_context_session(trial->context, &session, &trial->error) != RH_OK)
    return rh_trial_skip(trial, "no device to run on: %s", trial->error.message);
  rh_status status = rh_rig_init(&rig, trial, RH_OP_or, RH_TYPE_u32, 1003);
  rig.row.id = 0x10000;
  rig.row.name = "users-own";
  if (status == RH_OK) status = rh_rig_setup(&rig);
  if (status == RH_OK) status = rh_rig_case(&rig, "onehot", trial->seed, 1003, 0);
  rh_outcome outcome = status == RH_DECLINED ? RH_PASS : rh_rig_outcome(trial, &rig, status);
  if (outcome == RH_FAIL)
    outcome = rh_trial_fail(trial, "accepts a user-defined operator (number 0x10000), and then: %s",
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
  rh_default_params(trial->strategy, params);
  rh_common_device(0, &device);
  rh_status said = trial->strategy->query(&problem, params, &answer);
  if (said == RH_OK || said == RH_DECLINED) return RH_PASS;
  return rh_trial_fail(trial, "type %u: answers %d, expected RH_OK or RH_DECLINED", type, said);
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

/* The legal value that `choice` selects. */
static int64_t chosen(const rh_param *param, unsigned choice) {
  return choice == 2 ? param->initial : rh_end_value(param, choice == 1);
}

/* The host only passes values inside the ranges, so their bounds are tried: each bound of each
 * parameter, alone and with the others at theirs. */
static rh_outcome at_ends(rh_trial *trial, const rh_question *asked, void *user) {
  const rh_strategy *strategy = trial->strategy;
  rh_question question = *asked;
  rh_answer answer;
  (void)user;
  if (question.op != RH_OP_max || question.type != RH_TYPE_i32) return RH_PASS;
  for (uint32_t k = 0; k < 9 * strategy->n_params; k++) {
    for (uint32_t i = 0; i < strategy->n_params; i++)
      question.params[i] = chosen(rh_strategy_param(strategy, i), i == k / 9 ? k % 3 : k % 9 / 3);
    rh_status said = rh_ask(strategy, &question, &answer);
    if (said != RH_OK && said != RH_DECLINED)
      return rh_trial_fail(trial, "%s=%lld, n = %llu: answers %d, expected RH_OK or RH_DECLINED",
                           rh_strategy_param(strategy, k / 9)->key,
                           (long long)question.params[k / 9], (unsigned long long)question.n, said);
  }
  return RH_PASS;
}

rh_outcome rh_v26_ends_of_ranges(rh_trial *trial) {
  if (trial->strategy->n_params == 0) return rh_trial_skip(trial, "has no parameters");
  return rh_ask_all(trial, at_ends, NULL);
}

/* ---- V27 ---- */

/* The real device runs it, but the plugin is given the description of a more limited one and
 * must respect it. */
static rh_outcome try_poor(rh_trial *trial, rh_pair pair, const rh_device *device) {
  rh_rig rig;
  rh_status status = rh_rig_open(&rig, trial, pair, 5003, &(rh_rig_with){.device = device});
  if (status == RH_OK) status = rh_rig_case(&rig, "hash", trial->seed, 5003, 0);
  rh_outcome outcome = status == RH_DECLINED ? RH_PASS : rh_rig_outcome(trial, &rig, status);
  if (outcome == RH_PASS && rig.local_bytes > device->local_bytes)
    outcome =
        rh_trial_fail(trial, "uses %llu B of local memory on a device that has %llu",
                      (unsigned long long)rig.local_bytes, (unsigned long long)device->local_bytes);
  else if (outcome == RH_FAIL)
    outcome = rh_trial_fail(
        trial,
        "accepts a device with %u work-items per group, %llu B of local memory and features "
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
  if (n == 0 || rh_context_session(trial->context, &session, &trial->error) != RH_OK)
    return RH_SKIP;
  for (uint32_t j = 0; j < n && j < 3; j++)
    for (uint32_t k = 0; rh_poor_device(&session->device->about, k, &device); k++) {
      rh_outcome outcome = try_poor(trial, pairs[j], &device);
      if (outcome != RH_PASS) return outcome;
    }
  return RH_PASS;
}

/* ---- V28 ---- */

/* After an acceptance, setup must succeed, or decline with a reason that only the built kernel
 * shows. */
static rh_outcome check_acceptance(rh_trial *trial, rh_pair pair) {
  rh_rig rig;
  rh_status status = rh_rig_open(&rig, trial, pair, 1003, NULL);
  int declined = status == RH_DECLINED && rig.services.failed;
  rh_outcome outcome = RH_PASS;
  if (status != RH_OK && !declined)
    outcome = rh_trial_fail(trial, "accepts %s of %s, but setup fails: %s", rh_op_name(pair.op),
                            rh_type_name(pair.type), rig.error.message);
  rh_rig_finish(&rig);
  return outcome;
}

/* After the strategy's own refusal, setup, called nevertheless, must fail and leave nothing. */
static rh_outcome check_refusal(rh_trial *trial, rh_pair pair) {
  rh_rig rig;
  rh_status status = rh_rig_init(&rig, trial, pair.op, pair.type, 1003);
  if (status == RH_OK) status = rh_rig_setup_anyway(&rig);
  rh_outcome outcome = RH_PASS;
  if (status == RH_OK)
    outcome = rh_trial_fail(trial, "declines %s of %s, but setup succeeds", rh_op_name(pair.op),
                            rh_type_name(pair.type));
  rh_rig_finish(&rig);
  return outcome;
}

rh_outcome rh_v28_keeps_promise(rh_trial *trial) {
  enum { MOST_REFUSED = 8 };
  rh_pair pairs[RH_MOST_PAIRS];
  rh_question question = {.n = 1003, .device = *rh_host_device()};
  rh_answer answer;
  rh_cl_session *session;
  uint32_t n = rh_some_pairs(trial, 1003, 6, pairs), refused = 0;
  rh_outcome outcome = n ? RH_PASS : RH_SKIP;
  for (uint32_t k = 0; k < n && outcome == RH_PASS; k++)
    outcome = check_acceptance(trial, pairs[k]);
  if (!rh_strategy_is_host(trial->strategy) && n &&
      rh_context_session(trial->context, &session, &trial->error) == RH_OK)
    question.device = session->device->about;
  rh_default_params(trial->strategy, question.params);
  for (uint32_t k = 0; k < RH_MOST_PAIRS && refused < MOST_REFUSED && outcome == RH_PASS; k++) {
    question.op = 1 + k / RH_N_TYPES;
    question.type = 1 + k % RH_N_TYPES;
    if (!rh_reaches_query(trial->strategy, question.op, question.type, &question.device) ||
        rh_ask(trial->strategy, &question, &answer) != RH_DECLINED)
      continue;
    outcome = check_refusal(trial, (rh_pair){question.op, question.type});
    refused++;
  }
  return outcome;
}

/* ---- V30 ---- */

enum { THREADS = 8, ROUNDS = 200 };

typedef struct asking {
  rh_trial *trial;
  uint32_t from;
  int differs;
} asking;

/* Each thread asks the same questions, starting at a different one. */
static void *ask_in_thread(void *user) {
  asking *a = user;
  const rh_strategy *strategy = a->trial->strategy;
  rh_question question;
  rh_default_params(strategy, question.params);
  for (uint32_t k = 0; k < ROUNDS && !a->differs; k++) {
    uint32_t at = a->from + k;
    rh_answer first, second;
    question.op = 1 + at % RH_N_OPS;
    question.type = 1 + at / RH_N_OPS % RH_N_TYPES;
    question.n = rh_asked_sizes[at % RH_N_ASKED];
    rh_common_device(at % 2, &question.device);
    if (!rh_reaches_query(strategy, question.op, question.type, &question.device)) continue;
    rh_status a_said = rh_ask(strategy, &question, &first);
    rh_status b_said = rh_ask(strategy, &question, &second);
    a->differs = !rh_same_answer(a_said, &first, b_said, &second);
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
  if (differ) return rh_trial_fail(trial, "the answers differ when eight threads ask at once");
  return RH_PASS;
}
