/* rh_prepare() and prepared reductions: a persistent instance, and the transfer of data to it. */
#include "../base/error.h"
#include "../base/vocabulary.h"
#include "../cl/status.h"
#include "../operators/ops.h"
#include "../reduce/again.h"
#include "../reduce/asked.h"
#include "../reduce/operand_data.h"
#include "../reduce/self_test.h"
#include "../reduce/transfer.h"
#include "kept.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct rh_prepared {
  rh_job job;          /* its input is not used */
  rh_operator *custom; /* job.spec.custom, or null */
  int has_operands;    /* of the user's operator: job.operands is used */
  uint64_t max_n;
  /* Of the host's arrays, more than most_whole elements are streamed through it: the job may be set
   * up for no more.  Null: none are. */
  rh_stream_device *ring;
  uint64_t most_whole;
  uint32_t data_on_device, result_on_device;
  uint32_t n_operands;
  rh_transfer ways[RH_MOST_OPERANDS]; /* of the operands */
  const rh_op *decodes; /* the operator whose values are decoded, unless `custom` does */
  atomic_int busy;      /* 1: a call is in progress */
  rh_result blank;      /* a result that lacks its value and index only */
};

/* ---- One call at a time ---- */

static rh_status begin_call(rh_prepared *p, const char *function, rh_error *error) {
  if (!p) return rh_fail(error, RH_E_USAGE, "%s: the rh_prepared is null", function);
  if (!atomic_exchange_explicit(&p->busy, 1, memory_order_acquire)) return RH_OK;
  return rh_fail(
      error, RH_E_INVALID,
      "%s: a call on this prepared reduction is in progress in another thread; prepare one for "
      "each thread",
      function);
}

static void end_call(rh_prepared *p) {
  atomic_store_explicit(&p->busy, 0, memory_order_release);
}

/* Like begin_call(), but waits for the call in progress to end. */
static void wait_and_begin(rh_prepared *p) {
  const struct timespec pause = {0, 50000};
  while (atomic_exchange_explicit(&p->busy, 1, memory_order_acquire)) nanosleep(&pause, NULL);
}

static rh_status check_result(const rh_result *result, const char *function, rh_error *error) {
  if (!result) return rh_fail(error, RH_E_USAGE, "%s: the place for the result is null", function);
  return rh_sized_check(result, RH_SIZED(rh_result, strategy), error);
}

/* ---- Checks that cost nothing ---- */

static rh_status too_many(const rh_prepared *p, uint64_t n, rh_error *error) {
  return rh_fail(error, RH_E_USAGE, "%llu elements for a reduction that was prepared for %llu",
                 (unsigned long long)n, (unsigned long long)p->max_n);
}

static rh_status check_count(const rh_prepared *p, uint64_t n, rh_error *error) {
  if (n > p->max_n) return too_many(p, n, error);
  if (n == 0 && rh_op_needs_an_element(p->job.spec.op))
    return rh_fail(error, RH_E_USAGE, "%s of an empty array is undefined",
                   rh_job_op_name(&p->job.spec));
  return RH_OK;
}

/* `given`: how many the call brings. */
static rh_status check_operands(const rh_prepared *p, uint32_t given, rh_error *error) {
  if (given == p->n_operands) return RH_OK;
  return rh_fail(error, RH_E_USAGE,
                 "this reduction has %u operands: call rh_prepared_run_inputs() or its like",
                 p->n_operands);
}

static rh_status check_data(const rh_prepared *p, const void *const *data, uint64_t n,
                            rh_error *error) {
  RH_TRY(check_count(p, n, error));
  if (p->data_on_device)
    return rh_fail(error, RH_E_USAGE,
                   "this reduction was prepared for data on the device: data_on_device");
  for (uint32_t k = 0; k < p->n_operands && n > 0; k++)
    RH_TRY(rh_operand_check_address(data[k], p->ways[k].size, k, p->n_operands, error));
  return RH_OK;
}

static rh_status check_buffers(const rh_prepared *p, const cl_mem *buffers, uint64_t n,
                               rh_error *error) {
  RH_TRY(check_count(p, n, error));
  if (!p->job.device)
    return rh_fail(error, RH_E_USAGE, "strategy '%s' runs on the host and reads no buffer",
                   p->job.strategy->name);
  for (uint32_t k = 0; k < p->n_operands; k++)
    if (!buffers[k] && p->n_operands == 1)
      return rh_fail(error, RH_E_USAGE, "the buffer is null");
    else if (!buffers[k])
      return rh_fail(error, RH_E_USAGE, "buffer %u of %u is null", k + 1, p->n_operands);
  return RH_OK;
}

