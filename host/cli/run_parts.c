/* A --run on data in parts: streamed, or kept in the memories of several devices. */
#include "run.h"

/* The bytes of the host's chunks, for the choice of a strategy. */
static const uint64_t usual_chunk = UINT64_C(4) << 20;

/* ---- The devices ---- */

static rh_status locate(rh_run_state *run, uint32_t k, rh_error *error) {
  rh_run_device *own = &run->devices[k];
  rh_worker *device = &run->streams[k];
  rh_job_spec *spec = &own->spec;
  rh_tunedb *tuned;
  *device = (rh_worker){.context = own->context, .job = spec};
  RH_TRY(rh_run_device_locate(run, k, &run->wanted, error));
  if (!own->isolated) RH_TRY(rh_job_check_settings(own->context, spec, error));
  RH_TRY(rh_job_device(own->context, spec, own->found.device_kinds, &device->device, error));
  if (own->isolated) RH_TRY(rh_run_device_isolate(run, k, NULL, error));
  return rh_context_tuned(own->context, &tuned, error);
}

/* Two strategies of the host would only share its processors. */
static void leave_out_second_host(rh_run_state *run, uint32_t k) {
  rh_worker *device = &run->streams[k];
  for (uint32_t other = 0; other < k && !device->device; other++)
    if (!run->streams[other].device && run->streams[other].failure.status == RH_OK)
      rh_fail(&device->failure, RH_DECLINED,
              "its strategy runs on the host, as that of another device does");
}

/* The strategy of each device for chunks of run->wanted.  Devices without one get a failure and are
 * left out, where there are several; and so are, of those whose strategy runs on the host, all but
 * the first. */
static rh_status locate_all(rh_run_state *run, rh_error *error) {
  rh_error first = {0};
  uint32_t n_found = 0;
  for (uint32_t k = 0; k < run->n_devices; k++) {
    rh_worker *device = &run->streams[k];
    rh_error why = {0};
    rh_status status = locate(run, k, &why);
    if (status == RH_OK) leave_out_second_host(run, k);
    n_found += status == RH_OK;
    if (status == RH_OK) continue;
    device->failure = why;
    if (first.status == RH_OK || !rh_stream_may_leave_out(status)) first = why;
    if (!rh_stream_may_leave_out(status)) break;
  }
  if (n_found && (first.status == RH_OK || rh_stream_may_leave_out(first.status))) return RH_OK;
  if (error) *error = first;
  return first.status;
}

/* ---- The answer ---- */

/* The job of a device that worked, or null. */
static rh_job *job_of(rh_run_state *run, uint32_t k) {
  rh_resident_part *parts = run->resident.parts;
  rh_worker *one = &run->streams[k];
  if (parts) return parts[k].n_nodes ? &parts[k].job : NULL;
  return one->is_up && one->failure.status == RH_OK ? &one->chunk : NULL;
}

/* If the bound is weak, each strategy is tried on exact data of as many elements as it was given at
 * most. */
static rh_status confirm(rh_run_state *run, rh_error *error) {
  const rh_verdict weak = run->report.verdict;
  rh_verdict *verdict = &run->report.verdict;
  for (uint32_t k = 0; k < run->n_devices && verdict->verdict != RH_VERDICT_WRONG; k++) {
    rh_job *job = job_of(run, k);
    if (!job) continue;
    *verdict = weak;
    RH_TRY(rh_job_confirm(job, &job->spec, &run->app->context->options.reporter, verdict, error));
  }
  return RH_OK;
}

/* The first device that worked speaks for all where there is one place only. */
static rh_status take_answer(rh_run_state *run, rh_error *error) {
  rh_run_report *report = &run->report;
  uint32_t k = 0;
  while (!job_of(run, k)) k++;
  run->job.strategy = run->devices[k].spec.strategy;
  run->job.plugin = run->devices[k].spec.plugin;
  run->job.operation.n = run->asked.operation.n;
  report->by = k;
  rh_opened_note(job_of(run, k), &report->opened);
  if (run->devices[k].isolated) report->opened = run->devices[k].worker->opened;
  return rh_run_is_checked(run) ? confirm(run, error) : RH_OK;
}

/* ---- One strategy after the other ---- */

/* Several devices do without those whose strategies fail; once all have, as devices or in what they
 * share, each chooses again. */
static int goes_on(void *of_run, rh_attempts *tried, rh_error *why) {
  rh_run_state *run = of_run;
  int may = 0;
  (void)tried; /* each device has its own */
  if (run->n_devices == 1)
    return rh_fallback(run->app->context, &run->wanted, &run->devices[0].tried, why);
  if (run->resident.parts && run->resident.failed < run->n_devices)
    run->streams[run->resident.failed].failure = *why;
  if (why->status == RH_E_CANCELLED || why->status == RH_E_FILE) return 0;
  for (uint32_t k = 0; k < run->n_devices; k++) {
    rh_run_device *own = &run->devices[k];
    rh_error *failure = &run->streams[k].failure;
    if (failure->status != RH_OK)
      may |= rh_fallback(own->context, &run->wanted, &own->tried, failure);
  }
  return may;
}

static void undo(void *run) { rh_run_undo(run); }

rh_status rh_run_try(rh_run_state *run, uint64_t n, rh_status (*attempt)(void *, int *, rh_error *),
                     rh_error *error) {
  const rh_tries tries = {.attempt = attempt, .undo = undo, .goes_on = goes_on, .user = run};
  run->job = run->wanted = run->asked;
  run->wanted.operation.n = n;
  if (run->n_devices > 1) run->wanted.on_device = RH_JOB_IN_PLACE;
  return rh_try_strategies(&tries, error);
}

