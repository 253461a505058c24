#include "run_stream.h"
#include "../choose/fallback.h"
#include "../choose/measure/local.h"
#include "../core/base/error.h"
#include "../core/base/vocabulary.h"
#include "../core/run/exact_data.h"
#include "../core/run/operand_data.h"
#include "size.h"

#include <stdio.h>
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
  if (strcmp(app->typed->isolate ? app->typed->isolate : "", "always") == 0) return 0;
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

/* ---- What is streamed ---- */

static rh_status make_source(const rh_run_stream *how, rh_source *source, rh_error *error) {
  rh_feed *feeds[RH_MOST_OPERANDS];
  rh_type types[RH_MOST_OPERANDS];
  const rh_typed *typed = how->app->typed;
  uint32_t n = how->spec->operation.op->n_operands;
  for (uint32_t k = 0; k < n; k++) {
    types[k] = how->spec->operation.op->operands[k].type;
    feeds[k] = &how->inputs->feeds[k];
  }
  if (how->inputs->n) {
    RH_TRY(rh_source_of_feeds(source, feeds, n, error));
    if (how->devices->n == 1 && !source->in_order) rh_source_view(source, 0, source->n, 1);
    return RH_OK;
  }
  rh_source_generated(source, typed->data ? typed->data : "uniform", how->seed, types, n,
                      how->spec->operation.n);
  return RH_OK;
}

/* ---- By which strategy ---- */

static rh_status try_strategies(const rh_run_stream *how, const rh_source *source,
                                const rh_job_spec *asked, rh_streamed *streamed, rh_error *error) {
  rh_run_devices *devices = how->devices;
  const rh_stream_spec spec = {.source = source,
                               .devices = devices->streams,
                               .n_devices = devices->n,
                               .chunk_bytes = how->chunk_bytes,
                               .check = how->check};
  RH_TRY(rh_run_devices_locate(devices, how->app, asked, error));
  return rh_stream_run(&spec, streamed, error);
}

/* Until one gives an answer; a pipe can be read once only.  Several devices do without those whose
 * strategies fail. */
static rh_status find_answer(const rh_run_stream *how, const rh_source *source,
                             rh_streamed *streamed, rh_error *error) {
  rh_run_devices *devices = how->devices;
  rh_job_spec asked = *how->spec;
  rh_attempts tried = {0};
  rh_error why = {0};
  asked.operation.n = rh_lane_chunk_n(&asked, how->chunk_bytes ? how->chunk_bytes : usual_chunk);
  /* Devices share the work, so each takes the best strategy that it has itself. */
  if (devices->n > 1) asked.on_device = RH_JOB_IN_PLACE;
  for (;;) {
    rh_status status = try_strategies(how, source, &asked, streamed, &why);
    if (status == RH_OK) return RH_OK;
    if (devices->n > 1 || (streamed->was_read && source->in_order)) break;
    if (!rh_fallback(how->app->context, &asked, &tried, &why)) break;
    rh_run_devices_release(devices);
    rh_streamed_finish(streamed);
  }
  *error = why;
  return why.status;
}

/* What exact data would show of a weak bound is not tried: they would be streamed again. */
static void take_verdict(const rh_run_stream *how, const rh_streamed *streamed,
                         rh_run_report *report) {
  report->check = how->check;
  report->checked = how->check != RH_CHECK_NONE;
  report->reference = streamed->reference;
  report->verdict = streamed->verdict;
  if (report->checked) rh_exact_data_settle(&report->verdict, "the data were streamed");
}

/* The first device that worked speaks for all where there is one place only. */
static void describe(const rh_run_stream *how, rh_run_report *report) {
  const rh_run_devices *devices = how->devices;
  uint32_t k = 0;
  while (!devices->streams[k].is_up) k++;
  how->spec->strategy = devices->list[k].spec.strategy;
  how->spec->plugin = devices->list[k].spec.plugin;
  report->device = devices->streams[k].device;
  report->chosen = devices->list[k].context->chosen;
  report->devices = devices;
  rh_opened_note(&devices->streams[k].lane.job, &report->opened);
}

rh_status rh_run_streamed(const rh_run_stream *how, rh_streamed *streamed, rh_run_report *report,
                          rh_error *error) {
  rh_source source;
  if (how->devices->n == 0) RH_TRY(rh_run_devices_single(how->devices, how->app, error));
  RH_TRY(make_source(how, &source, error));
  report->spec = how->spec;
  RH_TRY(find_answer(how, &source, streamed, error));
  how->spec->operation.n = streamed->n;
  describe(how, report);
  report->streamed = streamed;
  report->result = streamed->result;
  report->opened.depth = streamed->depth;
  take_verdict(how, streamed, report);
  return RH_OK;
}