/* ---- Transferring host data to the device ---- */

static rh_cl_session *session_of(const rh_prepared *p) {
  return p->job.instance_spec.session;
}

static void drop_views(rh_prepared *p) {
  if (!p->job.device || !p->job.device->shares_memory) return;
  for (uint32_t k = 0; k < p->n_operands; k++) rh_transfer_drop(&p->ways[k]);
}

static rh_status place(rh_prepared *p, const void *const *data, uint64_t n, rh_data *placed,
                       rh_error *error) {
  rh_operands *operands = &p->job.operands;
  if (!p->has_operands) {
    *placed = (rh_data){.host = data[0]};
    if (!p->job.device) return RH_OK;
    RH_TRY(rh_transfer_bring(&p->ways[0], session_of(p), data[0], n, &placed->first, error));
    placed->buffer = p->ways[0].input.buffer;
    return RH_OK;
  }
  *placed = (rh_data){.operands = operands};
  for (uint32_t k = 0; k < p->n_operands; k++) {
    operands->arrays.operands[k] = data[k];
    if (!p->job.device) continue;
    RH_TRY(rh_transfer_bring(&p->ways[k], session_of(p), data[k], n, &operands->at[k], error));
    operands->buffers[k] = p->ways[k].input.buffer;
  }
  return RH_OK;
}

static rh_data place_buffers(rh_prepared *p, const cl_mem *buffers, const uint64_t *first) {
  rh_operands *operands = &p->job.operands;
  if (!p->has_operands) return (rh_data){.buffer = buffers[0], .first = first ? first[0] : 0};
  for (uint32_t k = 0; k < p->n_operands; k++) {
    operands->buffers[k] = buffers[k];
    operands->at[k] = first ? first[k] : 0;
  }
  return (rh_data){.operands = operands};
}

/* Only a CPU device works in the host's own memory.  Other devices may hold copies that do not
 * follow later changes. */
static int keeps_views(const rh_prepared *p) {
  if (p->job.device->about.kind != RH_DEVICE_CPU) return 0;
  for (uint32_t k = 0; k < p->n_operands; k++)
    if (!p->ways[k].view) return 0;
  return 1;
}

/* ---- Running ---- */

/* Copying all fields that a result may have would take longer than the rest. */
enum { WITHOUT_FIELDS = offsetof(rh_result, fields) };
static const rh_sized without_fields = {"rh_result", 0, WITHOUT_FIELDS};

/* Of no elements, of a user's operator, or for a program that knows fewer fields. */
static void decode_unusual(const rh_prepared *p, const void *value, uint64_t n, rh_result *result) {
  rh_result own;
  rh_job_spec spec = {.op = p->job.spec.op, .type = p->job.spec.type, .custom = p->custom, .n = n};
  if (p->custom && p->custom->n_results) {
    rh_job_result(&spec, p->job.strategy->name, value, &own);
    rh_sized_write(result, &own, RH_SIZED(rh_result, strategy));
    return;
  }
  memcpy(&own, &p->blank, WITHOUT_FIELDS);
  if (n > 0)
    rh_op_decode(p->decodes, p->job.spec.type, value, &own);
  else
    rh_job_result(&spec, p->job.strategy->name, value, &own);
  rh_sized_write(result, &own, &without_fields);
}

/* `result` has been checked. */
static void decode(const rh_prepared *p, const void *value, uint64_t n, rh_result *result) {
  uint32_t size = result->struct_size;
  if (n == 0 || size < WITHOUT_FIELDS || (p->custom && p->custom->n_results)) {
    decode_unusual(p, value, n, result);
    return;
  }
  memcpy(result, &p->blank, WITHOUT_FIELDS);
  result->struct_size = size;
  rh_op_decode(p->decodes, p->job.spec.type, value, result);
}

void rh_prepared_decode(const rh_prepared *p, const void *value, uint64_t n, rh_result *result) {
  if (p && value && check_result(result, "rh_prepared_decode", NULL) == RH_OK)
    decode(p, value, n, result);
}

/* After RH_OK nothing reads the caller's memory any more: the value was read after all other
 * commands in the queue, or the strategy finished on the host, with all partial results read, or
 * the data had been copied to a device with memory of its own. */
