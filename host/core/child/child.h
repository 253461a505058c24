/* Child processes: starting one, talking to it, and how it ended. */
#pragma once

#include "../base/base.h"

/* ---- The child's side: descriptors that a plugin which writes to any does not hit ---- */

/* Hides the descriptors from plugins, and splits the process: the caller continues as the one that
 * ends when `parent` does, even if a plugin hangs, together with everything that the plugin
 * started.  It leaves no core file.  Must be called before OpenCL and before any thread.  The
 * descriptor, or -1. */
int rh_channel_open(int64_t parent);
/* The data, moved to such a number too; or -1. */
int rh_channel_data(void);
/* Sends one line; takes ownership of `frame`, which may be null. 0, or -1. */
int rh_channel_say(int channel, json_t *frame);
/* The parent's next line, without its end. 0, or -1 if there is none or it is too long. */
int rh_channel_hear(int channel, char *line, size_t bytes);

/* A child process that answers in lines: started afresh, never forked (a child forked after OpenCL
 * was used hangs). */

/* A child's output: its length and its beginning. */
typedef struct rh_printed {
  uint64_t bytes;
  char begin[161];
} rh_printed;

/* "; it printed 'FIRST LINE...'", or "" if it printed nothing.  An assertion's text is often the
 * reason. */
void rh_printed_quote(const rh_printed *printed, char *to, size_t bytes);

/* The meaning of a line, and why nothing more is read. */
typedef enum rh_fate {
  RH_GOES_ON,      /* a line, but not the expected one */
  RH_FATE_HEARD,   /* everything expected has arrived */
  RH_FATE_ENDED,   /* the child died or closed the channel; half a line is dropped */
  RH_FATE_LATE,    /* it was silent for too long */
  RH_FATE_FLOOD,   /* it sent too much */
  RH_FATE_GARBAGE, /* it sent a line that is not in the protocol */
  RH_FATE_FAILED   /* the listener failed, and *error says why */
} rh_fate;

/* Zero-initialised: without a child.  The caller fills the first group, which remains for another
 * start. */
typedef struct rh_child {
  void *user;
  rh_fate (*take)(void *user, const char *line, size_t length, rh_error *error);
  /* Called several times a second during silence; may be null. */
  rh_fate (*idle)(void *user, rh_error *error);
  double limit_s;       /* of silence: since the last rh_child_grant() */
  uint64_t limit_bytes; /* likewise */

  pid_t pid;          /* also its process group; 0: there is none */
  int fd;             /* the other end of the child's descriptor 4 */
  rh_printed printed; /* with RH_OUTPUT_KEPT */
  rh_fate fate;       /* of the last rh_child_listen() */
  int status;         /* as of waitpid, once it has ended; -1: unknown */

  int output;   /* reads what it prints, or -1 */
  int stranger; /* 1: not redhost, so without a guard */
  int has_ended;
  double deadline, next_look; /* of idle() */
  uint64_t received, most;    /* bytes so far, and the limit */
  rh_text lines;              /* received; `taken` bytes of them are done with, */
  size_t taken, scanned;      /* and as many have no further line's end */
} rh_child;

/* The default program: options->program; ../bin/redhost relative to the library; or this program if
 * it is called redhost.  malloc'ed. */
rh_status rh_child_program(const rh_options *options, char **program, rh_error *error);

enum { RH_OUTPUT_KEPT = -2 }; /* child->printed has its length and beginning */

/* The program to start. */
typedef struct rh_child_spec {
  const char *program;
  const char *role; /* "--probe": the one argument of a child of redhost's own; or null, and */
  const char *const *argv; /* the arguments of another program */
  const void *request;     /* `bytes` of them */
  size_t bytes;
  int data;             /* becomes descriptor 5; -1: none */
  int output;           /* becomes standard output and error; -1: /dev/null; or RH_OUTPUT_KEPT */
  int stranger;         /* 1: another program than redhost, which has no guard */
  const char *variable; /* "NAME=VALUE" beside those of this process, or null */
} rh_child_spec;

/* What a child gets of this process's environment, with one variable set, "NAME=VALUE", or none;
 * the array is malloc'ed, its strings are borrowed.  Null if out of memory. */
const char **rh_child_environment(const char *variable);

