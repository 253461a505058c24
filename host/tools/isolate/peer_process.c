#include "peer_process.h"
#include "../../core/base/error.h"
#include "../../core/base/log.h"
#include "../../core/base/text.h"
#include "../../core/child/ending.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static const uint64_t most_bytes = 64u << 10; /* of one answer */

/* ---- How it was lost, in one sentence ---------------------------------------------------------------------------- */

/* "peer 'x' of PATH <what>", or "strategy 'x' in PATH <what>". */
static rh_status blame(rh_peer_process *process, const char *what, rh_error *error) {
  const rh_peer_question *question = process->question;
  char peer[80] = "";
  int offers_several = question->peer && !process->role;
  if (offers_several) snprintf(peer, sizeof peer, "peer '%s' of ", question->peer);
  snprintf(process->why, sizeof process->why, "%s%.200s %s", peer,
           offers_several ? process->program : process->who, what);
  process->losses++;
  return rh_fail(error, RH_E_PLUGIN, "%s", process->why);
}

/* Ends the process whose conversation has come to an end. */
static rh_status lose(rh_peer_process *process, rh_error *error) {
  char what[320], where[40];
  process->runs = 0;
  rh_conversation_end(&process->with, 0);
  snprintf(where, sizeof where, "in %s", process->question->verb);
  rh_conversation_name(&process->with, where, what, sizeof what);
  return blame(process, what, error);
}

rh_status rh_peer_process_misspoke(rh_peer_process *process, const rh_peer_question *question,
                                   const char *how, rh_error *error) {
  char what[420], printed[256];
  process->question = question;
  process->runs = 0;
  process->with.fate = RH_FATE_GARBAGE;
  rh_conversation_end(&process->with, 0);
  rh_printed_quote(&process->with.printed, printed, sizeof printed);
  snprintf(what, sizeof what, "%s in %s%s", how, question->verb, printed);
  return blame(process, what, error);
}

/* ---- Listening --------------------------------------------------------------------------------------------------- */

/* Its words, as far as they fit and are fit to be shown. */
static rh_fate garbage(rh_peer_process *process, const char *line, size_t length, rh_error *error) {
  char how[100];
  int shown = length < 60 ? (int)length : 60;
  snprintf(how, sizeof how, "said '%.*s%s', which is not in the protocol,", shown, line,
           length > 60 ? "..." : "");
  rh_make_plain(how);
  rh_peer_process_misspoke(process, process->question, how, error);
  return RH_FATE_FAILED;
}

static rh_fate take_line(void *user, const char *line, size_t length, rh_error *error) {
  rh_peer_process *process = user;
  const rh_peer_question *question = process->question;
  process->word = rh_peer_line_read(line, length, question->op, question->type, &process->said);
  if (process->word == RH_PEER_GARBAGE) return garbage(process, line, length, error);
  return RH_FATE_HEARD;
}

/* The caller of all this may want an end. */
static rh_fate look_for_an_end(void *user, rh_error *error) {
  rh_peer_process *process = user;
  rh_status status = rh_progress(&process->options->reporter, "peer", 0, 0, error);
  return status == RH_OK ? RH_GOES_ON : RH_FATE_FAILED;
}

static rh_status listen_to(rh_peer_process *process, rh_error *error) {
  rh_error why = {0};
  rh_conversation_grant(&process->with);
  rh_fate fate = rh_conversation_listen(&process->with, &why);
  if (fate == RH_FATE_HEARD) return RH_OK;
  if (fate != RH_FATE_FAILED) return lose(process, error);
  process->runs = 0;
  rh_conversation_end(&process->with, 0);
  if (error) *error = why;
  return why.status;
}

/* What was said before anything was asked would pass for the answer. */
static rh_status expect_silence(rh_peer_process *process, rh_error *error) {
  rh_error unused;
  rh_fate fate = rh_conversation_drain(&process->with, &unused);
  if (fate == RH_GOES_ON) return RH_OK;
  if (fate == RH_FATE_ENDED) return lose(process, error);
  return rh_peer_process_misspoke(process, process->question, "spoke before it was asked", error);
}

rh_status rh_peer_process_ask(rh_peer_process *process, const rh_peer_question *question,
                              rh_peer_word *word, rh_peer_said *said, rh_error *error) {
  process->question = question;
  if (question->line) {
    RH_TRY(expect_silence(process, error));
    if (rh_child_tell(&process->with.child, question->line) != 0) {
      process->with.fate = RH_FATE_ENDED;
      return lose(process, error);
    }
  }
  RH_TRY(listen_to(process, error));
  *word = process->word;
  *said = process->said;
  return RH_OK;
}

/* ---- Beginning and end ------------------------------------------------------------------------------------------- */

static rh_status spawn(rh_peer_process *process, const char *const *environment, rh_error *error) {
  const char *const alone[] = {process->program, NULL};
  rh_child_spec spec = {
      .program = process->program,
      .role = process->role,
      .argv = alone,
      .environment = environment,
      .request = process->request ? process->request : "",
      .bytes = process->request_bytes,
      .data = process->data,
      .output = -1,
      .stranger = !process->role,
      .printed = &process->with.printed,
  };
  process->with.user = process;
  process->with.take = take_line;
  process->with.idle = look_for_an_end;
  process->with.limit_s = process->limit_s;
  process->with.limit_bytes = most_bytes;
  RH_TRY(rh_conversation_start(&process->with, &spec, error));
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
    environment = rh_child_environment(device);
    if (!environment) return rh_fail(error, RH_E_NOMEM, "no memory to start a peer program");
  }
  rh_status status = spawn(process, environment, error);
  free(environment);
  return status;
}

/* What does no harm to the figures is a warning. */
static void judge_ending(const rh_peer_process *process) {
  char what[120], printed[256];
  if (!rh_ending_name_done(process->with.status, what, sizeof what)) return;
  rh_printed_quote(&process->with.printed, printed, sizeof printed);
  rh_log(&process->options->reporter, RH_LOG_WARNING, "%s %s%s", process->who, what, printed);
}

void rh_peer_process_end(rh_peer_process *process) {
  if (!process->runs) return;
  process->runs = 0;
  shutdown(process->with.child.fd, SHUT_RDWR);
  rh_conversation_end(&process->with, RH_CHILD_DONE_S);
  judge_ending(process);
}
