#include "run_resident.h"
#include "../choose/measure/local.h"
#include "../core/base/error.h"
#include "../core/run/exact_data.h"
#include "../core/run/operand_data.h"
#include "../engine/partial/accuracy.h"
#include "inputs.h"

/* ---- As a sampler ---- */

static rh_status take_sample(void *self, const rh_take *how, rh_taken *taken, rh_error *error) {
  rh_resident *resident = self;
  *taken = (rh_taken){0};
  if (how->kind == RH_TAKE_LATENCY)
    return rh_resident_call(resident, &taken->result, &taken->seconds, error);
  return rh_resident_batch(resident, how->batch, &taken->result, &taken->seconds, error);
}

static rh_status measure(const rh_run_stream *how, rh_resident *resident, rh_run_report *report,
                         rh_error *error) {
  const rh_sampler sampler = {.self = resident, .take = take_sample};
  RH_TRY(rh_measure_quick(&sampler, &report->opened, &how->app->context->options.reporter,
                          &report->quick, error));
  report->measured = 1;
  return RH_OK;
}

/* ---- The answer ---- */

/* Leave the rest of the memory to others, as for files. */
static uint64_t most_host_bytes(void) {
  uint64_t memory = rh_machine_memory();
  return memory - memory / 4;
}

static rh_source source_of(const rh_run_stream *how) {
  rh_type types[RH_MOST_OPERANDS];
  rh_source source;
  const char *kind = how->app->typed->data;
  uint32_t n = how->spec->operation.op->n_operands;
  for (uint32_t k = 0; k < n; k++) types[k] = how->spec->operation.op->operands[k].type;
  rh_source_generated(&source, kind ? kind : "uniform", how->seed, types, n,
                      how->spec->operation.n);
  return source;
}

/* The first device that worked speaks for all where there is one place only. */
static void describe(const rh_run_stream *how, const rh_resident *resident, rh_run_report *report) {
  const rh_run_devices *devices = how->devices;
  uint32_t k = 0;
  while (resident->seats[k].part.n_nodes == 0) k++;
  how->spec->strategy = devices->list[k].spec.strategy;
  how->spec->plugin = devices->list[k].spec.plugin;
  report->device = devices->streams[k].device;
  report->chosen = devices->list[k].context->chosen;
  report->devices = devices;
  report->resident = resident;
  rh_opened_note(&resident->seats[k].part.job, &report->opened);
  report->opened.finishes_on_host = resident->waits;
  report->opened.depth = resident->depth;
  for (k = 0; k < devices->n; k++) report->opened.setup_s += resident->seats[k].part.job.setup_s;
}

/* What exact data would show of a weak bound is not tried: they would have to be split, too. */
static void take_answer(const rh_run_stream *how, const rh_resident *resident,
                        rh_run_report *report) {
  report->first_s = resident->first_s;
  report->result = resident->result;
  report->check = how->check;
  report->checked = how->check != RH_CHECK_NONE;
  report->reference = resident->reference;
  report->verdict = resident->verdict;
  if (report->checked) rh_exact_data_settle(&report->verdict, "the data are on several devices");
  if (report->verdict.verdict != RH_VERDICT_WRONG)
    rh_accuracy_take(how->spec, &report->reference, &report->result);
}

rh_status rh_run_resident(const rh_run_stream *how, rh_resident *resident, rh_run_report *report,
                          rh_error *error) {
  rh_run_devices *devices = how->devices;
  const rh_source source = source_of(how);
  rh_job_spec asked = *how->spec;
  asked.operation.n = source.n / devices->n + (source.n % devices->n != 0);
  asked.on_device = RH_JOB_IN_PLACE;
  report->spec = how->spec;
  RH_TRY(rh_run_devices_locate(devices, how->app, &asked, error));
  const rh_resident_spec spec = {.devices = devices->streams,
                                 .n_devices = devices->n,
                                 .source = &source,
                                 .check = how->check,
                                 .most_host_bytes = most_host_bytes()};
  RH_TRY(rh_resident_open(resident, &spec, error));
  describe(how, resident, report);
  take_answer(how, resident, report);
  if (report->verdict.verdict == RH_VERDICT_WRONG || how->app->typed->quiet) return RH_OK;
  return measure(how, resident, report, error);
}
