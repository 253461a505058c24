#include "peer_process.h"
#include "../../core/base/clock.h"
#include "../../core/base/error.h"
#include "../../core/base/log.h"
#include "../../core/base/text.h"
#include "../../core/plug/ending.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const uint64_t most_bytes = 64u << 10; /* of one answer */
static const double slice_s = 0.2; /* between two looks at whether the caller wants an end */

/* ---- How it was lost, in one sentence ---------------------------------------------------------------------------- */

static int stop(rh_peer_process *process, double grace) {
  process->runs = 0;
  return rh_child_finish(&process->child, grace);
}

/* "peer 'x' of PATH <what>", or "strategy 'x' in PATH <what>", and what it printed. */
static rh_status blame(rh_peer_process *process, const rh_peer_question *question, const char *what,
                       rh_error *error) {
  char printed[256], peer[80] = "";
  rh_printed_quote(&process->printed, printed, sizeof printed);
  int offers_several = question->peer && !process->argv;
  if (offers_several) snprintf(peer, sizeof peer, "peer '%s' of ", question->peer);
  snprintf(process->why, sizeof process->why, "%s%.200s %s%.150s", peer,
           offers_several ? process->program : process->who, what, printed);
  process->losses++;
  return rh_fail(error, RH_E_PLUGIN, "%s", process->why);
}

static rh_status ended(rh_peer_process *process, const rh_peer_question *question,
                       rh_error *error) {
  char what[120], where[40];
  int status = stop(process, RH_CHILD_CLOSED_S);
  snprintf(where, sizeof where, "in %s", question->verb);
  rh_ending_name(status, where, what, sizeof what);
  return blame(process, question, what, error);
}

static rh_status late(rh_peer_process *process, const rh_peer_question *question, rh_error *error) {
  char what[120];
  stop(process, 0);
  snprintf(what, sizeof what, "did not answer within %g s in %s", process->limit_s, question->verb);
  return blame(process, question, what, error);
}

rh_status rh_peer_process_misspoke(rh_peer_process *process, const rh_peer_question *question,
                                   const char *how, rh_error *error) {
  char what[160];
  stop(process, 0);
  snprintf(what, sizeof what, "%s in %s", how, question->verb);
  return blame(process, question, what, error);
}

/* Its words, as far as they fit and are fit to be shown. */
static rh_status garbage(rh_peer_process *process, const rh_peer_question *question,
                         const char *line, size_t length, rh_error *error) {
  char how[100];
  int shown = length < 60 ? (int)length : 60;
  snprintf(how, sizeof how, "said '%.*s%s', which is not in the protocol,", shown, line,
           length > 60 ? "..." : "");
  rh_make_plain(how);
  return rh_peer_process_misspoke(process, question, how, error);
}

/* ---- Listening --------------------------------------------------------------------------------------------------- */

/* The next line, at `deadline` the latest; the caller of all this may want an end before. */
static rh_status next_line(rh_peer_process *process, double deadline, rh_line *what,
                           const char **line, size_t *length, rh_error *error) {
  for (;;) {
    double now = rh_now(), until = now + slice_s < deadline ? now + slice_s : deadline;
    *what = rh_child_read(&process->child, until, line, length);
    if (*what != RH_LINE_LATE || until >= deadline) return RH_OK;
    rh_status status = rh_progress(&process->options->reporter, "peer", 0, 0, error);
    if (status == RH_OK) continue;
    stop(process, 0);
    return status;
  }
}

static rh_status listen_for(rh_peer_process *process, const rh_peer_question *question,
                            rh_peer_word *word, rh_peer_said *said, rh_error *error) {
  const char *line;
  size_t length;
  rh_line what;
  process->child.most = process->child.received + most_bytes;
  RH_TRY(next_line(process, rh_now() + process->limit_s, &what, &line, &length, error));
  switch (what) {
  case RH_LINE_END: return ended(process, question, error);
  case RH_LINE_LATE: return late(process, question, error);
  case RH_LINE_FLOOD:
    return rh_peer_process_misspoke(process, question, "sent more than 64 KiB", error);
  case RH_LINE_READ: break;
  }
  *word = rh_peer_line_read(line, length, question->op, question->type, said);
  return *word == RH_PEER_GARBAGE ? garbage(process, question, line, length, error) : RH_OK;
}

