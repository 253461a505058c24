/* --run by several processes. */

#include "run.h"

/* For all ranks to join a job. */
static const double join_s = 6.5, turn_s = 2;

typedef struct run_ranks {
  rh_run_state run;
  rh_ranks ranks;
  uint64_t first, n, whole_n; /* of the data, these elements are reduced */
  rh_reduction_spec cut;      /* to this rank's part */
  rh_error why;               /* the strategy's process could not be started */
  int has_failed;             /* 1: this rank, by itself */
  rh_partial whole;
} run_ranks;

static rh_run_device *device_of(run_ranks *r) { return &r->run.devices[0]; }

static const rh_found *found_of(const run_ranks *r) { return &r->run.devices[0].found; }

void rh_run_ranks_say(const rh_typed *typed, rh_error *error) {
  int is_started = rh_wants_ranks(typed) && rh_local_is_rank(); /* the first speaks */
  int is_launched = rh_wants_ranks(typed) && rh_ranks_have_launcher();
  if (!is_started && (!is_launched || rh_word_take())) rh_terminal_say_error(error);
  if (is_launched) rh_word_hold();
}

/* ---- The job ---- */

static rh_status launch(run_ranks *r, rh_error *error) {
  const rh_typed *typed = r->run.app->typed;
  rh_rank_place place;
  void *self = NULL;
  if (rh_local_is_rank()) return rh_ranks_open(&r->ranks, &rh_local_transport, NULL, NULL, error);
  RH_TRY(rh_local_launch(&self, &place, (uint32_t)typed->ranks,
                         r->run.app->context->options.program, typed->argv, error));
  return rh_ranks_open(&r->ranks, &rh_local_transport, self, &place, error);
}

static void say_why(void *unused, const char *sentence) {
  (void)unused;
  rh_terminal_say("%s", sentence);
}

/* In a thread of its own. */
static void give_up(union sigval unused) {
  (void)unused;
  rh_ranks_say(say_why, NULL,
               "the ranks of the job have not come together in time: one of them has ended or "
               "does not answer; a job that needs longer to start gets it by --timeout",
               rh_ranks_turn_here() == 0);
  _exit(RH_RANK_LOST_STATUS);
}

/* A local rank is announced by the first, which has started it. */
static void watch(const run_ranks *r) {
  const rh_rank_place *place = &r->ranks.place;
  rh_crash_watch_rank(place->rank, r->ranks.hosts[place->rank],
                      r->run.n_devices && found_of(r)->name[0] ? found_of(r)->name : NULL,
                      r->ranks.transport == &rh_local_transport && place->rank > 0);
}

static rh_status join(run_ranks *r, rh_error *error) {
  const rh_typed *typed = r->run.app->typed;
  const rh_transport *transport;
  double seconds = typed->timeout_s > 0 ? typed->timeout_s : join_s;
  if (typed->ranks) return launch(r, error);
  RH_TRY(rh_transport_find(typed->transport, &transport, error));
  /* One speaks, and others only if it cannot: in turn, for mpirun needs time to end them. */
  uint32_t turn = rh_ranks_turn_here();
  if (turn > 0) seconds += turn_s + 0.3 * (turn < 4 ? turn - 1 : 3);
  struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = give_up};
  const struct itimerspec limit = {
      .it_value = {(time_t)seconds, (long)(1e9 * (seconds - floor(seconds)))}};
  timer_t timer;
  int is_limited = timer_create(CLOCK_MONOTONIC, &event, &timer) == 0 &&
                   timer_settime(timer, 0, &limit, NULL) == 0;
  rh_status status = rh_ranks_open(&r->ranks, transport, NULL, NULL, error);
  if (is_limited) timer_delete(timer);
  return status;
}

/* ---- What is reduced ---- */

