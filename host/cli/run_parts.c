#include "run_parts.h"
#include "../choose/fallback.h"
#include "../choose/measure/local.h"
#include "../core/base/error.h"
#include "../core/base/vocabulary.h"
#include "../core/run/exact_data.h"
#include "../core/run/operand_data.h"
#include "../engine/partial/accuracy.h"
#include "size.h"

#include <string.h>

/* Generated data are streamed without being asked for up to so many times the memory: more would be
 * hours of work that nobody expects. */
enum { MOST_MEMORIES = 8 };
/* Bytes.  Below, pinning the slots takes longer than is gained. */
enum { LEAST_COPIED = 64 << 20 };
/* What the host's chunks have; for the choice of a strategy. */
static const uint64_t usual_chunk = UINT64_C(4) << 20;

int rh_run_stream_may_help(const rh_app *app, const rh_job_spec *spec, rh_status status,
                           int has_no_room) {
  const rh_cl_device *device = app->context->device;
  uint64_t memory = rh_machine_memory(), most = 0;
  uint32_t size = rh_operator_element_bytes(spec->operation.op);
  if ((status != RH_E_DEVICE && status != RH_E_NOMEM) || !memory) return 0;
  if (rh_when(app->typed->isolate, 0)) return 0;
  if (!app->typed->input && spec->operation.n > MOST_MEMORIES * memory / size) return 0;
  if (device) most = device->about.max_alloc_bytes;
  return spec->operation.n > memory / size || (most && spec->operation.n > most / size) ||
         has_no_room;
}

int rh_run_stream_is_faster(const rh_app *app, const rh_inputs *inputs, const rh_job_spec *spec,
                            const rh_cl_device *device, int is_isolated) {
  const rh_typed *typed = app->typed;
  uint32_t size = rh_operator_element_bytes(spec->operation.op);
  /* With -v it is timed, with the data on the device; `auto` has counted the copy as a whole. */
  if (!typed->input || typed->verbose || is_isolated || strcmp(typed->name, "auto") == 0) return 0;
  for (uint32_t k = 0; k < inputs->n; k++)
    if (inputs->feeds[k].is_pipe) return 0; /* it has been read */
  return device && !device->shares_memory && spec->operation.n >= LEAST_COPIED / size;
}

/* ---- The answer ---- */

static rh_status locate(rh_run_parts *p, rh_error *error) {
  return rh_run_devices_locate(p->devices, p->app, &p->asked, error);
}

static void undo(void *of_parts) {
  rh_run_parts *p = of_parts;
  rh_resident_finish(&p->resident);
  rh_reduction_close(p->reduction);
  p->reduction = NULL;
  rh_partial_finish(&p->partial);
  rh_run_devices_release(p->devices);
}

/* Several devices do without those whose strategies fail; once all have, each chooses again. */
static int goes_on(void *of_parts, rh_attempts *tried, rh_error *why) {
  const rh_run_parts *p = of_parts;
  (void)tried; /* each device has its own */
  if (p->resident.seats && p->resident.failed < p->devices->n)
    p->devices->streams[p->resident.failed].failure = *why;
  return rh_run_devices_fall_back(p->devices, &p->asked, why);
}

/* Until a strategy gives an answer. */
static rh_status find_answer(rh_run_parts *p, rh_status (*attempt)(void *, int *, rh_error *),
                             rh_error *error) {
  const rh_tries tries = {.attempt = attempt, .undo = undo, .goes_on = goes_on, .user = p};
  /* Devices share the work, so each takes the best strategy that it has itself. */
  if (p->devices->n > 1) p->asked.on_device = RH_JOB_IN_PLACE;
  return rh_try_strategies(&tries, error);
}

/* The first device that worked speaks for all where there is one place only.  What exact data would
 * show of a weak bound is not tried: they would be in parts, too. */
static void take_answer(rh_run_parts *p, const rh_job *job, const char *where,
                        rh_run_report *report) {
  const rh_run_devices *devices = p->devices;
  uint32_t k = 0;
  while (!devices->streams[k].is_up || devices->streams[k].failure.status != RH_OK) k++;
  p->spec->strategy = devices->list[k].spec.strategy;
  p->spec->plugin = devices->list[k].spec.plugin;
  report->spec = p->spec;
  report->device = devices->streams[k].device;
  report->chosen = devices->list[k].context->chosen;
  report->devices = devices;
  rh_opened_note(job ? job : &devices->streams[k].place.job, &report->opened);
  report->check = p->options->check;
  report->checked = report->check != RH_CHECK_NONE;
  if (report->checked) rh_exact_data_settle(&report->verdict, where);
}

/* ---- Streams ---- */

