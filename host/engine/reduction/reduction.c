#include "reduction.h"

/* ---- Chunks ---- */

/* Where the arrays are, in the caller's thread. */
static rh_status reduce_in_place(rh_reduction *r, uint64_t first, uint64_t n,
                                 const void *const *operands, rh_error *error) {
  _Alignas(16) unsigned char value[RH_ANY_VALUE_BYTES] = {0};
  rh_job *job = r->spec.job;
  rh_partial_chunk chunk = {.first = first,
                            .n = n,
                            .level = r->level,
                            .operands = operands,
                            .may_change = 1,
                            .value = value};
  rh_reference reference;
  rh_data data;
  RH_TRY(rh_operands_bring(job, r->spec.inputs, operands, n, &data, error));
  rh_operands_set_part(&data, job->spec.operation.op, r->partial->whole_n, first);
  if (r->partial->check == RH_CHECK_FULL) {
    chunk.reference = &reference;
    RH_TRY(rh_partial_refer(r->partial, operands, first, n, 0, &reference, error));
  }
  RH_TRY(rh_instance_call(job->instance, &data, n, value, error));
  return rh_reduction_add(r, job, &chunk, error);
}

static rh_status add_edge(rh_reduction *r, uint64_t first, uint64_t n, const void *const *operands,
                          rh_error *error) {
  return rh_partial_add_edge(r->partial, first, n, operands, error);
}

/* Has elements brought, unless the source has them in memory. */
static rh_status bring(rh_reduction *r, uint64_t first, uint64_t n,
                       rh_status (*use)(rh_reduction *r, uint64_t first, uint64_t n,
                                        const void *const *operands, rh_error *error),
                       rh_error *error) {
  const rh_segments_part run = rh_segments_run_of(first, n);
  RH_FINISHED(rh_elements_room) room = {.is_copy = 0};
  if (n == 0) return RH_OK;
  RH_TRY(
      rh_elements_bring(&room, r->spec.source, NULL, &run, r->partial->job, &r->crew.stop, error));
  return use(r, first, n, room.operands, error);
}

static uint64_t stop_of(const rh_reduction *r) {
  return r->spec.n == UINT64_MAX ? UINT64_MAX : r->spec.first + r->spec.n;
}

static int is_last(const rh_reduction *r) {
  return r->spec.n != UINT64_MAX && stop_of(r) == r->partial->whole_n;
}

static rh_status reduce_chunks(rh_reduction *r, uint64_t at, uint64_t count, rh_error *error) {
  if (!r->spec.job) return rh_reduction_stream(r, at, count, error);
  uint64_t n = r->tile << r->level;
  for (uint64_t k = 0; k < count; k++, at += UINT64_C(1) << r->level) {
    uint64_t first = at * r->tile, left = stop_of(r) - first;
    RH_TRY(rh_progress(r->spec.reporter, "reducing", at - r->begin, r->end - r->begin, error));
    RH_TRY(bring(r, first, n < left ? n : left, reduce_in_place, error));
  }
  return RH_OK;
}

/* Small ones lead to the first that is aligned to the most, and from the last of these to the end,
 * unless that is the end of all. */
static rh_status reduce_tiles(rh_reduction *r, rh_error *error) {
  uint64_t all = is_last(r) ? r->end : UINT64_MAX;
  r->level = r->most_level;
  if (r->spec.n == UINT64_MAX) return reduce_chunks(r, 0, UINT64_MAX, error);
  for (uint64_t at = r->begin, count; at < r->end; at += count << r->level) {
    uint64_t left = r->end - at;
    r->level = rh_partition_level(at, r->end, all);
    if (r->level >= r->most_level) r->level = r->most_level;
    count = 1;
    if (r->level == r->most_level) {
      count = left >> r->level;
      if (all == r->end) count += (count << r->level) < left; /* the last one is not whole */
    }
    RH_TRY(reduce_chunks(r, at, count, error));
  }
  return RH_OK;
}

/* ---- Elements of tiles that are not whole ---- */

static rh_status read_edges(rh_reduction *r, rh_error *error) {
  uint64_t first = r->spec.first, stop = stop_of(r);
  uint64_t begin = r->begin * r->tile, end = r->end * r->tile;
  if (r->spec.n == UINT64_MAX) return RH_OK;
  if (r->begin >= r->end) return bring(r, first, r->spec.n, add_edge, error);
  RH_TRY(bring(r, first, begin - first, add_edge, error));
  return end < stop ? bring(r, end, stop - end, add_edge, error) : RH_OK;
}

/* ---- Setting up ---- */

