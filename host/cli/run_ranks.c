#include "run_ranks.h"
#include "../choose/fallback.h"
#include "../choose/known.h"
#include "../choose/locate.h"
#include "../core/base/clock.h"
#include "../core/base/error.h"
#include "../core/base/log.h"
#include "../core/operation/ops.h"
#include "../core/run/exact_data.h"
#include "../core/run/operand_data.h"
#include "../engine/partial/gather.h"
#include "../engine/ranks/agree.h"
#include "../engine/ranks/local.h"
#include "../engine/ranks/transports.h"
#include "../engine/ranks/word.h"
#include "../engine/reduction/partition.h"
#include "../engine/reduction/reduction.h"
#include "../operators/custom/by_code.h"
#include "crash.h"
#include "inputs.h"
#include "partial_output.h"
#include "rank_part.h"
#include "report.h"
#include "run_parts.h"
#include "say_error.h"
#include "size.h"
#include "user_operator.h"
#include "watchdog.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* For all ranks to join a job. */
static const double join_s = 6.5, turn_s = 2;

typedef struct run_ranks {
  const rh_app *app;
  const rh_run_options *options;
  rh_ranks ranks;
  rh_job_spec asked, job; /* job: by the strategy that was found; n: of the data, of which these
                             are reduced: */
  uint64_t first, n, whole_n;
  rh_user_operator user;
  char what[256];
  rh_found found;
  rh_inputs inputs;
  rh_source source;
  rh_partial part;
  rh_worker worker;
  rh_reduction_spec cut; /* to this rank's part */
  rh_reduction *reduction;
  int isolated; /* 1: the strategy runs in `child`, or there is `why` there is none */
  rh_rank_child child;
  rh_error why;
  int has_failed;       /* 1: this rank, by itself */
  rh_reporter reporter; /* the program's */
  rh_partial whole;
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
  rh_rank_place place;
  void *self = NULL;
  if (rh_local_is_rank()) return rh_ranks_open(&run->ranks, &rh_local_transport, NULL, NULL, error);
  RH_TRY(rh_local_launch(&self, &place, run->options->ranks, run->app->context->options.program,
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
  const rh_rank_place *place = &run->ranks.place;
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
  rh_type type = app->type ? app->type : RH_TYPE_f32;
  if (app->typed->input) type = run->inputs.feeds[0].type;
  RH_TRY(rh_operator_find(&job->operation.op, app->op, type, error));
  if (app->typed->input) return RH_OK;
  return rh_size_parse(app->typed->size ? app->typed->size : "2^24", rh_type_size(type), "--size",
                       &job->operation.n, error);
}

static rh_status find_operator(run_ranks *run, rh_error *error) {
  RH_TRY(rh_user_operator_open(&run->user, run->app, &run->inputs, &run->job, error));
  rh_custom_take_base(run->user.custom);
  return RH_OK;
}

static rh_status open_files(run_ranks *run, int is_own, rh_error *error) {
  rh_inputs *inputs = &run->inputs;
  if (!run->app->typed->input) return RH_OK;
  RH_TRY(rh_inputs_open(inputs, run->app, is_own, error));
  for (uint32_t k = 0; k < inputs->n; k++)
    RH_TRY(rh_partial_check_output(run->app->typed, inputs->names[k], error));
  return RH_OK;
}

static rh_status make_source(run_ranks *run, rh_error *error) {
  RH_TRY(rh_inputs_source(&run->inputs, &run->job, run->options, &run->source, error));
  run->job.operation.n = run->source.n;
  if (!run->source.in_order) return RH_OK;
  return rh_fail(error, RH_E_USAGE, "--input %s: several ranks cannot share a pipe; name a file",
                 run->app->typed->input);
}

/* Of --partial: a slice of the data, which may be a part of more. */
static rh_status find_part(run_ranks *run, rh_error *error) {
  const rh_run_options *options = run->options;
  const rh_typed *typed = run->app->typed;
  uint64_t end = options->end == UINT64_MAX ? run->job.operation.n : options->end;
  int are_whole = !typed->partial || !typed->input || (typed->slice && !typed->first);
  run->first = options->first + options->begin;
  run->whole_n = are_whole && !typed->whole ? run->job.operation.n : options->whole_n;
  if (end > run->job.operation.n || options->begin > end)
    return rh_fail(error, RH_E_USAGE, "--slice '%.60s': %s has %llu elements", typed->slice,
                   run->what, (unsigned long long)run->job.operation.n);
  run->n = end - options->begin;
  if (typed->input) rh_source_shift(&run->source, options->first);
  if (!typed->partial) return RH_OK;
  if (run->whole_n == UINT64_MAX && run->job.operation.op->count_slot >= 0)
    return rh_fail(error, RH_E_USAGE,
                   "the map uses n, the number of elements of the whole: say it by --whole");
  return rh_partial_check_part(&run->job, run->first, run->n, &run->whole_n, error);
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
  RH_TRY(make_source(run, error));
  rh_user_operator_note(run->app, &run->inputs, job);
  if (job->operation.n == 0 && job->operation.op->needs_an_element && !typed->partial)
    return rh_fail(error, RH_E_USAGE, "%s: %s of an empty array is undefined", run->what,
                   job->operation.op->name);
  job->operation.check = (uint32_t)run->options->check;
  RH_TRY(rh_run_accuracy(typed, run->options->check, job, run->user.custom, error));
  return find_part(run, error);
}

/* ---- With what ---- */

/* Devices that are like the one that was asked for are dealt to the ranks of a host. */
static rh_status take_device(run_ranks *run, rh_error *error) {
  rh_context *context = run->app->context;
  const rh_cl_devices *devices;
  const rh_cl_device *mine;
  uint32_t alike = 0, at = 0;
  RH_TRY(rh_context_device(context, &mine, error));
  RH_TRY(rh_context_devices(context, &devices, error));
  for (uint32_t k = 0; k < devices->n; k++) alike += strcmp(devices->list[k].name, mine->name) == 0;
  uint32_t wanted = run->ranks.place.local_rank % alike;
  for (uint32_t k = 0; k < devices->n; k++)
    if (strcmp(devices->list[k].name, mine->name) == 0 && at++ == wanted)
      return rh_context_use_device(context, &devices->list[k], error);
  return RH_OK;
}

static rh_status find_strategy(run_ranks *run, rh_error *error) {
  rh_job_spec *job = &run->job;
  const char *device = run->app->typed->device;
  *job = run->asked;
  RH_TRY(rh_locate(run->app->context, job, &run->found, error));
  job->strategy = run->found.name;
  job->plugin = run->found.path;
  /* A device that is named by its number is meant for all. */
  if (run->found.device_kinds == RH_DEVICE_HOST || (device && strpbrk(device, "0123456789")))
    return RH_OK;
  return take_device(run, error);
}

/* Work that stops because another rank has failed has not failed itself. */
static rh_status note(run_ranks *run, rh_status status) {
  run->has_failed = status != RH_OK && status != RH_E_CANCELLED;
  return status;
}

/* The data once, and the strategy for each attempt. */
static rh_status prepare(void *of_run, rh_error *error) {
  run_ranks *run = of_run;
  if (!run->asked.operation.op) {
    RH_TRY(find_data(run, error));
    run->asked = run->job;
  }
  return note(run, find_strategy(run, error));
}

/* ---- Its part ---- */

/* The ranks of this host. */
static uint32_t count_here(const rh_ranks *ranks) {
  uint32_t n = 0;
  for (uint32_t r = 0; r < ranks->place.size; r++)
    n += strcmp(ranks->hosts[r], ranks->hosts[ranks->place.rank]) == 0;
  return n;
}

static void cut(run_ranks *run) {
  run->worker = (rh_worker){.context = run->app->context, .job = &run->job};
  run->cut = (rh_reduction_spec){.reporter = &run->app->context->options.reporter,
                                 .source = &run->source,
                                 .devices = &run->worker,
                                 .n_devices = 1,
                                 .chunk_bytes = run->options->chunk_bytes,
                                 .ends_if_wrong = 1,
                                 .stop = &run->ranks.stop};
  rh_partition_ranks(rh_partial_tile(&run->job), run->first, run->n, run->ranks.place.rank,
                     run->ranks.place.size, &run->cut.first, &run->cut.n);
}

/* ---- The same everywhere? ---- */

/* All that decides the answer: that all ranks must have in common, or all parts.  malloc'ed. */
static rh_status describe(const run_ranks *run, int of_ranks, char **text, rh_error *error) {
  const rh_typed *typed = run->app->typed;
  const rh_partial_strategy by = {.is_auto = strcmp(typed->name, "auto") == 0,
                                  .name = run->found.name,
                                  .promises = run->found.promises,
                                  .settings = typed->settings,
                                  .n_settings = typed->n_settings};
  json_t *more = json_pack("{s:o}", "source", rh_source_identity(&run->source, of_ranks));
  if (of_ranks) {
    json_object_set_new(more, "first", json_integer((json_int_t)run->first));
    json_object_set_new(more, "count", json_integer((json_int_t)run->n));
    json_object_set_new(more, "chunk", json_integer((json_int_t)run->options->chunk_bytes));
  }
  return rh_partial_describe(text, &run->job, &by, more, error);
}

static rh_status fail(const run_ranks *run, uint32_t other, const rh_difference *found,
                      rh_error *error) {
  char(*hosts)[RH_HOST_BYTES] = run->ranks.hosts;
  char member[16];
  uint32_t k;
  if (sscanf(found->member, "source.files.%u.%15s", &k, member) != 2 || k >= run->inputs.n)
    member[0] = 0;
  if (strcmp(member, "bytes") == 0)
    return rh_fail(error, RH_E_FILE,
                   "%s differs: %s bytes on host %s (rank 0), %s on host %s (rank %u); all "
                   "ranks must read the same file",
                   run->inputs.names[k], found->values[0], hosts[0], found->values[1], hosts[other],
                   other);
  if (strcmp(member, "changed") == 0)
    return rh_fail(error, RH_E_FILE,
                   "%s differs: it was last changed at %s s on host %s (rank 0), and at %s s "
                   "on host %s (rank %u); copy it with its time (cp -p)",
                   run->inputs.names[k], found->values[0], hosts[0], found->values[1], hosts[other],
                   other);
  return rh_agree_fail(&run->ranks, other, found, error);
}

/* Where the strategy came from elsewhere, it runs in a process of its own.  In this thread, with
 * which the child would end. */
static void start_child(run_ranks *run, const char *problem) {
  const rh_app *app = run->app;
  const rh_rank_place *place = &run->ranks.place;
  const rh_cl_device *device = app->context->device;
  double timeout_s = run->options->timeout_s > 0 ? run->options->timeout_s : 60;
  rh_rank_order order = {
      .rank = place->rank,
      .size = place->size,
      .processes = count_here(&run->ranks),
      .op = app->op,
      .type = app->type,
      .device_kinds = run->found.device_kinds,
      .no_cache = app->context->options.no_cache,
      .strategy = run->found.name,
      .plugin = run->found.path,
      .device =
          device && run->found.device_kinds != RH_DEVICE_HOST ? device->label : app->typed->device,
      .promises = run->found.promises,
      .problem = problem,
  };
  run->isolated = rh_when(app->typed->isolate, !run->found.installed);
  if (!run->isolated) return;
  cut(run);
  run->isolated = run->cut.n > 0;
  if (run->isolated)
    rh_rank_child_start(&run->child, app, &order, timeout_s, &run->ranks.stop, &run->why);
}

static rh_status agree(run_ranks *run, rh_error *error) {
  char *mine = NULL;
  rh_difference found;
  uint32_t other = 0;
  rh_status status = describe(run, 1, &mine, error);
  if (status == RH_OK) status = rh_agree_compare(&run->ranks, mine, &other, &found, error);
  if (status == RH_OK && other) status = fail(run, other, &found, error);
  if (status == RH_OK) start_child(run, mine);
  free(mine);
  return status;
}

/* ---- Reducing ---- */

static uint64_t least(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

static void init_partial(const run_ranks *run, rh_partial *partial) {
  rh_partial_init(partial, &run->job, run->whole_n, (uint32_t)run->options->check);
}

/* In this process: processes share the host with this one. */
static rh_status open_part(run_ranks *run, uint32_t processes, rh_error *error) {
  cut(run);
  run->cut.processes = processes;
  init_partial(run, &run->part);
  if (run->cut.n == 0) return RH_OK;
  /* As one process maps what fits into memory. */
  if (run->found.device_kinds == RH_DEVICE_HOST)
    rh_source_view(&run->source, run->cut.first, run->cut.n, run->inputs.are_large);
  rh_job_spec chunk = run->job;
  chunk.operation.n = 1; /* only chunks have to fit */
  RH_TRY(rh_job_device(run->app->context, &chunk, run->found.device_kinds, &run->worker.device,
                       error));
  return rh_reduction_open(&run->reduction, &run->cut, &run->part, error);
}

/* An operator by code combines the parts' values here, too. */
static rh_status open_isolated(run_ranks *run, rh_error *error) {
  RH_TRY(rh_rank_child_open(&run->child, error));
  return rh_by_code_prepare(run->job.operation.op, run->app->context, error);
}

static rh_status set_up(void *of_run, rh_error *error) {
  run_ranks *run = of_run;
  if (run->why.status != RH_OK) {
    *error = run->why;
    return note(run, error->status);
  }
  watch(run);
  return note(run, run->isolated ? open_isolated(run, error)
                                 : open_part(run, count_here(&run->ranks), error));
}

static rh_status take_part(run_ranks *run, rh_error *error) {
  void *bytes = NULL;
  uint64_t n = 0;
  init_partial(run, &run->part);
  rh_status status = rh_rank_child_part(&run->child, &bytes, &n, error);
  if (status == RH_OK) status = rh_partial_read(&run->part, bytes, n, 1, error);
  free(bytes);
  return status;
}

static rh_status reduce(void *of_run, rh_error *error) {
  run_ranks *run = of_run;
  rh_status status = RH_OK;
  if (run->isolated)
    status = rh_rank_child_reduce(&run->child, error);
  else if (run->reduction)
    status = rh_reduction_run(run->reduction, error);
  if (status == RH_OK && run->isolated) status = take_part(run, error);
  return note(run, status);
}

/* ---- One strategy after the other ---- */

static rh_status attempt(void *of_run, int *is_final, rh_error *error) {
  run_ranks *run = of_run;
  RH_TRY(rh_ranks_work(&run->ranks, prepare, run, error));
  *is_final = 1; /* where the ranks are asked for different reductions */
  RH_TRY(agree(run, error));
  *is_final = 0;
  RH_TRY(rh_ranks_work(&run->ranks, set_up, run, error));
  double start = rh_now();
  rh_status status = rh_ranks_work(&run->ranks, reduce, run, error);
  run->report.ranks_s = rh_now() - start;
  *is_final = status == RH_E_WRONG; /* which is an answer */
  return status;
}

static void undo(void *of_run) {
  run_ranks *run = of_run;
  rh_rank_child_finish(&run->child);
  run->child = (rh_rank_child){0};
  run->why = (rh_error){0};
  rh_reduction_close(run->reduction);
  run->reduction = NULL;
  rh_place_finish(&run->worker.place);
  rh_partial_finish(&run->part);
  rh_found_finish(&run->found);
  run->has_failed = 0;
  atomic_store(&run->ranks.stop, 0);
}

typedef struct failed_strategy {
  char name[64]; /* "": the rank's own works, so far */
} failed_strategy;

/* Ranks with the strategy that failed in one of them leave it out, and all begin again, unless one
 * has no other. */
static int goes_on(void *of_run, rh_attempts *tried, rh_error *why) {
  run_ranks *run = of_run;
  rh_context *context = run->app->context;
  uint32_t size = run->ranks.place.size, fails = 0, uses = 0;
  failed_strategy mine = {{0}}, *all = calloc(size, sizeof *all);
  if (run->has_failed) snprintf(mine.name, sizeof mine.name, "%s", context->chose);
  if (!all || run->ranks.broken ||
      rh_ranks_gather(&run->ranks, &mine, sizeof mine, all, NULL) != RH_OK) {
    free(all);
    return 0;
  }
  for (uint32_t r = 0; r < size; r++) {
    fails += all[r].name[0] != 0;
    uses |= strcmp(all[r].name, context->chose) == 0;
  }
  free(all);
  int may = fails && (!uses || rh_fallback(context, &run->asked, tried, why));
  rh_status status = rh_ranks_settle(&run->ranks, may ? RH_OK : why->status, why, NULL);
  return status == RH_OK;
}

static rh_status conclude(run_ranks *run, rh_error *error) {
  rh_run_report *report = &run->report;
  report->checked = checks(run);
  /* A strategy that has no elements anywhere is the one that was asked for. */
  if (!run->whole.strategy[0])
    snprintf(run->whole.strategy, sizeof run->whole.strategy, "%s", run->job.strategy);
  RH_TRY(rh_partial_conclude(&run->whole, &report->result, &report->reference, &report->verdict,
                             error));
  if (report->checked) rh_exact_data_settle(&report->verdict, "the ranks hold parts of the data");
  return RH_OK;
}

static rh_status write_partial(void *of_run, rh_error *error) {
  run_ranks *run = of_run;
  char *text = NULL;
  rh_status status = describe(run, 0, &text, error);
  if (status == RH_OK && run->ranks.place.rank == 0)
    status = rh_partial_output(run->app, &run->whole, text, error);
  free(text);
  return status;
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

static const rh_cl_device *device_of(const run_ranks *run) {
  if (!run->isolated) return run->worker.device;
  return run->found.device_kinds != RH_DEVICE_HOST ? run->app->context->device : NULL;
}

static rh_status work(run_ranks *run, rh_error *error) {
  rh_run_report *report = &run->report;
  const rh_tries tries = {.attempt = attempt, .undo = undo, .goes_on = goes_on, .user = run};
  RH_TRY(rh_try_strategies(&tries, error));
  double start = rh_now();
  init_partial(run, &run->whole);
  RH_TRY(rh_partial_gather(&run->whole, &run->part, &run->ranks, 0, error));
  report->ranks_s += rh_now() - start;
  if (run->app->typed->partial) return rh_ranks_work(&run->ranks, write_partial, run, error);
  RH_TRY(conclude(run, error));
  report->spec = &run->job;
  report->device = device_of(run);
  report->chosen = run->app->context->chosen;
  report->ranks = run->ranks.place.size;
  report->hosts = count_hosts(&run->ranks);
  report->transport = run->ranks.transport->name;
  return RH_OK;
}

static void pass_log(void *of_run, uint32_t level, const char *text) {
  const run_ranks *run = of_run;
  run->reporter.log(run->reporter.user, level, text);
}

/* Of rank 0, whose part is as large as the others'. */
static int pass_progress(void *of_run, const char *activity, uint64_t done, uint64_t total) {
  const run_ranks *run = of_run;
  uint64_t of_all = done * run->ranks.place.size;
  return run->reporter.progress(run->reporter.user, activity, least(of_all, total), total);
}

/* Rank 0 alone speaks. */
static void divert_reports(run_ranks *run) {
  rh_reporter *reporter = &run->app->context->options.reporter;
  run->reporter = *reporter;
  *reporter = (rh_reporter){0};
  if (run->ranks.place.rank == 0) *reporter = (rh_reporter){run, pass_log, pass_progress};
}

static rh_status run_all(run_ranks *run, rh_error *error) {
  const rh_app *app = run->app;
  RH_TRY(join(run, error));
  watch(run);
  divert_reports(run);
  RH_TRY(work(run, error));
  if (run->ranks.place.rank > 0 || app->typed->partial) return RH_OK;
  RH_TRY(rh_run_report_print(app, &run->report, error));
  rh_run_report_warn(app, &run->report);
  return RH_OK;
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

static void finish(run_ranks *run) {
  undo(run);
  if (run->reporter.log) run->app->context->options.reporter = run->reporter;
  rh_partial_finish(&run->whole);
  rh_inputs_finish(&run->inputs);
  rh_user_operator_finish(&run->user);
}

static rh_job_spec job_of(const rh_app *app, const char *what) {
  return (rh_job_spec){.strategy = app->typed->name,
                       .settings = app->typed->settings,
                       .n_settings = app->typed->n_settings,
                       .operation.what = what,
                       .on_device = RH_JOB_ON_HOST,
                       .once = 1};
}

rh_status rh_run_ranks(const rh_app *app, const rh_run_options *options, rh_error *error) {
  run_ranks run = {.app = app,
                   .options = options,
                   .job = job_of(app, run.what),
                   .ranks = {.say = say_why, .user = app->terminal}};
  rh_status status = run_all(&run, error);
  if (status == RH_OK) error->message[0] = 0;
  end(&run, error);
  finish(&run);
  return status;
}

/* ---- In a child of a rank ---- */

typedef struct part_of_rank {
  run_ranks run;
  rh_app app;
  rh_typed typed;
  rh_run_options options;
  rh_terminal terminal;
} part_of_rank;

/* As it was agreed on: the files, and the operator's own. */
static rh_status find_again(run_ranks *run, const rh_rank_order *order, rh_error *error) {
  char *mine = NULL;
  rh_difference found;
  RH_TRY(find_data(run, error));
  RH_TRY(describe(run, 1, &mine, error));
  int differs = rh_operation_differ(order->problem, mine, &found);
  free(mine);
  if (!differs) return RH_OK;
  return rh_fail(error, RH_E_FILE, "%s was changed while the job was started: %s", run->what,
                 found.words);
}

static rh_status open_child(void *of_part, int argc, char **argv, const rh_rank_order *order,
                            const rh_reporter *reporter, rh_error *error) {
  part_of_rank *part = of_part;
  run_ranks *run = &part->run;
  rh_typed *typed = &part->typed;
  RH_TRY(rh_options_parse(typed, argc, argv, error));
  RH_TRY(rh_run_options_parse(&part->options, typed, error));
  typed->unchecked_op = 1; /* the rank has examined it */
  const rh_options options = {.struct_size = sizeof options,
                              .device = order->device,
                              .plugin_file = typed->foreign ? typed->foreign : typed->plugin,
                              .plugin_path = typed->plugin_path,
                              .cache_dir = typed->cache_dir,
                              .program = order->program,
                              .no_cache = order->no_cache};
  part->app = (rh_app){.typed = typed, .terminal = &part->terminal, .op = order->op};
  part->app.type = (rh_type)order->type;
  RH_TRY(rh_context_open(&part->app.context, &options, &rh_choosing, error));
  *run = (run_ranks){.app = &part->app, .options = &part->options};
  run->job = job_of(&part->app, run->what);
  run->ranks.place = (rh_rank_place){.rank = order->rank, .size = order->size};
  snprintf(run->found.name, sizeof run->found.name, "%s", order->strategy);
  run->found.path = rh_copy_string(order->plugin);
  run->found.device_kinds = order->device_kinds;
  run->found.promises = order->promises;
  run->job.strategy = run->found.name;
  run->job.plugin = run->found.path;
  RH_TRY(find_again(run, order, error));
  part->app.context->options.reporter = *reporter; /* the rank has said what the data look like */
  return open_part(run, order->processes, error);
}

static rh_status reduce_child(void *of_part, void **bytes, uint64_t *n, rh_error *error) {
  part_of_rank *part = of_part;
  run_ranks *run = &part->run;
  RH_TRY(reduce(run, error));
  return rh_partial_write(&run->part, NULL, bytes, n, error);
}

static void close_child(void *of_part) {
  part_of_rank *part = of_part;
  finish(&part->run);
  part->run = (run_ranks){0};
  rh_context_close(part->app.context);
  part->app.context = NULL;
}

int rh_run_ranks_part_main(void) {
  static part_of_rank part;
  const rh_rank_part serves = {&part, open_child, reduce_child, close_child};
  return rh_rank_part_serve(&serves);
}
