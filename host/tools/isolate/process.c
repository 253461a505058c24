#include "internal.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>

/* For one answer; redhost's own children may send more, because they send logs, too. */
static const uint64_t most_bytes = 64u << 10, most_bytes_of_own = 16u << 20;

enum { MOST_LOSSES = 3 };

static int is_own(const rh_peers *p) { return p->role != NULL; }

/* ---- Why it was lost, in one sentence -------------------------------------------------------- */

static rh_status blame(rh_peers *p, const char *what, rh_error *error) {
  const rh_peer_question *question = &p->question;
  char *why = p->why;
  p->losses++;
  if (is_own(p) && p->phase < RH_PHASE_loading) /* the plugin was not loaded yet */
    snprintf(why, sizeof p->why, "redhost %s, for strategy '%s', %s", p->role, p->list[0].name,
             what);
  else if (is_own(p))
    snprintf(why, sizeof p->why, "strategy '%s' in %.500s %s", p->list[0].name, p->plugin, what);
  else if (!question->peer)
    snprintf(why, sizeof p->why, "peer program %.300s %s", p->program, what);
  else snprintf(why, sizeof p->why, "peer '%s' of %.200s %s", question->peer, p->program, what);
  return rh_fail(error, RH_E_PLUGIN, "%s", why);
}

/* SIGBUS on a mapped file means that the file was cut short. */
static int file_was_cut(const rh_peers *p) {
  const rh_region *region = p->region;
  int status = p->with.status;
  struct stat st;
  uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
  return region && status != -1 && WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS &&
         fstat(region->file, &st) == 0 && (uint64_t)st.st_size + page <= region->bytes;
}

/* Ends the process after its conversation has failed. */
static rh_status end_lost_process(rh_peers *p, rh_error *error) {
  char what[400], where[80];
  p->runs = 0;
  rh_child_end(&p->with, 0);
  if (p->with.fate == RH_FATE_ENDED && file_was_cut(p))
    return rh_fail(error, RH_E_FILE, "the input file was cut short while it was being read");
  if (!is_own(p)) snprintf(where, sizeof where, "in %s", p->question.verb);
  else
    snprintf(where, sizeof where, "%s%s", rh_phase_words(p->phase),
             p->with.fate == RH_FATE_LATE ? "; --timeout allows more" : "");
  rh_child_name(&p->with, where, what, sizeof what);
  return blame(p, what, error);
}

rh_status rh_peers_protocol_error(rh_peers *p, const char *how, rh_error *error) {
  char what[420], printed[256];
  p->with.fate = RH_FATE_GARBAGE;
  if (is_own(p)) return end_lost_process(p, error);
  p->runs = 0;
  rh_child_end(&p->with, 0);
  rh_printed_quote(&p->with.printed, printed, sizeof printed);
  snprintf(what, sizeof what, "%s in %s%s", how, p->question.verb, printed);
  return blame(p, what, error);
}

/* ---- Listening ------------------------------------------------------------------------------- */

/* Reports an invalid line, truncated and without unprintable characters. */
static rh_fate garbage(rh_peers *p, const char *line, size_t length, rh_error *error) {
  char how[100];
  int shown = length < 60 ? (int)length : 60;
  snprintf(how, sizeof how, "said '%.*s%s', which is not part of the protocol,", shown, line,
           length > 60 ? "..." : "");
  rh_make_plain(how);
  rh_peers_protocol_error(p, how, error);
  return RH_FATE_FAILED;
}

/* A constant, because it outlives the line. */
static const char *activity_of(const rh_own_progress *progress) {
  static const char *const known[] = {"upload", "measuring", "streaming"};
  for (size_t k = 0; k < sizeof known / sizeof *known; k++)
    if (strcmp(progress->activity, known[k]) == 0) return known[k];
  return "working";
}

/* The additional lines of redhost's own children.  Logging does not reset the limit on silence. */
static rh_fate take_own(rh_peers *p, rh_error *error) {
  const rh_reporter *reporter = &p->options->reporter;
  const rh_peer_message *said = &p->said;
  const rh_own_progress *progress = &said->progress;
  switch (p->word) {
  case RH_OWN_LOG:
    if (p->logs++ == RH_MOST_LOGS) return RH_FATE_GARBAGE;
    rh_log(reporter, said->log.level, "%s", said->log.text);
    return RH_GOES_ON;
  case RH_OWN_PHASE: p->phase = said->phase; break;
  case RH_OWN_PROGRESS:
    if (rh_progress(reporter, activity_of(progress), progress->done, progress->total, error) !=
        RH_OK)
      return RH_FATE_FAILED;
    break;
  case RH_OWN_DROPPED:
    rh_log(reporter, RH_LOG_WARNING, "strategy '%s' logged %llu lines more, which were dropped",
           p->list[0].name, (unsigned long long)said->dropped);
    return RH_GOES_ON;
  default: return p->is_asked ? RH_FATE_HEARD : RH_FATE_GARBAGE;
  }
  rh_child_grant(&p->with);
  return RH_GOES_ON;
}

