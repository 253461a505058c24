#include "kept.h"
#include "../base/error.h"
#include "../base/text.h"
#include "../cl/status.h"
#include "../reduce/again.h"
#include "../reduce/operand_data.h"
#include "../reduce/self_test.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Up to this size, jobs are set up for the next power of two, so that arrays of many sizes share
 * a job. */
static const uint64_t most_class_bytes = 16u << 20;

int rh_kept_may_ring(const rh_redhost *redhost, const rh_job_spec *spec) {
  uint64_t bytes = 0;
  for (uint32_t k = 0; k < rh_job_operands(spec); k++)
    bytes += rh_type_size(rh_job_operand_type(spec, k));
  return spec->n > redhost->most_whole_bytes / bytes;
}

static uint64_t next_power(uint64_t n) {
  uint64_t size = 1;
  while (size < n && size < UINT64_C(1) << 63) size *= 2;
  return size;
}

static uint64_t class_of(const rh_job_spec *spec) {
  uint64_t n = spec->n, bytes = 0;
  for (uint32_t k = 0; k < rh_job_operands(spec); k++)
    bytes += rh_type_size(rh_job_operand_type(spec, k));
  if (n == 0 || n > most_class_bytes / bytes) return n;
  return next_power(n);
}

/* ---- The problem that a job was set up for ---- */

static const char *name_of(const char *strategy) {
  return strategy ? strategy : "auto";
}

static int same_settings(const rh_job_spec *a, const rh_job_spec *b) {
  if (a->n_settings != b->n_settings) return 0;
  for (uint64_t k = 0; k < a->n_settings; k++)
    if (strcmp(a->settings[k].key, b->settings[k].key) != 0 ||
        strcmp(a->settings[k].value, b->settings[k].value) != 0)
      return 0;
  return 1;
}

static int same_operators(const rh_job_spec *a, const rh_job_spec *b) {
  if (!a->custom || !b->custom) return a->custom == b->custom;
  /* One that counts from a base has other constants. */
  return a->custom->has_base == b->custom->has_base && strcmp(a->custom->key, b->custom->key) == 0;
}

static int serves_n(const rh_kept_job *kept, const rh_job_spec *spec, uint64_t class) {
  uint64_t n = kept->job.spec.n;
  int any = kept->ring && rh_arrays_keep_bits(&kept->job);
  return n == class || n == spec->n || (any && n == next_power(spec->n));
}

static int serves(const rh_kept_job *kept, const rh_job_spec *spec, uint64_t class) {
  const rh_job_spec *own = &kept->job.spec;
  return kept->used && own->op == spec->op && own->type == spec->type &&
         same_operators(own, spec) && serves_n(kept, spec, class) &&
         strcmp(name_of(own->strategy), name_of(spec->strategy)) == 0 && same_settings(own, spec);
}

static void release_ring(rh_kept_job *kept) {
  if (kept->ring) rh_job_finish(&kept->ring->lane.job);
  free(kept->ring);
  kept->ring = NULL;
}

static void release(rh_kept_job *kept) {
  rh_job_spec spec = kept->job.spec;
  release_ring(kept);
  rh_job_finish(&kept->job);
  for (uint64_t k = 0; kept->settings && k < spec.n_settings; k++) {
    free((char *)kept->settings[k].key);
    free((char *)kept->settings[k].value);
  }
  free(kept->settings);
  rh_operator_destroy(kept->custom);
  free((char *)spec.strategy);
  *kept = (rh_kept_job){0};
}

static rh_status out_of_memory(rh_error *error) {
  return rh_fail(error, RH_E_NOMEM, "no memory for a request");
}

/* The caller's strings may no longer exist at the next call. */
static rh_status copy_spec(rh_kept_job *kept, const rh_job_spec *spec, rh_error *error) {
  rh_job_spec *own = &kept->job.spec;
  *own = *spec;
  own->custom = kept->custom;
  own->settings = kept->settings = calloc(spec->n_settings + 1, sizeof *kept->settings);
  own->strategy = rh_copy_string(name_of(spec->strategy));
  if (!kept->settings || !own->strategy) return out_of_memory(error);
  for (uint64_t k = 0; k < spec->n_settings; k++) {
    kept->settings[k].key = rh_copy_string(spec->settings[k].key);
    kept->settings[k].value = rh_copy_string(spec->settings[k].value);
    if (!kept->settings[k].key || !kept->settings[k].value) return out_of_memory(error);
  }
  return RH_OK;
}

/* ---- Setting up ---- */

