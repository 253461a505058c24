#include "self_test.h"
#include "../base/error.h"
#include "../base/vocabulary.h"
#include "../io/array.h"
#include "canonical.h"

enum { MOST = 4099 };

static rh_status judge_value(const rh_job *job, const rh_job_spec *spec,
                             const rh_reference *reference, const void *value, rh_error *error) {
  rh_result result;
  rh_verdict verdict;
  rh_job_result(spec, job->strategy->name, value, &result);
  rh_job_judge(spec, job->device, job->answer.depth, reference, &result, &verdict);
  if (verdict.verdict != RH_VERDICT_WRONG) return RH_OK;
  return rh_fail(error, RH_E_WRONG,
                 "strategy '%s' fails its self-test on %s and is not used: %s of %llu elements of "
                 "%s is wrong: %s",
                 job->strategy->name, job->device ? job->device->name : "the host",
                 rh_op_name(spec->op), (unsigned long long)spec->n, rh_type_name(spec->type),
                 verdict.text);
}

/* Reduces elements first .. first+n-1 of the array, which is also in `input`. */
static rh_status run_part(rh_job *job, const rh_array *array, const rh_cl_input *input,
                          uint64_t first, uint64_t n, rh_error *error) {
  _Alignas(16) unsigned char value[RH_MOST_VALUE_BYTES];
  const char *start = (const char *)rh_array_data(array) + first * rh_type_size(array->type);
  const rh_data data = {
      .buffer = input->buffer,
      .host = start,
      .first = job->device ? input->first + first : 0,
  };
  rh_job_spec spec = job->spec;
  rh_reference reference;
  spec.n = n;
  RH_TRY(rh_job_reference(&spec, start, NULL, &reference, error));
  RH_TRY(rh_instance_call(job->instance, &data, n, value, error));
  return judge_value(job, &spec, &reference, value, error);
}

rh_status rh_job_self_test(rh_job *job, rh_error *error) {
  uint64_t n = job->spec.n < MOST ? job->spec.n : MOST;
  rh_array array = {0};
  rh_cl_input input = {0};
  if (n == 0 && rh_op_needs_an_element(job->spec.op)) return RH_OK;
  rh_status status = rh_array_generate(&array, "hash", 1, job->spec.type, n, NULL, error);
  if (status == RH_OK && job->device)
    status = rh_cl_input_init(&input, job->instance_spec.session, array.region.address,
                              array.offset_bytes, n, rh_type_size(array.type), error);
  if (status == RH_OK) status = run_part(job, &array, &input, 0, n, error);
  if (status == RH_OK && n > 1) status = run_part(job, &array, &input, n / 3, n - n / 3, error);
  /* After a failure, commands may still be reading the data. */
  if (status != RH_OK && job->device) clFinish(job->instance_spec.session->queue);
  rh_cl_input_finish(&input);
  rh_array_finish(&array);
  return status;
}

/* ---- The canonical order ---- */

static rh_status try_order(rh_job *job, const rh_canonical_trial *trial, rh_cl_input *input,
                           rh_error *error) {
  _Alignas(16) unsigned char value[RH_MOST_VALUE_BYTES];
  const rh_array *array = &trial->array;
  rh_data data = {.host = rh_array_data(array)};
  rh_result result;
  if (job->device) {
    RH_TRY(rh_cl_input_init(input, job->instance_spec.session, array->region.address,
                            array->offset_bytes, array->n, rh_type_size(array->type), error));
    data.buffer = input->buffer;
    data.first = input->first;
  }
  rh_status status = rh_instance_call(job->instance, &data, array->n, value, error);
  if (status != RH_OK && job->device) clFinish(job->instance_spec.session->queue);
  RH_TRY(status);
  rh_job_result(&job->spec, job->strategy->name, value, &result);
  return rh_canonical_trial_judge(trial, job->spec.op, job->strategy->name, &result, error);
}

rh_status rh_job_check_order(rh_job *job, rh_error *error) {
  const rh_job_spec *spec = &job->spec;
  rh_canonical_trial trial;
  rh_cl_input input = {0};
  if (!(job->strategy->promises & RH_CANONICAL_ORDER) || !rh_op_rounds(spec->op, spec->type) ||
      spec->n == 0)
    return RH_OK;
  rh_status status = rh_canonical_trial_make(&trial, spec->op, spec->type, spec->n, 0, error);
  if (status == RH_OK) status = try_order(job, &trial, &input, error);
  if (status == RH_E_WRONG)
    rh_redhost_blame(job->redhost, job->strategy->name, job->path, spec->op, spec->type, spec->n);
  rh_cl_input_finish(&input);
  rh_canonical_trial_finish(&trial);
  return status;
}