static rh_fate take_line(void *user, const char *line, size_t length, rh_error *error) {
  rh_peers *p = user;
  const rh_peer_question *question = &p->question;
  p->word = rh_peer_line_read(line, length, is_own(p), question->op, question->type, &p->said);
  if (p->word >= RH_OWN_PHASE) return take_own(p, error);
  if (p->word && p->is_asked) return RH_FATE_HEARD;
  if (is_own(p) || !p->is_asked) return RH_FATE_GARBAGE;
  return garbage(p, line, length, error);
}

/* Asks the caller's progress function whether to cancel. */
static rh_fate check_cancellation(void *user, rh_error *error) {
  rh_peers *p = user;
  rh_status status = rh_progress(&p->options->reporter, "peer", 0, 0, error);
  return status == RH_OK ? RH_GOES_ON : RH_FATE_FAILED;
}

/* Turns the end of a conversation into a status. */
static rh_status conclude(rh_peers *p, rh_fate fate, const rh_error *why, rh_error *error) {
  if (fate != RH_FATE_FAILED) return end_lost_process(p, error);
  p->runs = 0;
  rh_child_end(&p->with, 0);
  return rh_error_pass(error, why->status, why);
}

/* A line that arrived before the question would be taken for its answer. */
static rh_status expect_silence(rh_peers *p, rh_error *error) {
  rh_error why = {0};
  p->is_asked = 0;
  rh_fate fate = rh_child_drain(&p->with, &why);
  if (fate == RH_GOES_ON) return RH_OK;
  if (is_own(p) || fate == RH_FATE_ENDED) return conclude(p, fate, &why, error);
  return rh_peers_protocol_error(p, "spoke before it was asked", error);
}

rh_status rh_peers_ask(rh_peers *p, const rh_peer_question *question, rh_error *error) {
  rh_error why = {0};
  p->question = *question;
  if (question->line) {
    RH_TRY(expect_silence(p, error));
    if (rh_child_tell(&p->with, question->line) != 0) {
      p->with.fate = RH_FATE_ENDED;
      return end_lost_process(p, error);
    }
  }
  p->is_asked = 1;
  rh_child_grant(&p->with);
  rh_fate fate = rh_child_listen(&p->with, &why);
  if (fate != RH_FATE_HEARD) return conclude(p, fate, &why, error);
  if (p->word != RH_OWN_ERROR) return RH_OK;
  p->failed = 1;
  return rh_error_pass(error, p->said.error.status, &p->said.error);
}

/* ---- Beginning and end ----------------------------------------------------------------------- */

static rh_status start_process(rh_peers *p, rh_error *error) {
  const char *const alone[] = {p->program, NULL};
  char device[300];
  if (access(p->program, X_OK) != 0)
    return rh_fail(error, RH_E_FILE, "peer program %s cannot be started: %s", p->program,
                   strerror(errno));
  if (p->options->device) snprintf(device, sizeof device, "REDHOST_DEVICE=%s", p->options->device);
  const rh_child_spec spec = {
      .program = p->program,
      .role = p->role,
      .argv = alone,
      .variable = p->options->device ? device : NULL,
      .request = rh_text_get(&p->request),
      .bytes = p->request.length,
      .data = p->region ? p->region->file : p->reader,
      .output = RH_OUTPUT_KEPT,
      .stranger = !is_own(p),
  };
  p->with.user = p;
  p->with.take = take_line;
  p->with.idle = check_cancellation;
  p->with.limit_s = p->limit_s;
  p->with.limit_bytes = is_own(p) ? most_bytes_of_own : most_bytes;
  p->phase = RH_PHASE_start;
  p->logs = 0;
  p->failed = 0;
  RH_TRY(rh_child_start(&p->with, &spec, error));
  p->runs = 1;
  p->starts++;
  return RH_OK;
}

/* Side effects that do not affect the figures are warnings. */
static void report_side_effects(const rh_peers *p) {
  const rh_reporter *reporter = &p->options->reporter;
  const rh_printed *printed = &p->with.printed;
  char what[120], quote[256];
  int ended_ill = rh_ending_name_done(p->with.status, what, sizeof what);
  rh_printed_quote(printed, quote, sizeof quote);
  if (is_own(p) && printed->bytes && !p->failed)
    rh_log(reporter, RH_LOG_WARNING,
           "plugin %.500s wrote %llu bytes to standard output or error, which were dropped%s",
           p->plugin, (unsigned long long)printed->bytes, quote);
  if (ended_ill && is_own(p)) rh_log(reporter, RH_LOG_WARNING, "plugin %.500s %s", p->plugin, what);
  else if (ended_ill)
    rh_log(reporter, RH_LOG_WARNING, "peer program %s %s%s", p->program, what, quote);
}

static void end_process(rh_peers *p) {
  if (!p->runs) return;
  p->runs = 0;
  shutdown(p->with.fd, SHUT_WR); /* it may still send something */
  rh_child_end(&p->with, RH_CHILD_DONE_S);
  report_side_effects(p);
}

/* ---- The program ---- */