/* Starts it in its own process group.  Descriptor 3 has the request, as a file, or as a pipe if a
 * limit forbids the file; descriptor 4 is a socket, for answers and for further lines to the child;
 * standard input is /dev/null; nothing else is open; signals have their defaults.  The caller keeps
 * spec->data and spec->output. */
rh_status rh_child_start(rh_child *child, const rh_child_spec *spec, rh_error *error);

/* Records progress: the limits count from here, as from the start. */
void rh_child_grant(rh_child *child);

/* Passes lines, without their ends, to take() until it returns something other than RH_GOES_ON, or
 * there are no more. */
rh_fate rh_child_listen(rh_child *child, rh_error *error);

/* Passes lines that have already arrived to take(), for a child that must not send anything
 * unasked.  RH_GOES_ON: no more lines. */
rh_fate rh_child_drain(rh_child *child, rh_error *error);

/* Sends a line, including its end, to the child. 0, or -1 if the child no longer reads. */
int rh_child_tell(const rh_child *child, const char *line);

/* How long to wait for a child's end, in seconds, so that its status is its own and not that of a
 * kill, even on a busy machine.  A child whose channel is closed has almost ended; one that has
 * sent everything still runs its destructors and its driver's. */
#define RH_CHILD_CLOSED_S 1.0
#define RH_CHILD_DONE_S   5.0

/* Gives a child that has sent everything `grace` seconds to end, kills it and everything that it
 * started (for another program: its process group), reaps it and frees everything.  Sets
 * child->status: -1 if another part of the program reaped it, or if it cannot be killed. */
void rh_child_end(rh_child *child, double grace);

/* Describes how a child ended: "crashed in run (signal 11)", "did not answer within 5 s in query";
 * and what it printed.  `where`: "in run". */
void rh_child_name(const rh_child *child, const char *where, char *to, size_t bytes);

/* "crashed in run (signal 11)", "ended the process with exit status 0 in run".  `status` is
 * waitpid's, or -1 if unknown. */
void rh_ending_name(int status, const char *where, char *to, size_t bytes);

/* The same for a child that had sent everything and got RH_CHILD_DONE_S to end; 0 if it ended
 * normally, or if that is unknown. */
int rh_ending_name_done(int status, char *to, size_t bytes);

/* Requests to redhost's own child processes.  One format for every role: "KEY=VALUE" strings of any
 * bytes, each ended by a null byte.  Both sides are redhost, but perhaps of different versions:
 * requests that do not match are refused. */

/* A struct as it is in memory, in hexadecimal digits: its length has to match. */
void rh_hex_add(rh_text *to, const void *from, size_t bytes);
int rh_hex_read(const char *digits, void *to, size_t bytes); /* 0: it has another length */

/* ---- Writing: begin, add, end ---- */

void rh_request_begin(rh_text *to);
void rh_request_add(rh_text *to, const char *key, const char *value); /* nothing if value is null */
void rh_request_add_struct(rh_text *to, const char *key, const void *from, size_t bytes);
static inline void rh_request_add_number(rh_text *to, const char *key, uint64_t number) {
  rh_request_add_struct(to, key, &number, sizeof number);
}
/* Device, cache directory, no_cache and program. */
void rh_request_add_options(rh_text *to, const rh_options *options);
rh_status rh_request_end(rh_text *to, rh_error *error); /* RH_E_NOMEM if anything was lost */

/* ---- Reading ---- */

typedef struct rh_child_request {
  char *bytes; /* every string that is read points into them */
  size_t length;
  int64_t parent;
} rh_child_request;

/* This process's request. 0, or -1 if there is none that this redhost understands. */
int rh_request_receive(rh_child_request *request);
/* Takes ownership of `bytes`, malloc'ed, on failure too. */
int rh_request_parse(rh_child_request *request, char *bytes, size_t length);
void rh_request_finish(rh_child_request *request);

/* The first value of a key, or null. */
const char *rh_request_get(const rh_child_request *request, const char *key);
/* The next value of a repeated key, after the value `after`; null: the first. */
const char *rh_request_next(const rh_child_request *request, const char *key, const char *after);
/* 0, or -1 if there is no such struct of so many bytes. */
int rh_request_struct(const rh_child_request *request, const char *key, void *to, size_t bytes);
static inline int rh_request_number(const rh_child_request *request, const char *key,
                                    uint64_t *number) {
  return rh_request_struct(request, key, number, sizeof *number);
}
rh_options rh_request_options(const rh_child_request *request);
