/* Each rank has a strategy reduce the parts of segments that begin among its elements; what a part
 * needs of the next ranks' comes before.  All ranks put together the values of all. */
#include "library.h"

#include "../choose/choose.h"

enum { PART_BYTES = 32 << 20 /* the same in all ranks */ };

/* ---- Elements of other ranks ---- */

static const rh_operator *op_of(const rh_distributed *d) { return d->asked.job.operation.op; }

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* The elements from a rank's first one on that ranks before it need. */
static uint64_t given_by(const rh_distributed *d, uint32_t rank) {
  uint64_t end = 0, first = d->starts[rank];
  for (uint32_t r = 0; r < rank; r++)
    if (d->ends[r] > end) end = d->ends[r];
  return end > first ? least(end, d->starts[rank + 1]) - first : 0;
}

/* Bytes of n elements of the operands before `end`. */
static uint64_t bytes_of(const rh_distributed *d, uint32_t end, uint64_t n) {
  uint64_t bytes = 0;
  for (uint32_t k = 0; k < end; k++) bytes += n * rh_type_size(op_of(d)->operands[k].type);
  return bytes;
}

static rh_status take_elements(void *of_call, uint32_t rank, const void *theirs, uint64_t bytes,
                               rh_error *error) {
  rh_distributed *d = of_call;
  uint64_t tail = d->starts[d->ranks.place.rank + 1], n = given_by(d, rank);
  uint64_t first = d->starts[rank];
  if (bytes != bytes_of(d, op_of(d)->n_operands, n))
    return rh_fail(error, RH_E_INVALID, "rank %u has sent other elements than are needed", rank);
  if (rank <= d->ranks.place.rank || first >= tail + d->n_tail) return RH_OK;
  for (uint32_t k = 0; k < op_of(d)->n_operands; k++) {
    uint32_t size = rh_type_size(op_of(d)->operands[k].type);
    unsigned char *to = d->tails + bytes_of(d, k, d->n_tail) + (first - tail) * size;
    memcpy(to, (const char *)theirs + bytes_of(d, k, n), least(n, tail + d->n_tail - first) * size);
  }
  return RH_OK;
}

rh_status rh_distributed_exchange(rh_distributed *d, rh_error *error) {
  uint32_t rank = d->ranks.place.rank, operands = op_of(d)->n_operands;
  uint64_t n = given_by(d, rank);
  int are_needed = 0;
  for (uint32_t r = 0; r < d->ranks.place.size; r++) are_needed |= d->ends[r] > d->starts[r + 1];
  if (!are_needed) return RH_OK;
  d->n_tail = d->ends[rank] - d->starts[rank + 1];
  RH_FREED(unsigned char) mine = malloc(bytes_of(d, operands, n) + 1);
  d->tails = malloc(bytes_of(d, operands, d->n_tail) + 1);
  d->source.tail = d->starts[rank + 1];
  if (!mine || !d->tails) return rh_fail(error, RH_E_NOMEM, "no memory for what the ranks say");
  for (uint32_t k = 0; k < operands; k++) {
    d->source.tails[k] = d->tails + bytes_of(d, k, d->n_tail);
    if (n)
      memcpy(mine + bytes_of(d, k, n), d->asked.data[k],
             n * rh_type_size(op_of(d)->operands[k].type));
  }
  return rh_ranks_gather_any(&d->ranks, mine, bytes_of(d, operands, n), take_elements, d, error);
}

/* ---- Segments ---- */

typedef struct distributed {
  rh_distributed *of;
  rh_segmented segmented;
  rh_reduction_spec cut;
  rh_job_spec located;
  rh_worker worker;
  rh_segments_reduction *reduction;
  rh_segments_check check;
} distributed;

static uint64_t mix(uint64_t digest, const uint64_t *list, uint64_t n) {
  for (uint64_t k = 0; list && k < n; k++) digest = rh_random_mix(digest ^ list[k]) + k;
  return digest;
}

json_t *rh_distributed_segments_text(const rh_segmentation *asked) {
  rh_segmentation given;
  if (rh_sized_read(&given, asked, RH_SIZED(rh_segmentation, n_segments), NULL) != RH_OK)
    return NULL;
  uint32_t axes = given.n_axes < RH_MOST_AXES ? given.n_axes : RH_MOST_AXES;
  uint64_t digest = mix(mix(given.reduced, given.lengths, axes), given.strides, axes);
  digest = mix(mix(digest, given.starts, given.n_segments), given.stops, given.n_segments);
  return json_sprintf("axes %u, length %llu, offsets %llu, digest %016llx", given.n_axes,
                      (unsigned long long)given.length, (unsigned long long)given.n_segments,
                      (unsigned long long)digest);
}

/* ---- What is reduced ---- */

