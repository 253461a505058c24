/* The parent's side. */
#include "worker.h"
#include "../../core/base/clock.h"
#include "../../core/base/error.h"
#include "../../core/base/log.h"
#include "../../core/child/ending.h"
#include "request.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const uint64_t most_bytes = 16u << 20; /* from one command to the next */

static const rh_reporter *reporter_of(const rh_worker *worker) {
  return &worker->spec.options->reporter;
}

static void grant(rh_worker *worker) {
  worker->deadline = rh_now() + worker->spec.limit_s;
}

/* Ends the process, and gives its status as of waitpid. */
static int stop(rh_worker *worker, double grace) {
  if (worker->child.pid <= 0) return -1;
  return rh_child_finish(&worker->child, grace);
}

/* ---- How it ended, in one sentence ------------------------------------------------------------------------------- */

/* "strategy 'x' in /path/x.so <what>", or who else it was where the plugin was not there yet. */
static rh_status blame(const rh_worker *worker, const char *what, rh_error *error) {
  const rh_job_spec *job = worker->spec.job;
  char printed[256];
  rh_printed_quote(&worker->printed, printed, sizeof printed);
  if (worker->phase < RH_WORK_loading)
    return rh_fail(error, RH_E_PLUGIN, "redhost --work, for strategy '%s', %s%s", job->strategy,
                   what, printed);
  return rh_fail(error, RH_E_PLUGIN, "strategy '%s' in %.500s %s%s", job->strategy, job->plugin,
                 what, printed);
}

/* A page of a mapped file that is no longer there is nobody's fault but the file's. */
static int file_was_cut(const rh_worker *worker, int status) {
  const rh_region *data = worker->spec.data;
  struct stat st;
  uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
  return status != -1 && WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS &&
         fstat(data->file, &st) == 0 && (uint64_t)st.st_size + page <= data->bytes;
}

static rh_status ended(rh_worker *worker, rh_error *error) {
  char what[160];
  int status = stop(worker, RH_CHILD_CLOSED_S);
  if (file_was_cut(worker, status))
    return rh_fail(error, RH_E_FILE, "the input file was cut short while it was being read");
  rh_ending_name(status, rh_work_phase_words(worker->phase), what, sizeof what);
  return blame(worker, what, error);
}

static rh_status late(rh_worker *worker, rh_error *error) {
  char what[160];
  stop(worker, 0);
  snprintf(what, sizeof what, "did not answer within %g s %s; --timeout allows more",
           worker->spec.limit_s, rh_work_phase_words(worker->phase));
  return blame(worker, what, error);
}

static rh_status disturbed(rh_worker *worker, const char *how, rh_error *error) {
  char what[160];
  stop(worker, 0);
  snprintf(what, sizeof what, "%s %s", how, rh_work_phase_words(worker->phase));
  return blame(worker, what, error);
}

static rh_status failed(rh_worker *worker, const rh_frame *frame, rh_error *error) {
  stop(worker, 0.5);
  rh_fail(error, frame->status, "%s", frame->text);
  if (error) error->cl_code = frame->code;
  return frame->status;
}

/* ---- Listening --------------------------------------------------------------------------------------------------- */

/* Frames that may come while another is waited for.  RH_OK: so far, so good. */
static rh_status take(rh_worker *worker, rh_frame_kind kind, const rh_frame *frame,
                      rh_error *error) {
  switch (kind) {
  case RH_FRAME_HELLO:
    if (worker->greeted++) break;
    return RH_OK;
  case RH_FRAME_PHASE:
    if (frame->phase <= worker->phase) break;
    worker->phase = frame->phase;
    grant(worker);
    return RH_OK;
  case RH_FRAME_LOG:
    if (worker->logs++ == RH_MOST_LOGS) break;
    rh_log(reporter_of(worker), frame->level, "%s", frame->text);
    return RH_OK;
  case RH_FRAME_PROGRESS:
    grant(worker);
    return rh_progress(reporter_of(worker), frame->activity, frame->done, frame->total, error);
  case RH_FRAME_READY: /* again: setting up gave up what was tuned */
    if (worker->phase != RH_WORK_setup) break;
    return RH_OK;
  case RH_FRAME_FAILED: return failed(worker, frame, error);
  default: break;
  }
  return disturbed(worker, "disturbed the answer", error);
}

