/* Calls a strategy's query directly, bypassing the host's own checks. */
#pragma once

#include "problems.h"

typedef struct rh_question {
  uint32_t op;
  rh_type type;
  rh_device device;
  uint64_t n;
  int64_t params[RH_MAX_PARAMS];
} rh_question;

/* Zeroes the answer first, as the host does.  Each question's structs have other addresses. */
rh_status rh_ask(const rh_strategy *strategy, const rh_question *question, rh_answer *answer);

/* Whether two answers are equal, and a hash over all fields of an answer. */
int rh_same_answer(rh_status a, const rh_answer *first, rh_status b, const rh_answer *second);
uint64_t rh_answer_hash(rh_status said, const rh_answer *answer);

/* 0: the host declines such a problem itself, so the strategy's query never sees it. */
int rh_reaches_query(const rh_strategy *strategy, uint32_t op, rh_type type,
                     const rh_device *device);

/* Sizes from 0 to 2^40. */
enum { RH_N_ASKED = 6 };
extern const uint64_t rh_asked_sizes[RH_N_ASKED];

/* Calls `visit` for every combination of operator, type, common device and size, and the answer,
 * until it fails. */
typedef rh_status rh_question_visitor(rh_trial *trial, const rh_question *question, rh_status said,
                                      const rh_answer *answer, void *user);
rh_status rh_ask_all(rh_trial *trial, rh_question_visitor *visit, void *user);

/* Puts "sum of f32 on a GPU, n = 1000: " before the trial's message, and returns its status. */
rh_status rh_question_prefix(rh_trial *trial, const rh_question *question);
