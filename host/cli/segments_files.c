/* The files of --output, of a run over segments. */
#include "../core/base/error.h"
#include "../core/base/vocabulary.h"
#include "../engine/io/element.h"
#include "../engine/segments/columns.h"
#include "../tools/records/write.h"
#include "run_segments.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

/* ---- Files ---- */

/* "NAME=FILE", where NAME may be a field, and a path may have one, too, behind a folder. */
static const char *path_of(const char *word, const char **field, char name[32]) {
  const char *equals = strchr(word, '=');
  *field = NULL;
  if (equals && memchr(word, '/', (size_t)(equals - word))) return word;
  if (!equals || equals == word || (size_t)(equals - word) >= 32) return word;
  memcpy(name, word, (size_t)(equals - word));
  name[equals - word] = 0;
  *field = word;
  return equals + 1;
}

void rh_segments_files_close(rh_segments_files *files) {
  for (uint32_t k = 0; k < files->n; k++) rh_draft_finish(&files->drafts[k]);
  files->n = 0;
}

/* The columns of one file: all, or one by its name. */
static rh_status choose_columns(const rh_columns *all, const char *word, const char *field,
                                uint32_t *first, uint32_t *n, rh_error *error) {
  *first = 0;
  *n = all->n;
  if (!field) return RH_OK;
  size_t length = (size_t)(strchr(word, '=') - word);
  for (uint32_t k = 0; k < all->n; k++) {
    const char *name = all->list[k].name;
    if (!name || strlen(name) != length || memcmp(name, word, length) != 0) continue;
    *first = k;
    *n = 1;
    return RH_OK;
  }
  rh_text names = {0};
  for (uint32_t k = 0; k < all->n; k++)
    rh_text_add(&names, "%s%s", k ? ", " : "", all->list[k].name ? all->list[k].name : "");
  rh_status status =
      all->n > 1 ? rh_fail(error, RH_E_USAGE, "--output %.100s: the results are %s", word,
                           rh_text_get(&names))
                 : rh_fail(error, RH_E_USAGE,
                           "--output %.100s: there is one result for each segment, without a name; "
                           "name only the file",
                           word);
  rh_text_finish(&names);
  return status;
}

static const char *name_of_labels(const rh_columns *all) {
  for (uint32_t k = 0; k < all->n; k++)
    if (all->list[k].name && strcmp(all->list[k].name, "label") == 0) return "labels";
  return "label";
}

/* With labels, they come before the results. */
static void write_header(const rh_columns *all, const rh_shape *shape, uint32_t first, uint32_t n,
                         const char *name, rh_text *to) {
  rh_npy_field fields[RH_MOST_RESULTS + 1];
  uint32_t at = 0;
  if (shape->labels.type) fields[at++] = (rh_npy_field){name_of_labels(all), shape->labels.type};
  for (uint32_t k = first; k < first + n; k++) fields[at++] = all->list[k];
  if (at == 1) fields[0].name = NULL;
  for (uint32_t k = 0; k < at && at > 1; k++)
    if (!fields[k].name) fields[k].name = name;
  rh_npy_write_header(to, fields, at, shape->n_dimensions, shape->lengths, shape->fortran_order);
}

/* ---- Opening ---- */

static int is_file(const char *path, const char *other) {
  struct stat one, two;
  return other && strcmp(other, "-") != 0 && stat(path, &one) == 0 && stat(other, &two) == 0 &&
         one.st_dev == two.st_dev && one.st_ino == two.st_ino;
}

/* The results would take the place of what they are made of. */
static rh_status check_other_than_read(const char *path, const rh_typed *typed,
                                       const rh_inputs *inputs, rh_error *error) {
  const char *const read[] = {typed->segments, typed->starts, typed->stops, typed->by};
  int is_read = 0;
  for (uint32_t k = 0; k < inputs->n; k++) is_read |= is_file(path, inputs->names[k]);
  for (size_t k = 0; k < sizeof read / sizeof *read; k++) is_read |= is_file(path, read[k]);
  if (!is_read) return RH_OK;
  return rh_fail(error, RH_E_USAGE,
                 "--output %s: is a file that is read; the results need another one", path);
}

static rh_status check_path(const char *path, const char *word, const rh_typed *typed,
                            const rh_inputs *inputs, rh_error *error) {
  if (!*path) return rh_fail(error, RH_E_USAGE, "--output '%.100s': the file has no name", word);
  if (rh_format_from_path(path) || strcmp(path, "-") == 0)
    return rh_fail(error, RH_E_USAGE,
                   "--output %s: results are written as .npy; --json prints all of them", path);
  return check_other_than_read(path, typed, inputs, error);
}

