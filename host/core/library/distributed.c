/* rh_reduce_distributed(): data that each rank holds, reduced over a communicator of the caller's.
 *
 * Nothing is exchanged while a rank computes, and all in the thread of the caller, who may have
 * promised MPI no more than one: a rank that fails says so when the others have done their part. */
#include "../base/error.h"
#include "../base/fpstate.h"
#include "../base/log.h"
#include "../base/vocabulary.h"
#include "../operation/ops.h"
#include "../reduce/accuracy.h"
#include "../reduce/by_code.h"
#include "../reduce/exact_data.h"
#include "../reduce/operand_data.h"
#include "../reduce/request.h"
#include "../scale/agree.h"
#include "../scale/gather.h"
#include "../scale/seam.h"
#include "share_arrays.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What each rank says before anything is reduced. */
typedef struct claim {
  uint64_t n;        /* elements that it holds; cannot_begin */
  rh_digest problem; /* of what is asked for */
} claim;

static const uint64_t cannot_begin = UINT64_MAX; /* more than memory holds */

typedef struct distributed {
  rh_redhost *redhost;
  rh_request request;
  rh_communicator by;
  rh_ranks ranks;
  rh_job_spec job; /* with n of the whole */
  rh_custom *own;  /* the user's operator, or null */
  const void *data[RH_MOST_OPERANDS];
  rh_seam seam;
  rh_share part;
  rh_whole whole;
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

/* What is wrong here cannot be said to others. */
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

static rh_status check(distributed *d, rh_error *error) {
  rh_request_data(&d->request, d->data);
  return rh_request_check(&d->request, &d->job, d->data, error);
}

static rh_status prepare(distributed *d, const rh_request *request, const rh_result *result,
                         rh_error *error) {
  if (!d->redhost || !request || !result)
    return rh_fail(error, RH_E_USAGE, "rh_reduce_distributed: the %s is null",
                   !d->redhost ? "rh_redhost"
                   : !request  ? "request"
                               : "place for the result");
  RH_TRY(rh_sized_read(&d->request, request, RH_SIZED(rh_request, n_settings), error));
  RH_TRY(rh_sized_check(result, RH_SIZED(rh_result, strategy), error));
  RH_TRY(rh_redhost_enter(d->redhost, error));
  rh_status status = rh_request_name(&d->request, d->redhost->context, &d->job, &d->own, error);
  rh_redhost_leave(d->redhost);
  RH_TRY(status);
  if (d->own) rh_custom_take_base(d->own);
  RH_TRY(check(d, error));
  if (d->request.accuracy) RH_TRY(rh_accuracy_ask(&d->job, d->own, error));
  RH_TRY(rh_redhost_enter(d->redhost, error));
  status = rh_by_code_prepare(d->job.op, d->redhost->context, error);
  rh_redhost_leave(d->redhost);
  RH_TRY(status);
  return rh_seam_init(&d->seam, &d->job, d->by.size, error);
}

/* ---- The same in all ranks? ---- */

/* Only where the digests differ. */
static rh_status explain(distributed *d, rh_error *error) {
  rh_text mine = {0};
  rh_difference found;
  rh_agree_add_version(&mine);
  rh_agree_add_job(&mine, &d->job);
  rh_agree_add(&mine, "check", d->request.unchecked ? "none" : "full");
  rh_status status = rh_ranks_learn_hosts(&d->ranks, error);
  if (status == RH_OK) status = rh_agree_compare(&d->ranks, &mine, &found, error);
  rh_text_finish(&mine);
  return status == RH_OK ? rh_agree_fail(&d->ranks, &found, error) : status;
}

/* Every rank's elements begin where those of the one before it end. */
static rh_status count(distributed *d, const claim *all, rh_error *error) {
  uint64_t *starts = d->seam.starts;
  for (uint32_t r = 0; r < d->by.size; r++) {
    if (all[r].n > UINT64_MAX - starts[r])
      return rh_fail(error, RH_E_USAGE, "the ranks hold more than 2^64 elements");
    starts[r + 1] = starts[r] + all[r].n;
  }
  d->job.n = starts[d->by.size];
  if (d->job.n == 0 && d->job.op->needs_an_element)
    return rh_fail(error, RH_E_USAGE, "%s of no elements is undefined, and no rank has any",
                   d->job.op->name);
  rh_seam_place(&d->seam, d->by.rank);
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
  claim mine = {.n = cannot_begin}, *all = calloc(d->by.size, sizeof *all);
  if (!all) return rh_fail(error, RH_E_NOMEM, "no memory for what the ranks say");
  if (begun == RH_OK) {
    mine.n = d->job.n;
    mine.problem = rh_agree_job_digest(&d->job, d->request.unchecked);
  }
  rh_status status = rh_ranks_gather(&d->ranks, &mine, sizeof mine, all, error);
  if (status == RH_OK) status = settle_claims(d, all, begun, why, error);
  free(all);
  return status;
}

/* ---- Reducing ---- */

static rh_status reduce_here(distributed *d, rh_error *error) {
  rh_share_spec share = {.context = d->redhost->context,
                         .job = &d->job,
                         .first_tile = d->seam.first_tile,
                         .tiles = d->seam.tiles,
                         .checks = !d->request.unchecked};
  rh_share_arrays from = {.redhost = d->redhost,
                          .arrays = d->data,
                          .first_element = d->seam.starts[d->by.rank],
                          .seam = d->seam.is_cut ? d->seam.operands : NULL};
  rh_job_spec spec = d->job;
  if (share.tiles == 0) return rh_share_reduce(&d->part, &share, &from, error);
  spec.n = d->request.n;
  if (!rh_kept_may_ring(d->redhost, &spec)) spec.n = rh_share_chunk(&d->job, share.tiles);
  RH_TRY(rh_redhost_enter(d->redhost, error));
  rh_status status = rh_kept_get(d->redhost, &d->request, spec.n, 1, &from.kept, error);
  if (status == RH_OK) {
    status = rh_share_reduce(&d->part, &share, &from, error);
    rh_kept_release(d->redhost, from.kept, status);
  }
  rh_redhost_leave(d->redhost);
  return status;
}

static rh_status conclude(distributed *d, rh_result *own, rh_error *error) {
  rh_reference reference;
  rh_verdict verdict;
  char why[512];
  RH_TRY(rh_whole_conclude(&d->whole, &d->job, own, &reference, &verdict, error));
  if (d->whole.checked && verdict.verdict == RH_VERDICT_UNJUDGED && d->by.rank == 0)
    rh_log(&d->redhost->context->options.reporter, RH_LOG_WARNING,
           "strategy '%s': the result is not judged: %s", d->whole.strategy,
           rh_verdict_why(&verdict, why));
  return RH_OK;
}

static rh_status reduce(distributed *d, const rh_request *request, rh_result *result,
                        rh_error *error) {
  rh_error why = {0};
  rh_result own;
  rh_status status = prepare(d, request, result, &why);
  RH_TRY(agree(d, status, &why, error));
  RH_TRY(rh_seam_join(&d->seam, &d->ranks, d->data, error));
  status = reduce_here(d, &why);
  RH_TRY(rh_ranks_settle(&d->ranks, status, &why, error));
  RH_TRY(rh_whole_gather(&d->whole, &d->ranks, &d->job, &d->part, !d->request.unchecked, error));
  status = conclude(d, &own, &why);
  /* All ranks have computed the same, and have failed alike; but a device may fail in one. */
  if (status != RH_OK || d->job.op->is_code)
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
  rh_whole_finish(&d.whole);
  rh_share_finish(&d.part);
  rh_seam_finish(&d.seam);
  rh_custom_destroy(d.own);
  return status;
}
