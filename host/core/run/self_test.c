#include "run.h"

enum { MOST = 4099 };

rh_status rh_job_reduce(rh_job *job, const rh_job_spec *spec, const rh_array *array,
                        rh_result *result, rh_error *error) {
  _Alignas(16) unsigned char value[RH_MOST_VALUE_BYTES];
  RH_FINISHED(rh_cl_input) input = {0};
  rh_data data = {.host = rh_array_data(array)};
  rh_status status = RH_OK;
  if (job->device)
    status = rh_cl_input_init(&input, job->instance_spec.session, array->region.address,
                              array->offset_bytes, array->n, rh_type_size(array->type), error);
  data.buffer = input.buffer;
  data.first = input.first;
  if (status == RH_OK) status = rh_instance_call(job->instance, &data, array->n, value, error);
  if (status == RH_OK) rh_job_result(spec, job->strategy->name, value, result);
  /* After a failure, commands may still be reading the data. */
  if (status != RH_OK && job->device) rh_cl_finish(job->instance_spec.session->queue);
  return status;
}

static rh_status judge_value(const rh_job *job, const rh_job_spec *spec, const rh_job_part *part,
                             rh_reference *reference, const void *value, rh_error *error) {
  rh_result result;
  rh_verdict verdict;
  const rh_answered answered = {job->context, job->runs_on, job->answer.depth, &result, NULL};
  rh_job_result(spec, job->strategy->name, value, &result);
  RH_TRY(rh_job_judge_on(spec, part, &answered, reference, &verdict, error));
  if (verdict.verdict != RH_VERDICT_WRONG) return RH_OK;
  return rh_fail(error, RH_E_WRONG, "%s of %llu elements of %s is wrong: %s",
                 spec->operation.op->name, (unsigned long long)spec->operation.n,
                 rh_type_name(spec->operation.op->operands[0].type), verdict.text);
}

/* The operands of a test, and where a device has them. */
typedef struct material {
  rh_job_spec spec;
  rh_array array; /* of bytes */
  rh_cl_input input;
  rh_operands operands;
} material;

static rh_status make_material(material *m, const rh_job *job, uint64_t n, const char *kind,
                               rh_error *error) {
  m->spec = job->spec;
  m->spec.operation.n = n;
  uint64_t bytes = rh_operand_layout(&m->spec, m->spec.offsets);
  RH_TRY(rh_array_reserve(&m->array, RH_TYPE_u8, bytes, 0, error));
  RH_TRY(rh_operand_data_fill(&m->array, &m->spec, kind, 1, NULL, error));
  if (!job->device) return RH_OK;
  return rh_cl_input_init(&m->input, job->instance_spec.session, m->array.region.address,
                          m->array.offset_bytes, bytes, 1, error);
}

/* Reduces the elements from `first` on. */
static rh_status run_part(rh_job *job, material *m, uint64_t first, rh_error *error) {
  _Alignas(16) unsigned char value[RH_MOST_VALUE_BYTES];
  rh_job_spec spec = m->spec;
  rh_reference reference;
  spec.operation.n -= first;
  for (uint32_t k = 0; k < spec.operation.op->n_operands; k++)
    spec.offsets[k] += first * rh_type_size(spec.operation.op->operands[k].type);
  const char *start = rh_array_data(&m->array);
  const rh_data data = rh_operands_data(&m->operands, spec.operation.op, spec.offsets,
                                        m->input.buffer, m->input.first, start);
  const void *operands[RH_MOST_OPERANDS];
  const rh_job_part all = {operands, 0, spec.operation.n, spec.operation.n, 0, 0};
  rh_job_operands_at(&spec, start, operands);
  RH_TRY(rh_job_reference_of(&spec, &all, NULL, &reference, error));
  RH_TRY(rh_instance_call(job->instance, &data, spec.operation.n, value, error));
  return judge_value(job, &spec, &all, &reference, value, error);
}

rh_status rh_job_try(rh_job *job, uint64_t n, const char *kind, rh_error *error) {
  material m = {0};
  if (n == 0 && job->spec.operation.op->needs_an_element) return RH_OK;
  rh_status status = make_material(&m, job, n, kind, error);
  if (status == RH_OK) status = run_part(job, &m, 0, error);
  if (status == RH_OK && n > 1) status = run_part(job, &m, n / 3, error);
  /* After a failure, commands may still be reading the data. */
  if (status != RH_OK && job->device) rh_cl_finish(job->instance_spec.session->queue);
  rh_cl_input_finish(&m.input);
  rh_array_finish(&m.array);
  return status;
}

static void blame(const rh_job *job) {
  rh_context_blame(job->context, job->strategy->name, job->path, job->spec.operation.op,
                   job->spec.operation.n);
}

rh_status rh_job_self_test(rh_job *job, rh_error *error) {
  uint64_t n = job->spec.operation.n;
  rh_status status = rh_job_try(job, n < MOST ? n : MOST, "hash", error);
  if (status != RH_E_WRONG) return status;
  blame(job);
  return rh_error_prefix(error, status, "strategy '%s' fails its self-test on %s and is not used",
                         job->strategy->name, job->device ? job->device->name : "the host");
}

rh_status rh_job_check_order(rh_job *job, rh_error *error) {
  const rh_job_spec *spec = &job->spec;
  const rh_operator *op = spec->operation.op;
  RH_FINISHED(rh_canonical_trial) trial = {0};
  rh_result result;
  if (!(job->strategy->promises & RH_CANONICAL_ORDER) || op->is_custom ||
      !rh_op_rounds(op->base, op->type) || spec->operation.n == 0)
    return RH_OK;
  RH_TRY(rh_canonical_trial_make(&trial, op->base, op->type, spec->operation.n, 0, error));
  RH_TRY(rh_job_reduce(job, spec, &trial.array, &result, error));
  rh_status status =
      rh_canonical_trial_judge(&trial, op->base, job->strategy->name, &result, error);
  if (status == RH_E_WRONG) blame(job);
  return status;
}