static rh_status run(rh_prepared *p, const rh_data *data, uint64_t n, rh_result *result,
                     rh_error *error) {
  _Alignas(16) unsigned char value[RH_MOST_VALUE_BYTES];
  RH_TRY(rh_instance_call(p->job.instance, data, n, value, error));
  decode(p, value, n, result);
  return RH_OK;
}

static rh_status run_ring(rh_prepared *p, const void *const *data, uint64_t n, rh_result *result,
                          rh_error *error) {
  _Alignas(16) unsigned char value[RH_MOST_VALUE_BYTES];
  cl_command_queue queue = p->job.redhost->options.queue;
  /* What the caller's own commands write may be what is read. */
  if (queue) RH_CL_TRY(error, clFinish(queue), "finishing the caller's queue");
  RH_TRY(rh_arrays_reduce(p->ring, data, n, value, NULL, error));
  decode(p, value, n, result);
  return RH_OK;
}

static rh_status run_arrays(rh_prepared *p, const void *const *data, uint64_t n, rh_result *result,
                            const char *function, rh_error *error) {
  rh_data placed;
  RH_TRY(check_result(result, function, error));
  RH_TRY(check_data(p, data, n, error));
  if (n == 0) { /* there is no array */
    decode(p, rh_instance_op(p->job.instance)->identity, 0, result);
    return RH_OK;
  }
  if (p->ring && n > p->most_whole) return run_ring(p, data, n, result, error);
  rh_status status = place(p, data, n, &placed, error);
  if (status == RH_OK) status = run(p, &placed, n, result, error);
  if (!p->job.device) return status;
  /* After a failure, the device may still be reading the caller's memory. */
  if (status != RH_OK) clFinish(session_of(p)->queue);
  if (!keeps_views(p)) drop_views(p);
  return status;
}

rh_status rh_prepared_run(rh_prepared *p, const void *data, uint64_t n, rh_result *result,
                          rh_error *error) {
  RH_TRY(begin_call(p, "rh_prepared_run", error));
  rh_status status = check_operands(p, 1, error);
  if (status == RH_OK) status = run_arrays(p, &data, n, result, "rh_prepared_run", error);
  end_call(p);
  return status;
}

rh_status rh_prepared_run_inputs(rh_prepared *p, const void *const *data, uint64_t n,
                                 rh_result *result, rh_error *error) {
  if (!data) return rh_fail(error, RH_E_USAGE, "rh_prepared_run_inputs: the data is null");
  RH_TRY(begin_call(p, "rh_prepared_run_inputs", error));
  rh_status status = run_arrays(p, data, n, result, "rh_prepared_run_inputs", error);
  end_call(p);
  return status;
}

static rh_status run_buffers(rh_prepared *p, const cl_mem *buffers, const uint64_t *first,
                             uint64_t n, rh_result *result, const char *function, rh_error *error) {
  RH_TRY(check_result(result, function, error));
  RH_TRY(check_buffers(p, buffers, n, error));
  const rh_data data = place_buffers(p, buffers, first);
  return run(p, &data, n, result, error);
}

rh_status rh_prepared_run_buffer(rh_prepared *p, cl_mem buffer, uint64_t first, uint64_t n,
                                 rh_result *result, rh_error *error) {
  const char *function = "rh_prepared_run_buffer";
  RH_TRY(begin_call(p, function, error));
  rh_status status = check_operands(p, 1, error);
  if (status == RH_OK) status = run_buffers(p, &buffer, &first, n, result, function, error);
  end_call(p);
  return status;
}

rh_status rh_prepared_run_buffers(rh_prepared *p, struct _cl_mem *const *buffers,
                                  const uint64_t *first, uint64_t n, rh_result *result,
                                  rh_error *error) {
  const char *function = "rh_prepared_run_buffers";
  if (!buffers) return rh_fail(error, RH_E_USAGE, "%s: the list of buffers is null", function);
  RH_TRY(begin_call(p, function, error));
  rh_status status = run_buffers(p, buffers, first, n, result, function, error);
  end_call(p);
  return status;
}

static rh_status enqueue(rh_prepared *p, const cl_mem *buffers, const uint64_t *first, uint64_t n,
                         cl_mem values, uint64_t index, rh_error *error) {
  RH_TRY(check_buffers(p, buffers, n, error));
  if (!p->result_on_device)
    return rh_fail(error, RH_E_USAGE,
                   "this reduction was not prepared to leave its result on the device: "
                   "result_on_device");
  if (!values) return rh_fail(error, RH_E_USAGE, "the buffer for the values is null");
  const rh_data data = place_buffers(p, buffers, first);
  return rh_instance_run_to(p->job.instance, &data, n, values, index, error);
}

