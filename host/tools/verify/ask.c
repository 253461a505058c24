#include "internal.h"

/* Every struct of a question. */
typedef struct copies {
  rh_op op;
  rh_device device;
  rh_problem problem;
  int64_t params[RH_MAX_PARAMS];
  rh_answer answer;
} copies;

void rh_ask(const rh_strategy *strategy, rh_question *q) {
  enum { PLACES = 61, STEP = 16 };
  static __thread _Alignas(16) unsigned char room[sizeof(copies) + PLACES * STEP];
  static __thread size_t asked;
  copies *there = (copies *)(void *)(room + asked++ % PLACES * STEP);
  const rh_type of = q->type - 1 < RH_N_TYPES ? q->type : RH_TYPE_u32;
  *there = (copies){.op = *rh_op_find(q->op, of), .device = q->device};
  there->problem = (rh_problem){.struct_size = sizeof there->problem,
                                .type = q->type,
                                .op = &there->op,
                                .device = &there->device,
                                .max_n = q->n};
  memcpy(there->params, q->params, sizeof there->params);
  there->answer.struct_size = sizeof there->answer;
  q->said = strategy->query(&there->problem, there->params, &there->answer);
  q->answer = there->answer;
}

int rh_asks_again(const rh_strategy *strategy, const rh_question *q) {
  rh_question again = *q;
  rh_ask(strategy, &again);
  return again.said == q->said && memcmp(&again.answer, &q->answer, sizeof q->answer) == 0;
}

int rh_reaches_query(const rh_strategy *strategy, const rh_question *q) {
  if (!rh_op_is_defined(q->op, q->type) ||
      !(strategy->device_kinds & (q->device.kind | RH_DEVICE_HOST)))
    return 0;
  return rh_op_flags(q->op, q->type) & RH_OP_COMMUTATIVE || strategy->promises & RH_KEEPS_ORDER;
}

rh_question rh_first_question(rh_trial *trial) {
  rh_question q = {0};
  rh_params_resolve(trial->strategy, NULL, 0, q.params, NULL);
  rh_trial_phase(trial, "query");
  return q;
}

int rh_next_question(const rh_trial *trial, rh_question *q) {
  static const uint64_t sizes[] = {
      0, 1, 1000, (uint64_t)1 << 24, ((uint64_t)1 << 32) + 3, (uint64_t)1 << 40};
  do {
    uint32_t at = q->next++, pair = at / RH_N_ASKED % RH_MOST_PAIRS;
    if (!rh_common_device(at / RH_N_ASKED / RH_MOST_PAIRS, &q->device)) return 0;
    q->n = sizes[at % RH_N_ASKED];
    q->op = 1 + pair / RH_N_TYPES;
    q->type = 1 + pair % RH_N_TYPES;
  } while (!rh_reaches_query(trial->strategy, q));
  rh_ask(trial->strategy, q);
  return 1;
}

rh_status rh_question_fail(rh_trial *trial, const rh_question *q, const char *format, ...) {
  char text[512];
  va_list args;
  uint32_t kind = q->device.kind;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  return rh_trial_fail(trial, "%s of %s on %s, n = %llu: %s", rh_op_name(q->op),
                       rh_type_name(q->type),
                       kind == RH_DEVICE_HOST  ? "the host"
                       : kind == RH_DEVICE_CPU ? "a CPU"
                       : kind == RH_DEVICE_GPU ? "a GPU"
                                               : "an accelerator",
                       (unsigned long long)q->n, text);
}
