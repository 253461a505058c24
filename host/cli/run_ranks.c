#include "run_ranks.h"
#include "../core/base/clock.h"
#include "../core/base/error.h"
#include "../core/base/hash.h"
#include "../core/base/log.h"
#include "../core/operators/ops.h"
#include "../core/reduce/operand_data.h"
#include "../core/scale/gather.h"
#include "../core/scale/local.h"
#include "../core/scale/share_stream.h"
#include "../core/scale/transports.h"
#include "../core/scale/word.h"
#include "crash.h"
#include "inputs.h"
#include "report.h"
#include "run_stream.h"
#include "say_error.h"
#include "size.h"
#include "user_operator.h"
#include "watchdog.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* For all ranks to join a job. */
static const double join_s = 6.5, turn_s = 2;

/* What must be the same in all ranks. */
typedef struct facts {
  char version[32];
  uint64_t problem; /* a hash of operator, type, seed, kind, check and accuracy */
  uint64_t n;
  struct {
    uint64_t bytes, begin; /* of the file, and where its elements begin */
    int64_t s, ns;         /* when it was last changed */
  } files[RH_MOST_OPERANDS];
} facts;

typedef struct run_ranks {
  const rh_app *app;
  const rh_run_options *options;
  rh_ranks ranks;
  rh_job_spec job;
  rh_user_operator user;
  char what[256];
  rh_found found;
  rh_inputs inputs;
  rh_source source;
  rh_share_source from;
  rh_share_spec share;
  rh_share part;
  rh_share_stream *stream;
  rh_whole whole;
  rh_run_report report;
} run_ranks;

static int checks(const run_ranks *run) {
  return run->options->check != RH_CHECK_NONE;
}

/* mpirun started this process for one. */
static int is_launched(const rh_typed *typed) {
  return rh_run_options_want_ranks(typed) && rh_ranks_have_launcher();
}

int rh_run_ranks_speaks(const rh_typed *typed) {
  if (rh_run_options_want_ranks(typed) && rh_local_is_rank()) return 0; /* the first does */
  return !is_launched(typed) || rh_word_take();
}

void rh_run_ranks_hold(const rh_typed *typed) {
  if (is_launched(typed)) rh_word_hold();
}

/* ---- The job ---- */

static rh_status launch(run_ranks *run, rh_error *error) {
  const rh_typed *typed = run->app->typed;
  rh_place place;
  void *self = NULL;
  if (rh_local_is_rank()) return rh_ranks_open(&run->ranks, &rh_local_transport, NULL, NULL, error);
  RH_TRY(rh_local_launch(&self, &place, run->options->ranks, run->app->redhost->options.program,
                         typed->argv, error));
  return rh_ranks_open(&run->ranks, &rh_local_transport, self, &place, error);
}

static void say_why(void *terminal, const char *sentence) {
  rh_terminal_say(terminal, sentence);
}

static void give_up(void *of_run) {
  run_ranks *run = of_run;
  rh_ranks_say(say_why, run->app->terminal,
               "the ranks of the job have not come together in time: one of them has ended or "
               "does not answer; a job that needs longer to start gets it by --timeout",
               rh_ranks_turn_here() == 0);
  _exit(RH_RANK_LOST_STATUS);
}

/* A local rank is announced by the first, which has started it. */
static void watch(const run_ranks *run) {
  const rh_place *place = &run->ranks.place;
  const rh_crash_rank rank = {.number = place->rank,
                              .host = run->ranks.hosts[place->rank],
                              .strategy = run->found.name[0] ? run->found.name : NULL,
                              .is_watched =
                                  run->ranks.transport == &rh_local_transport && place->rank > 0};
  rh_crash_watch_rank(&rank);
}