rh_status rh_prepared_enqueue(rh_prepared *p, cl_mem buffer, uint64_t first, uint64_t n,
                              cl_mem values, uint64_t index, rh_error *error) {
  RH_TRY(begin_call(p, "rh_prepared_enqueue", error));
  rh_status status = check_operands(p, 1, error);
  if (status == RH_OK) status = enqueue(p, &buffer, &first, n, values, index, error);
  end_call(p);
  return status;
}

rh_status rh_prepared_enqueue_buffers(rh_prepared *p, struct _cl_mem *const *buffers,
                                      const uint64_t *first, uint64_t n, cl_mem values,
                                      uint64_t index, rh_error *error) {
  const char *function = "rh_prepared_enqueue_buffers";
  if (!buffers) return rh_fail(error, RH_E_USAGE, "%s: the list of buffers is null", function);
  RH_TRY(begin_call(p, function, error));
  rh_status status = enqueue(p, buffers, first, n, values, index, error);
  end_call(p);
  return status;
}

/* ---- Constants ---- */

static rh_status set_constants(rh_prepared *p, const rh_constant *constants, uint64_t n,
                               rh_error *error) {
  rh_expr_value values[RH_MOST_CONSTANTS];
  if (!p->custom) return rh_fail(error, RH_E_USAGE, "this reduction has no constants");
  if (n && !constants) return rh_fail(error, RH_E_USAGE, "the list of constants is null");
  RH_TRY(rh_asked_change(p->custom, constants, n, values, error));
  rh_operator_set_constants(p->custom, values);
  if (p->has_operands) rh_operator_bind(p->custom, 0, p->job.operands.constants);
  return RH_OK;
}

rh_status rh_prepared_set_constants(rh_prepared *p, const rh_constant *constants, uint64_t n,
                                    rh_error *error) {
  RH_TRY(begin_call(p, "rh_prepared_set_constants", error));
  rh_status status = set_constants(p, constants, n, error);
  end_call(p);
  return status;
}

uint32_t rh_prepared_value_bytes(const rh_prepared *p) {
  if (!p) return 0;
  return rh_instance_op(p->job.instance)->value_size;
}

/* ---- Preparing and destroying ---- */

/* `auto` chooses a suitable strategy, but a named one may be unsuitable. */
static rh_status check_strategy(const rh_prepared *p, rh_error *error) {
  const char *name = p->job.strategy->name;
  if (p->data_on_device && !p->job.device)
    return rh_fail(error, RH_DECLINED,
                   "strategy '%s' runs on the host and reads no data on a device", name);
  if (p->result_on_device && p->job.answer.finishes_on_host)
    return rh_fail(error, RH_DECLINED,
                   "strategy '%s' finishes on the host and leaves no result on the device; many "
                   "have a parameter finish=device",
                   name);
  return RH_OK;
}

/* Where the data of calls on the host go that are not streamed. */
static rh_status reserve(rh_prepared *p, rh_redhost *redhost, rh_error *error) {
  const rh_instance_spec *spec = &p->job.instance_spec;
  uint64_t most = p->ring && p->most_whole < p->max_n ? p->most_whole : p->max_n;
  if (!p->job.device || p->job.device->shares_memory || p->data_on_device) return RH_OK;
  rh_status status = RH_OK;
  for (uint32_t k = 0; k < p->n_operands && status == RH_OK; k++)
    status = rh_cl_input_reserve(&p->ways[k].input, spec->session, most, p->ways[k].size, error);
  redhost->device_failed |= status != RH_OK;
  return status;
}

static rh_status set_up(rh_prepared *p, rh_redhost *redhost, rh_error *error) {
  rh_instance_spec *spec = &p->job.instance_spec;
  RH_TRY(check_strategy(p, error));
  if (p->job.device) RH_TRY(rh_redhost_session(redhost, &spec->session, error));
  RH_TRY(rh_job_instantiate(&p->job, error));
  RH_TRY(check_strategy(p, error)); /* again, because tuned parameters may have been dropped */
  rh_status status = rh_job_self_test(&p->job, error);
  if (status == RH_E_WRONG)
    rh_redhost_blame(redhost, p->job.strategy->name, p->job.path, spec->op, spec->type,
                     rh_operator_hash(p->custom), spec->max_n);
  RH_TRY(status);
  RH_TRY(rh_job_check_order(&p->job, error));
  /* The caller's pointers are valid during rh_prepare() only. */
  p->job.spec =
      (rh_job_spec){.op = spec->op, .type = spec->type, .custom = p->custom, .n = p->max_n};
  p->decodes = p->custom ? rh_op_find(spec->op, spec->type) : rh_instance_op(p->job.instance);
  if (p->has_operands) rh_operands_begin(&p->job.operands, p->custom);
  if (!p->custom || !p->custom->n_results)
    rh_job_result(&p->job.spec, p->job.strategy->name, rh_instance_op(p->job.instance)->identity,
                  &p->blank);
  return reserve(p, redhost, error);
}

