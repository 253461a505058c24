/* rh_reduce_distributed(): data that each rank holds, reduced over a communicator of the caller's.
 *
 * Nothing is exchanged while a rank computes, and all in the thread of the caller, who may have
 * promised MPI no more than one: a rank that fails says so when the others have done their part. */
#include "library.h"

#include "../choose/choose.h"

/* Each rank says this before anything is reduced. */
typedef struct claim {
  uint64_t n;        /* elements that it holds; cannot_begin */
  rh_digest problem; /* of what is asked for */
} claim;

static const uint64_t cannot_begin = UINT64_MAX; /* more than memory holds */

typedef struct distributed {
  rh_redhost *redhost;
  rh_part_request asked; /* with n of the whole in its job */
  rh_digest problem;     /* of what is asked for */
  rh_communicator by;
  rh_ranks ranks;
  uint64_t *starts; /* of every rank: its first element in the whole; and the end */
  uint64_t *ends;   /* of every rank: of the elements that it needs */
  /* Those that other ranks hold, from this one's end on: n_tail of each operand, one operand behind
   * the other. */
  unsigned char *tails;
  uint64_t n_tail;
  rh_source source; /* this rank's elements, and these */
  rh_partial part, whole;
} distributed;

/* ---- The caller's communicator as a transport ---- */

static int32_t gather(void *communicator, const void *mine, uint32_t n, void *all, double seconds,
                      char *text, uint32_t bytes) {
  const rh_communicator *by = communicator;
  (void)seconds;
  if (by->size == 1) {
    memcpy(all, mine, n);
    return 0;
  }
  int32_t code = by->gather(by->user, mine, n, all);
  if (code == 0) return 0;
  snprintf(text, bytes,
           "gather() of the communicator returned %d in rank %u; the ranks cannot go on together: "
           "end the job, as by MPI_Abort()",
           code, by->rank);
  return -1;
}

static const rh_transport by_caller = {.name = "the caller's", .gather = gather};

/* An error here cannot be told to others. */
static rh_status take_communicator(distributed *d, const rh_communicator *given, rh_error *error) {
  rh_communicator *by = &d->by;
  if (!given) return rh_fail(error, RH_E_USAGE, "rh_reduce_distributed: the communicator is null");
  RH_TRY(rh_sized_read(by, given, RH_SIZED(rh_communicator, user), error));
  if (by->reserved)
    return rh_fail(error, RH_E_USAGE, "rh_communicator.reserved is %u and must be 0", by->reserved);
  if (by->size < 1 || by->size > RH_MOST_RANKS || by->rank >= by->size)
    return rh_fail(error, RH_E_USAGE,
                   "rh_communicator: rank %u of %u; there are 1 to %d ranks, counted from 0",
                   by->rank, by->size, RH_MOST_RANKS);
  if (by->size > 1 && !by->gather)
    return rh_fail(error, RH_E_USAGE, "rh_communicator.gather is null, and there are %u ranks",
                   by->size);
  d->ranks = (rh_ranks){
      .transport = &by_caller, .self = by, .place = {.rank = by->rank, .size = by->size}};
  return RH_OK;
}

/* ---- What this rank asks for ---- */

static const char what[] = "what the ranks say"; /* where there is no memory */

static uint64_t mix(uint64_t digest, const uint64_t *list, uint64_t n) {
  for (uint64_t k = 0; list && k < n; k++) digest = rh_random_mix(digest ^ list[k]) + k;
  return digest;
}