/* What was said before anything was asked would pass for the answer. */
static rh_status expect_silence(rh_peer_process *process, const rh_peer_question *question,
                                rh_error *error) {
  const char *line;
  size_t length;
  process->child.most = process->child.received + most_bytes;
  switch (rh_child_read(&process->child, 0, &line, &length)) {
  case RH_LINE_LATE: return RH_OK;
  case RH_LINE_END: return ended(process, question, error);
  default: return rh_peer_process_misspoke(process, question, "spoke before it was asked", error);
  }
}

rh_status rh_peer_process_ask(rh_peer_process *process, const rh_peer_question *question,
                              rh_peer_word *word, rh_peer_said *said, rh_error *error) {
  if (question->line) {
    RH_TRY(expect_silence(process, question, error));
    if (rh_child_tell(&process->child, question->line) != 0) return ended(process, question, error);
  }
  return listen_for(process, question, word, said, error);
}

/* ---- Beginning and end ------------------------------------------------------------------------------------------- */

/* This process's environment with REDHOST_DEVICE in it; the strings stay whose they are.  Null where memory runs out. */
static const char **environment_with(const char *device) {
  size_t n = 0, kept = 0;
  while (environ[n]) n++;
  const char **changed = calloc(n + 2, sizeof *changed);
  if (!changed) return NULL;
  for (size_t k = 0; k < n; k++)
    if (strncmp(environ[k], "REDHOST_DEVICE=", 15) != 0) changed[kept++] = environ[k];
  changed[kept] = device;
  return changed;
}

static rh_status spawn(rh_peer_process *process, const char *const *environment, rh_error *error) {
  const char *const alone[] = {process->program, NULL};
  rh_child_spec spec = {
      .program = process->program,
      .argv = process->argv ? process->argv : alone,
      .environment = environment,
      .request = process->request ? process->request : "",
      .bytes = process->request_bytes,
      .data = process->data,
      .output = -1,
      .stranger = !process->argv,
      .printed = &process->printed,
  };
  process->printed = (rh_printed){0};
  RH_TRY(rh_child_start(&process->child, &spec, error));
  process->runs = 1;
  process->starts++;
  return RH_OK;
}

rh_status rh_peer_process_start(rh_peer_process *process, rh_error *error) {
  char device[300];
  const char **environment = NULL;
  const char *wanted = process->options->device;
  if (access(process->program, X_OK) != 0)
    return rh_fail(error, RH_E_FILE, "peer program %s cannot be started: %s", process->program,
                   strerror(errno));
  if (wanted) {
    snprintf(device, sizeof device, "REDHOST_DEVICE=%s", wanted);
    environment = environment_with(device);
    if (!environment) return rh_fail(error, RH_E_NOMEM, "no memory to start a peer program");
  }
  rh_status status = spawn(process, environment, error);
  free(environment);
  return status;
}

/* What does no harm to the figures is a warning. */
static void judge_ending(const rh_peer_process *process, int status) {
  char what[120], printed[256];
  if (!rh_ending_name_done(status, what, sizeof what)) return;
  rh_printed_quote(&process->printed, printed, sizeof printed);
  rh_log(&process->options->reporter, RH_LOG_WARNING, "%s %s%s", process->who, what, printed);
}

void rh_peer_process_end(rh_peer_process *process) {
  if (!process->runs) return;
  shutdown(process->child.fd, SHUT_RDWR);
  judge_ending(process, stop(process, RH_CHILD_DONE_S));
}
