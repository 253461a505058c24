/* A child process that answers in lines: started afresh, never forked (a child forked after OpenCL
 * was used hangs). */
#pragma once

#include <redhost/redhost.h>
#include <sys/types.h>

/* A child's output: its length and its beginning. */
typedef struct rh_printed {
  uint64_t bytes;
  char begin[161];
} rh_printed;

/* "; it printed 'FIRST LINE...'", or "" if it printed nothing.  An assertion's text is often the
 * reason. */
void rh_printed_quote(const rh_printed *printed, char *to, size_t bytes);

typedef struct rh_child {
  pid_t pid;  /* also its process group */
  int fd;     /* the other end of the child's descriptor 4 */
  int output; /* reads what it prints, or -1 */
  rh_printed *printed;
  int stranger;            /* 1: not redhost, so without a guard */
  int ended;               /* nothing more will come */
  uint64_t received, most; /* bytes so far, and the limit */
  char *buffer;
  size_t capacity, used, taken, scanned;
} rh_child;

/* The default program: options->program; ../bin/redhost relative to the library; or this program if
 * it is called redhost.  malloc'ed. */
rh_status rh_child_program(const rh_options *options, char **program, rh_error *error);

/* The program to start. */
typedef struct rh_child_spec {
  const char *program;
  const char *role; /* "--probe": the one argument of a child of redhost's own; or null, and */
  const char *const *argv; /* the arguments of another program */
  const void *request;     /* `bytes` of them */
  size_t bytes;
  int data;   /* becomes descriptor 5; -1: none */
  int output; /* becomes standard output and error; -1: /dev/null, or where `printed` says */
  rh_printed *printed; /* null, or a record of what it prints, which must outlive the child */
  int stranger;        /* 1: another program than redhost, which has no guard (guard.h) */
  const char *const *environment; /* "NAME=VALUE", ending in null; null: this process's own */
} rh_child_spec;

/* This process's environment with one variable set, "NAME=VALUE"; the array is malloc'ed, its
 * strings are borrowed.  Null if out of memory. */
const char **rh_child_environment(const char *variable);

/* Starts it in its own process group.  Descriptor 3 has the request, as a file, or as a pipe if a
 * limit forbids the file; descriptor 4 is a socket, for answers and for further lines to the child;
 * standard input is /dev/null; nothing else is open; signals have their defaults.  The caller keeps
 * spec->data and spec->output. */
rh_status rh_child_start(rh_child *child, const rh_child_spec *spec, rh_error *error);

typedef enum rh_line { RH_LINE_READ, RH_LINE_END, RH_LINE_LATE, RH_LINE_FLOOD } rh_line;

/* The next line, without its end, valid until the next call.  RH_LINE_END: the child closed the
 * channel or died (half a line is dropped); RH_LINE_LATE: rh_now() reached `deadline`;
 * RH_LINE_FLOOD: more than child->most bytes came. */
rh_line rh_child_read(rh_child *child, double deadline, const char **line, size_t *length);

/* Sends a line, including its end, to the child. 0, or -1 if the child no longer reads. */
int rh_child_tell(const rh_child *child, const char *line);

/* How long to wait for a child's end, in seconds, so that its status is its own and not that of a
 * kill, even on a busy machine.  A child whose channel is closed has almost ended; one that has
 * sent everything still runs its destructors and its driver's. */
#define RH_CHILD_CLOSED_S 1.0
#define RH_CHILD_DONE_S   5.0
/* How long to wait after killing it; then it is left to the system. */
#define RH_CHILD_KILLED_S 2.0

/* Gives the child `grace` seconds to end, kills it and everything that it started (for another
 * program: its process group), reaps it and frees everything.  Returns its status as of waitpid, or
 * -1 if another part of the program reaped it, or if it cannot be killed. */
int rh_child_finish(rh_child *child, double grace);
