
#include "app.h"

typedef unsigned long long number; /* as %llu takes it */

/* ---- --axis ---- */

static rh_status bad_axis(const char *text, const rh_npy *npy, rh_error *error) {
  if (npy->dimensions == 0)
    return rh_fail(error, RH_E_USAGE, "--axis '%.40s': the array is one number, without any axis",
                   text);
  return rh_fail(error, RH_E_USAGE,
                 "--axis '%.40s': the array has the shape %s; expected numbers from %d to %d, with "
                 "commas between",
                 text, npy->shape, -(int)npy->dimensions, (int)npy->dimensions - 1);
}

static rh_status parse_axes(const char *text, const rh_npy *npy, unsigned char *is_reduced,
                            rh_error *error) {
  for (const char *at = text;; at++) {
    char *end;
    long axis = strtol(at, &end, 10);
    int is_number = end > at && (*at == '-' || (*at >= '0' && *at <= '9'));
    if (!is_number || axis < -(long)npy->dimensions || axis >= (long)npy->dimensions)
      return bad_axis(text, npy, error);
    if (axis < 0) axis += npy->dimensions;
    if (is_reduced[axis])
      return rh_fail(error, RH_E_USAGE, "--axis '%.40s': axis %ld is named twice", text, axis);
    is_reduced[axis] = 1;
    if (!*end) return RH_OK;
    if (*end != ',') return bad_axis(text, npy, error);
    at = end;
  }
}

static rh_axes axes_of(const rh_npy *npy, const unsigned char *is_reduced) {
  rh_axes axes = {.n = npy->dimensions};
  uint64_t stride = 1;
  for (uint32_t k = 0; k < axes.n; k++) {
    uint32_t at = npy->fortran_order ? k : axes.n - 1 - k;
    axes.list[at] = (rh_axis){npy->lengths[at], stride, is_reduced[at]};
    stride *= npy->lengths[at] ? npy->lengths[at] : 1;
  }
  return axes;
}

static rh_status open_axis(rh_shape *shape, const rh_app *app, const rh_inputs *inputs,
                           rh_error *error) {
  unsigned char is_reduced[RH_NPY_MOST_DIMENSIONS] = {0};
  const rh_feed *feed = &inputs->feeds[0];
  const rh_npy *npy = &feed->npy;
  if (!feed->is_npy)
    return rh_fail(error, RH_E_USAGE,
                   "--axis: %s has no shape, as raw data have none; --length says how long a row "
                   "is",
                   feed->name);
  if (npy->dimensions > RH_NPY_MOST_DIMENSIONS)
    return rh_fail(error, RH_E_FILE, "%s: more than %d dimensions", feed->name,
                   RH_NPY_MOST_DIMENSIONS);
  RH_TRY(parse_axes(app->typed->axis, npy, is_reduced, error));
  snprintf(shape->words, sizeof shape->words, "along %s %.40s of %.128s",
           strchr(app->typed->axis, ',') ? "axes" : "axis", app->typed->axis, npy->shape);
  shape->fortran_order = npy->fortran_order != 0;
  for (uint32_t k = 0; k < npy->dimensions; k++)
    if (!is_reduced[k] || app->typed->keepdims)
      shape->lengths[shape->n_dimensions++] = is_reduced[k] ? 1 : npy->lengths[k];
  const rh_axes axes = axes_of(npy, is_reduced);
  shape->axes = rh_axes_merged(&axes);
  shape->is_scattered = !rh_axes_layout(&shape->axes, &shape->layout);
  return RH_OK;
}

/* ---- --length ---- */

static rh_status open_length(rh_shape *shape, const char *text, const rh_job_spec *spec,
                             rh_error *error) {
  uint64_t length, n = spec->operation.n;
  RH_TRY(rh_size_parse(text, 1, "--length", &length, error));
  if (length == 0)
    return rh_fail(error, RH_E_USAGE, "--length 0: a segment has one element at least");
  if (n % length != 0)
    return rh_fail(error, RH_E_USAGE, "--length %llu: %s has %llu elements, not a multiple of that",
                   (number)length, spec->operation.what, (number)n);
  shape->layout = rh_layout_axis(n / length, length, 1);
  shape->lengths[shape->n_dimensions++] = n / length;
  snprintf(shape->words, sizeof shape->words, "of %llu elements", (number)length);
  return RH_OK;
}

/* ---- --segments, --starts, --stops ---- */

