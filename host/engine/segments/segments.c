#include "segments.h"

#include "rows.cl.h"

enum {
  LOOP_PORTION = 1 << 16, /* results that stay on a device before they are read */
  OF_ALLOCATION = 4,      /* the same of one run: so many are the most that can be allocated */
  GROUP = 64              /* that copies segments into rows */
};

/* ---- Rows on a device ---- */

static rh_status open_operand(rh_segments *s, uint32_t k, rh_error *error) {
  static const char *const names[] = {
      [1] = "rows_1", [2] = "rows_2", [4] = "rows_4", [8] = "rows_8"};
  rh_device_rows *rows = &s->rows;
  uint32_t size = rh_type_size(s->spec.operation.op->operands[k].type);
  RH_TRY(rh_cl_buffer(s->job.instance_spec.session, CL_MEM_READ_WRITE, rows->n * size, NULL,
                      "allocating segments in rows", &rows->buffers[k], error));
  RH_TRY(rh_cl_kernel(rows->program, names[size], &rows->kernels[k], error));
  cl_int code = rh_cl_set(rows->kernels[k], 2, sizeof(cl_mem), &rows->buffers[k]);
  if (code == CL_SUCCESS) code = rh_cl_set(rows->kernels[k], 3, sizeof rows->n, &rows->n);
  if (code == CL_SUCCESS) code = rh_cl_set(rows->kernels[k], 4, sizeof rows->axes, &rows->axes);
  return code == CL_SUCCESS ? RH_OK : rh_cl_fail(error, code, "setting an argument");
}

/* Axes that stay come before those that are reduced. */
static rh_status open_rows(rh_segments *s, rh_error *error) {
  const rh_axes all = s->axes ? *s->axes : rh_axes_of(s->spec.operation.layout);
  rh_device_rows *rows = &s->rows;
  rows->n = 1;
  for (uint32_t k = 0; k < 2 * all.n; k++) {
    const rh_axis *axis = &all.list[k % all.n];
    if (axis->is_reduced != k / all.n) continue;
    rows->axes.length[rows->axes.n] = axis->length;
    rows->axes.stride[rows->axes.n++] = axis->stride;
    rows->n *= axis->length;
  }
  RH_TRY(rh_context_session(s->job.context, &s->job.instance_spec.session, error));
  RH_TRY(rh_cl_program(s->job.instance_spec.session, "rows.cl", "", (const char *)rows_cl, "",
                       &rows->program, error));
  for (uint32_t k = 0; k < s->spec.operation.op->n_operands; k++) RH_TRY(open_operand(s, k, error));
  return RH_OK;
}

/* Enqueues the copies of all operands: that of operand k from element first[k] of from[k] on. */
static rh_status copy_rows(const rh_segments *s, const cl_mem *from, const uint64_t *first,
                           rh_error *error) {
  const rh_cl_session *session = s->job.instance_spec.session;
  uint32_t most = session->device->about.max_group;
  const size_t group = most < GROUP ? most : GROUP;
  const size_t all = (s->rows.n + group - 1) / group * group;
  for (uint32_t k = 0; k < s->spec.operation.op->n_operands; k++) {
    cl_kernel kernel = s->rows.kernels[k];
    uint64_t at = first ? first[k] : 0;
    RH_CL_TRY(error, rh_cl_set(kernel, 0, sizeof from[k], &from[k]), "setting an argument");
    RH_CL_TRY(error, rh_cl_set(kernel, 1, sizeof at, &at), "setting an argument");
    RH_CL_TRY_IN(session, error,
                 rh_cl_launch(session->queue, kernel, all, group, rh_cl_event_for(session, "rows")),
                 "copying segments into rows");
  }
  return RH_OK;
}

/* ---- Setup ---- */

/* The strategy gets one run where it serves the layout, else a loop. */
static rh_status ask_strategy(rh_segments *s, rh_context *context, rh_error *error) {
  rh_job_spec spec = s->spec;
  s->job = (rh_job){.context = context, .spec = spec};
  RH_TRY(rh_job_open(&s->job, context, &spec, error));
  /* Where an operator looks at more of a segment than its elements, each is bound anew. */
  if (spec.operation.op->uses_index || spec.operation.op->count_slot >= 0)
    s->job.instance_spec.layout = NULL;
  if (s->job.instance_spec.layout && rh_job_ask(&s->job, NULL) == RH_OK) return RH_OK;
  s->is_loop = 1;
  s->job.instance_spec.layout = NULL;
  return rh_job_ask(&s->job, error);
}