/* *given: the caller's spec, converted to this version's struct. */
static rh_status check_call(const rh_redhost *redhost, const rh_prepare_spec *spec,
                            rh_prepared **prepared, rh_prepare_spec *given, rh_error *error) {
  if (prepared) *prepared = NULL;
  if (!redhost || !spec || !prepared)
    return rh_fail(error, RH_E_USAGE, "rh_prepare: the %s is null",
                   !redhost ? "rh_redhost"
                   : !spec  ? "spec"
                            : "place for the rh_prepared");
  RH_TRY(rh_sized_read(given, spec, RH_SIZED(rh_prepare_spec, n_settings), error));
  return rh_settings_check(given->settings, given->n_settings, error);
}

/* ---- The ring ---- */

static void release_ring(rh_prepared *p) {
  if (p->ring) rh_lane_finish(&p->ring->lane);
  free(p->ring);
  p->ring = NULL;
}

/* Elements of arrays that are not streamed: few, or if chunks would not do, all that a buffer
 * holds. */
static uint64_t most_whole(const rh_prepared *p, const rh_redhost *redhost) {
  const rh_cl_device *device = p->job.device;
  uint64_t most = device->about.max_alloc_bytes, all = 0, largest = 1;
  uint64_t aligned = most > p->n_operands * 4096u ? most - p->n_operands * 4096u : 0;
  for (uint32_t k = 0; k < p->n_operands; k++) {
    all += p->ways[k].size;
    if (p->ways[k].size > largest) largest = p->ways[k].size;
  }
  uint64_t held = most ? aligned / all : p->max_n;
  uint64_t few = redhost->most_whole_bytes / largest;
  return !device->shares_memory && rh_arrays_keep_bits(&p->job) && few < held ? few : held;
}

static rh_status open_ring(rh_prepared *p, rh_redhost *redhost, const rh_job_spec *spec,
                           rh_error *error) {
  p->ring = calloc(1, sizeof *p->ring);
  if (!p->ring) return rh_fail(error, RH_E_NOMEM, "no memory to prepare a reduction");
  *p->ring = (rh_stream_device){.redhost = redhost, .job = spec, .device = p->job.device};
  RH_TRY(rh_arrays_open(p->ring, redhost->chunk_bytes, RH_CHECK_NONE, error));
  /* The caller's pointers are valid during rh_prepare() only. */
  rh_job_spec *own = &p->ring->lane.job.spec;
  *own = (rh_job_spec){.op = own->op, .type = own->type, .custom = own->custom, .n = own->n};
  p->ring->job = own;
  return RH_OK;
}

/* Of the caller's queue, buffers of all sizes may follow; without it, only arrays, of which the job
 * then gets those that are not streamed.  Both have the strategy that was found for max_n. */
static rh_status make_ring(rh_prepared *p, rh_redhost *redhost, const rh_job_spec *spec,
                           rh_error *error) {
  rh_job_spec own = *spec;
  rh_job found = p->job;
  own.strategy = found.strategy->name;
  own.plugin = found.path;
  own.in_pieces = 0;
  p->most_whole = most_whole(p, redhost);
  RH_TRY(open_ring(p, redhost, &own, error));
  if (redhost->options.queue) return RH_OK;
  own.n = p->most_whole;
  rh_operand_layout(&own, own.offsets);
  rh_status status = rh_job_init(&p->job, redhost, &own, error);
  rh_job_finish(&found);
  return status;
}

/* Releases everything but *redhost. */
static void release(rh_prepared *p) {
  release_ring(p);
  rh_job_finish(&p->job);
  for (uint32_t k = 0; k < p->n_operands; k++) rh_cl_input_finish(&p->ways[k].input);
  rh_operator_destroy(p->custom);
  free(p);
}

