#include "library.h"

#include "../choose/choose.h"

/* Up to this size, jobs are set up for the next power of two, so that arrays of many sizes share
 * a job. */
static const uint64_t most_class_bytes = 16u << 20;

int rh_kept_may_ring(const rh_redhost *redhost, const rh_job_spec *spec) {
  return spec->operation.n >
         redhost->context->most_whole_bytes / rh_operator_element_bytes(spec->operation.op);
}

static uint64_t next_power(uint64_t n) {
  if (n <= 1) return 1;
  return n > UINT64_C(1) << 63 ? UINT64_C(1) << 63 : UINT64_C(1) << (64 - __builtin_clzll(n - 1));
}

static uint64_t class_of(const rh_kept_job *kept, uint64_t n) {
  return n == 0 || n > kept->most_class_n ? n : next_power(n);
}

/* ---- The problem that a job was set up for ---- */

static int serves_n(const rh_kept_job *kept, uint64_t n) {
  uint64_t own = kept->job.spec.operation.n;
  int any = kept->ring && rh_arrays_keep_bits(&kept->job);
  return own == class_of(kept, n) || own == n || (any && own == next_power(n));
}

/* One that counts from a base has other constants. */
static int counts_alike(const rh_kept_job *kept, uint64_t n, int is_part) {
  const rh_operator *op = kept->job.spec.operation.op;
  return !op->uses_index || op->has_base == (is_part || n > kept->most_whole_n);
}

/* So that it can be set up again, for *spec. */
static void tear_down(rh_kept_job *kept, const rh_job_spec *spec) {
  if (kept->segmented) rh_segmented_undo(kept->segmented);
  rh_arrays_close(&kept->ring);
  rh_job_finish(&kept->job);
  kept->job.spec = *spec;
}

static void destroy(rh_kept_job *kept) {
  tear_down(kept, &(rh_job_spec){0});
  if (kept->segmented) rh_segmented_finish(kept->segmented);
  free(kept->segmented);
  rh_custom_destroy(kept->custom);
  rh_request_release(&kept->asked);
  free(kept);
}

static void release(rh_kept *all, uint32_t k) {
  destroy(all->jobs[k]);
  all->n--;
  memmove(all->jobs + k, all->jobs + k + 1, (all->n - k) * sizeof *all->jobs);
}

/* ---- Setting up ---- */

static rh_status set_up(rh_redhost *redhost, rh_kept_job *kept, uint64_t n, rh_error *error) {
  rh_job_spec spec = kept->job.spec;
  spec.operation.n = n;
  RH_TRY(rh_locate_job(&kept->job, redhost->context, &spec, error));
  if (rh_arrays_ring(&kept->job, redhost->context->most_whole_bytes))
    return rh_arrays_open(&kept->ring, &kept->job, &kept->job.spec, &redhost->kept.staging,
                          RH_CHECK_FULL, error);
  RH_TRY(rh_job_instantiate(&kept->job, error));
  return strcmp(kept->asked.strategy, "auto") == 0 ? rh_job_check_order(&kept->job, error) : RH_OK;
}

static rh_status set_up_some(rh_redhost *redhost, rh_kept_job *kept, uint64_t n, int *is_final,
                             rh_error *error) {
  uint64_t class = class_of(kept, n);
  const rh_job_spec asked = kept->job.spec;
  rh_status status = kept->segmented
                         ? rh_segmented_set_up(kept->segmented, redhost->context, is_final, error)
                         : set_up(redhost, kept, class, error);
  /* A strategy may serve n elements but not the whole class. */
  if (class != n && (status == RH_DECLINED || status == RH_E_USAGE || status == RH_E_DEVICE)) {
    tear_down(kept, &asked);
    status = set_up(redhost, kept, n, error);
  }
  RH_TRY(status);
  kept->blame = redhost->context->blame;
  if (kept->segmented) return RH_OK;
  if (!kept->ring) rh_call_begin(&kept->call, &kept->job, redhost->kept.inputs);
  /* Such an operator counts from a number that differs from call to call. */
  if (kept->job.spec.operation.op->has_base) kept->call.fast_max_n = 0;
  if (kept->ring && rh_arrays_keep_bits(&kept->job)) kept->job.spec.operation.n = next_power(n);
  return RH_OK;
}

