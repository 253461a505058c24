/* V23 to V28 and V30: query. */
#include "internal.h"

RH_TEST(23, "query: every type, operator and device", RH_QUERY_TEST) {
  rh_question q = rh_first_question(trial);
  while (rh_next_question(trial, &q)) {
    if (q.said != RH_OK && q.said != RH_DECLINED)
      return rh_question_fail(trial, &q, "answers %d, expected RH_OK or RH_DECLINED", q.said);
    if (q.said == RH_OK && (q.answer.score < 0 || q.answer.score > 1000))
      return rh_question_fail(trial, &q, "a score of %d, not 0 to 1000", q.answer.score);
    if (q.said == RH_OK && q.answer.finishes_on_host > 1)
      return rh_question_fail(trial, &q, "finishes_on_host = %u, not 0 or 1",
                              q.answer.finishes_on_host);
  }
  return RH_OK;
}

RH_TEST(24, "query: every refusal has a code and a reason", RH_QUERY_TEST) {
  rh_question q = rh_first_question(trial);
  while (rh_next_question(trial, &q)) {
    if (q.said != RH_DECLINED) continue;
    if (q.answer.why < RH_WHY_TYPE || q.answer.why > RH_WHY_DRIVER)
      return rh_question_fail(trial, &q, "declines with the unknown code %u", q.answer.why);
    size_t length = strnlen(q.answer.reason, sizeof q.answer.reason);
    if (length == 0) return rh_question_fail(trial, &q, "declines without a reason");
    if (length == sizeof q.answer.reason)
      return rh_question_fail(trial, &q, "the reason is not terminated");
    if (!rh_is_plain_utf8(q.answer.reason, length))
      return rh_question_fail(trial, &q, "the reason is not printable UTF-8");
  }
  return RH_OK;
}

/* ---- V25 ---- */

RH_TEST(25, "query: unknown types are declined", RH_QUERY_TEST) {
  static const rh_type types[] = {0, RH_N_TYPES + 1, 100, UINT32_MAX};
  rh_question q = rh_first_question(trial);
  q.op = RH_OP_sum;
  q.n = 1000;
  for (size_t k = 0; k < RH_COUNT(types); k++) {
    q.type = types[k];
    rh_ask(trial->strategy, &q);
    if (q.said != RH_OK && q.said != RH_DECLINED)
      return rh_trial_fail(trial, "type %u: answers %d, expected RH_OK or RH_DECLINED", q.type,
                           q.said);
  }
  /* a user-defined operator: complete, but with an unknown number */
  const rh_pair pair = {RH_OP_xor, RH_TYPE_u32};
  rh_op row = *rh_op_find(pair.op, pair.type);
  RH_TRY(rh_trial_device(trial));
  row.id = 0x10000;
  row.name = "users-own";
  rh_status status = rh_try_pair(trial, pair, 1003, &(rh_rig_with){.row = &row}, rh_one_case);
  if (rh_unless_declined(status) == RH_OK) return RH_OK;
  return rh_trial_fail(trial, "accepts a user-defined operator (number 0x10000), and then: %s",
                       trial->error.message);
}

/* ---- V26 ---- */

/* The host only passes values inside the ranges, so their bounds are tried: each bound of each
 * parameter, alone and with the others at theirs. */
static rh_status at_ends(rh_trial *trial, rh_question q) {
  const rh_strategy *strategy = trial->strategy;
  for (uint32_t k = 0; k < 9 * strategy->n_params; k++) {
    for (uint32_t i = 0; i < strategy->n_params; i++) {
      const rh_param *param = rh_strategy_param(strategy, i);
      const uint32_t choice = i == k / 9 ? k % 3 : k % 9 / 3;
      q.params[i] = choice == 2 ? param->initial : rh_end_value(param, choice == 1);
    }
    rh_ask(strategy, &q);
    if (q.said != RH_OK && q.said != RH_DECLINED)
      return rh_question_fail(trial, &q, "%s=%lld: answers %d, expected RH_OK or RH_DECLINED",
                              rh_strategy_param(strategy, k / 9)->key, (long long)q.params[k / 9],
                              q.said);
  }
  return RH_OK;
}

RH_TEST(26, "query: safe with parameters at the ends of their ranges", RH_QUERY_TEST) {
  rh_question q = rh_first_question(trial);
  if (trial->strategy->n_params == 0) return rh_trial_skip(trial, "has no parameters");
  while (rh_next_question(trial, &q))
    if (q.op == RH_OP_max && q.type == RH_TYPE_i32) RH_TRY(at_ends(trial, q));
  return RH_OK;
}

/* ---- V27 ---- */

/* The real device's description with something missing; 0 after the last. */
static int poor_device(const rh_device *real, uint32_t k, rh_device *device) {
  *device = *real;
  switch (k) {
  case 0: device->local_bytes = 0; return 1;
  case 1: device->max_group = 1; return 1;
  case 2: device->local_bytes = 64; return 1;
  case 3: device->max_group = 3; return 1;
  case 4: device->features = 0; return 1;
  case 5: device->compute_units = 1; return 1;
  case 6:
    device->max_group = 1;
    device->local_bytes = 16;
    device->features = 0;
    return 1;
  default: return 0;
  }
}