static rh_status make_prepared(rh_prepared *p, rh_redhost *redhost, const rh_job_spec *spec,
                               rh_error *error) {
  RH_TRY(rh_redhost_enter(redhost, error));
  rh_error why = {0};
  rh_attempts tried = {0};
  rh_status status;
  for (;;) {
    status = rh_job_trust(redhost, spec, &why);
    if (status != RH_OK) break;
    status = rh_job_init(&p->job, redhost, spec, &why);
    int rings =
        status == RH_OK && !p->data_on_device && rh_arrays_ring(&p->job, redhost->most_whole_bytes);
    if (rings) status = make_ring(p, redhost, spec, &why);
    if (status == RH_OK) status = set_up(p, redhost, &why);
    if (status == RH_OK) break;
    release_ring(p);
    rh_job_finish(&p->job);
    if (!rh_job_chooses_again(redhost, spec, &tried, &why)) break;
  }
  redhost->n_prepared += status == RH_OK;
  if (status != RH_OK) status = why.status; /* of the first strategy, if several failed */
  if (status != RH_OK && error) *error = why;
  rh_redhost_leave(redhost);
  return status;
}

/* With the caller's queue, its buffers may follow as well as arrays. */
static uint32_t data_of(const rh_redhost *redhost) {
  return redhost->options.queue ? RH_JOB_IN_PLACE : RH_JOB_ON_HOST;
}

/* The operator, its operands, and where their data are. */
static rh_status name_operands(const rh_redhost *redhost, rh_prepared *p,
                               const rh_prepare_spec *wanted, rh_job_spec *spec, rh_error *error) {
  const rh_asked asked = {.options = &redhost->options,
                          .op = wanted->op,
                          .map = wanted->map,
                          .where = wanted->where,
                          .reduce = wanted->reduce,
                          .identity = wanted->identity,
                          .finalize = wanted->finalize,
                          .type = wanted->type,
                          .inputs = wanted->inputs,
                          .n_inputs = wanted->n_inputs,
                          .constants = wanted->constants,
                          .n_constants = wanted->n_constants,
                          .commutes = wanted->commutes};
  RH_TRY(rh_asked_name(&asked, spec, &p->custom, error));
  rh_operand_layout(spec, spec->offsets);
  p->has_operands = p->custom && rh_operator_has_operands(p->custom);
  p->n_operands = rh_job_operands(spec);
  for (uint32_t k = 0; k < p->n_operands; k++)
    p->ways[k].size = rh_type_size(rh_job_operand_type(spec, k));
  p->result_on_device = wanted->result_on_device;
  p->data_on_device = wanted->data_on_device || wanted->result_on_device;
  p->max_n = wanted->max_n;
  if (p->data_on_device) return RH_OK;
  spec->in_pieces = !redhost->options.queue;
  if (p->custom && rh_kept_may_ring(redhost, spec)) rh_operator_take_base(p->custom);
  return RH_OK;
}

rh_status rh_prepare(rh_redhost *redhost, const rh_prepare_spec *asked, rh_prepared **prepared,
                     rh_error *error) {
  rh_prepare_spec wanted;
  RH_TRY(check_call(redhost, asked, prepared, &wanted, error));
  rh_job_spec spec = {
      .strategy = wanted.strategy,
      .n = wanted.max_n,
      .settings = wanted.settings,
      .n_settings = wanted.n_settings,
      .unchecked_op = wanted.unchecked_op,
      .what = "the data",
      .on_device = wanted.result_on_device ? RH_JOB_RESULT_ON_DEVICE
                   : wanted.data_on_device ? RH_JOB_DATA_ON_DEVICE
                                           : data_of(redhost),
  };
  rh_prepared *p = calloc(1, sizeof *p);
  if (!p) return rh_fail(error, RH_E_NOMEM, "no memory to prepare a reduction");
  rh_status status = name_operands(redhost, p, &wanted, &spec, error);
  if (status == RH_OK) status = make_prepared(p, redhost, &spec, error);
  if (status != RH_OK)
    release(p);
  else
    *prepared = p;
  return status;
}

void rh_prepared_forget(rh_prepared *p) {
  if (!p) return;
  wait_and_begin(p);
  drop_views(p);
  end_call(p);
}

void rh_prepared_destroy(rh_prepared *p) {
  if (!p) return;
  rh_redhost *redhost = p->job.redhost;
  wait_and_begin(p);
  /* called from its own callback: nothing can be released yet */
  if (rh_redhost_enter(redhost, NULL) != RH_OK) {
    end_call(p);
    return;
  }
  release(p);
  redhost->n_prepared--;
  rh_redhost_leave(redhost);
}
