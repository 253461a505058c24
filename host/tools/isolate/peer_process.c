#include "internal.h"

#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

/* For one answer; redhost's own children may send more, because they send logs, too. */
static const uint64_t most_bytes = 64u << 10, most_bytes_of_own = 16u << 20;

static int is_own(const rh_peer_process *process) { return process->own.role != NULL; }

/* ---- Why it was lost, in one sentence -------------------------------------------------------- */

static rh_status blame(rh_peer_process *process, const char *what, rh_error *error) {
  const rh_peer_own *own = &process->own;
  const rh_peer_question *question = &process->question;
  char *why = process->why;
  process->losses++;
  if (is_own(process) && own->phase < RH_PHASE_loading) /* the plugin was not loaded yet */
    snprintf(why, sizeof process->why, "redhost %s, for strategy '%s', %s", own->role,
             own->strategy, what);
  else if (is_own(process))
    snprintf(why, sizeof process->why, "strategy '%s' in %.500s %s", own->strategy, own->plugin,
             what);
  else if (!question->peer) snprintf(why, sizeof process->why, "%.300s %s", process->who, what);
  else
    snprintf(why, sizeof process->why, "peer '%s' of %.200s %s", question->peer, process->program,
             what);
  return rh_fail(error, RH_E_PLUGIN, "%s", why);
}

/* SIGBUS on a mapped file means that the file was cut short. */
static int file_was_cut(const rh_peer_process *process) {
  const rh_region *region = process->own.region;
  int status = process->with.status;
  struct stat st;
  uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
  return region && status != -1 && WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS &&
         fstat(region->file, &st) == 0 && (uint64_t)st.st_size + page <= region->bytes;
}

/* "in run", "in take" */
static void name_place(const rh_peer_process *process, char *where, size_t size) {
  if (!is_own(process)) snprintf(where, size, "in %s", process->question.verb);
  else
    snprintf(where, size, "%s%s", rh_phase_words(process->own.phase),
             process->with.fate == RH_FATE_LATE ? "; --timeout allows more" : "");
}

/* Ends the process after its conversation has failed. */
static rh_status end_lost_process(rh_peer_process *process, rh_error *error) {
  char what[400], where[80];
  process->runs = 0;
  rh_conversation_end(&process->with, 0);
  if (process->with.fate == RH_FATE_ENDED && file_was_cut(process))
    return rh_fail(error, RH_E_FILE, "the input file was cut short while it was being read");
  name_place(process, where, sizeof where);
  rh_conversation_name(&process->with, where, what, sizeof what);
  return blame(process, what, error);
}

rh_status rh_peer_process_protocol_error(rh_peer_process *process, const char *how,
                                         rh_error *error) {
  char what[420], printed[256];
  process->with.fate = RH_FATE_GARBAGE;
  if (is_own(process)) return end_lost_process(process, error);
  process->runs = 0;
  rh_conversation_end(&process->with, 0);
  rh_printed_quote(&process->with.printed, printed, sizeof printed);
  snprintf(what, sizeof what, "%s in %s%s", how, process->question.verb, printed);
  return blame(process, what, error);
}

/* ---- Listening ------------------------------------------------------------------------------- */

/* Reports an invalid line, truncated and without unprintable characters. */
static rh_fate garbage(rh_peer_process *process, const char *line, size_t length, rh_error *error) {
  char how[100];
  int shown = length < 60 ? (int)length : 60;
  snprintf(how, sizeof how, "said '%.*s%s', which is not part of the protocol,", shown, line,
           length > 60 ? "..." : "");
  rh_make_plain(how);
  rh_peer_process_protocol_error(process, how, error);
  return RH_FATE_FAILED;
}

/* The additional lines of redhost's own children.  Logging does not reset the limit on silence. */
static rh_fate take_own(rh_peer_process *process, rh_error *error) {
  const rh_reporter *reporter = &process->options->reporter;
  rh_peer_own *own = &process->own;
  const rh_peer_message *said = &process->said;
  switch (process->word) {
  case RH_OWN_LOG:
    if (own->logs++ == RH_MOST_LOGS) return RH_FATE_GARBAGE;
    rh_log(reporter, said->level, "%s", said->text);
    return RH_GOES_ON;
  case RH_OWN_PHASE: own->phase = said->phase; break;
  case RH_OWN_PROGRESS:
    if (rh_progress(reporter, said->activity, said->done, said->total, error) != RH_OK)
      return RH_FATE_FAILED;
    break;
  case RH_OWN_DROPPED:
    rh_log(reporter, RH_LOG_WARNING, "strategy '%s' logged %llu lines more, which were dropped",
           own->strategy, (unsigned long long)said->done);
    return RH_GOES_ON;
  default: return process->is_asked ? RH_FATE_HEARD : RH_FATE_GARBAGE;
  }
  rh_conversation_grant(&process->with);
  return RH_GOES_ON;
}