/* Of --partial: a slice of the data, which may be a part of more. */
static rh_status find_part(run_ranks *r, rh_error *error) {
  const rh_typed *typed = r->run.app->typed;
  uint64_t all = r->run.asked.operation.n, end = typed->slice ? typed->end : all;
  int are_whole = !typed->partial || !typed->input || (typed->slice && !typed->first);
  r->first = typed->first_n + typed->begin;
  r->whole_n = are_whole && !typed->whole ? all : typed->whole_n;
  if (end > all || typed->begin > end)
    return rh_fail(error, RH_E_USAGE, "--slice '%.60s': %s has %llu elements", typed->slice,
                   r->run.what, (unsigned long long)all);
  r->n = end - typed->begin;
  if (typed->input) {
    r->run.source.first = typed->first_n;
    r->run.source.n += typed->first_n;
  }
  if (!typed->partial) return RH_OK;
  if (r->whole_n == UINT64_MAX && r->run.asked.operation.op->count_slot >= 0)
    return rh_fail(error, RH_E_USAGE,
                   "the map uses n, the number of elements of the whole: say it by --whole");
  return rh_partial_check_part(&r->run.asked, r->first, r->n, &r->whole_n, error);
}

static rh_status find_data(run_ranks *r, rh_error *error) {
  rh_run_state *run = &r->run;
  run->way = RH_RUN_STREAMED;
  RH_TRY(rh_run_find_data(run, error));
  if (run->source.in_order)
    return rh_fail(error, RH_E_USAGE, "--input %s: several ranks cannot share a pipe; name a file",
                   run->what);
  RH_TRY(find_part(r, error));
  run->job = run->asked;
  if (r->ranks.place.rank > 0) return RH_OK;
  return rh_segments_files_open(run, error);
}

/* ---- With what ---- */

/* Devices that are like the one that was asked for are dealt to the ranks of a host. */
static rh_status take_device(run_ranks *r, rh_error *error) {
  rh_context *context = r->run.app->context;
  const rh_cl_devices *devices;
  const rh_cl_device *mine;
  uint32_t alike = 0, at = 0;
  RH_TRY(rh_context_device(context, &mine, error));
  RH_TRY(rh_context_devices(context, &devices, error));
  for (uint32_t k = 0; k < devices->n; k++) alike += strcmp(devices->list[k].name, mine->name) == 0;
  uint32_t wanted = r->ranks.place.local_rank % alike;
  for (uint32_t k = 0; k < devices->n; k++)
    if (strcmp(devices->list[k].name, mine->name) == 0 && at++ == wanted)
      return rh_context_use_device(context, &devices->list[k], error);
  return RH_OK;
}

static rh_status find_strategy(run_ranks *r, rh_error *error) {
  rh_run_state *run = &r->run;
  const char *device = run->app->typed->device;
  RH_TRY(rh_run_device_locate(run, 0, &run->asked, error));
  run->job = device_of(r)->spec;
  /* A device that is named by its number is meant for all. */
  if (found_of(r)->device_kinds == RH_DEVICE_HOST || (device && strpbrk(device, "0123456789")))
    return RH_OK;
  return take_device(r, error);
}

/* Work that stops because another rank has failed has not failed itself. */
static rh_status note(run_ranks *r, rh_status status) {
  r->has_failed = status != RH_OK && status != RH_E_CANCELLED;
  return status;
}

/* The data once, and the strategy for each attempt. */
static rh_status prepare(void *of_ranks, rh_error *error) {
  run_ranks *r = of_ranks;
  if (!r->run.n_devices) RH_TRY(find_data(r, error));
  return note(r, find_strategy(r, error));
}

/* ---- Its part ---- */

/* How many ranks from `first` on are on the host of rank r. */
static uint32_t count_beside(const rh_ranks *ranks, uint32_t r, uint32_t first) {
  uint32_t n = 0;
  for (uint32_t other = first; other < ranks->place.size; other++)
    n += strcmp(ranks->hosts[other], ranks->hosts[r]) == 0;
  return n;
}

static void cut(run_ranks *r) {
  rh_run_state *run = &r->run;
  run->streams[0] = (rh_worker){.context = run->app->context, .job = &run->job};
  r->cut = rh_run_reduction(run);
  r->cut.ends_if_wrong = 1;
  r->cut.stop = &r->ranks.stop;
  r->cut.rank = r->ranks.place.rank;
  r->cut.size = r->ranks.place.size;
  rh_partition_ranks(rh_partial_tile(&run->job), r->first, r->n, r->ranks.place.rank,
                     r->ranks.place.size, &r->cut.first, &r->cut.n);
}

