#include "internal.h"

const uint64_t rh_asked_sizes[RH_N_ASKED] = {
    0, 1, 1000, (uint64_t)1 << 24, ((uint64_t)1 << 32) + 3, (uint64_t)1 << 40};

/* Every struct of a question. */
typedef struct copies {
  rh_op op;
  rh_device device;
  rh_problem problem;
  int64_t params[RH_MAX_PARAMS];
  rh_answer answer;
} copies;

rh_status rh_ask(const rh_strategy *strategy, const rh_question *question, rh_answer *answer) {
  enum { PLACES = 61, STEP = 16 };
  static __thread _Alignas(16) unsigned char room[sizeof(copies) + PLACES * STEP];
  static __thread size_t asked;
  copies *there = (copies *)(void *)(room + asked++ % PLACES * STEP);
  *there = (copies){.op = *rh_op_find(question->op, question->type), .device = question->device};
  there->problem = (rh_problem){.struct_size = sizeof there->problem,
                                .type = question->type,
                                .op = &there->op,
                                .device = &there->device,
                                .max_n = question->n};
  memcpy(there->params, question->params, sizeof there->params);
  there->answer.struct_size = sizeof there->answer;
  rh_status said = strategy->query(&there->problem, there->params, &there->answer);
  *answer = there->answer;
  return said;
}

int rh_same_answer(rh_status a, const rh_answer *first, rh_status b, const rh_answer *second) {
  return a == b && memcmp(first, second, sizeof *first) == 0;
}

uint64_t rh_answer_hash(rh_status said, const rh_answer *answer) {
  uint64_t hash = rh_random_mix((uint64_t)said), word;
  const unsigned char *bytes = (const unsigned char *)answer;
  for (size_t k = 0; k + sizeof word <= sizeof *answer; k += sizeof word) {
    memcpy(&word, bytes + k, sizeof word);
    hash = rh_random_mix(hash ^ word);
  }
  return hash;
}

int rh_reaches_query(const rh_strategy *strategy, uint32_t op, rh_type type,
                     const rh_device *device) {
  if (!rh_op_is_defined(op, type) || !(strategy->device_kinds & (device->kind | RH_DEVICE_HOST)))
    return 0;
  return rh_op_flags(op, type) & RH_OP_COMMUTATIVE || strategy->promises & RH_KEEPS_ORDER;
}

rh_status rh_ask_all(rh_trial *trial, rh_question_visitor *visit, void *user) {
  rh_question question;
  rh_answer answer;
  rh_default_params(trial->strategy, question.params);
  rh_trial_phase(trial, "query");
  for (uint32_t k = 0; rh_common_device(k, &question.device); k++)
    for (question.op = 1; question.op <= RH_N_OPS; question.op++)
      for (question.type = 1; question.type <= RH_N_TYPES; question.type++) {
        if (!rh_reaches_query(trial->strategy, question.op, question.type, &question.device))
          continue;
        for (int j = 0; j < RH_N_ASKED; j++) {
          question.n = rh_asked_sizes[j];
          rh_status said = rh_ask(trial->strategy, &question, &answer);
          if (visit(trial, &question, said, &answer, user) != RH_OK)
            return rh_question_prefix(trial, &question);
        }
      }
  return RH_OK;
}

rh_status rh_question_prefix(rh_trial *trial, const rh_question *question) {
  uint32_t kind = question->device.kind;
  rh_error_prefix(&trial->error, "%s of %s on %s, n = %llu", rh_op_name(question->op),
                  rh_type_name(question->type),
                  kind == RH_DEVICE_HOST  ? "the host"
                  : kind == RH_DEVICE_CPU ? "a CPU"
                  : kind == RH_DEVICE_GPU ? "a GPU"
                                          : "an accelerator",
                  (unsigned long long)question->n);
  return trial->error.status;
}
