#include "library.h"

#include "../choose/choose.h"

typedef unsigned long long number; /* as %llu takes it */

/* ---- Axes ---- */

static rh_status check_axes(const rh_segmentation *given, rh_error *error) {
  uint32_t n = given->n_axes;
  if (n > RH_MOST_AXES)
    return rh_fail(error, RH_E_USAGE, "rh_segmentation.n_axes is %u; an array has up to %d", n,
                   RH_MOST_AXES);
  if (!given->lengths) return rh_fail(error, RH_E_USAGE, "rh_segmentation.lengths is null");
  if (!given->reduced)
    return rh_fail(error, RH_E_USAGE,
                   "rh_segmentation.reduced is 0: no axis is reduced; 1u << 0 is the first");
  for (uint32_t k = n; k < 32; k++)
    if (given->reduced >> k & 1)
      return rh_fail(error, RH_E_USAGE,
                     "rh_segmentation.reduced: there is no axis %u; the array has %u, from 0 on", k,
                     n);
  return RH_OK;
}

/* Do the elements lie among n? */
static rh_status check_reach(const rh_axes *axes, uint64_t n, rh_error *error) {
  uint64_t last = 0, steps;
  int is_beyond = n == 0;
  for (uint32_t k = 0; k < axes->n; k++) {
    const rh_axis *axis = &axes->list[k];
    if (axis->length == 0) return RH_OK;
    is_beyond |= __builtin_mul_overflow(axis->length - 1, axis->stride, &steps) ||
                 __builtin_add_overflow(last, steps, &last);
  }
  if (!is_beyond && last < n) return RH_OK;
  return rh_fail(error, RH_E_USAGE,
                 "rh_segmentation: the axes reach element %llu, and the array has %llu elements",
                 (number)last, (number)n);
}

static rh_status make_offsets(rh_segmented *s, uint64_t n, rh_error *error) {
  s->offsets = n < SIZE_MAX / 16 ? malloc((2 * n + 1) * sizeof *s->offsets) : NULL;
  return s->offsets ? RH_OK : rh_fail(error, RH_E_NOMEM, "no memory for %llu segments", (number)n);
}

/* Rows that lie apart are read where they are, unless they are hardly longer than their offsets. */
static rh_status take_rows(rh_segmented *s, rh_error *error) {
  enum { LEAST = 64 /* elements */ };
  uint64_t n = s->layout.segments;
  if (!s->is_scattered || s->layout.length < LEAST || !rh_axes_rows(&s->axes, 0, NULL, NULL))
    return RH_OK;
  RH_TRY(make_offsets(s, n, error));
  rh_axes_rows(&s->axes, n, s->offsets, s->offsets + n);
  s->layout = rh_layout_offsets(s->offsets, s->offsets + n, n);
  s->is_scattered = 0;
  return RH_OK;
}

static rh_status take_axes(rh_segmented *s, rh_error *error) {
  const rh_segmentation *given = &s->given;
  rh_axes axes = {.n = given->n_axes};
  uint64_t stride = 1;
  RH_TRY(check_axes(given, error));
  for (uint32_t k = axes.n; k-- > 0;) {
    uint64_t length = s->axes_given[0][k] = given->lengths[k];
    if (given->strides) s->axes_given[1][k] = given->strides[k];
    axes.list[k] =
        (rh_axis){length, given->strides ? given->strides[k] : stride, given->reduced >> k & 1};
    if (__builtin_mul_overflow(stride, length ? length : 1, &stride))
      return rh_fail(error, RH_E_USAGE, "rh_segmentation.lengths: more than 2^64 elements");
  }
  RH_TRY(check_reach(&axes, s->spec->operation.n, error));
  s->axes = rh_axes_merged(&axes);
  s->is_scattered = !rh_axes_layout(&s->axes, &s->layout);
  return take_rows(s, error);
}

/* ---- Any segments ---- */