/* ---- The same everywhere? ---- */

/* Which elements make a segment, or null. */
static json_t *describe_segments(const rh_run_state *run) {
  const rh_layout *layout = run->asked.operation.layout;
  uint64_t digest = 0;
  if (!layout) return NULL;
  if (layout->kind == RH_LAYOUT_AXIS) return json_string(run->shape.words);
  for (uint64_t s = 0; s < layout->segments; s++)
    digest = rh_random_mix(rh_random_mix(digest ^ layout->starts[s]) ^ layout->stops[s]);
  return json_sprintf("%llu %s, with the digest %016llx", (unsigned long long)layout->segments,
                      run->shape.words, (unsigned long long)digest);
}

/* All that decides the answer: that all ranks must have in common, or all parts.  malloc'ed. */
static rh_status describe(const run_ranks *r, int of_ranks, char **text, rh_error *error) {
  const rh_typed *typed = r->run.app->typed;
  const rh_partial_strategy by = {.is_auto = strcmp(typed->name, "auto") == 0,
                                  .name = found_of(r)->name,
                                  .promises = found_of(r)->promises,
                                  .settings = typed->settings,
                                  .n_settings = typed->n_settings};
  json_t *source = rh_source_identity(&r->run.source, of_ranks);
  json_t *more = of_ranks ? rh_json("source:o first:u count:u chunk:u segmentation:o?", source,
                                    r->first, r->n, typed->chunk_bytes, describe_segments(&r->run))
                          : rh_json("source:o", source);
  return rh_partial_describe(text, &r->run.job, &by, more, error);
}

static rh_status fail(const run_ranks *r, uint32_t other, const rh_difference *found,
                      rh_error *error) {
  char(*hosts)[RH_HOST_BYTES] = r->ranks.hosts;
  char member[16];
  uint32_t k;
  if (sscanf(found->member, "source.files.%u.%15s", &k, member) != 2 || k >= r->run.inputs.n)
    member[0] = 0;
  if (strcmp(member, "bytes") == 0)
    return rh_fail(error, RH_E_FILE,
                   "%s differs: %s bytes on host %s (rank 0), %s on host %s (rank %u); all "
                   "ranks must read the same file",
                   r->run.inputs.names[k], found->values[0], hosts[0], found->values[1],
                   hosts[other], other);
  if (strcmp(member, "changed") == 0)
    return rh_fail(error, RH_E_FILE,
                   "%s differs: it was last changed at %s s on host %s (rank 0), and at %s s "
                   "on host %s (rank %u); copy it with its time (cp -p)",
                   r->run.inputs.names[k], found->values[0], hosts[0], found->values[1],
                   hosts[other], other);
  return rh_agree_fail(&r->ranks, other, found, error);
}

/* Only chunks have to fit. */
static rh_status find_device(run_ranks *r, rh_error *error) {
  rh_job_spec chunk = r->run.job;
  chunk.operation.n = 1;
  return rh_job_device(r->run.app->context, &chunk, found_of(r)->device_kinds,
                       &r->run.streams[0].device, error);
}

/* Where the strategy came from elsewhere, it runs in a process of its own.  In this thread, with
 * which that process would end. */
static void start_child(run_ranks *r) {
  rh_run_device *own = device_of(r);
  cut(r);
  if (!own->isolated || r->cut.n == 0) return;
  if (r->run.asked.operation.layout) rh_run_segments_decline(&r->run.job, &r->why);
  else if (find_device(r, &r->why) == RH_OK &&
           rh_run_device_isolate(&r->run, 0, &r->ranks.stop, &r->why) == RH_OK)
    rh_isolated_worker_start(own->worker, &r->why);
  r->run.job = own->spec;
}

static rh_status agree(run_ranks *r, rh_error *error) {
  RH_FREED(char) mine = NULL;
  rh_difference found;
  uint32_t other = 0;
  RH_TRY(describe(r, 1, &mine, error));
  RH_TRY(rh_agree_compare(&r->ranks, mine, &other, &found, error));
  if (other) return fail(r, other, &found, error);
  start_child(r);
  return RH_OK;
}

