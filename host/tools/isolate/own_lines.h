/* The lines that redhost's own children (redhost --work, redhost --sample) send in addition to a
 * peer's:
 *
 *     phase setup                          the phase that it enters: RH_PHASE_LIST
 *     log 1 TEXT                           at most RH_MOST_LOGS of them in a point
 *     progress upload 3 7
 *     param tile 256 0 256                 a parameter in use: key, number, is it a word, text;
 *     before "opened"
 *     memory 64 1024 1                     bytes of scratch and local memory, is the input in
 *     place; before "opened"
 *     field f64 4607182418800017408 mean   a result of a user's operator: its type, the bits of
 *     rh_result_field.value, its name; before "taken"
 *     note tuned here                      before "opened", if there is a note on the parameters
 *     dropped 150                          the number of log lines that were not sent; before
 *     "closed"
 *     part 0a1b                            the next bytes of a rank's part (redhost --part)
 *     wrong TEXT                           an answer: the part's result is wrong
 *     error -20 0 TEXT                     an answer: an rh_status, OpenCL's code, and the message
 *
 * Of a user's operator, which its request holds, the questions "open" and "ask" say `own:K` instead
 * of an operator, and behind all others the bytes behind which each operand begins.  Where its
 * value is a struct, "taken" says 0, and the fields say the results.
 *
 * It gets one more question, "ask NAME OP TYPE N": whether it can serve the problem.  It answers
 * as to "open", but sets nothing up and does not read the data, so that data are generated only
 * after an acceptance. */
#pragma once

#include "../../choose/measure/sampler.h"

enum { RH_MOST_LOGS = 100 };

typedef enum rh_own_word {
  RH_OWN_NONE, /* another line */
  RH_OWN_PHASE,
  RH_OWN_LOG,
  RH_OWN_PROGRESS,
  RH_OWN_PARAM,
  RH_OWN_FIELD,
  RH_OWN_MEMORY,
  RH_OWN_PART,
  RH_OWN_WRONG, /* an error, RH_E_WRONG, of a child that checks what it reduces */
  RH_OWN_NOTE,
  RH_OWN_DROPPED,
  RH_OWN_ERROR
} rh_own_word;

/* Only the fields of the line's kind are set. */
typedef struct rh_own_message {
  rh_phase phase;
  uint32_t level;       /* LOG */
  const char *activity; /* PROGRESS: a constant */
  uint64_t done, total; /* PROGRESS; done also DROPPED */
  rh_used_param param;
  rh_result_field field;
  uint64_t scratch_bytes, local_bytes, in_place; /* MEMORY */
  char text[1024];                               /* LOG, NOTE, PART */
  /* ERROR: never RH_OK, nor RH_E_WRONG, because other children do not check results */
  rh_error error;
} rh_own_message;

/* Accepts any `length` bytes.  Texts that are too long are truncated. */
rh_own_word rh_own_line_read(const char *line, size_t length, rh_own_message *said);
