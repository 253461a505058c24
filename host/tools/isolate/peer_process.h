/* The process of a peer program: starts it, exchanges lines with it, and restarts it after a
 * loss. peer_point.c knows the questions. */
#pragma once

#include "../../core/base/text.h"
#include "../../core/child/conversation.h"
#include "peer_lines.h"

/* A question; the peer's name and the verb are for messages. */
typedef struct rh_peer_question {
  const char *line; /* with its newline; null: only read */
  const char *peer; /* null: the program as a whole */
  const char *verb; /* "open" */
  rh_phase phase;   /* a redhost child cannot answer before it has reached this phase */
  uint32_t op;
  rh_type type;
} rh_peer_question;

/* The additional state of a redhost child; its strings are null for other programs. */
typedef struct rh_peer_own {
  const char *role, *strategy, *plugin;
  const rh_region *region; /* the data that it maps, if they have a region */
  rh_phase phase;
  uint64_t logs;
  uint32_t failed; /* it has reported an error, to which its output probably refers */
  rh_opened noted; /* parameters, note and memory since the last question */
  rh_result_field fields[RH_MOST_RESULTS]; /* since the last question, n_fields of them */
  uint32_t n_fields;
} rh_peer_own;

/* Zero-initialised except for `program`, `who`, `options`, `limit_s` and `data`, it is one that
 * was never started. */
typedef struct rh_peer_process {
  const char *program;
  const char *who; /* for messages: "peer program PATH" */
  rh_peer_own own;
  const void *request; /* sent on its descriptor 3 */
  size_t request_bytes;
  const rh_options *options;
  double limit_s;
  int data; /* its descriptor 5 */
  rh_conversation with;
  rh_peer_question question; /* the last one; its line is the caller's */
  int is_asked;              /* an answer is expected */
  rh_peer_word word;         /* the answer */
  rh_peer_message said;
  uint32_t runs;
  uint32_t starts; /* how often it was started; points of an earlier process are no longer open */
  uint32_t losses; /* in a row; the caller resets it after a success */
  char why[1024];  /* the reason of the last loss */
} rh_peer_process;

rh_status rh_peer_process_start(rh_peer_process *process, rh_error *error);

/* Sends a question and reads the answer, which is never RH_PEER_GARBAGE.  A process that does not
 * answer is ended, and *error says why.  An error that a redhost child reports is returned, and
 * the process continues. */
rh_status rh_peer_process_ask(rh_peer_process *process, const rh_peer_question *question,
                              rh_peer_word *word, rh_peer_message *said, rh_error *error);

/* For an answer that does not match the last question: ends the process and returns an error. */
rh_status rh_peer_process_protocol_error(rh_peer_process *process, const char *how,
                                         rh_error *error);

/* Closes the channel, which makes the program exit, and waits briefly. */
void rh_peer_process_end(rh_peer_process *process);