static rh_status join(run_ranks *run, rh_error *error) {
  const rh_typed *typed = run->app->typed;
  const rh_transport *transport;
  rh_watchdog dog;
  double seconds = run->options->timeout_s > 0 ? run->options->timeout_s : join_s;
  if (run->options->ranks) return launch(run, error);
  RH_TRY(rh_transport_find(typed->transport, &transport, error));
  /* One speaks, and others only if it cannot: in turn, for mpirun needs time to end them. */
  uint32_t turn = rh_ranks_turn_here();
  if (turn > 0) seconds += turn_s + 0.3 * (turn < 4 ? turn - 1 : 3);
  rh_watchdog_start(&dog, seconds, give_up, run);
  rh_status status = rh_ranks_open(&run->ranks, transport, NULL, NULL, error);
  rh_watchdog_stop(&dog);
  return status;
}

/* ---- What is reduced ---- */

static rh_status find_elements(run_ranks *run, rh_error *error) {
  const rh_app *app = run->app;
  rh_job_spec *job = &run->job;
  if (app->typed->input) {
    job->type = run->inputs.feeds[0].type;
    rh_inputs_warn_of_order(&run->inputs, app, job->op);
    return RH_OK;
  }
  job->type = app->type ? app->type : RH_TYPE_f32;
  return rh_size_parse(app->typed->size ? app->typed->size : "2^24", rh_type_size(job->type),
                       "--size", &job->n, error);
}

static rh_status find_operator(run_ranks *run, rh_error *error) {
  RH_TRY(rh_user_operator_open(&run->user, run->app, &run->inputs, &run->job, error));
  rh_operator_take_base(run->user.custom);
  return RH_OK;
}

static rh_status open_files(run_ranks *run, int is_own, rh_error *error) {
  rh_inputs *inputs = &run->inputs;
  if (!run->app->typed->input) return RH_OK;
  RH_TRY(rh_inputs_open(inputs, run->app, is_own, error));
  rh_feed *feeds[RH_MOST_OPERANDS];
  for (uint32_t k = 0; k < inputs->n; k++) feeds[k] = &inputs->feeds[k];
  RH_TRY(rh_source_of_feeds(&run->source, feeds, inputs->n, error));
  if (run->source.in_order)
    return rh_fail(error, RH_E_USAGE, "--input %s: several ranks cannot share a pipe; name a file",
                   run->app->typed->input);
  run->job.n = run->source.n;
  return RH_OK;
}

static void generate(run_ranks *run) {
  const rh_job_spec *job = &run->job;
  rh_type types[RH_MOST_OPERANDS];
  uint32_t n = rh_job_operands(job);
  for (uint32_t k = 0; k < n; k++) types[k] = rh_job_operand_type(job, k);
  rh_source_generated(&run->source, run->options->kind, run->options->seed, types, n, job->n);
}

static rh_status find_data(run_ranks *run, rh_error *error) {
  const rh_typed *typed = run->app->typed;
  rh_job_spec *job = &run->job;
  snprintf(run->what, sizeof run->what, "%s",
           typed->input  ? typed->input
           : typed->size ? typed->size
                         : "2^24");
  int is_own = rh_user_operator_is_wanted(typed);
  RH_TRY(open_files(run, is_own, error));
  RH_TRY(is_own ? find_operator(run, error) : find_elements(run, error));
  if (!typed->input) generate(run);
  if (!job->custom && !rh_op_is_defined(job->op, job->type))
    return rh_fail(error, RH_E_USAGE, "operator %s is not defined for %s, only for %s",
                   rh_op_name(job->op), rh_type_name(job->type), rh_op_domain(job->op));
  if (job->n == 0 && rh_op_needs_an_element(job->op))
    return rh_fail(error, RH_E_USAGE, "%s: %s of an empty array is undefined", run->what,
                   rh_job_op_name(job));
  return rh_run_accuracy(typed, run->options->check, job, run->user.custom, error);
}

/* ---- With what ---- */

