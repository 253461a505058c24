/* The files of --output, of a run over segments. */

#include "run.h"

enum { MOST_NAME = 32 }; /* bytes of a NAME, with its end */

/* ---- Results ---- */

rh_result rh_run_segment(const rh_run_state *run, uint64_t s) {
  rh_result result = {.struct_size = sizeof result};
  rh_segments_result(&run->segments, s, &result);
  return result;
}

const char *rh_run_segment_name(const rh_run_state *run, uint64_t s) {
  char text[64];
  const rh_array *labels = &run->shape.labels;
  rh_result label = {.type = labels->type};
  if (!labels->type) return rh_show("%llu", (unsigned long long)s);
  uint64_t at = run->shape.layout.starts[s] * rh_type_size(labels->type);
  rh_element_load(labels->type, (const char *)rh_array_data(labels) + at, &label.value);
  return rh_show("%s", rh_format_value(text, &label));
}

/* ---- Columns ---- */

/* The columns of NAME=FILE; n: the bytes of the name. */
static rh_status find_column(const rh_columns *all, const char *word, size_t n,
                             rh_segments_file *file, rh_error *error) {
  const char *names = "";
  file->n = 1;
  for (uint32_t k = 0; k < all->n; k++) {
    const char *name = all->list[k].name ? all->list[k].name : "";
    file->first = k;
    if (strlen(name) == n && memcmp(name, word, n) == 0) return RH_OK;
    names = rh_show("%s%s%s", names, k ? ", " : "", name);
  }
  if (all->n > 1)
    return rh_fail(error, RH_E_USAGE, "--output %.100s: the results are %s", word, names);
  return rh_fail(error, RH_E_USAGE,
                 "--output %.100s: there is one result for each segment, without a name; name only "
                 "the file",
                 word);
}

/* With labels, they come before the results. */
static void write_header(const rh_run_state *run, const rh_segments_file *file, const char *name,
                         rh_text *to) {
  const rh_segments_files *files = &run->files;
  const rh_shape *shape = &run->shape;
  rh_npy_field fields[RH_MOST_RESULTS + 1];
  uint32_t at = 0;
  const char *label = "label"; /* unless a result has this name */
  for (uint32_t k = 0; k < files->columns.n; k++)
    if (files->columns.list[k].name && strcmp(files->columns.list[k].name, label) == 0)
      label = "labels";
  if (shape->labels.type) fields[at++] = (rh_npy_field){label, shape->labels.type};
  for (uint32_t k = 0; k < file->n; k++) fields[at++] = files->columns.list[file->first + k];
  if (at == 1) fields[0].name = NULL;
  for (uint32_t k = 0; k < at && at > 1; k++)
    if (!fields[k].name) fields[k].name = name;
  rh_npy_write_header(to, fields, at, shape->n_dimensions, shape->lengths, shape->fortran_order);
}

/* ---- Opening ---- */

/* The results must not take the place of what they are made of. */
static rh_status check_path(const rh_run_state *run, const char *path, const char *word,
                            rh_error *error) {
  const rh_typed *typed = run->app->typed;
  const char *const read[] = {typed->segments, typed->starts, typed->stops, typed->by};
  int is_read = 0;
  if (!*path) return rh_fail(error, RH_E_USAGE, "--output '%.100s': the file has no name", word);
  if (rh_format_from_path(path) || strcmp(path, "-") == 0)
    return rh_fail(error, RH_E_USAGE,
                   "--output %s: results are written as .npy; --json prints all of them", path);
  for (uint32_t k = 0; k < run->inputs.n; k++)
    is_read |= rh_is_same_file(path, run->inputs.names[k]);
  for (size_t k = 0; k < sizeof read / sizeof *read; k++) is_read |= rh_is_same_file(path, read[k]);
  if (!is_read) return RH_OK;
  return rh_fail(error, RH_E_USAGE,
                 "--output %s: is a file that is read; the results need another one", path);
}