static rh_status set_up_whole(rh_redhost *redhost, rh_kept_job *kept, rh_error *error) {
  if (kept->job.device)
    RH_TRY(rh_redhost_session(redhost, &kept->job.instance_spec.session, error));
  RH_TRY(rh_job_instantiate(&kept->job, error));
  if (strcmp(name_of(kept->job.spec.strategy), "auto") != 0) return RH_OK;
  return rh_job_check_order(&kept->job, error);
}

/* By the strategy that was found for all elements. */
static rh_status set_up_ring(rh_redhost *redhost, rh_kept_job *kept, rh_error *error) {
  rh_kept *all = redhost->kept;
  kept->ring = calloc(1, sizeof *kept->ring);
  if (!kept->ring) return out_of_memory(error);
  kept->chunk = kept->job.spec;
  kept->chunk.strategy = kept->job.strategy->name;
  kept->chunk.plugin = kept->job.path;
  *kept->ring = (rh_stream_device){
      .redhost = redhost, .job = &kept->chunk, .device = kept->job.device, .lane.road = all->road};
  rh_status status = rh_arrays_open(kept->ring, redhost->chunk_bytes, RH_CHECK_FULL, error);
  all->road = kept->ring->lane.road;
  kept->ring->lane.road = (rh_road){0};
  return status;
}

static rh_status set_up(rh_redhost *redhost, rh_kept_job *kept, uint64_t n, rh_error *error) {
  rh_job_spec spec = kept->job.spec;
  spec.n = n;
  rh_status status = rh_job_init(&kept->job, redhost, &spec, error);
  if (status == RH_OK && rh_arrays_ring(&kept->job, redhost->most_whole_bytes))
    status = set_up_ring(redhost, kept, error);
  else if (status == RH_OK)
    status = set_up_whole(redhost, kept, error);
  if (status == RH_OK) return RH_OK;
  release_ring(kept);
  rh_job_finish(&kept->job);
  kept->job.spec = spec;
  return status;
}

/* A strategy may serve n elements but not the whole class. */
static int may_serve_fewer(rh_status status) {
  return status == RH_DECLINED || status == RH_E_USAGE || status == RH_E_DEVICE;
}

static rh_status make_kept(rh_redhost *redhost, rh_kept_job *kept, const rh_job_spec *spec,
                           uint64_t class, rh_error *error) {
  RH_TRY(rh_job_trust(redhost, spec, error));
  RH_TRY(copy_spec(kept, spec, error));
  rh_attempts tried = {0};
  rh_error why = {0};
  rh_status status;
  for (;;) {
    status = set_up(redhost, kept, class, &why);
    if (class != spec->n && may_serve_fewer(status)) status = set_up(redhost, kept, spec->n, &why);
    if (status == RH_OK || !rh_job_chooses_again(redhost, spec, &tried, &why)) break;
  }
  if (status == RH_OK) return RH_OK;
  if (error) *error = why;
  return why.status;
}

/* A free slot, or the least recently used one. */
static rh_kept_job *make_room(rh_kept *all) {
  rh_kept_job *oldest = &all->jobs[0];
  for (int k = 1; k < RH_KEPT_JOBS; k++)
    if (all->jobs[k].used < oldest->used) oldest = &all->jobs[k];
  release(oldest);
  return oldest;
}

static void take_constants(rh_operator *to, const rh_operator *from) {
  rh_expr_value values[RH_MOST_CONSTANTS];
  for (uint32_t k = 0; k < from->n_lets; k++) values[k] = from->lets[k].value;
  rh_operator_set_constants(to, values);
}

rh_status rh_kept_get(rh_redhost *redhost, const rh_job_spec *spec, rh_operator **made,
                      rh_kept_job **found, rh_error *error) {
  uint64_t class = class_of(spec);
  if (!redhost->kept && !(redhost->kept = calloc(1, sizeof *redhost->kept)))
    return out_of_memory(error);
  rh_kept *all = redhost->kept;
  all->calls++;
  for (int k = 0; k < RH_KEPT_JOBS; k++) {
    rh_kept_job *kept = &all->jobs[k];
    if (!serves(kept, spec, class)) continue;
    if (kept->blame == redhost->blame) {
      if (kept->custom) take_constants(kept->custom, *made);
      kept->used = all->calls;
      *found = kept;
      return RH_OK;
    }
    release(kept); /* `auto` may now choose another strategy */
  }
  rh_kept_job *kept = make_room(all);
  kept->custom = *made;
  *made = NULL;
  rh_status status = make_kept(redhost, kept, spec, class, error);
  if (status != RH_OK) {
    release(kept);
    return status;
  }
  if (kept->ring && rh_arrays_keep_bits(&kept->job)) kept->job.spec.n = next_power(spec->n);
  kept->used = all->calls;
  kept->blame = redhost->blame;
  *found = kept;
  return RH_OK;
}