/* ---- Reducing ---- */

static void init_partial(const run_ranks *r, rh_partial *partial) {
  rh_partial_init(partial, &r->run.job, r->whole_n, r->run.app->typed->check);
}

/* In this process: processes share the host with this one. */
static rh_status open_part(run_ranks *r, rh_error *error) {
  rh_run_state *run = &r->run;
  const rh_layout *layout = run->asked.operation.layout;
  r->cut.processes = count_beside(&r->ranks, r->ranks.place.rank, 0);
  init_partial(r, &run->partial);
  if (r->cut.n == 0 && !layout) return RH_OK;
  /* One process maps what fits into memory, too. */
  if (found_of(r)->device_kinds == RH_DEVICE_HOST)
    rh_source_view(&run->source, r->cut.first, r->cut.n, run->inputs.are_large);
  RH_TRY(find_device(r, error));
  if (!layout) return rh_reduction_open(&run->reduction, &r->cut, &run->partial, error);
  RH_TRY(rh_by_code_prepare(run->job.operation.op, run->app->context, error));
  return rh_segments_reduction_open(&run->in_parts, &r->cut, &run->segments, &run->judged, error);
}

static rh_status set_up(void *of_ranks, rh_error *error) {
  run_ranks *r = of_ranks;
  if (r->why.status != RH_OK) {
    *error = r->why;
    return note(r, error->status);
  }
  watch(r);
  return note(r, open_part(r, error));
}

static rh_status reduce_segments(run_ranks *r, rh_error *error) {
  RH_TRY(rh_segments_reduction_run(r->run.in_parts, error));
  if (r->run.shape.is_scattered) RH_TRY(rh_run_check_unchanged(&r->run, error));
  return rh_segments_verdict(&r->run.segments, &r->run.judged, error);
}

static rh_status reduce(void *of_ranks, rh_error *error) {
  run_ranks *r = of_ranks;
  rh_status status = RH_OK;
  if (r->run.in_parts) return note(r, reduce_segments(r, error));
  if (r->run.reduction) status = rh_reduction_run(r->run.reduction, error);
  if (status == RH_OK) status = rh_run_devices_rest(&r->run, error);
  return note(r, status);
}

/* ---- One strategy after the other ---- */

static rh_status attempt(void *of_ranks, int *is_final, rh_error *error) {
  run_ranks *r = of_ranks;
  RH_TRY(rh_ranks_work(&r->ranks, prepare, r, error));
  *is_final = 1; /* where the ranks are asked for different reductions */
  RH_TRY(agree(r, error));
  *is_final = 0;
  RH_TRY(rh_ranks_work(&r->ranks, set_up, r, error));
  double start = rh_now();
  rh_status status = rh_ranks_work(&r->ranks, reduce, r, error);
  r->run.report.ranks_s = rh_now() - start;
  *is_final = status == RH_E_WRONG; /* which is an answer */
  return status;
}

static void undo(void *of_ranks) {
  run_ranks *r = of_ranks;
  r->why = (rh_error){0};
  rh_run_undo(&r->run);
  r->has_failed = 0;
  atomic_store(&r->ranks.stop, 0);
}

/* Ranks with the strategy that failed in one of them leave it out, and all begin again, unless one
 * has no other. */
static int goes_on(void *of_ranks, rh_attempts *tried, rh_error *why) {
  run_ranks *r = of_ranks;
  rh_context *context = r->run.app->context;
  uint32_t size = r->ranks.place.size, fails = 0, uses = 0;
  char mine[64] = ""; /* "": it works, so far */
  RH_FREED(char) all = calloc(size, sizeof mine);
  if (r->has_failed) snprintf(mine, sizeof mine, "%s", context->chose);
  if (!all || r->ranks.broken || rh_ranks_gather(&r->ranks, mine, sizeof mine, all, NULL) != RH_OK)
    return 0;
  for (uint32_t k = 0; k < size; k++) {
    const char *one = all + k * sizeof mine;
    fails += *one != 0;
    uses |= strcmp(one, context->chose) == 0;
  }
  int may = fails && (!uses || rh_fallback(context, &r->run.asked, tried, why));
  rh_status status = rh_ranks_settle(&r->ranks, may ? RH_OK : why->status, why, NULL);
  return status == RH_OK;
}