/* Elements in a row have no order but their own, so that a strategy reads them where they are.
 * Others are copied on the host; those of a caller's buffers, on the device. */
static rh_status make_rows(rh_segments *s, rh_error *error) {
  const rh_layout *layout = s->spec.operation.layout;
  if (layout->segments == 0 || layout->longest == 0) return RH_OK;
  if (!s->axes && (!s->is_loop || rh_layout_is_in_rows(layout))) return RH_OK;
  uint64_t bytes = rh_operand_layout(&s->job.spec, s->copied_to);
  if (s->job.device && s->job.context->options.queue && s->spec.on_device >= RH_JOB_IN_PLACE)
    RH_TRY(open_rows(s, error));
  rh_status status = s->spec.on_device < RH_JOB_DATA_ON_DEVICE
                         ? rh_region_alloc(&s->copy, bytes ? bytes : 1, error)
                         : RH_OK;
  if (status == RH_E_NOMEM)
    rh_error_prefix(error, status, "%s: copying segments into rows", s->spec.operation.what);
  s->given = rh_layout_axis(layout->segments, layout->length, 1);
  s->job.spec.operation.layout = &s->given;
  s->was_copied = 1;
  return status;
}

static int is_by_offsets(const rh_segments *s) {
  const rh_layout *layout = s->job.instance_spec.layout;
  return layout && layout->kind == RH_LAYOUT_OFFSETS;
}

/* The device holds results of so many; columns that lie side by side stay together. */
static void choose_portion(rh_segments *s) {
  const rh_layout *layout = s->job.instance_spec.layout;
  s->portion = s->n;
  if (!s->job.device || s->job.answer.finishes_on_host || s->n == 0) return;
  uint64_t bytes = s->job.device->about.max_alloc_bytes / OF_ALLOCATION;
  uint64_t each = s->value_bytes, inner = 1;
  if (is_by_offsets(s) && each < sizeof *layout->starts) each = sizeof *layout->starts;
  if (layout && layout->kind == RH_LAYOUT_AXIS) inner = layout->inner;
  uint64_t most = s->is_loop ? LOOP_PORTION : bytes / each / inner * inner;
  if (most < inner) most = inner;
  if (s->portion > most) s->portion = most;
}

static rh_status upload(const rh_segments *s, const uint64_t *offsets, uint64_t n, cl_mem *buffer,
                        rh_error *error) {
  return rh_cl_buffer(s->job.instance_spec.session, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                      n * sizeof *offsets, (void *)(uintptr_t)offsets,
                      "bringing offsets to the device", buffer, error);
}

/* A strategy of a device gets offsets there: of the first portion now. */
static rh_status upload_offsets(rh_segments *s, rh_error *error) {
  rh_instance_spec *spec = &s->job.instance_spec;
  if (!s->job.device || !is_by_offsets(s) || s->n == 0) return RH_OK;
  RH_TRY(rh_context_session(s->job.context, &spec->session, error));
  s->given = *spec->layout;
  s->given.offsets_stay = s->portion == s->n;
  spec->layout = &s->given;
  uint64_t n_starts = s->portion + s->given.is_back_to_back;
  RH_TRY(upload(s, s->given.starts, n_starts, &s->given.device_starts, error));
  return upload(s, s->given.stops, s->portion, &s->given.device_stops, error);
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
  /* What a strategy does not round once is, as of a whole array, what the check has found. */
  if (rh_job_is_near(&s->job))
    RH_TRY(RH_NEW(&s->exact, s->n + 1, "the exact answers of segments", error));
  RH_TRY(rh_job_check_place(&s->job, error));
  choose_portion(s);
  if (s->n < SIZE_MAX / s->value_bytes) s->values = malloc(s->n * s->value_bytes + 1);
  if (!s->values)
    return rh_fail(error, RH_E_NOMEM, "no memory for %llu values", (unsigned long long)s->n);
  RH_TRY(make_rows(s, error));
  RH_TRY(upload_offsets(s, error));
  RH_TRY(rh_job_instantiate(&s->job, error));
  RH_TRY(rh_job_check_place(&s->job, error)); /* tuned parameters may have been dropped */
  if (!s->job.device || s->job.answer.finishes_on_host || s->n == 0) return RH_OK;
  return rh_cl_buffer(s->job.instance_spec.session, CL_MEM_READ_WRITE, s->portion * s->value_bytes,
                      NULL, "allocating the results", &s->results, error);
}