/* Room for all of it, so that a full disk is known before anything runs. */
static rh_status reserve(const rh_run_state *run, rh_segments_file *file, rh_error *error) {
  const rh_shape *shape = &run->shape;
  uint64_t row = shape->labels.type ? rh_type_size(shape->labels.type) : 0;
  uint64_t rows = shape->layout.segments;
  RH_FINISHED(rh_text) header = {0};
  for (uint32_t k = 0; k < file->n; k++)
    row += rh_type_size(run->files.columns.list[file->first + k].type);
  write_header(run, file, "", &header);
  uint64_t bytes = header.length + (rows < INT64_MAX / row ? rows * row : INT64_MAX);
  if (rh_draft_reserve(&file->draft, bytes) == 0) return RH_OK;
  return rh_fail(error, RH_E_FILE, "%s: the results take %llu bytes: %s", file->path,
                 (unsigned long long)bytes, strerror(errno));
}

/* FILE, or NAME=FILE, where NAME may be a field; a path may have a `=', too, behind a folder. */
static rh_status open_file(rh_run_state *run, rh_error *error) {
  rh_segments_files *files = &run->files;
  const char *const *words = run->app->typed->outputs.list;
  uint32_t k = files->n;
  const char *word = words[k], *equals = strchr(word, '=');
  rh_segments_file *file = &files->list[k];
  size_t named = equals ? (size_t)(equals - word) : 0;
  if (named >= MOST_NAME || memchr(word, '/', named)) named = 0;
  *file = (rh_segments_file){.path = named ? equals + 1 : word, .n = files->columns.n};
  RH_TRY(check_path(run, file->path, word, error));
  if (named) RH_TRY(find_column(&files->columns, word, named, file, error));
  if (rh_draft_begin(&file->draft, file->path) != 0)
    return rh_fail(error, RH_E_FILE, "%s: %s", file->path, strerror(errno));
  files->n++;
  for (uint32_t j = 0; j < k; j++)
    if (rh_draft_is_same(&files->list[j].draft, &file->draft))
      return rh_fail(error, RH_E_USAGE, "--output %s: the file of --output %s, too", word,
                     words[j]);
  return reserve(run, file, error);
}

rh_status rh_segments_files_open(rh_run_state *run, rh_error *error) {
  uint32_t n = run->app->typed->outputs.n;
  if (n) rh_columns_find(&run->files.columns, run->asked.operation.op);
  for (uint32_t k = 0; k < n; k++) RH_TRY(open_file(run, error));
  return RH_OK;
}

void rh_segments_files_close(rh_run_state *run) {
  for (uint32_t k = 0; k < run->files.n; k++) rh_draft_finish(&run->files.list[k].draft);
  run->files.n = 0;
}

/* ---- Writing ---- */

static rh_status write_file(const rh_run_state *run, const rh_segments_file *file,
                            rh_error *error) {
  unsigned char bytes[sizeof(uint64_t)];
  const rh_array *labels = &run->shape.labels;
  uint32_t size = rh_type_size(labels->type);
  FILE *out = file->draft.out;
  RH_FINISHED(rh_text) header = {0};
  write_header(run, file, run->asked.operation.op->name, &header);
  errno = 0;
  fwrite(rh_text_get(&header), 1, header.length, out);
  for (uint64_t s = 0; s < run->segments.n && !ferror(out); s++) {
    const rh_result result = rh_run_segment(run, s);
    if (labels->type)
      fwrite((const char *)rh_array_data(labels) + run->shape.layout.starts[s] * size, size, 1,
             out);
    for (uint32_t k = file->first; k < file->first + file->n; k++) {
      const void *word = rh_result_has_fields(&result) ? &result.fields[k].value
                         : result.indexed ? (const void *)&result.index /* -1: there is none */
                                          : &result.value;
      fwrite(bytes, rh_element_store(run->files.columns.list[k].type, word, bytes), 1, out);
    }
  }
  if (!ferror(out) && fflush(out) == 0) return RH_OK;
  return rh_fail(error, RH_E_FILE, "%s: %s", file->path, strerror(errno ? errno : EIO));
}

rh_status rh_segments_files_write(rh_run_state *run, rh_error *error) {
  rh_segments_files *files = &run->files;
  for (uint32_t k = 0; k < files->n; k++) RH_TRY(write_file(run, &files->list[k], error));
  for (uint32_t k = 0; k < files->n; k++)
    if (rh_draft_end(&files->list[k].draft) != 0)
      return rh_fail(error, RH_E_FILE, "%s: %s", files->list[k].path, strerror(errno));
  return RH_OK;
}
