/* The process behind a peer program: started, asked, lost and started again.  What is asked is
 * peer.c's. */
#ifndef RH_ISOLATE_PEER_PROCESS_H
#define RH_ISOLATE_PEER_PROCESS_H

#include "../../core/child/conversation.h"
#include "own_lines.h"
#include "peer_lines.h"

/* What is asked, of whom, and what for: the name and the verb are for messages. */
typedef struct rh_peer_question {
  const char *line; /* with its end; null: only listen */
  const char *peer; /* null: the program as a whole */
  const char *verb; /* "open" */
  rh_phase phase;   /* before it redhost's own cannot have the answer */
  uint32_t op;
  rh_type type;
} rh_peer_question;

/* What a child of redhost's own says more; null strings: a stranger's program. */
typedef struct rh_peer_own {
  const char *role, *strategy, *plugin;
  const rh_region *region; /* the data it maps, where they are the caller's own */
  rh_phase phase;
  uint64_t logs;
  uint32_t failed; /* it has reported an error: what it printed is likely to be about that */
  rh_opened noted; /* parameters, note and memory, since the last question */
  rh_own_said said;
} rh_peer_own;

/* Zero-initialised, with `program`, `who`, `options`, `limit_s` and `data` set, is one that was
 * never started. */
typedef struct rh_peer_process {
  const char *program;
  const char *who; /* for messages: "peer program PATH" */
  rh_peer_own own;
  const void *request; /* its descriptor 3; `request_bytes` of them */
  size_t request_bytes;
  const rh_options *options;
  double limit_s;
  int data; /* its descriptor 5 */
  rh_conversation with;
  const rh_peer_question *question; /* that is being answered */
  int is_asked;                     /* an answer is due */
  rh_peer_word word;                /* the answer */
  rh_peer_said said;
  uint32_t runs;
  uint32_t starts; /* how often it was started: what was open in an earlier process is gone */
  uint32_t losses; /* in a row; the caller sets 0 where all is well */
  char why[1024];  /* it was lost the last time */
} rh_peer_process;

rh_status rh_peer_process_start(rh_peer_process *process, rh_error *error);

/* The answer, whatever it is; never RH_PEER_GARBAGE.  A process that gives none is ended, and
 * *error says why.  An error that a child of redhost's own reports fails as what it is, and the
 * process lives on. */
rh_status rh_peer_process_ask(rh_peer_process *process, const rh_peer_question *question,
                              rh_peer_word *word, rh_peer_said *said, rh_error *error);

/* For an answer that does not belong to the question: ends the process, and fails with a
 * sentence. */
rh_status rh_peer_process_misspoke(rh_peer_process *process, const rh_peer_question *question,
                                   const char *how, rh_error *error);

/* Closes the channel, which tells it to end, and waits a little. */
void rh_peer_process_end(rh_peer_process *process);

#endif