static rh_status take_offsets(rh_segmented *s, uint64_t most_copied, rh_error *error) {
  const uint64_t *starts = s->given.starts, *stops = s->given.stops;
  uint64_t n = s->given.n_segments;
  if (!starts || !stops)
    return rh_fail(error, RH_E_USAGE, "rh_segmentation.%s is null", starts ? "stops" : "starts");
  if (n <= most_copied) {
    RH_TRY(make_offsets(s, n, error));
    uint64_t apart = stops == starts + 1 ? 1 : n; /* n + 1 offsets stay what they are */
    memcpy(s->offsets, starts, n * sizeof *starts);
    memcpy(s->offsets + apart, stops, n * sizeof *stops);
    starts = s->offsets;
    stops = starts + apart;
  }
  s->layout = rh_layout_offsets(starts, stops, n);
  return RH_OK;
}

static rh_status cut(rh_segmented *s, const rh_segmentation *asked, uint64_t most_copied,
                     rh_error *error) {
  rh_segmentation *given = &s->given;
  RH_TRY(rh_sized_read(given, asked, RH_SIZED(rh_segmentation, n_segments), error));
  int has_offsets = given->starts || given->stops || given->n_segments;
  if (given->reserved) return rh_fail(error, RH_E_USAGE, "rh_segmentation.reserved must be 0");
  if ((given->n_axes > 0) + (given->length > 0) + has_offsets != 1)
    return rh_fail(error, RH_E_USAGE,
                   "rh_segmentation: exactly one of n_axes, length, and starts with stops says "
                   "which elements make a segment");
  uint64_t n = s->spec->operation.n, length = given->length;
  if (given->n_axes) RH_TRY(take_axes(s, error));
  else if (!length) RH_TRY(take_offsets(s, most_copied, error));
  else if (n % length == 0) s->layout = rh_layout_axis(n / length, length, 1);
  else
    return rh_fail(error, RH_E_USAGE,
                   "rh_segmentation.length is %llu, and %llu elements are not a multiple of that",
                   (number)length, (number)n);
  if (s->is_scattered) n = s->layout.segments * s->layout.length;
  s->spec->operation.layout = &s->layout;
  return rh_layout_check(&s->layout, s->spec->operation.op, n, error);
}

rh_status rh_segmented_name(rh_segmented *s, rh_job_spec *spec, const rh_request *request,
                            rh_custom *custom, uint64_t most_copied, rh_error *error) {
  s->spec = spec;
  rh_columns_find(&s->columns, spec->operation.op);
  RH_TRY(cut(s, request->segments, most_copied, error));
  return request->accuracy ? rh_accuracy_ask(spec, custom, error) : RH_OK;
}

static int is_same_list(const uint64_t *own, const uint64_t *given, uint64_t n) {
  return given && memcmp(own, given, n * sizeof *own) == 0;
}

int rh_segmented_is_of(const rh_segmented *s, const rh_segmentation *asked) {
  const rh_segmentation *own = &s->given;
  rh_segmentation other;
  uint64_t n = own->n_segments;
  if (rh_sized_read(&other, asked, RH_SIZED(rh_segmentation, n_segments), NULL) != RH_OK ||
      own->n_axes != other.n_axes || own->reduced != other.reduced || own->length != other.length ||
      n != other.n_segments || other.reserved)
    return 0;
  if (own->n_axes)
    return !other.starts && !other.stops && !own->strides == !other.strides &&
           is_same_list(s->axes_given[0], other.lengths, own->n_axes) &&
           (!own->strides || is_same_list(s->axes_given[1], other.strides, own->n_axes));
  if (own->length) return !other.starts && !other.stops;
  return is_same_list(s->layout.starts, other.starts, n) &&
         is_same_list(s->layout.stops, other.stops, n);
}

/* ---- Outputs ---- */

static rh_status bad_name(const rh_columns *columns, const rh_output *output, rh_error *error) {
  RH_FINISHED(rh_text) names = {0};
  for (uint32_t k = 0; k < columns->n; k++)
    rh_text_add(&names, "%s%s", k ? ", " : "", columns->list[k].name ? columns->list[k].name : "");
  if (!columns->list[0].name)
    rh_text_add(&names, columns->names.indexed ? "index, value" : "value");
  if (output->name)
    return rh_fail(error, RH_E_USAGE, "output '%.31s': the results are %s", output->name,
                   rh_text_get(&names));
  return rh_fail(error, RH_E_USAGE, "more outputs than there are results, which are %s",
                 rh_text_get(&names));
}