/* ---- One call ---- */

rh_job *rh_kept_working(rh_kept_job *kept) {
  return kept->ring ? &kept->ring->lane.job : &kept->job;
}

/* The page that the data starts on is mapped too, so a buffer may begin there. */
static rh_status bring(rh_redhost *redhost, const rh_job *job, uint32_t k, const void *data,
                       uint64_t n, rh_error *error) {
  uint64_t offset = (uintptr_t)data % (uintptr_t)sysconf(_SC_PAGESIZE);
  return rh_cl_input_renew(&redhost->kept->inputs[k], job->instance_spec.session,
                           (char *)data - offset, offset, n,
                           rh_type_size(rh_job_operand_type(&job->spec, k)), error);
}

rh_status rh_kept_place(rh_redhost *redhost, rh_kept_job *kept, const void *const *operands,
                        uint64_t n, rh_data *placed, rh_error *error) {
  const rh_cl_input *inputs = redhost->kept->inputs;
  rh_job *job = rh_kept_working(kept);
  uint32_t count = rh_job_operands(&job->spec);
  for (uint32_t k = 0; k < count && job->device; k++)
    RH_TRY(bring(redhost, job, k, operands[k], n, error));
  *placed = (rh_data){.host = operands[0], .buffer = inputs[0].buffer};
  if (job->device) placed->first = inputs[0].first;
  if (!kept->custom || !rh_operator_has_operands(kept->custom)) return RH_OK;
  rh_operands *own = &job->operands;
  rh_operands_begin(own, kept->custom);
  for (uint32_t k = 0; k < count; k++) {
    own->arrays.operands[k] = operands[k];
    own->buffers[k] = inputs[k].buffer;
    own->at[k] = inputs[k].first;
  }
  placed->operands = own;
  return RH_OK;
}

/* For a call, the ring gets the road that all share. */
static void lend_road(rh_kept *all, rh_kept_job *kept) {
  kept->ring->lane.road = all->road;
  all->road = (rh_road){0};
}

static void return_road(rh_kept *all, rh_kept_job *kept) {
  all->road = kept->ring->lane.road;
  kept->ring->lane.road = (rh_road){0};
}

/* What the caller's own commands write may be what is read. */
static rh_status wait_for_caller(const rh_redhost *redhost, rh_error *error) {
  cl_command_queue queue = redhost->options.queue;
  if (queue) RH_CL_TRY(error, clFinish(queue), "finishing the caller's queue");
  return RH_OK;
}

rh_status rh_kept_stream(rh_redhost *redhost, rh_kept_job *kept, const rh_array_run *arrays,
                         rh_error *error) {
  RH_TRY(wait_for_caller(redhost, error));
  lend_road(redhost->kept, kept);
  rh_status status = rh_arrays_stream(kept->ring, arrays, error);
  return_road(redhost->kept, kept);
  return status;
}

rh_status rh_kept_reduce(rh_redhost *redhost, rh_kept_job *kept, const void *const *operands,
                         uint64_t n, void *value, uint64_t *depth, rh_error *error) {
  rh_data data;
  if (!kept->ring) {
    *depth = kept->job.answer.depth;
    RH_TRY(rh_kept_place(redhost, kept, operands, n, &data, error));
    return rh_instance_call(kept->job.instance, &data, n, value, error);
  }
  RH_TRY(wait_for_caller(redhost, error));
  lend_road(redhost->kept, kept);
  rh_status status = rh_arrays_reduce(kept->ring, operands, n, value, depth, error);
  return_road(redhost->kept, kept);
  return status;
}

void rh_kept_release(rh_redhost *redhost, rh_kept_job *kept, rh_status status) {
  rh_cl_input *inputs = redhost->kept->inputs;
  const rh_job *job = rh_kept_working(kept);
  /* After a failure, the device may still be reading the caller's memory. */
  if (status != RH_OK && job->device) clFinish(job->instance_spec.session->queue);
  for (uint32_t k = 0; k < RH_MOST_OPERANDS; k++)
    if (inputs[k].in_place || inputs[k].room > RH_KEPT_BYTES) rh_cl_input_finish(&inputs[k]);
  if (status != RH_OK || rh_instance_scratch(job->instance) > RH_KEPT_BYTES) release(kept);
}

void rh_kept_finish(rh_redhost *redhost) {
  rh_kept *all = redhost->kept;
  for (int k = 0; all && k < RH_KEPT_JOBS; k++) release(&all->jobs[k]);
  for (uint32_t k = 0; all && k < RH_MOST_OPERANDS; k++) rh_cl_input_finish(&all->inputs[k]);
  if (all) rh_road_finish(&all->road);
  free(all);
  redhost->kept = NULL;
}