/* Appends the file's numbers; *n: how many. */
static rh_status read_offsets(const rh_app *app, const char *path, uint64_t **offsets, uint64_t *n,
                              rh_error *error) {
  RH_FINISHED(rh_array) array = {0};
  RH_TRY(rh_array_open(&array, path, 0, &app->context->options.reporter, error));
  *n = array.n;
  if (rh_type_is_float(array.type) || rh_type_size(array.type) < 4 || array.dimensions != 1)
    return rh_fail(error, RH_E_FILE,
                   "%s: offsets are one-dimensional, of type i64, u64, i32 or u32; these are %s "
                   "of the shape %s",
                   path, rh_type_name(array.type), array.shape);
  RH_TRY(RH_NEW(offsets, array.n + 1, path, error));
  const char *data = rh_array_data(&array);
  for (uint64_t k = 0; k < array.n; k++) {
    uint64_t *to = &(*offsets)[k];
    data += rh_element_load(array.type, data, to);
    if (rh_type_is_signed(array.type) && (int64_t)*to < 0)
      return rh_fail(error, RH_E_USAGE, "%s: offset %llu is %lld; offsets count elements from 0 on",
                     path, (number)k, (long long)*to);
  }
  return RH_OK;
}

static void take_offsets(rh_shape *shape, const uint64_t *starts, const uint64_t *stops,
                         uint64_t n) {
  shape->layout = rh_layout_offsets(starts, stops, n);
  shape->lengths[shape->n_dimensions++] = n;
}

static rh_status open_segments(rh_shape *shape, const rh_app *app, rh_error *error) {
  const char *path = app->typed->segments;
  uint64_t n;
  RH_TRY(read_offsets(app, path, &shape->offsets, &n, error));
  if (n == 0)
    return rh_fail(error, RH_E_FILE,
                   "%s: is empty; n segments have n + 1 offsets, the last of which is their end",
                   path);
  take_offsets(shape, shape->offsets, shape->offsets + 1, n - 1);
  snprintf(shape->words, sizeof shape->words, "by the offsets in %.150s", path);
  return RH_OK;
}

static rh_status open_starts(rh_shape *shape, const rh_app *app, rh_error *error) {
  const char *starts = app->typed->starts, *stops = app->typed->stops;
  uint64_t n, n_stops;
  RH_TRY(read_offsets(app, starts, &shape->offsets, &n, error));
  RH_TRY(read_offsets(app, stops, &shape->stops, &n_stops, error));
  if (n != n_stops)
    return rh_fail(error, RH_E_FILE, "%s has %llu segments, and %s %llu", starts, (number)n, stops,
                   (number)n_stops);
  take_offsets(shape, shape->offsets, shape->stops, n);
  snprintf(shape->words, sizeof shape->words, "by %.90s and %.90s", starts, stops);
  return RH_OK;
}

/* ---- Files that are paired ---- */

static const char *order_of(const rh_npy *npy) { return npy->fortran_order ? "Fortran" : "C"; }

rh_status rh_check_paired(const rh_feed *one, const rh_feed *other, int are_labels,
                          rh_error *error) {
  const rh_npy *a = &one->npy, *b = &other->npy;
  const char *what = are_labels ? "labels" : "operands";
  if (!one->is_npy || !other->is_npy || a->n != b->n || (are_labels && b->dimensions < 2))
    return RH_OK;
  if (a->dimensions != b->dimensions || memcmp(a->lengths, b->lengths, sizeof a->lengths) != 0)
    return rh_fail(error, RH_E_USAGE,
                   "%s has the shape %s, and %s %s: %s need the same shape%s; reshape one of them "
                   "and save it again",
                   one->name, a->shape, other->name, b->shape, what,
                   are_labels ? ", or one dimension" : "");
  if (a->fortran_order == b->fortran_order || a->long_dimensions < 2 || a->n == 0) return RH_OK;
  return rh_fail(error, RH_E_USAGE,
                 "%s is stored in %s order, and %s in %s order, both of the shape %s: %s need the "
                 "same order; save one of them again, as with numpy.save(\"%s\", "
                 "numpy.as%sarray(...))",
                 one->name, order_of(a), other->name, order_of(b), a->shape, what, other->name,
                 a->fortran_order ? "fortran" : "contiguous");
}

/* ---- --by ---- */

typedef struct run_of_label {
  uint64_t key, run;
} run_of_label;

/* Equal labels have one key, as both zeros do, and all that are not a number. */
static uint64_t key_of(rh_type type, const void *label) {
  rh_result key = {.type = type};
  rh_element_load(type, label, &key.value);
  if (!rh_type_is_float(type)) return key.value.u;
  if (isnan(key.value.f)) return UINT64_MAX;
  return key.value.f == 0 ? 0 : key.value.u;
}