/* The first start creates the list; later starts must offer the same peers. */
static const char *add_peer(rh_peers *peers, uint32_t k, const rh_peer_message *said, int first) {
  if (k == RH_PEERS_MOST) return "offered more than 32 peers";
  if (!first)
    return k < peers->n && strcmp(peers->list[k].name, said->name) == 0
               ? NULL
               : "offered other peers than before";
  for (uint32_t other = 0; other < peers->n; other++)
    if (strcmp(peers->list[other].name, said->name) == 0) return "offered two peers of one name";
  rh_peer *added = &peers->list[peers->n++];
  *added = (rh_peer){.peers = peers};
  snprintf(added->name, sizeof added->name, "%s", said->name);
  rh_copy_plain(added->about, sizeof added->about, said->text);
  return NULL;
}

static rh_status greet(rh_peers *peers, int first, rh_error *error) {
  static const rh_peer_question listen_only = {.verb = "its greeting"};
  const char *wrong = NULL;
  uint32_t k = 0;
  RH_TRY(rh_peers_ask(peers, &listen_only, error));
  if (peers->word == RH_PEER_FAILED) {
    rh_status status =
        rh_fail(error, RH_E_PLUGIN, "peer program %s: %s", peers->program, peers->said.text);
    end_process(peers);
    return status;
  }
  if (peers->word != RH_PEER_HELLO) wrong = "did not begin with 'redhost-peer 1'";
  while (!wrong) {
    RH_TRY(rh_peers_ask(peers, &listen_only, error));
    int is_ready = peers->word == RH_PEER_READY;
    if (is_ready && k == peers->n && k) return RH_OK;
    if (is_ready) wrong = k ? "offered fewer peers than before" : "offered no peer";
    else if (peers->word == RH_PEER_NAMED) wrong = add_peer(peers, k++, &peers->said, first);
    else wrong = "answered out of order";
  }
  return rh_peers_protocol_error(peers, wrong, error);
}

/* A descriptor in another process cannot be exchanged, so a program keeps one file. */
static rh_status open_data(rh_peers *peers, rh_error *error) {
  char path[40];
  if (peers->reader >= 0) return RH_OK;
  peers->data = memfd_create("redhost-peer-data", MFD_CLOEXEC);
  snprintf(path, sizeof path, "/proc/self/fd/%d", peers->data);
  if (peers->data >= 0) peers->reader = open(path, O_RDWR | O_CLOEXEC);
  if (peers->reader >= 0) return RH_OK;
  return rh_fail(error, RH_E_NOMEM, "cannot create a file for a peer's data: %s", strerror(errno));
}

/* The process gets its region at its start, so another region needs another process. */
static rh_status bind_data(rh_peers *peers, const rh_bench_data *data, rh_error *error) {
  if (!data->region) return open_data(peers, error);
  if (!data->region->shared)
    return rh_fail(error, RH_E_INTERNAL, "data that cannot be shared with another process");
  if (peers->region != data->region) end_process(peers);
  if (!data->in_chunks) rh_region_seal(data->region);
  peers->region = data->region;
  return RH_OK;
}

rh_status rh_peers_run(rh_peers *peers, const rh_bench_data *data, rh_error *error) {
  RH_TRY(bind_data(peers, data, error));
  if (peers->runs) return RH_OK;
  if (peers->losses >= MOST_LOSSES)
    return rh_fail(error, RH_E_PLUGIN, "not tried again after %u losses in a row: %s",
                   peers->losses, peers->why);
  RH_TRY(start_process(peers, error));
  return peers->role ? RH_OK : greet(peers, peers->n == 0, error);
}

void rh_peers_finish(rh_peers *peers) {
  if (!peers) return;
  end_process(peers);
  if (peers->reader >= 0) close(peers->reader);
  if (peers->data >= 0) close(peers->data);
  free(peers->program);
  free(peers->plugin);
  rh_text_finish(&peers->request);
  free(peers);
}

/* ---- Peer programs ---- */

rh_status rh_peers_make(rh_peers **made, char *program, const rh_options *options, double limit_s,
                        rh_error *error) {
  rh_status status = RH_NEW(made, 1, "a process", error);
  if (status != RH_OK) {
    free(program);
    return status;
  }
  **made = (rh_peers){
      .program = program, .options = options, .limit_s = limit_s, .data = -1, .reader = -1};
  return program ? RH_OK : rh_fail(error, RH_E_NOMEM, "no memory for a path");
}

rh_status rh_peers_start(rh_peers **peers, const char *program, const rh_options *options,
                         double limit_s, rh_error *error) {
  rh_status status = rh_peers_make(peers, rh_copy_string(program), options, limit_s, error);
  if (status == RH_OK) status = rh_peers_run(*peers, &(rh_bench_data){0}, error);
  if (status == RH_OK) return RH_OK;
  rh_peers_finish(*peers);
  *peers = NULL;
  return status;
}

uint32_t rh_peers_count(const rh_peers *peers) { return peers->n; }

const char *rh_peers_about(const rh_peers *peers, uint32_t k) { return peers->list[k].about; }
