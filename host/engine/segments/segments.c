#include "segments.h"
#include "../../core/base/clock.h"
#include "../../core/base/error.h"
#include "../../core/base/log.h"
#include "../../core/base/vocabulary.h"
#include "../../core/cl/memory.h"
#include "../../core/data/pace.h"
#include "../../core/run/operand_data.h"

#include <stdlib.h>
#include <string.h>

enum { PORTION = 1 << 16 }; /* values that stay on a device before they are read */

/* ---- Setup ---- */

/* Elements in a row have no order but their own, so that a strategy reads them where they are. */
static int must_copy(const rh_segments *s) {
  const rh_layout *layout = s->spec.operation.layout;
  if (layout->segments == 0 || layout->longest == 0) return 0;
  return s->axes || (s->is_loop && !rh_layout_is_in_rows(layout));
}

/* Does the operator look at more of a segment than its elements, so that each is bound anew? */
static int is_bound_anew(const rh_operator *op) {
  return op->uses_index || op->count_slot >= 0;
}

/* The strategy gets one run where it serves the layout, else a loop. */
static rh_status ask_strategy(rh_segments *s, rh_context *context, rh_error *error) {
  rh_job_spec spec = s->spec;
  s->job = (rh_job){.context = context, .spec = spec};
  RH_TRY(rh_job_open(&s->job, context, &spec, error));
  if (is_bound_anew(spec.operation.op)) s->job.instance_spec.layout = NULL;
  if (s->job.instance_spec.layout && rh_job_ask(&s->job, NULL) == RH_OK) return RH_OK;
  s->is_loop = 1;
  s->job.instance_spec.layout = NULL;
  return rh_job_ask(&s->job, error);
}

static rh_status make_rows(rh_segments *s, rh_error *error) {
  const rh_layout *layout = s->spec.operation.layout;
  uint64_t bytes = rh_operand_layout(&s->job.spec, s->copied_to);
  rh_status status = rh_region_alloc(&s->copy, bytes ? bytes : 1, error);
  if (status == RH_E_NOMEM)
    rh_error_prefix(error, "%s: copying segments into rows", s->spec.operation.what);
  RH_TRY(status);
  s->given = rh_layout_axis(layout->segments, layout->length, 1);
  s->job.spec.operation.layout = &s->given;
  s->was_copied = 1;
  return RH_OK;
}

static rh_status make_results(rh_segments *s, rh_error *error) {
  uint64_t portion = s->is_loop && s->n > PORTION ? PORTION : s->n;
  if (!s->job.device || s->job.answer.finishes_on_host || s->n == 0) return RH_OK;
  return rh_cl_buffer(s->job.instance_spec.session, CL_MEM_READ_WRITE, portion * s->value_bytes,
                      NULL, "allocating the results", &s->results, error);
}

static rh_status upload(const rh_segments *s, const uint64_t *offsets, cl_mem *buffer,
                        rh_error *error) {
  return rh_cl_buffer(s->job.instance_spec.session, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                      s->n * sizeof *offsets, (void *)(uintptr_t)offsets,
                      "bringing offsets to the device", buffer, error);
}

/* A strategy of a device gets offsets there. */
static rh_status upload_offsets(rh_segments *s, rh_error *error) {
  rh_instance_spec *spec = &s->job.instance_spec;
  if (!s->job.device || !spec->layout || spec->layout->kind != RH_LAYOUT_OFFSETS || s->n == 0)
    return RH_OK;
  RH_TRY(rh_context_session(s->job.context, &spec->session, error));
  s->given = *spec->layout;
  spec->layout = &s->given;
  RH_TRY(upload(s, s->given.starts, &s->given.device_starts, error));
  return upload(s, s->given.stops, &s->given.device_stops, error);
}

rh_status rh_segments_open(rh_segments *s, rh_context *context, const rh_job_spec *spec,
                           const rh_axes *axes, rh_error *error) {
  const rh_layout *layout = spec->operation.layout;
  *s = (rh_segments){.spec = *spec,
                     .axes = axes,
                     .n = layout->segments,
                     .value_bytes = spec->operation.op->abi->value_size};
  if (axes) s->spec.operation.n = layout->segments * layout->length;
  RH_TRY(ask_strategy(s, context, error));
  if (s->n < SIZE_MAX / s->value_bytes) s->values = malloc(s->n * s->value_bytes + 1);
  if (!s->values)
    return rh_fail(error, RH_E_NOMEM, "no memory for %llu values", (unsigned long long)s->n);
  if (must_copy(s)) RH_TRY(make_rows(s, error));
  RH_TRY(upload_offsets(s, error));
  RH_TRY(rh_job_instantiate(&s->job, error));
  return make_results(s, error);
}

void rh_segments_finish(rh_segments *s) {
  if (s->results) clReleaseMemObject(s->results);
  for (uint32_t k = 0; k < RH_MOST_OPERANDS; k++) rh_cl_input_finish(&s->inputs[k]);
  if (s->given.device_starts) clReleaseMemObject(s->given.device_starts);
  if (s->given.device_stops) clReleaseMemObject(s->given.device_stops);
  rh_job_finish(&s->job);
  rh_region_finish(&s->copy);
  free(s->values);
  *s = (rh_segments){0};
}