/* Devices that are like the one that was asked for are dealt to the ranks of a host. */
static rh_status take_device(run_ranks *run, rh_error *error) {
  rh_redhost *redhost = run->app->redhost;
  const rh_cl_devices *devices;
  const rh_cl_device *mine;
  uint32_t alike = 0, at = 0;
  RH_TRY(rh_redhost_device(redhost, &mine, error));
  RH_TRY(rh_redhost_devices(redhost, &devices, error));
  for (uint32_t k = 0; k < devices->n; k++) alike += strcmp(devices->list[k].name, mine->name) == 0;
  uint32_t wanted = run->ranks.place.local_rank % alike;
  for (uint32_t k = 0; k < devices->n; k++)
    if (strcmp(devices->list[k].name, mine->name) == 0 && at++ == wanted)
      return rh_redhost_use_device(redhost, &devices->list[k], error);
  return RH_OK;
}

static rh_status find_strategy(run_ranks *run, rh_error *error) {
  rh_job_spec *job = &run->job;
  const char *device = run->app->typed->device;
  RH_TRY(rh_job_locate(run->app->redhost, job, &run->found, error));
  job->strategy = run->found.name;
  job->plugin = run->found.path;
  /* A device that is named by its number is meant for all. */
  if (run->found.device_kinds == RH_DEVICE_HOST || (device && strpbrk(device, "0123456789")))
    return RH_OK;
  return take_device(run, error);
}

static rh_status prepare(void *of_run, rh_error *error) {
  run_ranks *run = of_run;
  RH_TRY(find_data(run, error));
  return find_strategy(run, error);
}

/* ---- The same everywhere? ---- */

static facts facts_of(const run_ranks *run) {
  const rh_typed *typed = run->app->typed;
  facts mine;
  const uint64_t problem[] = {
      run->job.op,           run->job.type,
      run->options->seed,    rh_operator_hash(run->job.custom),
      (uint64_t)checks(run), typed->accuracy && strcmp(typed->accuracy, "exact") == 0};
  memset(&mine, 0, sizeof mine);
  snprintf(mine.version, sizeof mine.version, "%s", rh_version());
  mine.n = run->job.n;
  mine.problem = rh_hash(0, problem, sizeof problem);
  if (typed->data) mine.problem = rh_hash(mine.problem, typed->data, strlen(typed->data));
  for (uint32_t k = 0; k < run->inputs.n; k++) {
    const rh_feed *file = &run->inputs.feeds[k];
    mine.files[k].bytes = file->file_bytes;
    mine.files[k].begin = file->data_offset;
    mine.files[k].s = file->modified.tv_sec;
    mine.files[k].ns = file->modified.tv_nsec;
  }
  return mine;
}

static rh_status compare_files(const run_ranks *run, const facts *first, const facts *other,
                               uint32_t rank, rh_error *error) {
  char(*hosts)[RH_HOST_BYTES] = run->ranks.hosts;
  for (uint32_t k = 0; k < run->inputs.n; k++) {
    const char *name = run->inputs.feeds[k].name;
    if (first->files[k].bytes != other->files[k].bytes)
      return rh_fail(error, RH_E_FILE,
                     "%s differs: %llu bytes on host %s (rank 0), %llu on host %s (rank %u); all "
                     "ranks must read the same file",
                     name, (unsigned long long)first->files[k].bytes, hosts[0],
                     (unsigned long long)other->files[k].bytes, hosts[rank], rank);
    if (first->files[k].s != other->files[k].s || first->files[k].ns != other->files[k].ns)
      return rh_fail(error, RH_E_FILE,
                     "%s differs: it was last changed at %lld s on host %s (rank 0), and at %lld s "
                     "on host %s (rank %u); copy it with its time (cp -p)",
                     name, (long long)first->files[k].s, hosts[0], (long long)other->files[k].s,
                     hosts[rank], rank);
  }
  return RH_OK;
}