static rh_status wait_for(rh_worker *worker, rh_frame_kind wanted, rh_frame *frame, rh_facts *facts,
                          rh_error *error) {
  const char *line;
  size_t length;
  grant(worker);
  worker->child.most = worker->child.received + most_bytes;
  for (;;) {
    switch (rh_child_read(&worker->child, worker->deadline, &line, &length)) {
    case RH_LINE_END: return ended(worker, error);
    case RH_LINE_LATE: return late(worker, error);
    case RH_LINE_FLOOD: return disturbed(worker, "sent more than 16 MiB", error);
    case RH_LINE_READ: break;
    }
    rh_frame_kind kind = rh_frame_read(line, length, frame, facts);
    if (kind == wanted && worker->greeted) return RH_OK;
    RH_TRY(take(worker, kind, frame, error));
  }
}

static rh_status tell(rh_worker *worker, const char *command, rh_frame_kind wanted, rh_facts *facts,
                      rh_error *error) {
  rh_frame frame;
  if (rh_child_tell(&worker->child, command) != 0) return ended(worker, error);
  return wait_for(worker, wanted, &frame, facts, error);
}

/* ---- The steps --------------------------------------------------------------------------------------------------- */

static rh_status request(const rh_worker_spec *spec, rh_text *to, rh_error *error) {
  rh_work work = {
      .parent = getpid(),
      .device = spec->device ? spec->device->label : NULL,
      .cache_dir = spec->options->cache_dir,
      .no_cache = spec->options->no_cache,
      .on_host = !spec->device,
      .job = *spec->job,
      .offset = spec->offset,
      .region_bytes = spec->data->bytes,
  };
  if (rh_work_write(to, &work) == 0) return RH_OK;
  return rh_fail(error, RH_E_NOMEM, "no memory to ask for a run");
}

static rh_status spawn(rh_worker *worker, const rh_text *asked, rh_error *error) {
  static const char *const argv[] = {"redhost", "--work", NULL};
  char *program;
  RH_TRY(rh_child_program(worker->spec.options, &program, error));
  rh_child_spec spec = {
      .program = program,
      .argv = argv,
      .request = asked->s,
      .bytes = asked->length,
      .data = worker->spec.data->file,
      .output = -1,
      .printed = &worker->printed,
  };
  rh_status status = rh_child_start(&worker->child, &spec, error);
  free(program);
  return status;
}

rh_status rh_worker_start(rh_worker *worker, const rh_worker_spec *spec, rh_facts *facts,
                          rh_error *error) {
  rh_text asked = {0};
  rh_frame frame;
  *worker = (rh_worker){.spec = *spec};
  if (!spec->data->shared)
    return rh_fail(error, RH_E_INTERNAL, "data that cannot be shared with another process");
  rh_region_seal(spec->data);
  rh_status status = request(spec, &asked, error);
  if (status == RH_OK) status = spawn(worker, &asked, error);
  rh_text_finish(&asked);
  if (status != RH_OK) return status;
  return wait_for(worker, RH_FRAME_READY, &frame, facts, error);
}

rh_status rh_worker_run(rh_worker *worker, rh_facts *facts, rh_error *error) {
  return tell(worker, "run\n", RH_FRAME_RESULT, facts, error);
}

rh_status rh_worker_measure(rh_worker *worker, rh_facts *facts, rh_error *error) {
  return tell(worker, "measure\n", RH_FRAME_MEASURED, facts, error);
}

/* What does no harm to the answer is a warning. */
static void judge_manners(const rh_worker *worker, int status, uint64_t dropped) {
  const rh_job_spec *job = worker->spec.job;
  const rh_reporter *reporter = reporter_of(worker);
  char what[160], printed[256];
  rh_printed_quote(&worker->printed, printed, sizeof printed);
  if (dropped)
    rh_log(reporter, RH_LOG_WARNING, "strategy '%s' logged %llu lines more, which were dropped",
           job->strategy, (unsigned long long)dropped);
  if (worker->printed.bytes)
    rh_log(reporter, RH_LOG_WARNING,
           "plugin %.500s wrote %llu bytes to standard output or error, which were dropped%s",
           job->plugin, (unsigned long long)worker->printed.bytes, printed);
  if (rh_ending_name_done(status, what, sizeof what))
    rh_log(reporter, RH_LOG_WARNING, "plugin %.500s %s", job->plugin, what);
}

rh_status rh_worker_end(rh_worker *worker, rh_error *error) {
  rh_frame frame;
  rh_facts unused;
  if (rh_child_tell(&worker->child, "end\n") != 0) return ended(worker, error);
  RH_TRY(wait_for(worker, RH_FRAME_DONE, &frame, &unused, error));
  /* What was said counts; destructors that hang afterwards are cut short. */
  judge_manners(worker, stop(worker, RH_CHILD_DONE_S), frame.done);
  return RH_OK;
}

void rh_worker_finish(rh_worker *worker) {
  stop(worker, 0);
  *worker = (rh_worker){0};
}