/* ---- Streams ---- */

rh_reduction_spec rh_run_reduction(const rh_run_state *run) {
  return (rh_reduction_spec){.reporter = &run->app->context->options.reporter,
                             .source = &run->source,
                             .devices = run->streams,
                             .n_devices = run->n_devices,
                             .processes = 1,
                             .n = run->source.n,
                             .chunk_bytes = run->app->typed->chunk_bytes,
                             .axes = run->shape.is_scattered ? &run->shape.axes : NULL,
                             .size = 1,
                             .check = run->app->typed->check};
}

static rh_status stream(void *of_run, int *is_final, rh_error *error) {
  rh_run_state *run = of_run;
  rh_run_report *report = &run->report;
  const rh_reduction_spec spec = rh_run_reduction(run);
  RH_TRY(locate_all(run, error));
  rh_partial_init(&run->partial, run->streams[0].job, run->source.n, run->app->typed->check);
  RH_TRY(rh_reduction_open(&run->reduction, &spec, &run->partial, error));
  *is_final = run->source.in_order; /* a pipe can be read once only */
  RH_TRY(rh_reduction_run(run->reduction, error));
  RH_TRY(rh_run_devices_rest(run, error));
  rh_status status = rh_partial_conclude(&run->partial, &report->result, &report->reference,
                                         &report->verdict, error);
  return status == RH_E_WRONG ? RH_OK : status; /* the report says so */
}

/* ---- Segments ---- */

/* Neither segments nor data that stay with it are given to another process. */
static rh_status decline_isolated(const rh_run_state *run, rh_error *error) {
  for (uint32_t k = 0; k < run->n_devices; k++)
    if (run->devices[k].isolated)
      return rh_fail(error, RH_DECLINED,
                     "strategy '%s' runs in a process of its own, which takes its data as a whole, "
                     "or streamed; --isolate=never runs it in this one",
                     run->devices[k].found.name);
  return RH_OK;
}

static rh_status stream_segments(void *of_run, int *is_final, rh_error *error) {
  rh_run_state *run = of_run;
  const rh_reduction_spec spec = rh_run_reduction(run);
  rh_error why = {0};
  RH_TRY(locate_all(run, error));
  RH_TRY(decline_isolated(run, error));
  RH_TRY(rh_segments_reduction_open(&run->in_parts, &spec, &run->segments, &run->judged, error));
  rh_status status = rh_segments_reduction_run(run->in_parts, &why);
  *is_final = run->in_parts->was_read != 0; /* a pipe can be read once only */
  if (run->shape.is_scattered) RH_TRY(rh_run_check_unchanged(run, error));
  if (status != RH_OK) *error = why;
  return status;
}

rh_status rh_run_streamed(rh_run_state *run, rh_error *error) {
  uint64_t bytes = run->app->typed->chunk_bytes;
  uint64_t n = rh_chunk_n(&run->asked, bytes ? bytes : usual_chunk);
  if (run->inputs.n && run->n_devices == 1 && !run->source.in_order)
    rh_source_view(&run->source, 0, run->source.n, 1);
  if (run->asked.operation.layout) return rh_run_try(run, n, stream_segments, error);
  RH_TRY(rh_run_try(run, n, stream, error));
  run->asked.operation.n = run->reduction->n;
  RH_TRY(take_answer(run, error));
  run->report.opened.depth = rh_partial_depth(&run->partial);
  return RH_OK;
}

/* ---- Data that stay on several devices ---- */

static rh_status take_sample(void *self, const rh_take *how, rh_taken *taken, rh_error *error) {
  rh_resident *resident = self;
  *taken = (rh_taken){0};
  uint32_t batch = how->kind == RH_TAKE_LATENCY ? 1 : how->batch;
  return rh_resident_call(resident, batch, &taken->result, &taken->seconds, error);
}

static rh_status open_resident(void *of_run, int *is_final, rh_error *error) {
  rh_run_state *run = of_run;
  uint64_t memory = rh_machine_memory();
  (void)is_final;
  RH_TRY(locate_all(run, error));
  RH_TRY(decline_isolated(run, error));
  const rh_reduction_spec spec = {.devices = run->streams,
                                  .n_devices = run->n_devices,
                                  .source = &run->source,
                                  .check = run->app->typed->check,
                                  .most_host_bytes = memory - memory / 4}; /* as for files */
  return rh_resident_open(&run->resident, &spec, error);
}

static rh_status take_resident(rh_run_state *run, rh_error *error) {
  const rh_resident *resident = &run->resident;
  rh_run_report *report = &run->report;
  report->first_s = resident->first_s;
  report->result = resident->result;
  report->reference = resident->reference;
  report->verdict = resident->verdict;
  RH_TRY(take_answer(run, error));
  report->opened.finishes_on_host = resident->waits;
  report->opened.depth = resident->depth;
  for (uint32_t k = 0; k < run->n_devices; k++)
    report->opened.setup_s += resident->parts[k].job.setup_s;
  return RH_OK;
}

rh_status rh_run_split(rh_run_state *run, rh_error *error) {
  uint32_t n = run->n_devices;
  RH_TRY(rh_run_try(run, run->source.n / n + (run->source.n % n != 0), open_resident, error));
  RH_TRY(take_resident(run, error));
  if (rh_run_is_wrong(run)) return RH_OK;
  rh_accuracy_take(&run->job, &run->report.reference, &run->report.result);
  const rh_sampler sampler = {.self = &run->resident, .take = take_sample};
  if (run->app->typed->quiet) return RH_OK;
  return rh_measure_quick(&sampler, &run->report.opened, &run->app->context->options.reporter,
                          &run->report.quick, error);
}