static rh_status conclude(run_ranks *r, rh_error *error) {
  rh_run_report *report = &r->run.report;
  /* A strategy that has no elements anywhere is the one that was asked for. */
  if (!r->whole.strategy[0])
    snprintf(r->whole.strategy, sizeof r->whole.strategy, "%s", r->run.job.strategy);
  RH_TRY(
      rh_partial_conclude(&r->whole, &report->result, &report->reference, &report->verdict, error));
  if (rh_run_is_checked(&r->run))
    rh_exact_data_settle(&report->verdict, "the ranks hold parts of the data");
  return RH_OK;
}

static rh_status write_partial(void *of_ranks, rh_error *error) {
  run_ranks *r = of_ranks;
  RH_FREED(char) text = NULL;
  RH_TRY(describe(r, 0, &text, error));
  if (r->ranks.place.rank > 0) return RH_OK;
  return rh_partial_output(r->run.app, &r->whole, text, error);
}

static rh_status work(run_ranks *r, rh_error *error) {
  rh_run_report *report = &r->run.report;
  const rh_tries tries = {.attempt = attempt, .undo = undo, .goes_on = goes_on, .user = r};
  RH_TRY(rh_try_strategies(&tries, error));
  report->ranks = r->ranks.place.size;
  if (r->run.in_parts) return rh_segments_reduction_gather(r->run.in_parts, &r->ranks, error);
  double start = rh_now();
  init_partial(r, &r->whole);
  RH_TRY(rh_partial_gather(&r->whole, &r->run.partial, &r->ranks, error));
  report->ranks_s += rh_now() - start;
  if (r->run.app->typed->partial) return rh_ranks_work(&r->ranks, write_partial, r, error);
  RH_TRY(conclude(r, error));
  for (uint32_t k = 0; k < report->ranks; k++) /* each at its last rank */
    report->hosts += count_beside(&r->ranks, k, k) == 1;
  report->transport = r->ranks.transport->name;
  return RH_OK;
}

/* Rank 0 alone speaks, for its part is as large as the others'. */
static rh_status run_all(run_ranks *r, rh_error *error) {
  RH_TRY(join(r, error));
  watch(r);
  if (r->ranks.place.rank > 0) r->run.app->context->options.reporter = (rh_reporter){0};
  rh_terminal.shares = r->ranks.place.size;
  RH_TRY(work(r, error));
  if (r->ranks.place.rank > 0 || r->run.app->typed->partial) return RH_OK;
  return rh_run_print(&r->run, error);
}

/* A broken job has no orderly end.  In any other, rank 0 speaks before a rank leaves: mpirun ends
 * all of them as soon as one has ended with a failure. */
static void end(run_ranks *r, rh_error *why) {
  rh_ranks *ranks = &r->ranks;
  char done = 1;
  RH_FREED(char) all = ranks->self ? calloc(ranks->place.size, 1) : NULL;
  int fails = why->message[0] != 0;
  rh_crash_leave_rank();
  if (ranks->broken) rh_ranks_abort(ranks, why->message);
  if (fails && ranks->self && ranks->place.rank == 0) {
    rh_terminal_clear();
    rh_terminal_say_error(why);
  }
  fflush(stdout);
  if (all) rh_ranks_gather(ranks, &done, 1, all, NULL);
  if (ranks->self) why->message[0] = 0;
  rh_ranks_close(ranks);
}

rh_status rh_run_ranks(const rh_app *app, rh_error *error) {
  RH_FREED(run_ranks) r = NULL;
  RH_TRY(RH_NEW(&r, 1, "a run", error));
  r->ranks.say = say_why;
  rh_run_begin(&r->run, app);
  rh_status status = run_all(r, error);
  if (status == RH_OK) error->message[0] = 0;
  end(r, error);
  rh_partial_finish(&r->whole);
  rh_run_state_finish(&r->run);
  return status;
}
