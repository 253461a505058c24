/* The process behind a peer program: started, asked, lost and started again.  What is asked is peer.c's. */
#ifndef RH_ISOLATE_PEER_PROCESS_H
#define RH_ISOLATE_PEER_PROCESS_H

#include "../../core/child/conversation.h"
#include "peer_lines.h"

/* What is asked, of whom, and what for: the name and the verb are for messages. */
typedef struct rh_peer_question {
  const char *line; /* with its end; null: only listen */
  const char *peer; /* null: the program as a whole */
  const char *verb; /* "open" */
  uint32_t op;
  rh_type type;
} rh_peer_question;

/* Zero-initialised, with `program`, `who`, `options`, `limit_s` and `data` set, is one that was never started. */
typedef struct rh_peer_process {
  const char *program;
  const char *who;     /* for messages: "peer program PATH", "strategy 'x' in PATH" */
  const char *role;    /* of a child of redhost's own; null: a stranger's program */
  const void *request; /* its descriptor 3; `request_bytes` of them */
  size_t request_bytes;
  const rh_options *options;
  double limit_s;
  int data; /* its descriptor 5 */
  rh_conversation with;
  const rh_peer_question *question; /* that is being answered */
  rh_peer_word word;                /* the answer; RH_PEER_GARBAGE: not yet */
  rh_peer_said said;
  uint32_t runs;
  uint32_t starts; /* how often it was started: what was open in an earlier process is gone */
  uint32_t losses; /* in a row; the caller sets 0 where all is well */
  char why[512];   /* it was lost the last time */
} rh_peer_process;

rh_status rh_peer_process_start(rh_peer_process *process, rh_error *error);

/* The answer, whatever it is; never RH_PEER_GARBAGE.  A process that gives none is ended, and *error says why. */
rh_status rh_peer_process_ask(rh_peer_process *process, const rh_peer_question *question,
                              rh_peer_word *word, rh_peer_said *said, rh_error *error);

/* For an answer that does not belong to the question: ends the process, and fails with a sentence. */
rh_status rh_peer_process_misspoke(rh_peer_process *process, const rh_peer_question *question,
                                   const char *how, rh_error *error);

/* Closes the channel, which tells it to end, and waits a little. */
void rh_peer_process_end(rh_peer_process *process);

#endif
