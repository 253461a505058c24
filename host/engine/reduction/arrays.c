#include "reduction.h"

/* ---- Which arrays ---- */

int rh_arrays_keep_bits(const rh_job *job) {
  return job->strategy->promises & RH_CANONICAL_ORDER ||
         !rh_op_rounds(job->spec.operation.op->base, job->spec.operation.op->type);
}

uint64_t rh_arrays_most_whole(const rh_job *job, uint64_t few_bytes) {
  const rh_operator *op = job->spec.operation.op;
  uint64_t most = job->device ? job->device->about.max_alloc_bytes : 0, held = UINT64_MAX;
  uint64_t padding = (op->n_operands - 1) * UINT64_C(4096); /* between operands */
  uint32_t largest = 1;
  for (uint32_t k = 0; k < op->n_operands; k++)
    if (rh_type_size(op->operands[k].type) > largest) largest = rh_type_size(op->operands[k].type);
  if (most) held = (most > padding ? most - padding : 0) / rh_operator_element_bytes(op);
  if (!job->device || job->device->shares_memory || !rh_arrays_keep_bits(job)) return held;
  return few_bytes / largest < held ? few_bytes / largest : held;
}

int rh_arrays_ring(const rh_job *job, uint64_t few_bytes) {
  const rh_operator *op = job->spec.operation.op;
  /* Without a base, every chunk would count from 0. */
  return job->device && (!op->uses_index || op->has_base) &&
         job->spec.operation.n > rh_arrays_most_whole(job, few_bytes);
}

/* ---- Setting up ---- */

rh_status rh_arrays_open(rh_worker **ring, const rh_job *found, const rh_job_spec *spec,
                         rh_staging *staging, int check, rh_error *error) {
  rh_job_spec chunk = *spec;
  RH_TRY(RH_NEW(ring, 1, "the stream of arrays to a device", error));
  rh_worker *device = *ring;
  chunk.strategy = found->strategy->name;
  chunk.plugin = found->path;
  *device = (rh_worker){
      .context = found->context, .job = &chunk, .device = found->device, .staging = staging};
  uint64_t chunk_n = rh_stream_chunk_n(device, 1, 1, NULL, check, found->context->chunk_bytes);
  rh_worker_plan(device, rh_stream_processors(1), 0, RH_CHECK_NONE, chunk_n);
  rh_status status = rh_worker_open(device, UINT64_MAX, chunk_n, check, error);
  device->job = &device->chunk.spec;
  return status;
}

void rh_arrays_close(rh_worker **ring) {
  if (*ring) rh_worker_finish(*ring);
  free(*ring);
  *ring = NULL;
}

/* ---- Reducing ---- */

rh_status rh_arrays_reduce_part(const rh_reduction_spec *how, const rh_source *arrays,
                                uint64_t first, uint64_t n, rh_partial *partial, rh_error *error) {
  rh_reduction_spec spec = *how;
  cl_command_queue queue = how->devices ? how->devices->context->options.queue : NULL;
  rh_reduction *reduction;
  /* The caller's own commands may write what is read. */
  if (queue) RH_CL_TRY(error, rh_cl_finish(queue), "finishing the caller's queue");
  spec.source = arrays;
  spec.n_devices = spec.devices != NULL;
  spec.first = first;
  spec.n = n;
  spec.ends_if_wrong = 1;
  rh_status status = rh_reduction_open(&reduction, &spec, partial, error);
  if (status == RH_OK) status = rh_reduction_run(reduction, error);
  rh_reduction_close(reduction);
  return status;
}

rh_status rh_arrays_reduce(void *ring, const void *const *arrays, uint64_t n, void *value,
                           uint64_t *depth, rh_error *error) {
  rh_worker *device = ring;
  const rh_reduction_spec how = {.reporter = &device->context->options.reporter, .devices = device};
  RH_FINISHED(rh_partial) all;
  rh_source source;
  rh_source_of_arrays(&source, device->chunk.spec.operation.op, arrays, 0, n);
  rh_partial_init(&all, &device->chunk.spec, n, RH_CHECK_NONE);
  RH_TRY(rh_arrays_reduce_part(&how, &source, 0, n, &all, error));
  if (depth) *depth = rh_partial_depth(&all);
  return rh_fold_value(&all.fold, 0, value, error);
}