static rh_status check(const rh_request *request, const rh_kept_job *kept, int is_part,
                       rh_error *error) {
  const rh_job_spec *spec = &kept->job.spec;
  const void *data[RH_MOST_OPERANDS];
  rh_request_data(request, data);
  RH_TRY(rh_request_check(request, spec, data, error));
  if (kept->segmented)
    return rh_segmented_check_outputs(kept->segmented, request->outputs, request->n_outputs, error);
  if (is_part || request->n || !spec->operation.op->needs_an_element) return RH_OK;
  return rh_fail(error, RH_E_USAGE, "%s of an empty array is undefined", spec->operation.op->name);
}

/* Names of the job only what is asked for. */
static rh_status name(rh_redhost *redhost, const rh_request *request, uint64_t n, int is_part,
                      rh_kept_job *kept, rh_error *error) {
  enum { MOST_KEPT = 1 << 20 /* segments whose offsets are copied and compared */ };
  rh_job_spec *spec = &kept->job.spec;
  RH_TRY(rh_request_name(request, redhost->context, spec, &kept->custom, error));
  if (request->segments) {
    RH_TRY(RH_NEW(&kept->segmented, 1, "a reduction of segments", error));
    RH_TRY(rh_segmented_name(kept->segmented, spec, request, kept->custom, MOST_KEPT, error));
  }
  RH_TRY(check(request, kept, is_part, error));
  RH_TRY(rh_request_copy(&kept->asked, request, error));
  spec->strategy = kept->asked.strategy;
  spec->settings = kept->asked.settings;
  spec->operation.n = n;
  rh_operand_layout(spec, spec->offsets);
  kept->most_whole_n = UINT64_MAX;
  if (kept->segmented) return RH_OK;
  uint64_t bytes = rh_operator_element_bytes(spec->operation.op);
  spec->in_pieces = !is_part || rh_kept_may_ring(redhost, spec);
  kept->most_class_n = most_class_bytes / bytes;
  kept->most_whole_n = redhost->context->most_whole_bytes / bytes;
  if (kept->custom && (is_part || n > kept->most_whole_n)) rh_custom_take_base(kept->custom);
  return RH_OK;
}

/* Only the latest job for segments is kept. */
static rh_status make_room(rh_redhost *redhost, int is_of_segments, rh_error *error) {
  rh_kept *all = &redhost->kept;
  uint32_t most = redhost->context->options.kept_setups ? redhost->context->options.kept_setups
                                                        : RH_KEPT_SETUPS;
  for (uint32_t k = all->n; k-- > 0;)
    if (all->n >= most || (is_of_segments && all->jobs[k]->segmented)) release(all, k);
  return RH_ROOM(&all->jobs, all->n, "a request", error);
}

static void put_first(rh_kept *all, uint32_t k, rh_kept_job *kept) {
  memmove(all->jobs + 1, all->jobs, k * sizeof *all->jobs);
  all->jobs[0] = kept;
}

static rh_status make_kept(rh_redhost *redhost, const rh_request *request, uint64_t n, int is_part,
                           rh_kept_job **made, rh_error *error) {
  rh_kept_job *kept;
  RH_TRY(RH_NEW(&kept, 1, "a request", error));
  rh_status status = name(redhost, request, n, is_part, kept, error);
  if (status == RH_OK) status = rh_job_trust(redhost->context, &kept->job.spec, error);
  if (status == RH_OK) status = make_room(redhost, request->segments != NULL, error);
  if (status != RH_OK) {
    destroy(kept);
    return status;
  }
  put_first(&redhost->kept, redhost->kept.n++, kept);
  *made = kept;
  return RH_OK;
}

/* ---- The same problem again ---- */