static rh_status stream(void *of_parts, int *is_final, rh_error *error) {
  rh_run_parts *p = of_parts;
  rh_run_report *report = p->report;
  const rh_reduction_spec spec = {.reporter = &p->app->context->options.reporter,
                                  .source = &p->source,
                                  .devices = p->devices->streams,
                                  .n_devices = p->devices->n,
                                  .processes = 1,
                                  .n = p->source.n,
                                  .chunk_bytes = p->options->chunk_bytes};
  RH_TRY(locate(p, error));
  rh_partial_init(&p->partial, p->devices->streams[0].job, p->source.n,
                  (uint32_t)p->options->check);
  RH_TRY(rh_reduction_open(&p->reduction, &spec, &p->partial, error));
  *is_final = p->source.in_order; /* a pipe can be read once only */
  RH_TRY(rh_reduction_run(p->reduction, error));
  rh_status status = rh_partial_conclude(&p->partial, &report->result, &report->reference,
                                         &report->verdict, error);
  return status == RH_E_WRONG ? RH_OK : status; /* the report says so */
}

rh_status rh_run_streamed(rh_run_parts *p, rh_run_report *report, rh_error *error) {
  if (p->devices->n == 0) RH_TRY(rh_run_devices_single(p->devices, p->app, error));
  RH_TRY(rh_inputs_source(p->inputs, p->spec, p->options, &p->source, error));
  if (p->inputs->n && p->devices->n == 1 && !p->source.in_order)
    rh_source_view(&p->source, 0, p->source.n, 1);
  uint64_t chunk_bytes = p->options->chunk_bytes;
  p->report = report;
  p->asked = *p->spec;
  p->asked.operation.n = rh_place_chunk_n(&p->asked, chunk_bytes ? chunk_bytes : usual_chunk);
  RH_TRY(find_answer(p, stream, error));
  p->spec->operation.n = p->reduction->n;
  take_answer(p, NULL, "the data were streamed", report);
  report->streamed = p->reduction;
  report->opened.depth = rh_partial_depth(&p->partial);
  return RH_OK;
}

/* ---- Data that stay on several devices ---- */

static rh_status take_sample(void *self, const rh_take *how, rh_taken *taken, rh_error *error) {
  rh_resident *resident = self;
  *taken = (rh_taken){0};
  if (how->kind == RH_TAKE_LATENCY)
    return rh_resident_call(resident, &taken->result, &taken->seconds, error);
  return rh_resident_batch(resident, how->batch, &taken->result, &taken->seconds, error);
}

static rh_status measure(rh_run_parts *p, rh_run_report *report, rh_error *error) {
  const rh_sampler sampler = {.self = &p->resident, .take = take_sample};
  RH_TRY(rh_measure_quick(&sampler, &report->opened, &p->app->context->options.reporter,
                          &report->quick, error));
  report->measured = 1;
  return RH_OK;
}

/* Leave the rest of the memory to others, as for files. */
static uint64_t most_host_bytes(void) {
  uint64_t memory = rh_machine_memory();
  return memory - memory / 4;
}

static void take_resident(rh_run_parts *p, rh_run_report *report) {
  const rh_resident *resident = &p->resident;
  uint32_t k = 0;
  while (resident->seats[k].part.n_nodes == 0) k++;
  report->resident = resident;
  report->first_s = resident->first_s;
  report->result = resident->result;
  report->reference = resident->reference;
  report->verdict = resident->verdict;
  take_answer(p, &resident->seats[k].part.job, "the data are on several devices", report);
  report->opened.finishes_on_host = resident->waits;
  report->opened.depth = resident->depth;
  for (k = 0; k < p->devices->n; k++) report->opened.setup_s += resident->seats[k].part.job.setup_s;
}

static rh_status open_resident(void *of_parts, int *is_final, rh_error *error) {
  rh_run_parts *p = of_parts;
  rh_run_devices *devices = p->devices;
  (void)is_final;
  RH_TRY(locate(p, error));
  const rh_resident_spec spec = {.devices = devices->streams,
                                 .n_devices = devices->n,
                                 .source = &p->source,
                                 .check = p->options->check,
                                 .most_host_bytes = most_host_bytes()};
  return rh_resident_open(&p->resident, &spec, error);
}

rh_status rh_run_resident(rh_run_parts *p, rh_run_report *report, rh_error *error) {
  uint32_t n = p->devices->n;
  RH_TRY(rh_inputs_source(p->inputs, p->spec, p->options, &p->source, error));
  p->asked = *p->spec;
  p->asked.operation.n = p->source.n / n + (p->source.n % n != 0);
  RH_TRY(find_answer(p, open_resident, error));
  take_resident(p, report);
  if (report->verdict.verdict == RH_VERDICT_WRONG) return RH_OK;
  rh_accuracy_take(p->spec, &report->reference, &report->result);
  return p->app->typed->quiet ? RH_OK : measure(p, report, error);
}

void rh_run_parts_finish(rh_run_parts *p) {
  if (p->devices) undo(p);
}
