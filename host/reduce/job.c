#include "job.h"
#include "../base/clock.h"
#include "../base/error.h"
#include "../base/report.h"
#include "../base/vocabulary.h"
#include "ops.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The strategy that promises most for this problem: with nothing measured, query's own score decides. */
static rh_status choose(rh_job *job, const char **name, rh_error *error) {
  const rh_registry *registry;
  const rh_entry *best = NULL;
  int32_t score = 0;
  RH_TRY(rh_redhost_registry(job->redhost, job->spec.n, &registry, NULL, error));
  for (uint32_t k = 0; k < registry->n_entries; k++) {
    const rh_entry *entry = &registry->entries[k];
    const rh_offer *offer = &entry->offers[job->spec.op][job->spec.type];
    if (entry->shadowed_by || offer->status != RH_OK) continue;
    if (best && offer->answer.score <= score) continue;
    best = entry;
    score = offer->answer.score;
  }
  if (!best)
    return rh_fail(error, RH_DECLINED, "no strategy can serve %s of %s here. See redhost --list",
                   rh_op_name(job->spec.op), rh_type_name(job->spec.type));
  *name = best->name;
  return RH_OK;
}

static rh_status find_strategy(rh_job *job, rh_error *error) {
  const char *name = job->spec.strategy;
  if (!name || strcmp(name, "auto") == 0) RH_TRY(choose(job, &name, error));
  RH_TRY(rh_registry_load(&job->redhost->options, name, &job->strategy, &job->path, error));
  return rh_params_resolve(job->strategy, job->spec.settings, job->spec.n_settings,
                           job->instance_spec.params, error);
}

static uint64_t bytes_of(const rh_job_spec *spec) {
  uint64_t size = rh_type_size(spec->type);
  return spec->n > UINT64_MAX / size ? UINT64_MAX : spec->n * size;
}

/* The device, and whether it can hold such elements and so many of them. */
static rh_status find_device(rh_job *job, rh_error *error) {
  RH_TRY(rh_redhost_device(job->redhost, &job->device, error));
  if (job->spec.type == RH_TYPE_f64 && !(job->device->about.features & RH_FP64))
    return rh_fail(error, RH_E_DEVICE, "--type f64: %s has no cl_khr_fp64", job->device->name);
  return rh_cl_input_fits(job->device, bytes_of(&job->spec), job->spec.what, error);
}

/* A host strategy needs no device; but one that was asked for by name must be there. */
static rh_status find_host(rh_job *job, rh_error *error) {
  const rh_cl_device *unused;
  double bytes = (double)bytes_of(&job->spec);
  double memory = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
  if (job->redhost->options.device) RH_TRY(rh_redhost_device(job->redhost, &unused, error));
  if (bytes <= memory) return RH_OK;
  if (bytes_of(&job->spec) == UINT64_MAX)
    return rh_fail(error, RH_E_DEVICE,
                   "%s: more than 2^64 bytes; this machine has %.4g GiB of memory", job->spec.what,
                   memory / (1 << 30));
  return rh_fail(error, RH_E_DEVICE, "%s: %.4g GiB; this machine has %.4g GiB of memory",
                 job->spec.what, bytes / (1 << 30), memory / (1 << 30));
}

rh_status rh_job_init(rh_job *job, rh_redhost *redhost, const rh_job_spec *spec, rh_error *error) {
  *job = (rh_job){.redhost = redhost, .spec = *spec};
  if (!rh_op_is_defined(spec->op, spec->type))
    return rh_fail(error, RH_E_USAGE, "--op %s is not defined for %s, but for %s",
                   rh_op_name(spec->op), rh_type_name(spec->type), rh_op_domain(spec->op));
  RH_TRY(find_strategy(job, error));
  job->instance_spec.strategy = job->strategy;
  job->instance_spec.op = spec->op;
  job->instance_spec.type = spec->type;
  job->instance_spec.max_n = spec->n;
  job->instance_spec.reporter = &redhost->options.reporter;
  RH_TRY(rh_strategy_is_host(job->strategy) ? find_host(job, error) : find_device(job, error));

  const rh_device *device = job->device ? &job->device->about : rh_host_device();
  rh_status status = rh_instance_query(&job->instance_spec, device, &job->answer, error);
  if (status != RH_DECLINED) return status;
  /* A parameter that breaks a rule is the caller's mistake; anything else is this machine's limit. */
  int mistake = job->answer.why == RH_WHY_PARAM;
  return rh_fail(error, mistake ? RH_E_USAGE : RH_DECLINED, "strategy '%s' cannot run on %s: %s",
                 job->strategy->name, device->name, job->answer.reason);
}

rh_status rh_job_setup(rh_job *job, void *region, uint64_t offset, rh_error *error) {
  uint32_t size = rh_type_size(job->spec.type);
  if (job->device) {
    RH_TRY(rh_redhost_session(job->redhost, &job->instance_spec.session, error));
    RH_TRY(rh_cl_input_init(&job->input, job->instance_spec.session, region, offset, job->spec.n,
                            size, error));
  }
  job->data = (rh_data){
      .buffer = job->input.buffer,
      .host = (const char *)region + offset,
      .first = job->device ? job->input.first : 0,
  };
  double start = rh_now();
  RH_TRY(rh_instance_create(&job->instance, &job->instance_spec, NULL, error));
  job->setup_s = rh_now() - start;
  return RH_OK;
}

rh_status rh_job_run(rh_job *job, rh_result *result, rh_error *error) {
  _Alignas(16) unsigned char value[16];
  RH_TRY(rh_instance_run(job->instance, &job->data, job->spec.n, error));
  RH_TRY(rh_instance_value(job->instance, value, error));
  rh_op_result(job->spec.op, job->spec.type, value, result);
  /* The identity of a float sum is -0; the sum of nothing is 0 to a user. */
  if (job->spec.n == 0 && job->spec.op == RH_OP_sum && rh_type_is_float(result->type))
    result->value.f = 0;
  strncpy(result->strategy, job->strategy->name, sizeof result->strategy - 1);
  return RH_OK;
}

rh_status rh_job_check(const rh_job *job, const rh_result *result, rh_reference *reference,
                       rh_verdict *verdict, rh_error *error) {
  RH_TRY(rh_reference_compute(reference, job->spec.op, job->spec.type, job->data.host, job->spec.n,
                              0, &job->redhost->options.reporter, error));
  uint32_t flushes = 0;
  if (job->device)
    flushes = job->spec.type == RH_TYPE_f64 ? job->device->flushes_f64 : job->device->flushes_f32;
  rh_reference_judge(reference, result, job->answer.depth, (int)flushes, verdict);
  return RH_OK;
}

void rh_job_finish(rh_job *job) {
  rh_instance_destroy(job->instance);
  rh_cl_input_finish(&job->input);
  free(job->path);
  *job = (rh_job){0};
}