/* The column of output k, or `none`. */
static uint32_t column_of(const rh_columns *columns, const char *name, uint64_t k, uint32_t none) {
  if (!name) return k < columns->n ? (uint32_t)k : none;
  for (uint32_t j = 0; j < columns->n; j++)
    if (columns->list[j].name && strcmp(columns->list[j].name, name) == 0) return j;
  if (columns->list[0].name) return none;
  if (columns->names.indexed && strcmp(name, "index") == 0) return 0;
  return strcmp(name, "value") == 0 ? RH_COLUMN_VALUE : none;
}

static rh_status check_output(const rh_segmented *s, const rh_output *output, uint64_t k,
                              rh_error *error) {
  enum { NONE = RH_MOST_RESULTS };
  uint32_t column = column_of(&s->columns, output->name, k, NONE);
  if (column == NONE) return bad_name(&s->columns, output, error);
  rh_type type = column == RH_COLUMN_VALUE ? s->columns.names.type : s->columns.list[column].type;
  const char *given = rh_type_name(output->type);
  if (output->type != type)
    return rh_fail(error, RH_E_USAGE, "output %llu: the results are %s, and its array is %s",
                   (number)k, rh_type_name(type), given ? given : "of an unknown type");
  if (output->n < s->layout.segments)
    return rh_fail(error, RH_E_USAGE,
                   "output %llu has room for %llu results, and there are %llu segments", (number)k,
                   (number)output->n, (number)s->layout.segments);
  if (s->layout.segments == 0 || rh_operand_is_aligned(output->data, rh_type_size(type)))
    return RH_OK;
  return rh_fail(error, RH_E_USAGE, "output %llu: its array is null or not aligned to its elements",
                 (number)k);
}

static int do_overlap(const rh_output *a, const rh_output *b, uint64_t n) {
  uintptr_t of_a = (uintptr_t)a->data, of_b = (uintptr_t)b->data;
  return of_a < of_b + n * rh_type_size(b->type) && of_b < of_a + n * rh_type_size(a->type);
}

rh_status rh_segmented_check_outputs(const rh_segmented *s, const rh_output *outputs, uint64_t n,
                                     rh_error *error) {
  if (!outputs || n == 0)
    return rh_fail(error, RH_E_USAGE, "results of segments need a place: there are no outputs");
  for (uint64_t k = 0; k < n; k++) RH_TRY(check_output(s, &outputs[k], k, error));
  for (uint64_t k = 1; k < n; k++)
    for (uint64_t j = 0; j < k; j++)
      if (do_overlap(&outputs[j], &outputs[k], s->layout.segments))
        return rh_fail(error, RH_E_USAGE, "outputs %llu and %llu overlap", (number)j, (number)k);
  return RH_OK;
}

/* ---- One run ---- */

static void write_result(const rh_segmented *s, const rh_result *from, rh_result *result) {
  rh_result own = *from;
  memcpy(own.strategy, s->columns.names.strategy, sizeof own.strategy);
  rh_sized_write(result, &own, RH_SIZED(rh_result, strategy));
}

void rh_segmented_warn(const rh_segmented *s, const rh_segments_check *check) {
  char text[640];
  if (rh_segments_unjudged(check, text))
    rh_log(&s->segments.job.context->options.reporter, RH_LOG_WARNING, "strategy '%s': %s",
           s->columns.names.strategy, text);
}

static rh_status judge_values(rh_segmented *s, rh_result *result, rh_error *error) {
  rh_segments_check check;
  RH_TRY(rh_segments_judge(&s->segments, 1, &check, error));
  if (check.is_wrong) write_result(s, &check.got, result);
  RH_TRY(rh_segments_verdict(&s->segments, &check, error));
  rh_segmented_warn(s, &check);
  return RH_OK;
}

