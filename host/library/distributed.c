/* rh_reduce_distributed(): data that each rank holds, reduced over a communicator of the caller's.
 *
 * Nothing is exchanged while a rank computes, and all in the thread of the caller, who may have
 * promised MPI no more than one: a rank that fails says so when the others have done their part. */
#include "library.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Each rank says this before anything is reduced. */
typedef struct claim {
  uint64_t n;        /* elements that it holds; cannot_begin */
  rh_digest problem; /* of what is asked for */
} claim;

static const uint64_t cannot_begin = UINT64_MAX; /* more than memory holds */

typedef struct distributed {
  rh_redhost *redhost;
  rh_part_request asked; /* with n of the whole in its job */
  rh_communicator by;
  rh_ranks ranks;
  rh_digest problem;             /* of what is asked for */
  uint64_t *starts;              /* of every rank: its first element in the whole; and the end */
  rh_partial part, edges, whole; /* edges: of all ranks */
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

/* malloc'ed */
static char *text_of(const distributed *d) {
  const rh_segmentation *segments = d->asked.request.segments;
  json_t *more =
      segments ? json_pack("{s:o*}", "segments", rh_distributed_segments_text(segments)) : NULL;
  return rh_operation_text(&d->asked.job.operation, more);
}

static rh_status digest_anew(distributed *d, rh_error *error) {
  char *text = text_of(d);
  if (!text) return rh_fail(error, RH_E_NOMEM, "no memory for %s", what);
  d->problem = rh_agree_digest(text);
  free(text);
  return RH_OK;
}

/* Built-in operations are constants, so of the same one as before nothing is written. */
static rh_status digest(distributed *d, rh_error *error) {
  const rh_operation *asked = &d->asked.job.operation;
  rh_redhost *redhost = d->redhost;
  rh_status status = RH_OK;
  if (d->asked.own || d->asked.request.segments) return digest_anew(d, error);
  RH_TRY(rh_redhost_enter(redhost, error));
  int is_known = redhost->agreed.op == asked->op && redhost->agreed.accuracy == asked->accuracy &&
                 redhost->agreed.check == asked->check;
  if (!is_known) status = digest_anew(d, error);
  if (!is_known && status == RH_OK) {
    redhost->agreed = *asked;
    redhost->agreed_digest = d->problem;
  }
  d->problem = redhost->agreed_digest;
  rh_redhost_leave(redhost);
  return status;
}

static rh_status prepare(distributed *d, const rh_request *request, const rh_result *result,
                         rh_error *error) {
  if (!d->redhost || !request || !result)
    return rh_fail(error, RH_E_USAGE, "rh_reduce_distributed: the %s is null",
                   !d->redhost ? "rh_redhost"
                   : !request  ? "request"
                               : "place for the result");
  RH_TRY(rh_sized_check(result, RH_SIZED(rh_result, strategy), error));
  RH_TRY(rh_part_request_read(&d->asked, d->redhost, request, error));
  RH_TRY(digest(d, error));
  return RH_NEW(&d->starts, (uint64_t)d->by.size + 1, what, error);
}

/* ---- The same in all ranks? ---- */

/* Only where the digests differ. */
static rh_status explain(distributed *d, rh_error *error) {
  rh_difference found;
  uint32_t other = 0;
  char *text = text_of(d);
  rh_status status = rh_ranks_learn_hosts(&d->ranks, error);
  if (status == RH_OK)
    status = rh_agree_compare(&d->ranks, text ? text : "", &other, &found, error);
  free(text);
  RH_TRY(status);
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

static rh_status settle_claims(distributed *d, const claim *all, rh_status begun,
                               const rh_error *why, rh_error *error) {
  uint32_t size = d->by.size, other = 0;
  for (uint32_t r = 0; r < size; r++)
    if (all[r].n == cannot_begin) return rh_ranks_settle(&d->ranks, begun, why, error);
  while (other < size && memcmp(&all[other].problem, &all[0].problem, sizeof(rh_digest)) == 0)
    other++;
  if (other < size) return explain(d, error);
  return count(d, all, error);
}

static rh_status agree(distributed *d, rh_status begun, const rh_error *why, rh_error *error) {
  claim mine = {.n = cannot_begin}, *all;
  RH_TRY(RH_NEW(&all, d->by.size, what, error));
  if (begun == RH_OK) {
    mine.n = d->asked.job.operation.n;
    mine.problem = d->problem;
  }
  rh_status status = rh_ranks_gather(&d->ranks, &mine, sizeof mine, all, error);
  if (status == RH_OK) status = settle_claims(d, all, begun, why, error);
  free(all);
  return status;
}

/* ---- Tiles between ranks ---- */

/* This rank's tiles that are whole, in elements; the last tile of all may be short. */
static void find_tiles(const distributed *d, uint64_t *begin, uint64_t *end) {
  uint64_t tile = rh_partial_tile(&d->asked.job), first = d->starts[d->by.rank];
  uint64_t stop = d->starts[d->by.rank + 1], before = first % tile ? tile - first % tile : 0;
  *begin = before < stop - first ? first + before : stop;
  *end = stop == d->asked.job.operation.n ? stop : stop - stop % tile;
  if (*end < *begin) *end = *begin;
}

/* Where this rank has element `first` of the whole. */
static void at(const distributed *d, uint64_t first, const void **operands) {
  const rh_operator *op = d->asked.job.operation.op;
  for (uint32_t k = 0; k < op->n_operands; k++)
    operands[k] = (const char *)d->asked.data[k] +
                  (first - d->starts[d->by.rank]) * rh_type_size(op->operands[k].type);
}

static rh_status add_edge(const distributed *d, rh_partial *edges, uint64_t first, uint64_t stop,
                          rh_error *error) {
  const void *operands[RH_MOST_OPERANDS];
  at(d, first, operands);
  return first < stop ? rh_partial_add_edge(edges, first, stop - first, operands, error) : RH_OK;
}

/* Each rank gives the elements before its first tile to the one that has the tile's first. */
static rh_status exchange_edges(distributed *d, rh_error *error) {
  uint64_t tile = rh_partial_tile(&d->asked.job), begin, end;
  uint64_t first = d->starts[d->by.rank], stop = d->starts[d->by.rank + 1];
  rh_partial mine;
  int are_cut = 0;
  for (uint32_t r = 1; r < d->by.size; r++)
    are_cut |= d->starts[r] % tile != 0 && d->starts[r] < d->asked.job.operation.n;
  if (!are_cut) return RH_OK;
  rh_partial_init(&d->edges, &d->asked.job, d->asked.job.operation.n, RH_CHECK_NONE);
  rh_partial_init(&mine, &d->asked.job, d->asked.job.operation.n, RH_CHECK_NONE);
  find_tiles(d, &begin, &end);
  rh_status status = add_edge(d, &mine, first, begin, error);
  if (status == RH_OK) status = rh_partial_gather(&d->edges, &mine, &d->ranks, 1, error);
  if (status == RH_OK) status = add_edge(d, &d->edges, end, stop, error);
  rh_partial_finish(&mine);
  return status;
}

/* ---- Reducing ---- */

/* A tile that is cut is reduced by the rank that has its first element. */
static int is_mine(const distributed *d, const rh_edge *edge) {
  return edge->first % rh_partial_tile(&d->asked.job) == 0 &&
         edge->first >= d->starts[d->by.rank] && edge->first < d->starts[d->by.rank + 1];
}

/* The elements that this rank reduces at once, at most. */
static uint64_t most_n(const distributed *d) {
  uint64_t begin, end;
  find_tiles(d, &begin, &end);
  uint64_t most = rh_kept_chunk(&d->asked.job, end - begin);
  for (uint32_t k = 0; k < d->edges.n_edges; k++)
    if (is_mine(d, &d->edges.edges[k]) && d->edges.edges[k].n > most) most = d->edges.edges[k].n;
  return most;
}

static void init(const distributed *d, rh_partial *partial) {
  rh_partial_init(partial, &d->asked.job, d->asked.job.operation.n, d->asked.job.operation.check);
}

static rh_status reduce_all(void *of_call, rh_kept_job *kept, rh_error *error) {
  distributed *d = of_call;
  const void *operands[RH_MOST_OPERANDS];
  uint64_t begin, end;
  rh_partial_finish(&d->part);
  init(d, &d->part);
  find_tiles(d, &begin, &end);
  at(d, begin, operands);
  RH_TRY(rh_kept_reduce_part(d->redhost, kept, operands, begin, end - begin, &d->part, error));
  for (uint32_t k = 0; k < d->edges.n_edges; k++) {
    const rh_edge *edge = &d->edges.edges[k];
    if (!is_mine(d, edge)) continue;
    rh_edge_operands(&d->edges, edge, operands);
    RH_TRY(rh_kept_reduce_part(d->redhost, kept, operands, edge->first, edge->n, &d->part, error));
  }
  return RH_OK;
}

static rh_status reduce_here(distributed *d, rh_error *error) {
  uint64_t most = most_n(d);
  init(d, &d->part);
  if (most == 0) return RH_OK;
  return rh_part_request_call(&d->asked, d->redhost, most, reduce_all, d, error);
}

static rh_status gather_parts(distributed *d, rh_error *error) {
  init(d, &d->whole);
  return rh_partial_gather(&d->whole, &d->part, &d->ranks, 0, error);
}

static rh_status conclude(distributed *d, rh_result *own, rh_error *error) {
  rh_reference reference;
  rh_verdict verdict;
  char why[512];
  rh_partial *all = d->by.size > 1 ? &d->whole : &d->part;
  RH_TRY(rh_partial_conclude(all, own, &reference, &verdict, error));
  rh_exact_data_settle(&verdict, "the ranks hold parts of the data");
  if (verdict.verdict == RH_VERDICT_UNJUDGED && d->by.rank == 0)
    rh_log(&d->redhost->context->options.reporter, RH_LOG_WARNING,
           "strategy '%s': the result is not judged: %s", all->strategy,
           rh_verdict_why(&verdict, why));
  return RH_OK;
}

static rh_status reduce(distributed *d, const rh_request *request, rh_result *result,
                        rh_error *error) {
  rh_error why = {0};
  rh_result own;
  rh_status status = prepare(d, request, result, &why);
  RH_TRY(agree(d, status, &why, error));
  if (d->asked.request.segments)
    return rh_distributed_segments(d->redhost, &d->asked, &d->ranks, d->starts, result, error);
  RH_TRY(exchange_edges(d, error));
  status = reduce_here(d, &why);
  RH_TRY(rh_ranks_settle(&d->ranks, status, &why, error));
  if (d->by.size > 1) RH_TRY(gather_parts(d, error));
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
  rh_partial_finish(&d.edges);
  rh_partial_finish(&d.part);
  free(d.starts);
  rh_custom_destroy(d.asked.own);
  return status;
}