/* ---- Data ---- */

/* Operand k in rows. */
static const void *copy_operand(const rh_segments *s, uint32_t k) {
  const rh_operation *operation = &s->spec.operation;
  uint32_t size = rh_type_size(operation->op->operands[k].type);
  void *to = (char *)s->copy.address + s->copied_to[k];
  if (s->axes)
    rh_axes_rearrange(s->axes, s->operands[k], size, to);
  else
    rh_rearrange_all(operation->layout, s->operands[k], size, to);
  return to;
}

rh_status rh_segments_bring(rh_segments *s, const void *const *operands, rh_error *error) {
  const void *at[RH_MOST_OPERANDS];
  for (uint32_t k = 0; k < s->spec.operation.op->n_operands; k++) {
    s->operands[k] = operands[k];
    at[k] = s->was_copied ? copy_operand(s, k) : operands[k];
    if (s->axes) s->operands[k] = at[k];
  }
  return rh_operands_bring(&s->job, s->inputs, at, s->spec.operation.n, &s->job.data, error);
}

void rh_segments_let_go(rh_segments *s) {
  if (!s->job.device || !s->job.instance_spec.session) return;
  clFinish(s->job.instance_spec.session->queue);
  for (uint32_t k = 0; k < RH_MOST_OPERANDS; k++)
    if (s->inputs[k].in_place) rh_cl_input_finish(&s->inputs[k]);
}

/* ---- A loop over segments ---- */

/* The data of segment `k`. */
static rh_data data_of(rh_segments *s, rh_operands *operands, uint64_t k) {
  const rh_operator *op = s->spec.operation.op;
  uint64_t first = rh_layout_first(s->job.spec.operation.layout, k);
  rh_data data = s->job.data;
  data.first += first;
  if (!data.operands) return data;
  data.first = s->job.data.first;
  *operands = s->job.operands;
  for (uint32_t j = 0; j < op->n_operands; j++) {
    operands->at[j] += first;
    operands->arrays.operands[j] =
        (const char *)operands->arrays.operands[j] + first * rh_type_size(op->operands[j].type);
  }
  operands->arrays.constants = operands->constants;
  data.operands = operands;
  return data;
}

static rh_status read_portion(rh_segments *s, uint64_t from, uint64_t n, rh_error *error) {
  rh_cl_session *session = s->job.instance_spec.session;
  RH_CL_TRY_IN(session, error,
               clEnqueueReadBuffer(session->queue, s->results, CL_TRUE, 0, n * s->value_bytes,
                                   s->values + from * s->value_bytes, 0, NULL, NULL),
               "reading the results from the device");
  return RH_OK;
}

/* The value of segment `k`; in the results, if they are on the device. */
static rh_status reduce_one(rh_segments *s, uint64_t k, rh_error *error) {
  const rh_op *op = s->spec.operation.op->abi;
  unsigned char *value = s->values + k * s->value_bytes;
  uint64_t n = rh_layout_length(s->job.spec.operation.layout, k);
  rh_operands operands;
  const rh_data data = data_of(s, &operands, k);
  if (s->results)
    return rh_instance_run_to(s->job.instance, &data, n, s->results, k % PORTION, error);
  memcpy(value, op->identity, s->value_bytes);
  return n ? rh_instance_call(s->job.instance, &data, n, value, error) : RH_OK;
}

static rh_status loop(rh_segments *s, rh_error *error) {
  rh_pace pace = {.reporter = &s->job.context->options.reporter, .phase = "segments"};
  for (uint64_t k = 0; k < s->n; k++) {
    RH_TRY(reduce_one(s, k, error));
    if (k % 256 == 0) RH_TRY(rh_pace_report(&pace, k, s->n, error));
    if (s->results && (k % PORTION == PORTION - 1 || k + 1 == s->n))
      RH_TRY(read_portion(s, k - k % PORTION, k % PORTION + 1, error));
  }
  return RH_OK;
}

/* All segments in one run. */
static rh_status run_once(rh_segments *s, rh_error *error) {
  if (s->n == 0) return RH_OK;
  RH_TRY(rh_instance_run_layout(s->job.instance, &s->job.data, s->spec.operation.n, s->values,
                                s->results, error));
  return s->results ? read_portion(s, 0, s->n, error) : RH_OK;
}

rh_status rh_segments_run(rh_segments *s, rh_error *error) {
  double start = rh_now();
  rh_status status = s->is_loop ? loop(s, error) : run_once(s, error);
  s->seconds = rh_now() - start;
  return status;
}

void rh_segments_result(const rh_segments *s, uint64_t k, rh_result *result) {
  const rh_operation *operation = &s->spec.operation;
  operation->op->calls->decode(operation->op, s->values + k * s->value_bytes,
                               rh_layout_length(operation->layout, k), result);
}
