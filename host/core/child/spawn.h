/* A child process that answers in lines: started afresh, never forked (a child forked after OpenCL
 * was used hangs). */
#ifndef RH_CHILD_SPAWN_H
#define RH_CHILD_SPAWN_H

#include <redhost/redhost.h>
#include <sys/types.h>

/* A child's output: how much it printed, and the beginning. */
typedef struct rh_printed {
  uint64_t bytes;
  char begin[161];
} rh_printed;

/* "; it printed 'FIRST LINE...'", or "" where it printed nothing: for what an assertion says is the
 * reason. */
void rh_printed_quote(const rh_printed *printed, char *to, size_t bytes);

typedef struct rh_child {
  pid_t pid;  /* also its process group */
  int fd;     /* the other end of the child's descriptor 4 */
  int output; /* reads what it prints, or -1 */
  rh_printed *printed;
  int stranger;            /* 1: not redhost, so it has no guard */
  int ended;               /* nothing more will come */
  uint64_t received, most; /* bytes so far, and when it is a flood */
  char *buffer;
  size_t capacity, used, taken, scanned;
} rh_child;

/* The program that is started by default: options->program; ../bin/redhost beside the library; this
 * very program where it is called redhost.  malloc'ed. */
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
  rh_printed *printed; /* null, or where to count what it prints; it must outlive the child */
  int stranger;        /* 1: another program than redhost, which has no guard (guard.h) */
  const char *const *environment; /* "NAME=VALUE", ending in null; null: this process's own */
} rh_child_spec;

/* This process's environment with one variable set, "NAME=VALUE"; the array is malloc'ed, its
 * strings stay whose they are.  Null where memory runs out. */
const char **rh_child_environment(const char *variable);

/* Starts it in a process group of its own.  The request stands in descriptor 3 as a file, or as a
 * pipe where files are limited to less; descriptor 4 is a socket, for answers and, where there are
 * any, further words to the child; standard input is /dev/null; nothing else is open; signals are
 * as at login.  spec->data and spec->output stay the caller's. */
rh_status rh_child_start(rh_child *child, const rh_child_spec *spec, rh_error *error);

typedef enum rh_line { RH_LINE_READ, RH_LINE_END, RH_LINE_LATE, RH_LINE_FLOOD } rh_line;

/* The next line, without its end, valid until the next call.  RH_LINE_END: the child closed the
 * channel or died (half a line is dropped); RH_LINE_LATE: rh_now() reached `deadline`;
 * RH_LINE_FLOOD: more than child->most bytes came. */
rh_line rh_child_read(rh_child *child, double deadline, const char **line, size_t *length);

/* A line to the child, with its end.  0, or -1 where it cannot hear any more. */
int rh_child_tell(const rh_child *child, const char *line);

/* How long to wait for a child's end, in seconds, so that its status is its own and not that of
 * being killed, on a busy machine too: one whose channel is closed is all but gone; one that has
 * said everything runs its destructors and its driver's. */
#define RH_CHILD_CLOSED_S 1.0
#define RH_CHILD_DONE_S   5.0
/* And to be gone once it was killed; then it is left to the system. */
#define RH_CHILD_KILLED_S 2.0

/* Gives the child `grace` seconds to end, kills it and all that it started (of a stranger: its
 * process group), reaps it and frees everything.  Its
 * status as of waitpid, or -1 where another part of the program reaped it, or it cannot be
 * killed. */
int rh_child_finish(rh_child *child, double grace);

#endif