/* The real device runs it, but the plugin is given the description of a more limited one and
 * must respect it. */
static rh_status try_poor(rh_trial *trial, rh_pair pair, const rh_device *device) {
  RH_FINISHED(rh_rig) rig;
  rh_status status = rh_rig_open(&rig, trial, pair, 5003, &(rh_rig_with){.device = device});
  if (status == RH_OK) status = rh_one_case(&rig, trial->seed);
  if (rh_unless_declined(status) != RH_OK)
    return rh_trial_fail(
        trial,
        "accepts a device with %u work-items per group, %llu B of local memory and features "
        "0x%llx, and then: %s",
        device->max_group, (unsigned long long)device->local_bytes,
        (unsigned long long)device->features, trial->error.message);
  if (rig.local_bytes <= device->local_bytes) return RH_OK;
  return rh_trial_fail(trial, "uses %llu B of local memory on a device that has %llu",
                       (unsigned long long)rig.local_bytes,
                       (unsigned long long)device->local_bytes);
}

RH_TEST(27, "query: limited devices are declined or served", RH_RUN_TEST(4, 0.1)) {
  rh_pairs pairs;
  rh_device device;
  if (!trial->session) return rh_trial_skip(trial, "runs on the host");
  RH_TRY(rh_served_pairs(trial, 5003, 1, &pairs));
  for (uint32_t j = 0; j < pairs.n && j < 3; j++)
    for (uint32_t k = 0; poor_device(trial->device, k, &device); k++)
      RH_TRY(try_poor(trial, pairs.list[j], &device));
  return RH_OK;
}

/* ---- V28 ---- */

/* After an acceptance, setup must succeed, or decline with a reason that only the built kernel
 * shows.  After the strategy's own refusal, setup, called nevertheless, must fail and leave
 * nothing. */
static rh_status check_setup(rh_trial *trial, uint32_t op, rh_type type, int is_refused) {
  const rh_rig_with with = {.is_refused = is_refused};
  RH_FINISHED(rh_rig) rig;
  rh_status status = rh_rig_open(&rig, trial, (rh_pair){op, type}, 1003, &with);
  int is_right = is_refused ? status != RH_OK
                            : status == RH_OK || (status == RH_DECLINED && rig.services.failed);
  if (is_right) return RH_OK;
  return rh_trial_fail(trial, "%s %s of %s, but setup %s%s", is_refused ? "declines" : "accepts",
                       rh_op_name(op), rh_type_name(type),
                       is_refused ? "succeeds" : "fails: ", is_refused ? "" : trial->error.message);
}

RH_TEST(28, "query: setup succeeds if accepted, fails if declined", RH_RUN_TEST(7, 0.1)) {
  enum { MOST_REFUSED = 8 };
  rh_pairs pairs;
  rh_question q = rh_first_question(trial);
  uint32_t refused = 0;
  RH_TRY(rh_served_pairs(trial, 1003, 6, &pairs));
  for (uint32_t k = 0; k < pairs.n; k++)
    RH_TRY(check_setup(trial, pairs.list[k].op, pairs.list[k].type, 0));
  q.n = 1003;
  q.device = *trial->device;
  for (uint32_t k = 0; k < RH_MOST_PAIRS && refused < MOST_REFUSED; k++) {
    q.op = 1 + k / RH_N_TYPES;
    q.type = 1 + k % RH_N_TYPES;
    if (!rh_reaches_query(trial->strategy, &q)) continue;
    rh_ask(trial->strategy, &q);
    if (q.said != RH_DECLINED) continue;
    RH_TRY(check_setup(trial, q.op, q.type, 1));
    refused++;
  }
  return RH_OK;
}

/* ---- V30 ---- */

enum { THREADS = 8, ROUNDS = 200 };

typedef struct asking {
  const rh_trial *trial;
  rh_question question;
  int differs;
} asking;

/* Each thread asks the same questions, starting at a different one. */
static void *ask_in_thread(void *user) {
  asking *a = user;
  for (int k = 0; k < ROUNDS && !a->differs && rh_next_question(a->trial, &a->question); k++)
    a->differs = !rh_asks_again(a->trial->strategy, &a->question);
  return NULL;
}

RH_TEST(30, "query: eight concurrent threads agree", RH_QUERY_TEST) {
  pthread_t threads[THREADS];
  asking asked[THREADS];
  int started = 0, differ = 0;
  const rh_question first = rh_first_question(trial);
  for (; started < THREADS; started++) {
    asked[started] = (asking){trial, first, 0};
    asked[started].question.next = (uint32_t)started * 13;
    if (pthread_create(&threads[started], NULL, ask_in_thread, &asked[started]) != 0) break;
  }
  for (int k = 0; k < started; k++) {
    pthread_join(threads[k], NULL);
    differ |= asked[k].differs;
  }
  if (differ) return rh_trial_fail(trial, "the answers differ when eight threads ask at once");
  return RH_OK;
}