/* All ranks must have this in common. */
static json_t *describe_segments(const rh_segmentation *asked) {
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

/* malloc'ed */
static char *text_of(const distributed *d) {
  const rh_segmentation *segments = d->asked.request.segments;
  json_t *more = segments ? json_pack("{s:o*}", "segments", describe_segments(segments)) : NULL;
  return rh_operation_text(&d->asked.job.operation, more);
}

/* A small reduction takes less time than the text of its operation, so a thread keeps the digest of
 * its latest one that is built in. */
static rh_status digest(distributed *d, rh_error *error) {
  static _Thread_local struct {
    uint32_t numbers[4];
    rh_digest is;
  } latest;
  const rh_operation *asked = &d->asked.job.operation;
  const uint32_t numbers[] = {asked->op->base, asked->op->type, asked->accuracy, asked->check};
  int is_builtin = !d->asked.own && !d->asked.request.segments;
  d->problem = latest.is;
  if (is_builtin && memcmp(latest.numbers, numbers, sizeof numbers) == 0) return RH_OK;
  RH_FREED(char) text = text_of(d);
  if (!text) return rh_fail(error, RH_E_NOMEM, "no memory for %s", what);
  d->problem = rh_agree_digest(text);
  if (!is_builtin) return RH_OK;
  memcpy(latest.numbers, numbers, sizeof numbers);
  latest.is = d->problem;
  return RH_OK;
}

static rh_status prepare(distributed *d, const rh_request *request, const rh_result *result,
                         rh_error *error) {
  if (!d->redhost || !request || !result)
    return rh_say_null("rh_reduce_distributed", d->redhost, request, "place for the result", error);
  RH_TRY(rh_sized_check(result, RH_SIZED(rh_result, strategy), error));
  RH_TRY(rh_part_request_read(&d->asked, d->redhost, request, error));
  RH_TRY(digest(d, error));
  RH_TRY(RH_NEW(&d->starts, (uint64_t)d->by.size + 1, what, error));
  return RH_NEW(&d->ends, d->by.size, what, error);
}

/* ---- The same in all ranks? ---- */

/* Only where the digests differ. */
static rh_status explain(distributed *d, rh_error *error) {
  rh_difference found;
  uint32_t other = 0;
  RH_FREED(char) text = text_of(d);
  RH_TRY(rh_agree_compare(&d->ranks, text ? text : "", &other, &found, error));
  return rh_agree_fail(&d->ranks, other, &found, error);
}

/* Every rank's elements begin where those of the one before it end. */
static rh_status count(distributed *d, const claim *all, rh_error *error) {
  uint64_t *starts = d->starts;
  for (uint32_t r = 0; r < d->by.size; r++) {
    if (all[r].n > UINT64_MAX - starts[r])
      return rh_fail(error, RH_E_USAGE, "the ranks hold more than 2^64 elements");
    starts[r + 1] = starts[r] + all[r].n;
  }
  d->asked.job.operation.n = starts[d->by.size];
  if (d->asked.job.operation.n == 0 && d->asked.job.operation.op->needs_an_element &&
      !d->asked.request.segments)
    return rh_fail(error, RH_E_USAGE, "%s of no elements is undefined, and no rank has any",
                   d->asked.job.operation.op->name);
  return RH_OK;
}

static rh_status agree(distributed *d, rh_status begun, const rh_error *why, rh_error *error) {
  claim mine = {.n = cannot_begin};
  uint32_t size = d->by.size, other = 0;
  RH_FREED(claim) all = NULL;
  RH_TRY(RH_NEW(&all, size, what, error));
  if (begun == RH_OK) {
    mine.n = d->asked.job.operation.n;
    mine.problem = d->problem;
  }
  RH_TRY(rh_ranks_gather(&d->ranks, &mine, sizeof mine, all, error));
  for (uint32_t r = 0; r < size; r++)
    if (all[r].n == cannot_begin) return rh_ranks_settle(&d->ranks, begun, why, error);
  while (other < size && memcmp(&all[other].problem, &all[0].problem, sizeof(rh_digest)) == 0)
    other++;
  return other < size ? explain(d, error) : count(d, all, error);
}

/* ---- Elements of other ranks ---- */

static const rh_operator *op_of(const distributed *d) { return d->asked.job.operation.op; }

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* The elements from a rank's first one on that ranks before it need. */
static uint64_t given_by(const distributed *d, uint32_t rank) {
  uint64_t end = 0, first = d->starts[rank];
  for (uint32_t r = 0; r < rank; r++)
    if (d->ends[r] > end) end = d->ends[r];
  return end > first ? least(end, d->starts[rank + 1]) - first : 0;
}

/* Bytes of n elements of the operands before `end`. */
static uint64_t bytes_of(const distributed *d, uint32_t end, uint64_t n) {
  uint64_t bytes = 0;
  for (uint32_t k = 0; k < end; k++) bytes += n * rh_type_size(op_of(d)->operands[k].type);
  return bytes;
}

static rh_status take_elements(void *of_call, uint32_t rank, const void *theirs, uint64_t bytes,
                               rh_error *error) {
  distributed *d = of_call;
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

/* Ranks give each other the elements that they need: all, or none of them, call it. */
static rh_status exchange(distributed *d, rh_error *error) {
  uint32_t rank = d->ranks.place.rank, operands = op_of(d)->n_operands;
  uint64_t n = given_by(d, rank);
  int are_needed = 0;
  for (uint32_t r = 0; r < d->ranks.place.size; r++) are_needed |= d->ends[r] > d->starts[r + 1];
  if (!are_needed) return RH_OK;
  d->n_tail = d->ends[rank] - d->starts[rank + 1];
  RH_FREED(unsigned char) mine = malloc(bytes_of(d, operands, n) + 1);
  d->tails = malloc(bytes_of(d, operands, d->n_tail) + 1);
  d->source.tail = d->starts[rank + 1];
  if (!mine || !d->tails) return rh_fail(error, RH_E_NOMEM, "no memory for %s", what);
  for (uint32_t k = 0; k < operands; k++) {
    d->source.tails[k] = d->tails + bytes_of(d, k, d->n_tail);
    if (n)
      memcpy(mine + bytes_of(d, k, n), d->asked.data[k],
             n * rh_type_size(op_of(d)->operands[k].type));
  }
  return rh_ranks_gather_any(&d->ranks, mine, bytes_of(d, operands, n), take_elements, d, error);
}

/* ---- Segments ---- */

/* Each rank has a strategy reduce the parts of segments that begin among its elements; what a part
 * needs of the next ranks' comes before.  All ranks put together the values of all. */
typedef struct segmented {
  distributed *of;
  rh_segmented segmented;
  rh_reduction_spec cut;
  rh_job_spec located;
  rh_worker worker;
  rh_segments_reduction *reduction;
  rh_segments_check check;
} segmented;

/* Segments and sources are those of the whole. */
static rh_status cut(segmented *d, rh_error *error) {
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
                               .chunk_bytes = 32 << 20, /* the same in all ranks */
                               .check = d->of->asked.job.operation.check};
  return rh_segments_reduction_ends(&d->cut, &d->segmented.spec->operation, d->of->ends, error);
}

static rh_status attempt(void *of_call, int *is_final, rh_error *error) {
  segmented *d = of_call;
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
  segmented *d = of_call;
  rh_segments_reduction_close(d->reduction);
  d->reduction = NULL;
  rh_segmented_undo(&d->segmented);
}

static rh_status reduce_parts(segmented *d, rh_error *error) {
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
static rh_status take_name(segmented *d, rh_error *error) {
  char(*to)[sizeof d->segmented.columns.names.strategy] = &d->segmented.columns.names.strategy;
  uint32_t rank = 0, size = d->of->ranks.place.size;
  while (rank + 1 < size && d->of->starts[rank + 1] == 0) rank++;
  RH_FREED(char) all = NULL;
  RH_TRY(rh_alloc(&all, size, sizeof *to, what, error));
  snprintf(*to, sizeof *to, "%s", d->segmented.found.name);
  RH_TRY(rh_ranks_gather(&d->of->ranks, *to, sizeof *to, all, error));
  memcpy(*to, all + rank * sizeof *to, sizeof *to);
  return RH_OK;
}

static rh_status reduce_cut(segmented *d, rh_result *result, rh_error *error) {
  const rh_request *request = &d->of->asked.request;
  rh_error why = {0};
  rh_status status = cut(d, &why);
  RH_TRY(rh_ranks_settle(&d->of->ranks, status, &why, error));
  RH_TRY(exchange(d->of, error));
  status = reduce_parts(d, &why);
  RH_TRY(rh_ranks_settle(&d->of->ranks, status, &why, error));
  status = take_name(d, &why);
  if (status == RH_OK && d->of->ranks.place.size > 1)
    status = rh_segments_reduction_gather(d->reduction, &d->of->ranks, &why);
  RH_TRY(rh_ranks_settle(&d->of->ranks, status, &why, error));
  if (d->of->ranks.place.rank == 0) rh_segmented_warn(&d->segmented, &d->check);
  rh_segmented_store(&d->segmented, request->outputs, request->n_outputs, result);
  return RH_OK;
}

static rh_status reduce_segments(distributed *of, rh_result *result, rh_error *error) {
  segmented d = {.of = of};
  rh_status status = reduce_cut(&d, result, error);
  rh_segments_reduction_close(d.reduction);
  rh_segmented_finish(&d.segmented);
  return status;
}

/* ---- Tiles between ranks ---- */

/* A tile that is cut is reduced by the rank that has its first element. */
static void find_ends(const distributed *d) {
  uint64_t tile = rh_partial_tile(&d->asked.job), n = d->asked.job.operation.n;
  for (uint32_t r = 0; r < d->ranks.place.size; r++) {
    uint64_t stop = d->starts[r + 1], cut = stop - stop % tile;
    d->ends[r] = stop;
    if (cut < stop && cut >= d->starts[r]) d->ends[r] = n - cut < tile ? n : cut + tile;
  }
}

/* This rank's tiles that no other has elements of, in elements. */
static void find_tiles(const distributed *d, uint64_t *begin, uint64_t *end) {
  uint32_t rank = d->ranks.place.rank;
  uint64_t tile = rh_partial_tile(&d->asked.job), first = d->starts[rank];
  uint64_t stop = d->starts[rank + 1], before = first % tile ? tile - first % tile : 0;
  *begin = before < stop - first ? first + before : stop;
  *end = stop - (d->n_tail ? stop % tile : 0);
}

/* ---- Reducing ---- */

static void init(const distributed *d, rh_partial *partial) {
  rh_partial_init(partial, &d->asked.job, d->asked.job.operation.n, d->asked.job.operation.check);
}

/* A tile at the end, of which other ranks have elements, is reduced by itself: it is copied. */
static rh_status reduce_all(void *of_call, rh_kept_job *kept, rh_error *error) {
  distributed *d = of_call;
  uint64_t begin, end, stop = d->starts[d->by.rank + 1] + d->n_tail;
  rh_partial_finish(&d->part);
  init(d, &d->part);
  find_tiles(d, &begin, &end);
  RH_TRY(rh_kept_reduce_part(d->redhost, kept, &d->source, begin, end - begin, &d->part, error));
  if (!d->n_tail) return RH_OK;
  return rh_kept_reduce_part(d->redhost, kept, &d->source, end, stop - end, &d->part, error);
}

static rh_status reduce_here(distributed *d, rh_error *error) {
  uint64_t begin, end, tile = rh_partial_tile(&d->asked.job);
  find_tiles(d, &begin, &end);
  uint64_t most = rh_kept_chunk(&d->asked.job, end - begin); /* at once */
  if (d->n_tail && most < tile) most = tile;
  init(d, &d->part);
  if (most == 0) return RH_OK;
  return rh_part_request_call(&d->asked, d->redhost, most, reduce_all, d, error);
}

static rh_status conclude(distributed *d, rh_result *own, rh_error *error) {
  rh_reference reference;
  rh_verdict verdict;
  rh_partial *all = d->by.size > 1 ? &d->whole : &d->part;
  RH_TRY(rh_partial_conclude(all, own, &reference, &verdict, error));
  rh_exact_data_settle(&verdict, "the ranks hold parts of the data");
  if (d->by.rank == 0) rh_warn_unjudged(d->redhost, all->strategy, &verdict);
  return RH_OK;
}

static rh_status reduce(distributed *d, const rh_request *request, rh_result *result,
                        rh_error *error) {
  rh_error why = {0};
  rh_result own;
  rh_status status = prepare(d, request, result, &why);
  RH_TRY(agree(d, status, &why, error));
  rh_source_of_arrays(&d->source, d->asked.job.operation.op, d->asked.data, d->starts[d->by.rank],
                      d->asked.job.operation.n);
  if (d->asked.request.segments) return reduce_segments(d, result, error);
  find_ends(d);
  RH_TRY(exchange(d, error));
  status = reduce_here(d, &why);
  RH_TRY(rh_ranks_settle(&d->ranks, status, &why, error));
  init(d, &d->whole);
  if (d->by.size > 1) RH_TRY(rh_partial_gather(&d->whole, &d->part, &d->ranks, error));
  status = conclude(d, &own, &why);
  /* All ranks have computed the same, and have failed alike; but a device may fail in one. */
  if (status != RH_OK || d->asked.job.operation.op->is_code)
    RH_TRY(rh_ranks_settle(&d->ranks, status, &why, error));
  rh_sized_write(result, &own, RH_SIZED(rh_result, strategy));
  return RH_OK;
}

rh_status rh_reduce_distributed(rh_redhost *redhost, const rh_request *request,
                                const rh_communicator *communicator, rh_result *result,
                                rh_error *error) {
  RH_OWN_ENVIRONMENT;
  distributed d = {.redhost = redhost};
  RH_TRY(take_communicator(&d, communicator, error));
  rh_status status = reduce(&d, request, result, error);
  free(d.ranks.hosts);
  rh_partial_finish(&d.whole);
  rh_partial_finish(&d.part);
  free(d.starts);
  free(d.ends);
  free(d.tails);
  rh_custom_destroy(d.asked.own);
  return status;
}
