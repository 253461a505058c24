#include "data.h"

/* A pipe counts as large when so much of it was read. */
static const uint64_t first_part = UINT64_C(256) << 20;

uint64_t rh_machine_memory(void) {
  long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
  return pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : 0;
}

int rh_is_same_file(const char *a, const char *b) {
  struct stat one, two;
  return a && b && strcmp(b, "-") != 0 && stat(a, &one) == 0 && stat(b, &two) == 0 &&
         S_ISREG(one.st_mode) && one.st_dev == two.st_dev && one.st_ino == two.st_ino;
}

static rh_status cut_list(rh_inputs *inputs, const char *list, int as_list, rh_error *error) {
  RH_TRY(rh_copy(&inputs->copy, list, "names", error));
  if (!as_list || access(list, F_OK) == 0) { /* a name with a comma */
    inputs->names[inputs->n++] = inputs->copy;
    return RH_OK;
  }
  for (char *at = inputs->copy, *name; (name = strsep(&at, ","));) {
    if (inputs->n == RH_MOST_OPERANDS)
      return rh_fail(error, RH_E_USAGE, "--input: at most %d files", RH_MOST_OPERANDS);
    if (!*name) return rh_fail(error, RH_E_USAGE, "--input '%s': an empty name", list);
    inputs->names[inputs->n++] = name;
  }
  return RH_OK;
}

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

rh_status rh_inputs_open(rh_inputs *inputs, const rh_app *app, int as_list, rh_error *error) {
  const rh_reporter *reporter = &app->context->options.reporter;
  uint64_t bytes = 0, memory = rh_machine_memory(), room = memory - memory / 4;
  /* Unless a stream is asked for, segments of a file are reduced where it is mapped, and those of a
   * pipe once it has ended. */
  int are_cut = rh_shape_is_asked(app->typed);
  RH_TRY(cut_list(inputs, app->typed->input, as_list, error));
  for (uint32_t k = 0; k < inputs->n; k++) {
    rh_feed *feed = &inputs->feeds[k];
    for (uint32_t j = 0; j < k; j++)
      if (strcmp(inputs->names[j], "-") == 0 && strcmp(inputs->names[k], "-") == 0)
        return rh_fail(error, RH_E_USAGE, "--input: standard input can be one operand only");
    RH_TRY(rh_feed_open(feed, inputs->names[k], app->type, reporter, error));
    RH_TRY(rh_check_paired(&inputs->feeds[0], feed, 0, error));
    bytes += feed->file_bytes;
    if (!feed->is_pipe || app->typed->stream) continue;
    RH_TRY(rh_feed_gather(feed, are_cut && memory ? room : first_part, error));
    inputs->are_large |= !rh_feed_is_gathered(feed);
  }
  inputs->are_large |= memory && bytes > room && !are_cut;
  return RH_OK;
}

/* All operands in one region. */
static rh_status join(rh_inputs *inputs, rh_array *array, rh_job_spec *spec, rh_error *error) {
  rh_region *parts[RH_MOST_OPERANDS];
  for (uint32_t k = 0; k < inputs->n; k++) parts[k] = &inputs->arrays[k].region;
  array->region = (rh_region){0};
  RH_TRY(rh_region_join(&array->region, parts, inputs->n, spec->offsets, error));
  for (uint32_t k = 0; k < inputs->n; k++)
    spec->offsets[k] += inputs->arrays[k].offset_bytes - array->offset_bytes;
  return RH_OK;
}

rh_status rh_inputs_bring(rh_inputs *inputs, rh_array *array, rh_job_spec *spec, rh_error *error) {
  rh_array *arrays = inputs->arrays;
  for (uint32_t k = 0; k < inputs->n; k++) {
    rh_terminal_catch_cut_file(inputs->names[k]);
    RH_TRY(rh_array_take_feed(&arrays[k], &inputs->feeds[k], error));
    if (arrays[k].n != arrays[0].n)
      return rh_fail(error, RH_E_USAGE, "%s has %llu elements, and %s has %llu", inputs->names[0],
                     (unsigned long long)arrays[0].n, inputs->names[k],
                     (unsigned long long)arrays[k].n);
  }
  *array = arrays[0];
  spec->operation.n = array->n;
  if (inputs->n > 1) return join(inputs, array, spec, error);
  arrays[0] = (rh_array){0};
  return RH_OK;
}

rh_status rh_inputs_source(rh_inputs *inputs, const rh_job_spec *job, const rh_typed *typed,
                           rh_source *source, rh_error *error) {
  const rh_operator *op = job->operation.op;
  rh_feed *feeds[RH_MOST_OPERANDS];
  rh_type types[RH_MOST_OPERANDS];
  for (uint32_t k = 0; k < op->n_operands; k++) {
    types[k] = op->operands[k].type;
    feeds[k] = &inputs->feeds[k];
  }
  if (inputs->n) return rh_source_of_feeds(source, feeds, op->n_operands, error);
  rh_source_generated(source, typed->data, typed->seed, types, op->n_operands, job->operation.n);
  return RH_OK;
}

void rh_inputs_finish(rh_inputs *inputs) {
  for (uint32_t k = 0; k < inputs->n; k++) {
    rh_array_finish(&inputs->arrays[k]);
    rh_feed_finish(&inputs->feeds[k]);
  }
  free(inputs->copy);
  *inputs = (rh_inputs){0};
}