static rh_fate take_line(void *user, const char *line, size_t length, rh_error *error) {
  rh_peer_process *process = user;
  const rh_peer_question *question = &process->question;
  process->word = rh_peer_line_read(line, length, is_own(process), question->op, question->type,
                                    &process->said);
  if (process->word >= RH_OWN_PHASE) return take_own(process, error);
  if (process->word && process->is_asked) return RH_FATE_HEARD;
  if (is_own(process) || !process->is_asked) return RH_FATE_GARBAGE;
  return garbage(process, line, length, error);
}

/* Asks the caller's progress function whether to cancel. */
static rh_fate check_cancellation(void *user, rh_error *error) {
  rh_peer_process *process = user;
  rh_status status = rh_progress(&process->options->reporter, "peer", 0, 0, error);
  return status == RH_OK ? RH_GOES_ON : RH_FATE_FAILED;
}

/* Turns the end of a conversation into a status. */
static rh_status conclude(rh_peer_process *process, rh_fate fate, const rh_error *why,
                          rh_error *error) {
  if (fate != RH_FATE_FAILED) return end_lost_process(process, error);
  process->runs = 0;
  rh_conversation_end(&process->with, 0);
  if (error) *error = *why;
  return why->status;
}

/* A line that arrived before the question would be taken for its answer. */
static rh_status expect_silence(rh_peer_process *process, rh_error *error) {
  rh_error why = {0};
  process->is_asked = 0;
  rh_fate fate = rh_conversation_drain(&process->with, &why);
  if (fate == RH_GOES_ON) return RH_OK;
  if (is_own(process) || fate == RH_FATE_ENDED) return conclude(process, fate, &why, error);
  return rh_peer_process_protocol_error(process, "spoke before it was asked", error);
}

static rh_status listen_to(rh_peer_process *process, rh_error *error) {
  rh_error why = {0};
  process->is_asked = 1;
  rh_conversation_grant(&process->with);
  rh_fate fate = rh_conversation_listen(&process->with, &why);
  return fate == RH_FATE_HEARD ? RH_OK : conclude(process, fate, &why, error);
}

rh_status rh_peer_process_ask(rh_peer_process *process, const rh_peer_question *question,
                              rh_error *error) {
  process->question = *question;
  if (question->line) {
    RH_TRY(expect_silence(process, error));
    if (rh_child_tell(&process->with.child, question->line) != 0) {
      process->with.fate = RH_FATE_ENDED;
      return end_lost_process(process, error);
    }
  }
  RH_TRY(listen_to(process, error));
  if (process->word != RH_OWN_ERROR) return RH_OK;
  process->own.failed = 1;
  if (error) *error = process->said.error;
  return process->said.error.status;
}

/* ---- Beginning and end ----------------------------------------------------------------------- */

static rh_status spawn(rh_peer_process *process, const char *const *environment, rh_error *error) {
  const char *const alone[] = {process->program, NULL};
  rh_child_spec spec = {
      .program = process->program,
      .role = process->own.role,
      .argv = alone,
      .environment = environment,
      .request = process->request ? process->request : "",
      .bytes = process->request_bytes,
      .data = process->data,
      .output = -1,
      .stranger = !is_own(process),
      .printed = &process->with.printed,
  };
  process->with.user = process;
  process->with.take = take_line;
  process->with.idle = check_cancellation;
  process->with.limit_s = process->limit_s;
  process->with.limit_bytes = is_own(process) ? most_bytes_of_own : most_bytes;
  process->own.phase = RH_PHASE_start;
  process->own.logs = 0;
  process->own.failed = 0;
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

/* Side effects that do not affect the figures are warnings. */
static void report_side_effects(const rh_peer_process *process) {
  const rh_reporter *reporter = &process->options->reporter;
  const rh_printed *printed = &process->with.printed;
  const char *plugin = process->own.plugin;
  char what[120], quote[256];
  int ended_ill = rh_ending_name_done(process->with.status, what, sizeof what);
  rh_printed_quote(printed, quote, sizeof quote);
  if (is_own(process) && printed->bytes && !process->own.failed)
    rh_log(reporter, RH_LOG_WARNING,
           "plugin %.500s wrote %llu bytes to standard output or error, which were dropped%s",
           plugin, (unsigned long long)printed->bytes, quote);
  if (ended_ill && is_own(process))
    rh_log(reporter, RH_LOG_WARNING, "plugin %.500s %s", plugin, what);
  else if (ended_ill) rh_log(reporter, RH_LOG_WARNING, "%s %s%s", process->who, what, quote);
}

void rh_peer_process_end(rh_peer_process *process) {
  if (!process->runs) return;
  process->runs = 0;
  shutdown(process->with.child.fd, SHUT_WR); /* it may still send something */
  rh_conversation_end(&process->with, RH_CHILD_DONE_S);
  report_side_effects(process);
}