static void find_tiles(rh_reduction *r) {
  uint64_t first = r->spec.first, stop = stop_of(r), end = stop / r->tile;
  r->begin = first / r->tile + (first % r->tile != 0);
  if (is_last(r) && stop % r->tile) end++;
  r->end = end > r->begin && r->spec.n ? end : r->begin;
}

/* Chunks are as large as suits the devices.  Where the part neither begins nor ends with a chunk,
 * some are smaller, so there are to be many others; else it has chunks of one size, where that is
 * not too small. */
static uint32_t level_of(const rh_reduction *r, uint64_t suits) {
  enum { MANY = 32 };
  uint64_t tiles = r->end - r->begin;
  uint64_t meets = r->begin | (is_last(r) || r->spec.n == UINT64_MAX ? 0 : r->end);
  uint32_t level = 0;
  while (UINT64_C(2) << level <= suits &&
         ((meets & ((UINT64_C(2) << level) - 1)) == 0 || tiles >> level > MANY))
    level++;
  return level;
}

/* Chunks of workers that are up have the size that these were set up for. */
static rh_status set_up(rh_reduction *r, rh_error *error) {
  const rh_reduction_spec *spec = &r->spec;
  int check = (int)r->partial->check;
  if (spec->devices[0].is_up) {
    uint64_t suits = spec->devices[0].chunk_n / r->tile;
    while (UINT64_C(2) << r->most_level <= suits) r->most_level++;
    spec->devices[0].whole_n = r->partial->whole_n;
    spec->devices[0].failure.status = RH_OK; /* of an earlier call */
    return rh_staging_clear(spec->devices[0].staging, error);
  }
  r->most_level = level_of(r, rh_stream_chunk_n(spec, check) / r->tile);
  return rh_workers_set_up(spec, r->tile << r->most_level, r->partial->whole_n, check, error);
}

static void describe(rh_reduction *r) {
  r->is_pinned = r->in_place = 1;
  r->chunk_n = r->tile << r->most_level;
  for (uint32_t k = 0; k < r->spec.n_devices; k++) {
    const rh_worker *device = &r->spec.devices[k];
    if (!device->is_up) continue;
    const rh_staging *staging = device->staging;
    r->slot_bytes = staging->bytes;
    r->slots += staging->n;
    r->readers += device->readers;
    r->in_place &= !device->chunk.device || staging->shares;
    r->is_pinned &= staging->is_pinned || !device->chunk.device;
    r->setup_s += device->chunk.setup_s;
  }
}

/* It is not on a stack: a strategy may end its thread, which threads of its ring survive. */
rh_status rh_reduction_open(rh_reduction **reduction, const rh_reduction_spec *spec,
                            rh_partial *partial, rh_error *error) {
  RH_TRY(RH_NEW(reduction, 1, "a reduction", error));
  rh_reduction *r = *reduction;
  *r = (rh_reduction){.spec = *spec,
                      .partial = partial,
                      .tile = rh_partial_tile(partial->job),
                      .most_level = spec->most_level};
  rh_crew_init(&r->crew);
  RH_TRY(RH_NEW(&r->times, spec->job ? 1 : RH_REDUCTION_MOST_TIMES, "a reduction", error));
  if (spec->source->n == UINT64_MAX && partial->job->operation.op->count_slot >= 0)
    return rh_fail(error, RH_E_USAGE,
                   "the map uses n, which is known only at the end of a pipe of raw elements; pipe "
                   "them in as .npy");
  find_tiles(r);
  /* Elements of tiles that are not whole need no strategy. */
  int needs_workers = r->begin < r->end || spec->n == partial->whole_n;
  if (spec->job || !needs_workers) return RH_OK;
  RH_TRY(set_up(r, error));
  describe(r);
  return RH_OK;
}

void rh_reduction_close(rh_reduction *r) {
  if (!r) return;
  rh_crew_finish(&r->crew);
  free(r->times);
  free(r);
}

/* ---- The whole ---- */

rh_status rh_reduction_settle(const rh_reduction_spec *spec, rh_status status, const rh_error *why,
                              rh_error *error) {
  if (status != RH_E_CANCELLED) RH_TRY(rh_source_check_unchanged(spec->source, error));
  return rh_error_pass(error, status, why);
}

rh_status rh_reduction_run(rh_reduction *r, rh_error *error) {
  rh_error why = {0};
  r->begin_s = rh_now();
  rh_status status = reduce_tiles(r, &why);
  if (status == RH_OK) status = read_edges(r, &why);
  r->seconds = rh_now() - r->begin_s;
  RH_TRY(rh_reduction_settle(&r->spec, status, &why, error));
  rh_workers_warn(&r->spec, "failed, and the others took its chunks");
  return RH_OK;
}

/* ---- Arrays ---- */

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