/* Room for all of it, so that a full disk is known before anything runs. */
static rh_status reserve(rh_draft *draft, const char *path, const rh_shape *shape,
                         const rh_columns *all, uint32_t first, uint32_t n, rh_error *error) {
  uint64_t row = shape->labels.type ? rh_type_size(shape->labels.type) : 0;
  uint64_t rows = shape->layout.segments;
  rh_text header = {0};
  for (uint32_t k = first; k < first + n; k++) row += rh_type_size(all->list[k].type);
  write_header(all, shape, first, n, "", &header);
  uint64_t bytes = header.length + (rows < INT64_MAX / row ? rows * row : INT64_MAX);
  rh_text_finish(&header);
  if (rh_draft_reserve(draft, bytes) == 0) return RH_OK;
  return rh_fail(error, RH_E_FILE, "%s: the results take %llu bytes: %s", path,
                 (unsigned long long)bytes, strerror(errno));
}

static rh_status open_file(rh_segments_files *files, const rh_app *app, const rh_columns *all,
                           const rh_inputs *inputs, const rh_shape *shape, rh_error *error) {
  uint32_t first, n, k = files->n;
  char name[32];
  const char *const *words = app->typed->outputs.list;
  const char *path = path_of(words[k], &files->fields[k], name);
  RH_TRY(check_path(path, words[k], app->typed, inputs, error));
  RH_TRY(choose_columns(all, words[k], files->fields[k], &first, &n, error));
  if (rh_draft_begin(&files->drafts[k], path) != 0)
    return rh_fail(error, RH_E_FILE, "%s: %s", path, strerror(errno));
  files->n++;
  for (uint32_t j = 0; j < k; j++)
    if (rh_draft_is_same(&files->drafts[j], &files->drafts[k]))
      return rh_fail(error, RH_E_USAGE, "--output %s: the file of --output %s, too", words[k],
                     words[j]);
  return reserve(&files->drafts[k], path, shape, all, first, n, error);
}

rh_status rh_segments_files_open(rh_segments_files *files, const rh_app *app, const rh_operator *op,
                                 const rh_inputs *inputs, const rh_shape *shape, rh_error *error) {
  uint32_t n = app->typed->outputs.n;
  rh_columns all;
  if (n) rh_columns_find(&all, op);
  for (uint32_t k = 0; k < n; k++) RH_TRY(open_file(files, app, &all, inputs, shape, error));
  return RH_OK;
}

/* ---- Writing ---- */

static void write_elements(const rh_segments_answer *run, const rh_shape *shape,
                           const rh_columns *all, uint32_t first, uint32_t n, FILE *out) {
  unsigned char bytes[sizeof(uint64_t)];
  const rh_array *labels = &shape->labels;
  uint32_t size = rh_type_size(labels->type);
  for (uint64_t s = 0; s < run->segments.n && !ferror(out); s++) {
    rh_result result = {.struct_size = sizeof result};
    rh_segments_result(&run->segments, s, &result);
    if (labels->type)
      fwrite((const char *)rh_array_data(labels) + shape->layout.starts[s] * size, size, 1, out);
    for (uint32_t k = first; k < first + n; k++)
      fwrite(bytes, rh_element_store(all->list[k].type, rh_columns_word(&result, k), bytes), 1,
             out);
  }
}

static rh_status write_file(const rh_segments_answer *run, const rh_shape *shape,
                            const rh_columns *all, const char *word, const char *field,
                            rh_draft *draft, rh_error *error) {
  uint32_t first, n;
  char name[32];
  rh_text header = {0};
  RH_TRY(choose_columns(all, word, field, &first, &n, error));
  write_header(all, shape, first, n, run->segments.spec.operation.op->name, &header);
  errno = 0;
  fwrite(rh_text_get(&header), 1, header.length, draft->out);
  rh_text_finish(&header);
  write_elements(run, shape, all, first, n, draft->out);
  if (!ferror(draft->out) && fflush(draft->out) == 0) return RH_OK;
  return rh_fail(error, RH_E_FILE, "%s: %s", path_of(word, &field, name),
                 strerror(errno ? errno : EIO));
}

rh_status rh_segments_files_write(rh_segments_files *files, const rh_app *app,
                                  const rh_segments_answer *run, const rh_shape *shape,
                                  rh_error *error) {
  rh_columns all;
  rh_columns_find(&all, run->segments.spec.operation.op);
  for (uint32_t k = 0; k < files->n; k++)
    RH_TRY(write_file(run, shape, &all, app->typed->outputs.list[k], files->fields[k],
                      &files->drafts[k], error));
  for (uint32_t k = 0; k < files->n; k++)
    if (rh_draft_end(&files->drafts[k]) != 0)
      return rh_fail(error, RH_E_FILE, "%s: %s", app->typed->outputs.list[k], strerror(errno));
  return RH_OK;
}