static int has_other_constants(const rh_kept_job *kept, const rh_request *request) {
  for (uint64_t k = 0; k < request->n_constants; k++)
    if (kept->asked.constants[k].value.i != request->constants[k].value.i) return 1;
  return 0;
}

/* Numbers of another size may need another operator. */
static int takes_constants(const rh_kept_job *kept, const rh_request *request) {
  rh_expr_value values[RH_MOST_CONSTANTS];
  return !has_other_constants(kept, request) ||
         rh_request_constants(kept->custom, request->constants, request->n_constants, values,
                              NULL) == RH_OK;
}

static int cuts_alike(const rh_kept_job *kept, const rh_request *request) {
  if (!kept->segmented || !request->segments) return !kept->segmented && !request->segments;
  return rh_segmented_is_of(kept->segmented, request->segments);
}

static rh_kept_job *find(rh_redhost *redhost, const rh_request *request, uint64_t n, int is_part) {
  rh_kept *all = &redhost->kept;
  for (uint32_t k = 0; k < all->n; k++) {
    rh_kept_job *kept = all->jobs[k];
    if (!serves_n(kept, n) || !rh_request_asks_same(&kept->asked, request) ||
        !counts_alike(kept, n, is_part) || !takes_constants(kept, request) ||
        !cuts_alike(kept, request))
      continue;
    if (kept->blame == redhost->context->blame) {
      if (k) put_first(all, k, kept);
      return kept;
    }
    release(all, k--); /* `auto` may now choose another strategy */
  }
  return NULL;
}

rh_kept_job *rh_kept_same(rh_redhost *redhost, const rh_request *request) {
  rh_kept_job *kept = find(redhost, request, request->n, 0);
  return kept && !has_other_constants(kept, request) ? kept : NULL;
}

static rh_status take_constants(rh_kept_job *kept, const rh_request *request, rh_error *error) {
  rh_expr_value values[RH_MOST_CONSTANTS];
  rh_constant *own = (rh_constant *)kept->asked.constants;
  RH_TRY(
      rh_request_constants(kept->custom, request->constants, request->n_constants, values, error));
  rh_custom_set_constants(kept->custom, values);
  if (kept->call.arrays) rh_operands_begin(&kept->job.operands, kept->job.spec.operation.op);
  for (uint64_t k = 0; k < request->n_constants; k++) own[k].value = request->constants[k].value;
  return RH_OK;
}

/* A job for the request, the first of the list, which may still have to be set up. */
static rh_status get(rh_redhost *redhost, const rh_request *request, uint64_t n, int is_part,
                     rh_kept_job **found, rh_error *error) {
  rh_kept_job *kept = *found = find(redhost, request, n, is_part);
  if (!kept) return make_kept(redhost, request, n, is_part, found, error);
  RH_TRY(check(request, kept, is_part, error));
  return has_other_constants(kept, request) ? take_constants(kept, request, error) : RH_OK;
}

/* ---- One call ---- */

rh_job *rh_kept_working(rh_kept_job *kept) {
  if (kept->segmented) return &kept->segmented->segments.job;
  return kept->ring ? &kept->ring->chunk : &kept->job;
}

enum {
  /* Levels of chunks, 2^level tiles of 2 KiB: 4 MiB stay in a processor's cache, and 32 MiB are
   * long compared with what a copy to a device costs. */
  HOST_LEVEL = 11,
  DEVICE_LEVEL = 14
};

uint64_t rh_kept_chunk(const rh_job_spec *job, uint64_t n) {
  uint64_t most = rh_partial_tile(job) << DEVICE_LEVEL;
  return n < most ? n : most;
}

/* Elements that are read once from memory fit no cache anyway. */
static uint32_t most_level(const rh_kept_job *kept, uint32_t check) {
  return kept->job.device || check != RH_CHECK_FULL ? DEVICE_LEVEL : HOST_LEVEL;
}