void rh_segments_finish(rh_segments *s) {
  rh_cl_release_buffer(s->results);
  for (uint32_t k = 0; k < RH_MOST_OPERANDS; k++) rh_cl_input_finish(&s->inputs[k]);
  rh_cl_release_buffer(s->given.device_starts);
  rh_cl_release_buffer(s->given.device_stops);
  rh_job_finish(&s->job); /* waits for the device */
  for (uint32_t k = 0; k < RH_MOST_OPERANDS; k++) {
    rh_cl_release_kernel(s->rows.kernels[k]);
    rh_cl_release_buffer(s->rows.buffers[k]);
  }
  rh_cl_release_program(s->rows.program);
  rh_region_finish(&s->copy);
  free(s->values);
  free(s->exact);
  *s = (rh_segments){0};
}

/* ---- Data ---- */

/* Operand k in rows. */
static const void *copy_operand(const rh_segments *s, uint32_t k) {
  const rh_operation *operation = &s->spec.operation;
  uint32_t size = rh_type_size(operation->op->operands[k].type);
  void *to = (char *)s->copy.address + s->copied_to[k];
  const rh_axes axes = s->axes ? *s->axes : rh_axes_of(operation->layout);
  const rh_elements all = {0, operation->layout->segments, 0, operation->layout->length};
  rh_axes_rearrange(&axes, s->operands[k], size, &all, 1, to);
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

rh_status rh_segments_bring_buffers(rh_segments *s, const cl_mem *buffers, const uint64_t *first,
                                    rh_error *error) {
  if (s->was_copied) {
    RH_TRY(copy_rows(s, buffers, first, error));
    buffers = s->rows.buffers;
    first = NULL;
  }
  s->job.data = rh_operands_in_buffers(&s->job, buffers, first);
  return RH_OK;
}

void rh_segments_let_go(rh_segments *s) {
  if (!s->job.device || !s->job.instance_spec.session) return;
  rh_cl_finish(s->job.instance_spec.session->queue);
  rh_cl_inputs_let_go(s->inputs, RH_MOST_OPERANDS);
}

/* ---- Where results go ---- */

/* All results go to the host, in portions, or, of a target with a buffer, to a place on the device:
 * those of segments from `first` on. */
static rh_values place_of(const rh_segments *s, const rh_values *to, uint64_t first) {
  return (rh_values){.host = s->values + first * s->value_bytes,
                     .buffer = to->buffer ? to->buffer : s->results,
                     .index = to->buffer ? to->index + first : first % s->portion};
}

/* Reads what a portion left on the device, if the host wants it. */
static rh_status fetch(rh_segments *s, const rh_values *to, uint64_t first, uint64_t n,
                       rh_error *error) {
  rh_cl_session *session = s->job.instance_spec.session;
  if (to->buffer || !s->results) return RH_OK;
  RH_CL_TRY_IN(session, error,
               rh_cl_read(session->queue, s->results, CL_TRUE, 0, n * s->value_bytes,
                          s->values + first * s->value_bytes, NULL),
               "reading the results from the device");
  return RH_OK;
}

/* The data from element `first` on. */
static rh_data data_from(rh_segments *s, rh_operands *operands, uint64_t first) {
  const rh_operator *op = s->spec.operation.op;
  rh_data data = s->job.data;
  if (!data.operands) {
    data.first += first;
    return data;
  }
  *operands = s->job.operands;
  for (uint32_t j = 0; j < op->n_operands; j++) {
    operands->at[j] += first;
    if (!s->job.device)
      operands->arrays.operands[j] =
          (const char *)operands->arrays.operands[j] + first * rh_type_size(op->operands[j].type);
  }
  operands->arrays.constants = operands->constants;
  data.operands = operands;
  rh_operands_set_part(&data, op, s->whole_n, s->base);
  return data;
}

/* ---- A loop over segments ---- */

static rh_status reduce_one(rh_segments *s, const rh_values *to, uint64_t k, rh_error *error) {
  const rh_op *op = s->spec.operation.op->abi;
  uint64_t n = rh_layout_length(s->job.spec.operation.layout, k);
  rh_operands operands;
  const rh_data data = data_from(s, &operands, rh_layout_first(s->job.spec.operation.layout, k));
  const rh_values place = place_of(s, to, k);
  if (place.buffer)
    return rh_instance_run_to(s->job.instance, &data, n, place.buffer, place.index, error);
  memcpy(place.host, op->identity, s->value_bytes);
  return n ? rh_instance_call(s->job.instance, &data, n, place.host, error) : RH_OK;
}

static rh_status loop(rh_segments *s, const rh_values *to, rh_error *error) {
  rh_pace pace = {.reporter = &s->job.context->options.reporter, .phase = "segments"};
  for (uint64_t k = 0; k < s->n; k++) {
    uint64_t in_portion = k % s->portion + 1;
    RH_TRY(reduce_one(s, to, k, error));
    if (k % 256 == 0) RH_TRY(rh_pace_report(&pace, k, s->n, error));
    if (in_portion == s->portion || k + 1 == s->n)
      RH_TRY(fetch(s, to, k + 1 - in_portion, in_portion, error));
  }
  return RH_OK;
}

/* ---- All segments of a portion in one run ---- */

/* Offsets of the caller's stay where they are until the last run is over. */
static rh_status bring_offsets(const rh_segments *s, const rh_layout *portion, rh_error *error) {
  rh_cl_session *session = s->job.instance_spec.session;
  uint64_t size = sizeof *portion->starts, n = portion->segments;
  if (!s->job.device || s->portion == s->n) return RH_OK; /* they are there */
  cl_int code = rh_cl_write(session->queue, portion->device_starts, CL_FALSE, 0,
                            (n + portion->is_back_to_back) * size, portion->starts, NULL);
  if (code == CL_SUCCESS)
    code = rh_cl_write(session->queue, portion->device_stops, CL_FALSE, 0, n * size, portion->stops,
                       NULL);
  RH_CL_TRY_IN(session, error, code, "bringing offsets to the device");
  return RH_OK;
}

static rh_status run_portion(rh_segments *s, const rh_values *to, uint64_t first, rh_error *error) {
  rh_layout portion = *s->job.instance_spec.layout;
  uint64_t n = s->spec.operation.n, skipped = 0;
  rh_operands operands;
  portion.segments = s->n - first < s->portion ? s->n - first : s->portion;
  if (is_by_offsets(s)) {
    portion.starts += first;
    portion.stops += first;
    RH_TRY(bring_offsets(s, &portion, error));
  } else {
    n = portion.segments * portion.length;
    skipped = first * portion.length;
  }
  const rh_data data = data_from(s, &operands, skipped);
  const rh_values place = place_of(s, to, first);
  RH_TRY(rh_instance_run_layout(s->job.instance, &portion, &data, n, &place, error));
  return fetch(s, to, first, portion.segments, error);
}

rh_status rh_segments_run_to(rh_segments *s, cl_mem result, uint64_t index, rh_error *error) {
  const rh_values to = {.buffer = result, .index = index};
  double start = rh_now();
  rh_status status = s->is_loop ? loop(s, &to, error) : RH_OK;
  for (uint64_t k = 0; k < s->n && !s->is_loop && status == RH_OK; k += s->portion)
    status = run_portion(s, &to, k, error);
  s->seconds = rh_now() - start;
  return status;
}

rh_status rh_segments_run(rh_segments *s, rh_error *error) {
  return rh_segments_run_to(s, NULL, 0, error);
}

void rh_segments_result(const rh_segments *s, uint64_t k, rh_result *result) {
  const rh_operation *operation = &s->spec.operation;
  operation->op->calls->decode(operation->op, s->values + k * s->value_bytes,
                               rh_layout_length(operation->layout, k), result);
  if (!s->exact) return;
  result->value.f = s->exact[k];
  if (rh_result_has_fields(result)) result->fields[0].value.f = s->exact[k];
}