static rh_status compare(const run_ranks *run, const facts *all, rh_error *error) {
  char(*hosts)[RH_HOST_BYTES] = run->ranks.hosts;
  char numbers[96] = "";
  for (uint32_t r = 1; r < run->ranks.place.size; r++) {
    if (strcmp(all[0].version, all[r].version) != 0)
      return rh_fail(error, RH_E_USAGE,
                     "rank 0 (host %s) runs redhost %.31s, and rank %u (%s) %.31s", hosts[0],
                     all[0].version, r, hosts[r], all[r].version);
    RH_TRY(compare_files(run, &all[0], &all[r], r, error));
    if (memcmp(&all[0], &all[r], sizeof *all) != 0) {
      if (all[0].n != all[r].n)
        snprintf(numbers, sizeof numbers, ", with %llu and %llu elements",
                 (unsigned long long)all[0].n, (unsigned long long)all[r].n);
      return rh_fail(error, RH_E_USAGE,
                     "rank 0 (host %s) and rank %u (host %s) are asked for different problems%s; "
                     "start all with the same options on the same data",
                     hosts[0], r, hosts[r], numbers);
    }
  }
  return RH_OK;
}

static rh_status compare_all(run_ranks *run, const facts *mine, rh_error *error) {
  facts *all = calloc(run->ranks.place.size, sizeof *all);
  if (!all) return rh_fail(error, RH_E_NOMEM, "no memory for what the ranks say");
  rh_status status = rh_ranks_gather(&run->ranks, mine, sizeof *mine, all, error);
  if (status == RH_OK) status = compare(run, all, error);
  free(all);
  return status;
}

/* First by a hash: many ranks would say much. */
static rh_status agree(run_ranks *run, rh_error *error) {
  const facts mine = facts_of(run);
  const uint64_t hash = rh_hash(0, &mine, sizeof mine);
  uint32_t size = run->ranks.place.size, differ = 0;
  uint64_t *all = calloc(size, sizeof *all);
  if (!all) return rh_fail(error, RH_E_NOMEM, "no memory for what the ranks say");
  rh_status status = rh_ranks_gather(&run->ranks, &hash, sizeof hash, all, error);
  for (uint32_t r = 0; r < size; r++) differ |= all[r] != all[0];
  free(all);
  if (status == RH_OK && differ) status = compare_all(run, &mine, error);
  return status;
}

/* ---- Reducing ---- */

/* The ranks of this host. */
static uint32_t count_here(const rh_ranks *ranks) {
  uint32_t n = 0;
  for (uint32_t r = 0; r < ranks->place.size; r++)
    n += strcmp(ranks->hosts[r], ranks->hosts[ranks->place.rank]) == 0;
  return n;
}

