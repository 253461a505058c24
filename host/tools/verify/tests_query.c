/* V23 to V28 and V30: query. */
#include "internal.h"

/* ---- V23, V24 ---- */

static rh_status answers(rh_trial *trial, const rh_question *question, rh_status said,
                         const rh_answer *answer, void *user) {
  (void)question;
  (void)user;
  if (said != RH_OK && said != RH_DECLINED)
    return rh_trial_fail(trial, "answers %d, expected RH_OK or RH_DECLINED", said);
  if (said == RH_OK && (answer->score < 0 || answer->score > 1000))
    return rh_trial_fail(trial, "a score of %d, not 0 to 1000", answer->score);
  if (said == RH_OK && answer->finishes_on_host > 1)
    return rh_trial_fail(trial, "finishes_on_host = %u, not 0 or 1", answer->finishes_on_host);
  return RH_OK;
}

RH_TEST_IS(v23_matrix, rh_ask_all(trial, answers, NULL))

static rh_status reasons(rh_trial *trial, const rh_question *question, rh_status said,
                         const rh_answer *answer, void *user) {
  size_t length = strnlen(answer->reason, sizeof answer->reason);
  (void)question;
  (void)user;
  if (said != RH_DECLINED) return RH_OK;
  if (answer->why < RH_WHY_TYPE || answer->why > RH_WHY_DRIVER)
    return rh_trial_fail(trial, "declines with the unknown code %u", answer->why);
  if (length == 0) return rh_trial_fail(trial, "declines without a reason");
  if (length == sizeof answer->reason) return rh_trial_fail(trial, "the reason is not terminated");
  if (!rh_is_plain_utf8(answer->reason, length))
    return rh_trial_fail(trial, "the reason is not printable UTF-8");
  return RH_OK;
}

RH_TEST_IS(v24_reasons, rh_ask_all(trial, reasons, NULL))

/* ---- V25 ---- */

/* A user-defined operator: complete, but with an unknown number. */
static rh_status try_users_own(rh_trial *trial) {
  rh_rig rig;
  RH_TRY(rh_trial_device(trial));
  char *prelude = rh_op_prelude(RH_OP_or, RH_TYPE_u32);
  rh_op row = *rh_op_find(RH_OP_or, RH_TYPE_u32);
  row.id = 0x10000;
  row.name = "users-own";
  row.prelude = prelude;
  rh_status status =
      rh_rig_open(&rig, trial, (rh_pair){RH_OP_or, RH_TYPE_u32}, 1003, &(rh_rig_with){.row = &row});
  if (status == RH_OK) status = rh_rig_case(&rig, "onehot", trial->seed, 1003, 0);
  rh_rig_finish(&rig);
  free(prelude);
  if (rh_unless_declined(status) == RH_OK) return RH_OK;
  return rh_trial_fail(trial, "accepts a user-defined operator (number 0x10000), and then: %s",
                       trial->error.message);
}

static rh_status try_unknown_type(rh_trial *trial, rh_type type) {
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
  if (said == RH_OK || said == RH_DECLINED) return RH_OK;
  return rh_trial_fail(trial, "type %u: answers %d, expected RH_OK or RH_DECLINED", type, said);
}

rh_status rh_v25_unknown(rh_trial *trial) {
  static const rh_type types[] = {0, RH_N_TYPES + 1, 100, UINT32_MAX};
  rh_trial_phase(trial, "query");
  for (size_t k = 0; k < sizeof types / sizeof *types; k++)
    RH_TRY(try_unknown_type(trial, types[k]));
  return try_users_own(trial);
}

/* ---- V26 ---- */

/* The legal value that `choice` selects. */
static int64_t chosen(const rh_param *param, unsigned choice) {
  return choice == 2 ? param->initial : rh_end_value(param, choice == 1);
}

/* The host only passes values inside the ranges, so their bounds are tried: each bound of each
 * parameter, alone and with the others at theirs. */
static rh_status at_ends(rh_trial *trial, const rh_question *asked, rh_status unused,
                         const rh_answer *also_unused, void *user) {
  const rh_strategy *strategy = trial->strategy;
  rh_question question = *asked;
  rh_answer answer;
  (void)unused;
  (void)also_unused;
  (void)user;
  if (question.op != RH_OP_max || question.type != RH_TYPE_i32) return RH_OK;
  for (uint32_t k = 0; k < 9 * strategy->n_params; k++) {
    for (uint32_t i = 0; i < strategy->n_params; i++)
      question.params[i] = chosen(rh_strategy_param(strategy, i), i == k / 9 ? k % 3 : k % 9 / 3);
    rh_status said = rh_ask(strategy, &question, &answer);
    if (said != RH_OK && said != RH_DECLINED)
      return rh_trial_fail(trial, "%s=%lld: answers %d, expected RH_OK or RH_DECLINED",
                           rh_strategy_param(strategy, k / 9)->key,
                           (long long)question.params[k / 9], said);
  }
  return RH_OK;
}