/* Segments and sources are those of the whole. */
static rh_status cut(distributed *d, rh_error *error) {
  const rh_request *request = &d->of->asked.request;
  uint32_t rank = d->of->ranks.place.rank, size = d->of->ranks.place.size;
  RH_TRY(rh_segmented_name(&d->segmented, &d->of->asked.job, request, d->of->asked.own, 0, error));
  if (d->segmented.is_scattered)
    return rh_fail(error, RH_E_USAGE,
                   "rh_segmentation.strides: the ranks' elements have one order, in which these "
                   "segments are neither rows nor columns");
  if (request->n_outputs)
    RH_TRY(rh_segmented_check_outputs(&d->segmented, request->outputs, request->n_outputs, error));
  d->cut = (rh_reduction_spec){.reporter = &d->of->redhost->context->options.reporter,
                               .source = &d->of->source,
                               .devices = &d->worker,
                               .n_devices = 1,
                               .rank = rank,
                               .size = size,
                               .starts = d->of->starts,
                               .chunk_bytes = PART_BYTES,
                               .check = d->of->asked.job.operation.check};
  return rh_segments_reduction_ends(&d->cut, &d->segmented.spec->operation, d->of->ends, error);
}

/* ---- Reducing ---- */

static rh_status attempt(void *of_call, int *is_final, rh_error *error) {
  distributed *d = of_call;
  rh_context *context = d->of->redhost->context;
  rh_segmented *s = &d->segmented;
  rh_job_spec one = *s->spec;
  one.operation.n = 1; /* only parts have to fit */
  RH_TRY(rh_locate(context, s->spec, &s->found, error));
  d->located = *s->spec;
  d->located.strategy = s->found.name;
  d->located.plugin = s->found.path;
  d->worker = (rh_worker){.context = context, .job = &d->located};
  RH_TRY(rh_job_device(context, &one, s->found.device_kinds, &d->worker.device, error));
  RH_TRY(rh_segments_reduction_open(&d->reduction, &d->cut, &s->segments, &d->check, error));
  RH_TRY(rh_segments_reduction_run(d->reduction, error));
  rh_status status = rh_segments_verdict(&s->segments, &d->check, error);
  *is_final = status == RH_E_WRONG;
  return status;
}

static void undo(void *of_call) {
  distributed *d = of_call;
  rh_segments_reduction_close(d->reduction);
  d->reduction = NULL;
  rh_segmented_undo(&d->segmented);
}

static rh_status reduce_here(distributed *d, rh_error *error) {
  const rh_tries tries = {.context = d->of->redhost->context,
                          .spec = d->segmented.spec,
                          .attempt = attempt,
                          .undo = undo,
                          .user = d};
  RH_TRY(rh_redhost_enter(d->of->redhost, error));
  rh_status status = rh_job_trust(d->of->redhost->context, d->segmented.spec, error);
  if (status == RH_OK) status = rh_try_strategies(&tries, error);
  rh_redhost_leave(d->of->redhost);
  return status;
}

/* The first rank with elements names the strategy. */
static rh_status take_name(distributed *d, rh_error *error) {
  char(*to)[sizeof d->segmented.columns.names.strategy] = &d->segmented.columns.names.strategy;
  uint32_t rank = 0, size = d->of->ranks.place.size;
  while (rank + 1 < size && d->of->starts[rank + 1] == 0) rank++;
  RH_FREED(char) all = NULL;
  RH_TRY(rh_alloc(&all, size, sizeof *to, "what the ranks say", error));
  snprintf(*to, sizeof *to, "%s", d->segmented.found.name);
  RH_TRY(rh_ranks_gather(&d->of->ranks, *to, sizeof *to, all, error));
  memcpy(*to, all + rank * sizeof *to, sizeof *to);
  return RH_OK;
}

static rh_status gather(distributed *d, rh_error *error) {
  RH_TRY(take_name(d, error));
  if (d->of->ranks.place.size == 1) return RH_OK;
  return rh_segments_reduction_gather(d->reduction, &d->of->ranks, error);
}

static rh_status reduce(distributed *d, rh_result *result, rh_error *error) {
  const rh_request *request = &d->of->asked.request;
  rh_error why = {0};
  rh_status status = cut(d, &why);
  RH_TRY(rh_ranks_settle(&d->of->ranks, status, &why, error));
  RH_TRY(rh_distributed_exchange(d->of, error));
  status = reduce_here(d, &why);
  RH_TRY(rh_ranks_settle(&d->of->ranks, status, &why, error));
  status = gather(d, &why);
  RH_TRY(rh_ranks_settle(&d->of->ranks, status, &why, error));
  if (d->of->ranks.place.rank == 0) rh_segmented_warn(&d->segmented, &d->check);
  rh_segmented_store(&d->segmented, request->outputs, request->n_outputs, result);
  return RH_OK;
}

rh_status rh_distributed_segments(rh_distributed *of, rh_result *result, rh_error *error) {
  distributed d = {.of = of};
  rh_status status = reduce(&d, result, error);
  rh_segments_reduction_close(d.reduction);
  rh_segmented_finish(&d.segmented);
  return status;
}
