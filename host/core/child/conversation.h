/* A conversation with a child process: starts it, sends the request, reads its lines, and describes
 * how it ended.  The caller interprets the lines. */
#pragma once

#include "spawn.h"

/* The meaning of a line, and how the conversation ended. */
typedef enum rh_fate {
  RH_GOES_ON,      /* a line, but not the expected one */
  RH_FATE_HEARD,   /* everything expected has arrived */
  RH_FATE_ENDED,   /* the child died or closed the channel */
  RH_FATE_LATE,    /* it was silent for too long */
  RH_FATE_FLOOD,   /* it sent too much */
  RH_FATE_GARBAGE, /* it sent a line that is not in the protocol */
  RH_FATE_FAILED   /* the listener failed, and *error says why */
} rh_fate;

/* Zero-initialised: without a child.  The caller fills the first group. */
typedef struct rh_conversation {
  void *user;
  rh_fate (*take)(void *user, const char *line, size_t length, rh_error *error);
  /* Called several times a second during silence; may be null. */
  rh_fate (*idle)(void *user, rh_error *error);
  double limit_s;       /* of silence: since the last rh_conversation_grant() */
  uint64_t limit_bytes; /* likewise */

  rh_child child;
  rh_printed printed; /* for rh_child_spec.printed, if the caller wants it */
  double deadline;
  rh_fate fate; /* of the last rh_conversation_listen() */
  int status;   /* as of waitpid, from rh_conversation_end() on */
} rh_conversation;

/* Starts the child. */
rh_status rh_conversation_start(rh_conversation *talk, const rh_child_spec *spec, rh_error *error);

/* Records progress: the limits count from here. */
void rh_conversation_grant(rh_conversation *talk);

/* Passes lines to take() until it returns something other than RH_GOES_ON, or there are no more. */
rh_fate rh_conversation_listen(rh_conversation *talk, rh_error *error);

/* Passes lines that have already arrived to take(), for a child that must not send anything
 * unasked.  RH_GOES_ON: no more lines. */
rh_fate rh_conversation_drain(rh_conversation *talk, rh_error *error);

/* Ends the child; one that has sent everything gets `grace` seconds to end by itself.  Sets
 * talk->status.  The caller's group of fields remains, for another start. */
void rh_conversation_end(rh_conversation *talk, double grace);

/* Describes how a child ended: "crashed in run (signal 11)", "did not answer within 5 s in query";
 * and what it printed.  `where`: "in run". */
void rh_conversation_name(const rh_conversation *talk, const char *where, char *to, size_t bytes);