rh_status rh_v26_ends_of_ranges(rh_trial *trial) {
  if (trial->strategy->n_params == 0) return rh_trial_skip(trial, "has no parameters");
  return rh_ask_all(trial, at_ends, NULL);
}

/* ---- V27 ---- */

/* The real device runs it, but the plugin is given the description of a more limited one and
 * must respect it. */
static rh_status try_poor(rh_trial *trial, rh_pair pair, const rh_device *device) {
  rh_rig rig;
  rh_status status = rh_rig_open(&rig, trial, pair, 5003, &(rh_rig_with){.device = device});
  if (status == RH_OK) status = rh_one_case(&rig, trial->seed);
  uint64_t local_bytes = rig.local_bytes;
  status = rh_unless_declined(rh_rig_close(&rig, status));
  if (status != RH_OK)
    return rh_trial_fail(
        trial,
        "accepts a device with %u work-items per group, %llu B of local memory and features "
        "0x%llx, and then: %s",
        device->max_group, (unsigned long long)device->local_bytes,
        (unsigned long long)device->features, trial->error.message);
  if (local_bytes <= device->local_bytes) return RH_OK;
  return rh_trial_fail(trial, "uses %llu B of local memory on a device that has %llu",
                       (unsigned long long)local_bytes, (unsigned long long)device->local_bytes);
}

rh_status rh_v27_starved(rh_trial *trial) {
  rh_pairs pairs;
  rh_device device;
  if (!trial->session) return rh_trial_skip(trial, "runs on the host");
  RH_TRY(rh_served_pairs(trial, 5003, 1, &pairs));
  for (uint32_t j = 0; j < pairs.n && j < 3; j++)
    for (uint32_t k = 0; rh_poor_device(trial->device, k, &device); k++)
      RH_TRY(try_poor(trial, pairs.list[j], &device));
  return RH_OK;
}

/* ---- V28 ---- */

/* After an acceptance, setup must succeed, or decline with a reason that only the built kernel
 * shows. */
static rh_status check_acceptance(rh_trial *trial, rh_pair pair) {
  rh_rig rig;
  rh_status status = rh_rig_open(&rig, trial, pair, 1003, NULL);
  int declined = status == RH_DECLINED && rig.services.failed;
  rh_rig_finish(&rig);
  if (status == RH_OK || declined) return RH_OK;
  return rh_trial_fail(trial, "accepts %s of %s, but setup fails: %s", rh_op_name(pair.op),
                       rh_type_name(pair.type), trial->error.message);
}

/* After the strategy's own refusal, setup, called nevertheless, must fail and leave nothing. */
static rh_status check_refusal(rh_trial *trial, rh_pair pair) {
  rh_rig rig;
  rh_status status = rh_rig_open(&rig, trial, pair, 1003, &(rh_rig_with){.is_refused = 1});
  rh_rig_finish(&rig);
  if (status != RH_OK) return RH_OK;
  return rh_trial_fail(trial, "declines %s of %s, but setup succeeds", rh_op_name(pair.op),
                       rh_type_name(pair.type));
}

rh_status rh_v28_keeps_promise(rh_trial *trial) {
  enum { MOST_REFUSED = 8 };
  rh_pairs pairs;
  rh_question question = {.n = 1003, .device = *trial->device};
  rh_answer answer;
  uint32_t refused = 0;
  RH_TRY(rh_served_pairs(trial, 1003, 6, &pairs));
  for (uint32_t k = 0; k < pairs.n; k++) RH_TRY(check_acceptance(trial, pairs.list[k]));
  rh_default_params(trial->strategy, question.params);
  for (uint32_t k = 0; k < RH_MOST_PAIRS && refused < MOST_REFUSED; k++) {
    question.op = 1 + k / RH_N_TYPES;
    question.type = 1 + k % RH_N_TYPES;
    if (!rh_reaches_query(trial->strategy, question.op, question.type, &question.device) ||
        rh_ask(trial->strategy, &question, &answer) != RH_DECLINED)
      continue;
    RH_TRY(check_refusal(trial, (rh_pair){question.op, question.type}));
    refused++;
  }
  return RH_OK;
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

rh_status rh_v30_threads(rh_trial *trial) {
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
  return RH_OK;
}