rh_status rh_kept_reduce_part(rh_redhost *redhost, rh_kept_job *kept, const rh_source *arrays,
                              uint64_t first, uint64_t n, rh_partial *partial, rh_error *error) {
  const rh_reduction_spec how = {.reporter = &redhost->context->options.reporter,
                                 .devices = kept->ring,
                                 .job = kept->ring ? NULL : &kept->job,
                                 .inputs = redhost->kept.inputs,
                                 .most_level = kept->ring ? 0 : most_level(kept, partial->check)};
  return rh_arrays_reduce_part(&how, arrays, first, n, partial, error);
}

typedef struct call {
  rh_redhost *redhost;
  rh_kept_job *kept;
  rh_job_spec asked;
  rh_kept_use *use;
  void *user;
} call;

/* The caller's memory is no longer read.  After a failure, the device may still be doing so. */
static void let_go(const call *c, rh_status status) {
  rh_cl_input *inputs = c->redhost->kept.inputs;
  const rh_job *job = rh_kept_working(c->kept);
  if (!job->device) return;
  if (status != RH_OK) rh_cl_finish(job->instance_spec.session->queue);
  for (uint32_t k = 0; k < RH_MOST_OPERANDS; k++)
    if (inputs[k].in_place || inputs[k].bytes > RH_KEPT_BYTES) rh_cl_input_finish(&inputs[k]);
}

static rh_status attempt(void *of_call, int *is_final, rh_error *error) {
  const call *c = of_call;
  rh_kept_job *kept = c->kept;
  rh_context *context = c->redhost->context;
  if (!rh_kept_working(kept)->strategy)
    RH_TRY(set_up_some(c->redhost, kept, c->asked.operation.n, is_final, error));
  context->device_failed = 0;
  rh_status status = c->use(c->user, kept, error);
  /* The answer is wrong, which is said. */
  *is_final = status == RH_E_WRONG;
  let_go(c, status);
  if (status == RH_OK) return RH_OK;
  /* The latest choice may have been another job's. */
  int is_chosen = strcmp(kept->asked.strategy, "auto") == 0;
  snprintf(context->chose, sizeof context->chose, "%s",
           is_chosen ? rh_kept_working(kept)->strategy->name : "");
  return status;
}

static void undo(void *of_call) {
  const call *c = of_call;
  tear_down(c->kept, &c->asked);
}

rh_status rh_kept_call(rh_redhost *redhost, const rh_request *request, uint64_t n, int is_part,
                       rh_kept_use *use, void *user, rh_error *error) {
  call c; /* clearing it first would take longer than the rest */
  c.redhost = redhost;
  c.use = use;
  c.user = user;
  RH_TRY(get(redhost, request, n, is_part, &c.kept, error));
  c.asked = c.kept->job.spec;
  c.asked.operation.n = n;
  const rh_tries tries = {
      .context = redhost->context, .spec = &c.asked, .attempt = attempt, .undo = undo, .user = &c};
  rh_status status = rh_try_strategies(&tries, error);
  const rh_job *job = rh_kept_working(c.kept);
  if (status != RH_OK || (job->device && job->instance->services.scratch_bytes > RH_KEPT_BYTES) ||
      (c.kept->segmented && !rh_segmented_takes_little(c.kept->segmented)))
    release(&redhost->kept, 0);
  return status;
}

void rh_warn_unjudged(const rh_redhost *redhost, const char *strategy, const rh_verdict *verdict) {
  char why[512];
  if (verdict->verdict == RH_VERDICT_UNJUDGED)
    rh_log(&redhost->context->options.reporter, RH_LOG_WARNING,
           "strategy '%s': the result is not judged: %s", strategy, rh_verdict_why(verdict, why));
}

void rh_kept_finish(rh_redhost *redhost) {
  rh_kept *all = &redhost->kept;
  while (all->n) release(all, all->n - 1);
  for (uint32_t k = 0; k < RH_MOST_OPERANDS; k++) rh_cl_input_finish(&all->inputs[k]);
  rh_staging_finish(&all->staging);
  free(all->jobs);
  all->jobs = NULL;
}