void rh_segmented_store(const rh_segmented *s, const rh_output *outputs, uint64_t n,
                        rh_result *result) {
  const rh_operator *op = s->spec->operation.op;
  rh_result first = s->columns.names;
  if (s->segments.n) rh_segments_result(&s->segments, 0, &first);
  else op->calls->decode(op, op->abi->identity, 0, &first);
  for (uint64_t k = 0; k < n; k++)
    rh_columns_store(&s->columns, column_of(&s->columns, outputs[k].name, k, 0), &s->segments,
                     outputs[k].data);
  write_result(s, &first, result);
}

/* Values that are not checked go where their results will be, if they fit. */
rh_status rh_segmented_reduce(rh_segmented *s, const void *const *operands, int is_checked,
                              const rh_output *outputs, uint64_t n_outputs, rh_result *result,
                              rh_error *error) {
  rh_segments *segments = &s->segments;
  unsigned char *own = segments->values;
  if (!is_checked && n_outputs == 1 && segments->n && rh_columns_fit_values(&s->columns, segments))
    segments->values = outputs->data;
  rh_status status = rh_segments_bring(segments, operands, error);
  if (status == RH_OK) status = rh_segments_run(segments, error);
  rh_segments_let_go(segments);
  if (status == RH_OK && is_checked) status = judge_values(s, result, error);
  if (status == RH_OK) rh_segmented_store(s, outputs, n_outputs, result);
  segments->values = own;
  return status;
}

rh_status rh_segmented_call(rh_segmented *s, const rh_call_spec *call, const void *const *operands,
                            rh_result *result, rh_error *error) {
  if (!call->values) RH_TRY(rh_segmented_check_outputs(s, call->outputs, call->n_outputs, error));
  if (operands)
    return rh_segmented_reduce(s, operands, 0, call->outputs, call->n_outputs, result, error);
  RH_TRY(rh_segments_bring_buffers(&s->segments, call->buffers, call->first, error));
  RH_TRY(rh_segments_run_to(&s->segments, call->values, call->index, error));
  if (!call->values) rh_segmented_store(s, call->outputs, call->n_outputs, result);
  return RH_OK;
}

/* ---- Setting up ---- */

rh_status rh_segmented_set_up(rh_segmented *s, rh_context *context, int *is_final,
                              rh_error *error) {
  RH_TRY(rh_locate(context, s->spec, &s->found, error));
  rh_job_spec located = *s->spec;
  rh_result *names = &s->columns.names;
  snprintf(names->strategy, sizeof names->strategy, "%s", s->found.name);
  located.strategy = s->found.name;
  located.plugin = s->found.path;
  rh_status status =
      rh_segments_open(&s->segments, context, &located, s->is_scattered ? &s->axes : NULL, error);
  *is_final = status == RH_E_NOMEM && !s->segments.values;
  RH_TRY(status);
  if (s->segments.was_copied)
    rh_log(&context->options.reporter, RH_LOG_INFO,
           "strategy '%s': segments do not stand in rows, so each call copies them first",
           s->found.name);
  return RH_OK;
}

void rh_segmented_undo(rh_segmented *s) {
  rh_segments_finish(&s->segments);
  rh_found_finish(&s->found);
}

void rh_segmented_finish(rh_segmented *s) {
  rh_segmented_undo(s);
  free(s->offsets);
}

int rh_segmented_takes_little(const rh_segmented *s) {
  const rh_segments *of = &s->segments;
  uint64_t bytes = of->n * of->value_bytes;
  if (s->given.n_segments && !s->offsets) return 0; /* they are the caller's */
  if (of->was_copied)
    bytes += s->spec->operation.n * rh_operator_element_bytes(s->spec->operation.op);
  if (of->job.device) bytes += of->job.instance->services.scratch_bytes;
  for (uint32_t k = 0; k < RH_MOST_OPERANDS; k++)
    bytes += of->inputs[k].in_place ? 0 : of->inputs[k].bytes;
  return bytes <= RH_KEPT_BYTES;
}
