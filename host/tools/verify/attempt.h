/* One child: started, listened to for as long as it shows signs of life, and judged by what it said
 * and how it ended. */
#ifndef RH_VERIFY_ATTEMPT_H
#define RH_VERIFY_ATTEMPT_H

#include "../../core/child/conversation.h"
#include "child.h"

#include <jansson.h>

typedef struct rh_patience {
  /* Without a sign of life: by its stopwatch, and of the processors' time. */
  double silence_s, busy_s;
  double most_s; /* by its stopwatch, whatever it says */
  double end_s;  /* for its end, once it has said everything */
} rh_patience;

typedef struct rh_attempt {
  int has_verdict;
  rh_outcome outcome;
  char *text;
  uint64_t digest;
  json_int_t printed,
      /* bytes, to its verdict, where that matters, else -1; and from there to its end */
      printed_later;
  json_t *names;
  char phase[64];     /* the last one it named */
  rh_fate fate;       /* why nothing more was read */
  int is_over;        /* RH_FATE_LATE: because of patience->most_s, */
  int is_busy;        /* or because of patience->busy_s */
  double spent_s;     /* by its stopwatch, and until its end was seen */
  int status;         /* as of waitpid; -1: nobody knows */
  int is_late_to_end; /* it said everything, and had to be killed */
} rh_attempt;

/* Runs it in a child. */
rh_status rh_attempt_run(rh_attempt *attempt, const char *program, const rh_trial_order *order,
                         const rh_patience *patience, rh_error *error);

/* Its outcome and text, by how it ended. */
void rh_attempt_judge(rh_attempt *attempt, const rh_patience *patience);

void rh_attempt_say(rh_attempt *attempt, rh_outcome outcome, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void rh_attempt_finish(rh_attempt *attempt);

#endif
