/* One child process: started, read from for as long as it sends something, and judged by its
 * messages and how it ended. */
#pragma once

#include "../../core/child/conversation.h"
#include "trial.h"

#include <jansson.h>

typedef struct rh_time_limits {
  /* Silence: on its stopwatch, and in processor time. */
  double silence_s, busy_s;
  double most_s; /* in total, on its stopwatch */
  double end_s;  /* until it ends, after its verdict */
} rh_time_limits;

typedef struct rh_attempt {
  int has_verdict;
  rh_outcome outcome;
  char *text;
  uint64_t digest;
  json_int_t printed,
      /* bytes until its verdict (-1: does not matter), and from there to its end */
      printed_later;
  json_t *names;
  char phase[64];     /* the last one it named */
  rh_fate fate;       /* why nothing more was read */
  int is_over;        /* RH_FATE_LATE: exceeded limits->most_s, */
  int is_busy;        /* or limits->busy_s */
  double spent_s;     /* on its stopwatch, until its end was seen */
  int status;         /* as of waitpid; -1: unknown */
  int is_late_to_end; /* it gave its verdict, but had to be killed */
} rh_attempt;

/* Runs the trial in a child. */
rh_status rh_attempt_run(rh_attempt *attempt, const char *program, const rh_trial *trial,
                         const rh_time_limits *limits, rh_error *error);

/* Sets its outcome and text according to how it ended. */
void rh_attempt_judge(rh_attempt *attempt, const rh_time_limits *limits);

void rh_attempt_set(rh_attempt *attempt, rh_outcome outcome, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void rh_attempt_finish(rh_attempt *attempt);
