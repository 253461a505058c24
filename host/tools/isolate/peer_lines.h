/* Parses the lines that a child sends.  Pure: text in, struct out.  A peer program sends those of
 * docs/extend/peers.md; redhost's own children (redhost --work, redhost --sample) in addition
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

typedef enum rh_peer_word {
  RH_PEER_GARBAGE, /* not part of the protocol */
  RH_PEER_HELLO,
  RH_PEER_NAMED,
  RH_PEER_READY,
  RH_PEER_OPENED,
  RH_PEER_DECLINED,
  RH_PEER_FAILED,
  RH_PEER_TAKEN,
  RH_PEER_PARTS,
  RH_PEER_CLOSED,
  RH_PEER_VALUED,
  RH_OWN_PHASE, /* from here on those of redhost's own children alone */
  RH_OWN_LOG,
  RH_OWN_PROGRESS,
  RH_OWN_PARAM,
  RH_OWN_FIELD,
  RH_OWN_MEMORY,
  RH_OWN_NOTE,
  RH_OWN_DROPPED,
  RH_OWN_ERROR
} rh_peer_word;

/* Only the fields of the line's kind are set. */
typedef struct rh_peer_message {
  char name[64]; /* NAMED: like a strategy's name */
  /* NAMED: its description; OPENED: its parameters, or ""; DECLINED, FAILED: the reason; LOG;
   * NOTE */
  char text[1024];
  uint32_t launches;           /* OPENED */
  uint32_t device;             /* OPENED, TAKEN: 1 by the device's clock, 0 by the host's */
  double seconds;              /* TAKEN: finite, more than 0 */
  rh_result result;            /* TAKEN: in the result type of the operator */
  rh_opened opened;            /* OPENED: only the values that were given with a key; MEMORY */
  uint32_t has_parts;          /* OPENED: supports the request "parts" */
  rh_part parts[RH_MAX_PARTS]; /* PARTS */
  uint32_t n_parts;
  double host_share_s; /* PARTS */
  rh_phase phase;
  uint32_t level;       /* LOG */
  const char *activity; /* PROGRESS: a constant */
  uint64_t done, total; /* PROGRESS; done also DROPPED */
  rh_used_param param;
  rh_result_field field;
  /* ERROR: never RH_OK, nor RH_E_WRONG, because children do not check results */
  rh_error error;
} rh_peer_message;

/* Accepts any `length` bytes.  `op` and `type` determine the value of a TAKEN.  Texts that are too
 * long are truncated. */
rh_peer_word rh_peer_line_read(const char *line, size_t length, int is_own, uint32_t op,
                               rh_type type, rh_peer_message *said);