static int is_another(const rh_array *labels, uint64_t k) {
  uint32_t size = rh_type_size(labels->type);
  const unsigned char *at = (const unsigned char *)rh_array_data(labels) + k * size;
  if (k == 0) return 1;
  return memcmp(at - size, at, size) != 0 &&
         key_of(labels->type, at - size) != key_of(labels->type, at);
}

static int by_label(const void *a, const void *b) {
  const run_of_label *x = a, *y = b;
  int order = (x->key > y->key) - (x->key < y->key);
  return order ? order : (x->run > y->run) - (x->run < y->run);
}

/* A label that comes back would have several results. */
static rh_status check_labels(const rh_shape *shape, const char *path, rh_error *error) {
  const uint64_t n = shape->layout.segments, *starts = shape->layout.starts;
  rh_type type = shape->labels.type;
  const unsigned char *labels = rh_array_data(&shape->labels);
  RH_FREED(run_of_label) runs = NULL;
  RH_TRY(RH_NEW(&runs, n + 1, path, error));
  for (uint64_t s = 0; s < n; s++)
    runs[s] = (run_of_label){key_of(type, labels + starts[s] * rh_type_size(type)), s};
  qsort(runs, n, sizeof *runs, by_label);
  for (uint64_t k = 1; k < n; k++)
    if (runs[k - 1].key == runs[k].key)
      return rh_fail(error, RH_E_USAGE,
                     "%s: the label of element %llu comes back at element %llu, after others; "
                     "sort labels and elements by the labels first, as with "
                     "numpy.argsort(labels, kind=\"stable\")",
                     path, (number)starts[runs[k - 1].run], (number)starts[runs[k].run]);
  return RH_OK;
}

static rh_status find_runs(rh_shape *shape, const char *path, rh_error *error) {
  const rh_array *labels = &shape->labels;
  uint64_t runs = 0, at = 0;
  for (uint64_t k = 0; k < labels->n; k++) runs += (uint64_t)is_another(labels, k);
  RH_TRY(RH_NEW(&shape->offsets, runs + 1, path, error));
  for (uint64_t k = 0; k < labels->n; k++)
    if (is_another(labels, k)) shape->offsets[at++] = k;
  shape->offsets[at] = labels->n;
  take_offsets(shape, shape->offsets, shape->offsets + 1, runs);
  return RH_OK;
}

static rh_status open_by(rh_shape *shape, const rh_app *app, const rh_inputs *inputs,
                         const rh_job_spec *spec, rh_error *error) {
  const char *path = app->typed->by;
  rh_array *labels = &shape->labels;
  RH_FINISHED(rh_feed) feed = {.fd = -1};
  RH_TRY(rh_feed_open(&feed, path, 0, &app->context->options.reporter, error));
  RH_TRY(rh_check_paired(&inputs->feeds[0], &feed, 1, error));
  RH_TRY(rh_array_take_feed(labels, &feed, error));
  if (labels->n != spec->operation.n)
    return rh_fail(error, RH_E_USAGE,
                   "%s has %llu labels, and %s %llu elements: each element has one label", path,
                   (number)labels->n, spec->operation.what, (number)spec->operation.n);
  RH_TRY(find_runs(shape, path, error));
  snprintf(shape->words, sizeof shape->words, "by the labels in %.150s", path);
  return check_labels(shape, path, error);
}

/* ---- All ---- */

rh_status rh_shape_open(rh_shape *shape, const rh_app *app, const rh_inputs *inputs,
                        rh_job_spec *spec, rh_error *error) {
  const rh_operation *operation = &spec->operation;
  const rh_typed *typed = app->typed;
  RH_TRY(typed->axis       ? open_axis(shape, app, inputs, error)
         : typed->length   ? open_length(shape, typed->length, spec, error)
         : typed->segments ? open_segments(shape, app, error)
         : typed->by       ? open_by(shape, app, inputs, spec, error)
                           : open_starts(shape, app, error));
  rh_status status = rh_layout_check(&shape->layout, operation->op, operation->n, error);
  const char *of = typed->segments ? typed->segments : typed->starts;
  spec->operation.layout = &shape->layout;
  return rh_error_prefix(error, status, "%s", of ? of : operation->what);
}

void rh_shape_finish(rh_shape *shape) {
  free(shape->offsets);
  free(shape->stops);
  rh_array_finish(&shape->labels);
  *shape = (rh_shape){.offsets = NULL};
}