static uint64_t least(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

static rh_status set_up(void *of_run, rh_error *error) {
  run_ranks *run = of_run;
  rh_share_spec *share = &run->share;
  watch(run);
  run->from = (rh_share_source){.source = &run->source,
                                .chunk_bytes = run->options->chunk_bytes,
                                .device_kinds = run->found.device_kinds,
                                .processes = count_here(&run->ranks),
                                .stop = &run->ranks.stop};
  *share = (rh_share_spec){.redhost = run->app->redhost, .job = &run->job, .checks = checks(run)};
  rh_share_cut(&run->job, run->ranks.place.rank, run->ranks.place.size, &share->first_tile,
               &share->tiles);
  /* As one process maps what fits into memory. */
  uint64_t tile = rh_share_tile(&run->job), first = share->first_tile * tile;
  if (run->found.device_kinds == RH_DEVICE_HOST && first < run->job.n)
    rh_source_view(&run->source, first, least(share->tiles * tile, run->job.n - first),
                   run->inputs.are_large);
  return rh_share_stream_open(&run->stream, &run->part, share, &run->from, error);
}

static rh_status reduce(void *of_run, rh_error *error) {
  run_ranks *run = of_run;
  RH_TRY(rh_share_stream_run(run->stream, error));
  return rh_source_check_unchanged(&run->source, error);
}

static rh_status conclude(run_ranks *run, rh_error *error) {
  rh_run_report *report = &run->report;
  report->checked = run->whole.checked;
  /* A strategy that has no elements anywhere is the one that was asked for. */
  if (!run->whole.strategy[0])
    snprintf(run->whole.strategy, sizeof run->whole.strategy, "%s", run->job.strategy);
  return rh_whole_conclude(&run->whole, &run->job, &report->result, &report->reference,
                           &report->verdict, error);
}

static uint32_t count_hosts(const rh_ranks *ranks) {
  uint32_t n = 0;
  for (uint32_t r = 0; r < ranks->place.size; r++) {
    int is_new = 1;
    for (uint32_t s = 0; s < r && is_new; s++)
      is_new = strcmp(ranks->hosts[r], ranks->hosts[s]) != 0;
    n += (uint32_t)is_new;
  }
  return n;
}

static rh_status work(run_ranks *run, rh_error *error) {
  rh_run_report *report = &run->report;
  RH_TRY(rh_ranks_work(&run->ranks, prepare, run, error));
  RH_TRY(agree(run, error));
  RH_TRY(rh_ranks_work(&run->ranks, set_up, run, error));
  double start = rh_now();
  RH_TRY(rh_ranks_work(&run->ranks, reduce, run, error));
  RH_TRY(rh_whole_gather(&run->whole, &run->ranks, &run->job, &run->part, checks(run), error));
  report->ranks_s = rh_now() - start;
  RH_TRY(conclude(run, error));
  report->spec = &run->job;
  report->device = run->part.device;
  report->chosen = run->app->redhost->chosen;
  report->ranks = run->ranks.place.size;
  report->hosts = count_hosts(&run->ranks);
  report->transport = run->ranks.transport->name;
  return RH_OK;
}

static rh_status run_all(run_ranks *run, rh_error *error) {
  const rh_app *app = run->app;
  rh_reporter *reporter = &app->redhost->options.reporter;
  RH_TRY(join(run, error));
  watch(run);
  if (run->ranks.place.rank > 0) *reporter = (rh_reporter){0};
  reporter->progress = NULL; /* of one rank it would mislead */
  RH_TRY(work(run, error));
  if (run->ranks.place.rank > 0) return RH_OK;
  if (run->report.checked && run->report.verdict.verdict == RH_VERDICT_UNJUDGED)
    rh_log(reporter, RH_LOG_WARNING, "warning: the result of '%s' is not judged: %s",
           run->job.strategy, run->report.verdict.text);
  return rh_run_report_print(app, &run->report, error);
}

/* A broken job has no orderly end.  In any other, rank 0 speaks before a rank leaves: mpirun ends
 * all of them as soon as one has ended with a failure. */
static void end(run_ranks *run, rh_error *why) {
  rh_ranks *ranks = &run->ranks;
  char done = 1, *all = ranks->self ? calloc(ranks->place.size, 1) : NULL;
  int fails = why->message[0] != 0;
  rh_crash_leave_rank();
  if (ranks->broken) rh_ranks_abort(ranks, why->message);
  if (fails && ranks->self && ranks->place.rank == 0) {
    rh_terminal_clear(run->app->terminal);
    rh_say_error(run->app->terminal, why);
  }
  fflush(stdout);
  if (all) rh_ranks_gather(ranks, &done, 1, all, NULL);
  free(all);
  if (ranks->self) why->message[0] = 0;
  rh_ranks_close(ranks);
}

rh_status rh_run_ranks(const rh_app *app, const rh_run_options *options, rh_error *error) {
  run_ranks run = {.app = app,
                   .options = options,
                   .job = {.strategy = app->typed->name,
                           .op = app->op,
                           .settings = app->typed->settings,
                           .n_settings = app->typed->n_settings,
                           .what = run.what,
                           .on_device = RH_JOB_ON_HOST},
                   .ranks = {.say = say_why, .user = app->terminal}};
  rh_status status = run_all(&run, error);
  if (status == RH_OK) error->message[0] = 0;
  end(&run, error);
  rh_share_stream_close(run.stream);
  rh_share_finish(&run.part);
  rh_whole_finish(&run.whole);
  rh_inputs_finish(&run.inputs);
  rh_user_operator_finish(&run.user);
  rh_found_finish(&run.found);
  return status;
}
